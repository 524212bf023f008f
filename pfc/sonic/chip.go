package sonic

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Chip has the facts of the switch chip and its traffic that a configuration of SONiC lacks. The
// figures of SONiC's ASIC_TABLE are in KiB; here they are bytes. [ChipOf] has the figures for chips
// of sonic-buildimage. The zero value of a field is "as ChipOf has it" for Import and Update.
type Chip struct {
	// Name, as "Trident 3"; empty: no chip that is known here.
	Name string
	// Cell is the size of a cell, SONiC's cell_size. 0 or 1: bytes.
	Cell sluice.Bytes
	// Buffer is the memory, for configurations that give no size of their lossless pool, as
	// configurations of the dynamic model.
	Buffer sluice.Bytes
	// PoolSize says what the size of the lossless ingress pool counts.
	PoolSize PoolSize
	// Slices is in how many equal parts the memory is cut, each with its own share of every pool and
	// of the shared headroom pool: a packet finds only the memory of one. 0 or 1: one.
	Slices int
	// QueueReserves is how often the size of each egress queue's profile is taken out of a PoolTotal,
	// beside the priority groups' profiles: 0, 1, or once for each slice. -1: 0, whatever ChipOf has.
	QueueReserves int
	// LargestAlpha is the alpha that a dynamic_th of 7 stands for; 0: 128, two to the power of seven.
	LargestAlpha int64
	// PortShares: the threshold of a priority group is its alpha times the rest of the port's own
	// limit, an alpha times the free bytes of the pool, beside the bytes that the port has taken,
	// as [qos.Port.Shares] has it.
	PortShares bool
	// Spectrum is the generation of an Nvidia chip, from 1, for Formula; 0: another chip.
	Spectrum int

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
	// Script is the version of SONiC's script that Formula computes by. Zero: the newest.
	Script Script
	// SharedHeadroom: a headroom pool is shared, so that ScriptCompensated adds nothing.
	SharedHeadroom bool
}

// PoolSize says what the size of the lossless ingress pool counts.
type PoolSize uint8

const (
	// PoolUnknown: as ChipOf has it; for chips of which that is not known, as PoolShared.
	PoolUnknown PoolSize = iota
	// PoolShared: what priority groups share, beyond their reserves, their headrooms and the shared
	// headroom pool.
	PoolShared
	// PoolTotal: all of it, of which the reserves of priority groups, their headrooms or the shared
	// headroom pool, and Chip.QueueReserves are taken.
	PoolTotal
)

// or returns a chip whose zero fields have the values of another.
func (c Chip) or(other Chip) Chip {
	orElse(&c.Name, other.Name)
	orElse(&c.Cell, other.Cell)
	orElse(&c.Buffer, other.Buffer)
	orElse(&c.PoolSize, other.PoolSize)
	orElse(&c.Slices, other.Slices)
	orElse(&c.QueueReserves, other.QueueReserves)
	orElse(&c.LargestAlpha, other.LargestAlpha)
	orElse(&c.PortShares, other.PortShares)
	orElse(&c.Spectrum, other.Spectrum)
	orElse(&c.MACPHY, other.MACPHY)
	orElse(&c.Pipeline, other.Pipeline)
	return c
}

func orElse[T comparable](into *T, other T) {
	var zero T
	if *into == zero {
		*into = other
	}
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
	return port.HeadroomFor(c.LosslessMTU, c.Cell)
}
