package sonic

import (
	"cmp"
	"errors"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Script is a version of the script by which SONiC's dynamic buffer model computes headrooms on
// Nvidia's switches, cfgmgr/buffer_headroom_mellanox.lua of sonic-swss.
type Script uint8

const (
	// ScriptCompensated is of 2026-07-31 (commit 422271e7): ScriptByBytes, with 2 KiB more where
	// fewer than all packets are small, no headroom pool is shared, and that is still less than if
	// all were small; and 18 KiB more on Spectrum-6.
	ScriptCompensated Script = iota
	// ScriptByBytes is of 2024-09-10 (commit 3943093d): small packets count by the share that 64 bytes
	// have of a mean packet, which is not zero where no packet is small; the waste of a small packet
	// is rounded up to a whole number of times its bytes; a byte on the cable has 8 bits; and
	// Spectrum-4 and -5 have 15 bytes for each Gb/s, on the tile.
	ScriptByBytes
	// ScriptByPackets is of 2021-11-15 (commit f9462c49): small packets count by their number. A byte
	// on the cable has 8.192 bits in this script, but not in the tables that vendors ship, and not
	// here.
	ScriptByPackets
)

var scriptDates = [...]string{"2026-07-31", "2024-09-10", "2021-11-15"}

// String returns the date of a version, as "2024-09-10".
func (s Script) String() string {
	if int(s) < len(scriptDates) {
		return scriptDates[s]
	}
	return "no date"
}

// MarshalText returns the date of a version, for flags.
func (s Script) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the date of a version.
func (s *Script) UnmarshalText(text []byte) error {
	for i, date := range scriptDates {
		if date == string(text) {
			*s = Script(i)
			return nil
		}
	}
	return errScript
}

var errScript = errors.New("must be 2021-11-15, 2024-09-10 or 2026-07-31")

const (
	light        = 198_000_000 // metres per second in a cable, in the script
	compensation = 2 * sluice.KiB
	spectrum6    = 18 * sluice.KiB // the packet buffer's own account on Spectrum-6
	tile         = 15              // bytes for each Gb/s on Spectrum-4 and -5
)

// Formula returns the xoff of SONiC's dynamic buffer model for a port of a rate and a cable of a
// length in metres, by the version of Script: what arrives while the pause takes effect, times what
// cells waste on small packets, and a lossless frame, rounded up to a KiB. It is
//
//	LosslessMTU + occupancy * (MTU + 2*metres/light*rate + MACPHY + response + tile)
//
// where occupancy is 1 where all packets fill their cells and worst where all are of 64 bytes. That
// is cell/64, or 2*cell/(1+cell) for cells of up to 128 bytes; and the next whole number since
// ScriptByBytes. MTU is the port's mtu, without the bytes of the frame around it, in the script.
func (c *Chip) Formula(rate sluice.Rate, metres int) sluice.Bytes {
	arrives := c.arrives(rate, metres)
	small, worst := float64(c.SmallPackets)/100, c.worst()
	if c.Script == ScriptByPackets {
		return c.roundUp(arrives * (1 - small + small*worst))
	}
	worst = math.Ceil(worst)
	frame, largest := float64(pfc.MinimumFrame), float64(max(c.LosslessMTU, pfc.MinimumFrame))
	bytes := frame / (small*frame + (1-small)*largest)
	xoff := c.roundUp(arrives * (1 - bytes + bytes*worst))
	if c.Script == ScriptByBytes {
		return xoff
	}
	if c.Spectrum == 6 {
		xoff += spectrum6
	}
	all := c.roundUp(arrives * worst)
	if !c.SharedHeadroom && c.SmallPackets != 100 && xoff+compensation < all {
		xoff += compensation
	}
	return xoff
}

// arrives returns the bytes that arrive while a pause takes effect, if cells wasted nothing.
func (c *Chip) arrives(rate sluice.Rate, metres int) float64 {
	quanta := pfc.Reaction(min(rate, 400*sluice.Gbps)) // the script has 905 for 800 Gb/s, too
	response := cmp.Or(c.Response, sluice.Bytes(quanta)*sluice.QuantumBits/8)
	onCable := 2 * float64(metres) / light * float64(rate) / 8
	sum := float64(c.MTU) + onCable + float64(c.MACPHY) + float64(response)
	if c.Script != ScriptByPackets && (c.Spectrum == 4 || c.Spectrum == 5) {
		sum += float64(rate) / float64(sluice.Gbps) * tile
	}
	return sum
}

// worst returns how many times its bytes a packet can take of cells.
func (c *Chip) worst() float64 {
	cell := float64(max(c.Cell, 1))
	if c.Cell > 2*pfc.MinimumFrame {
		return cell / float64(pfc.MinimumFrame)
	}
	return 2 * cell / (1 + cell)
}

// roundUp adds a lossless frame and rounds up to a KiB.
func (c *Chip) roundUp(arrives float64) sluice.Bytes {
	return sluice.Bytes(math.Ceil((float64(c.LosslessMTU)+arrives)/1024)) * sluice.KiB
}
