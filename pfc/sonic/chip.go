package sonic

import (
	"cmp"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Chip is what headroom needs to know of a switch chip and its traffic. The figures of SONiC's
// ASIC_TABLE are in KiB; here they are bytes.
type Chip struct {
	// Cell is the size of a cell, SONiC's cell_size. 0 or 1: bytes.
	Cell sluice.Bytes
	// Buffer is the memory, for configurations that give no size of their lossless pool, as
	// configurations of the dynamic model.
	Buffer sluice.Bytes
	// MACPHY is what arrives while a frame passes MAC and PHY, SONiC's mac_phy_delay, of both
	// directions together.
	MACPHY sluice.Bytes
	// Pipeline is what arrives while a packet passes the chip, SONiC's pipeline_latency. SONiC keeps
	// it apart, as xon, from the xoff that is the headroom.
	Pipeline sluice.Bytes
	// Response is the peer's response time in bytes, SONiC's peer_response_time. Zero: the quanta of
	// IEEE 802.3 at the port's speed, as newer versions have it.
	Response sluice.Bytes
	// LosslessMTU is the largest lossless frame, MTU the largest of any class, check sequence
	// included.
	LosslessMTU, MTU sluice.Bytes
	// SmallPackets is the percentage of packets that are of 64 bytes, SONiC's
	// small_packet_percentage, for Formula alone. 0 to 100.
	SmallPackets int
}

// Port returns the port of a speed and a cable, with what HeadroomFor needs: on a real wire, and
// with the chip's MACPHY at both ends together. Pipeline is left out, as SONiC keeps it apart.
func (c *Chip) Port(rate sluice.Rate, cable sluice.Time) pfc.PortConfig {
	p := pfc.PortConfig{
		Link:     sluice.Link{Rate: rate, Delay: cable},
		Pipeline: rate.TimeOf(c.MACPHY),
		MTU:      c.MTU,
		Overhead: pfc.EthernetOverhead,
	}
	if c.Response > 0 {
		p.Reaction = rate.QuantaIn(rate.TimeOf(c.Response))
	}
	return p
}

// Exact returns the headroom to the byte, with its parts: see [pfc.PortConfig.HeadroomFor].
func (c *Chip) Exact(rate sluice.Rate, cable sluice.Time) pfc.HeadroomParts {
	port := c.Port(rate, cable)
	return port.HeadroomParts(c.LosslessMTU, c.Cell)
}

// light is the speed of light in a cable that SONiC's formula has, in metres per second.
const light = 198_000_000

// Formula returns the xoff of SONiC's dynamic buffer model for a port of a rate and a cable of so
// many metres: what arrives while the pause takes effect, times what cells waste on small packets,
// and a lossless frame, rounded up to a KiB. It is
//
//	LosslessMTU + occupancy * (MTU + 2*metres/light*rate + MACPHY + response)
//
// where occupancy is 1 where all packets fill their cells, and cell/64 where all are of 64 bytes,
// or 2*cell/(1+cell) for cells of up to 128 bytes. SONiC's script divides the bytes on the cable by
// 1.024 times as much; the tables that vendors ship do not, and neither does this.
func (c *Chip) Formula(rate sluice.Rate, metres int) sluice.Bytes {
	cell := float64(max(c.Cell, 1))
	worst := 2 * cell / (1 + cell)
	if c.Cell > 2*pfc.MinimumFrame {
		worst = cell / float64(pfc.MinimumFrame)
	}
	small := float64(c.SmallPackets) / 100
	response := cmp.Or(c.Response, sluice.Bytes(pfc.Reaction(rate))*sluice.QuantumBits/8)
	onCable := 2 * float64(metres) / light * float64(rate) / 8
	arrives := float64(c.MTU) + onCable + float64(c.MACPHY) + float64(response)
	bytes := float64(c.LosslessMTU) + arrives*(1-small+small*worst)
	return sluice.Bytes(math.Ceil(bytes/1024)) * sluice.KiB
}
