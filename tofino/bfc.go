package tofino

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// DepthSource is where ingress knows the depth of a queue from.
type DepthSource uint8

// Depth sources.
const (
	// Notices adds up what comes in and what notices say has left: exact.
	Notices DepthSource = iota
	// Ghost reads what the ghost thread was told last, in whole units and of before the packet at
	// hand, as the papers do.
	Ghost
	depthSources
)

// BFCConfig says for which switch a program is made.
type BFCConfig struct {
	// Machine is the configuration of the switch: one that [RealiseBFC] has nothing to change in.
	Machine bfc.Config
	// Ports are the chip's ports, by the number that they have in Machine. All are of one pipe.
	Ports []chip.DevPort
	// Carving is how many queues they have: at least one more than Machine.Queues, for signals. The
	// zero value shares each port group evenly among as few channels as Ports need.
	Carving chip.Carving
	// Routes say where packets go: the longest prefix that an address has.
	Routes []Route
	// MTU is the longest IP packet, 16 to 65,511, rounded up to whole cells. Zero means 9,216.
	MTU int
	// Depth is where depths of queues are known from, Unit what the ghost thread counts in.
	Depth DepthSource
	Unit  chip.DepthUnit
}

// Route sends what is for an IPv4 prefix by a port of the switch.
type Route struct {
	To   netip.Prefix
	Port sluice.PortID
}

// BFC is backpressure flow control on the chip: a program with what fills it.
//
// A data packet finds its flow's entry by the low bits of a CRC-32 of its five-tuple: source and
// destination address, protocol, source and destination port. Its queue, whether it is over the
// threshold and whether it pauses the queue that it came from are decided in one pass through
// ingress. Its departure is seen in egress: a notice, the packet's first octets behind a header of
// what ingress needs to know, goes round by the recirculation port and undoes what the packet did.
// A queue that empties is put on the stack of free ones by a second round, for a register is
// touched in one stage only, and the packet that takes a queue reads the stack before it can know
// the queue.
//
//	register    bits x elements          written by
//	last        32 x ports VFIDs         notice: time of the last departure
//	flow_size   16 x ports VFIDs         packet + 1, notice - 1; 2^15: never used
//	free_top     8 x ports               packet that needs a queue - 1, second round + 1
//	free_id      8 x ports queues        second round
//	flow_queue   8 x ports VFIDs         packet that needs a queue
//	packets     16 x ports queues        packet + 1, notice - 1
//	listed       1 x ports queues        on the stack: notice that empties, packet that takes
//	paused       1 x ports queues        frame
//	active       8 x ports               N_active: packet, notice, frame
//	length      32 x ports queues        cells: packet and notice, or ghost
//	counter     16 x ports upstream      packet that is over the threshold + 1, its notice - 1
//	heard       64 x ports               frame: the last sequence number
//	sequence    32 x ports               egress: that of the next frame
//
// Data queue q of the machine is queue q of the port; the next is for signals.
type BFC struct {
	Program *ir.Program
	Config  *ir.Config
	// Machine is the configuration of the machine to compare with, every default filled in.
	Machine bfc.Config
	Ports   []chip.DevPort
	Carving chip.Carving
	Unit    chip.DepthUnit
	Depth   DepthSource
}

// Overhead is what Ethernet adds to an IP packet in the buffer: 14 octets of header, the shim, and
// the check sequence.
const Overhead = 14 + bfc.ShimLength + 4

const (
	defaultMTU = 9216
	maxMTU     = 1<<16 - 1 - Overhead
	mostPorts  = 1 << 8 // a header names a port in 8 bits
)

// NewBFC returns the program of a switch and its entries. It refuses, with a [*sluice.ConfigError],
// a configuration that is not what it is realised as, naming the first field, and ports of several
// pipes, naming them: what a packet counts must be known where it comes in.
func NewBFC(config BFCConfig) (*BFC, error) {
	_, changes, err := RealiseBFC(config.Machine)
	if err := unrealised(changes, err); err != nil {
		return nil, err
	}
	machine, err := bfc.New(config.Machine)
	if err != nil {
		return nil, invalid(err)
	}
	b := &bfcBuilder{BFCConfig: config, machine: machine, full: machine.Config()}
	if err := b.check(); err != nil {
		return nil, err
	}
	b.program()
	b.entries()
	return &BFC{b.p, b.filled, b.full, config.Ports, b.Carving, config.Unit, config.Depth}, nil
}

// bfcBuilder is a program under construction.
type bfcBuilder struct {
	BFCConfig
	machine *bfc.Switch
	full    bfc.Config

	portBits, queueBits, vfidBits, upstreamBits int

	writer
	headers   bfcHeaders
	md        bfcMetadata
	registers bfcRegisters
	tables    bfcTables
}

// check refuses what no program can be made of.
func (b *bfcBuilder) check() error {
	c, ports := &b.BFCConfig, len(b.full.Ports)
	if err := checkPorts(c.Ports, ports); err != nil {
		return err
	}
	if ports > mostPorts {
		return refused("Ports", ports, "must be at most 256")
	}
	// What a packet adds to in the pipe of its ingress port is the state of its egress port: it cannot
	// be copied as frames could be.
	if err := onePipe(c.Ports,
		"queues, flows and counters of an egress port are added to where packets "+
			"come in"); err != nil {
		return err
	}
	if c.Carving == (chip.Carving{}) {
		c.Carving = fewestChannels(c.Ports[:ports])
	}
	for at, port := range c.Ports[:ports] {
		if count := c.Carving.Count(port.Channel()); count <= b.full.Queues {
			return refused("Machine.Queues", b.full.Queues, fmt.Sprintf("must be less than the %d queues "+
				"that port %d has: one is for signals", count, at))
		}
	}
	for at, route := range c.Routes {
		if err := route.check(fmt.Sprintf("Routes[%d]", at), ports); err != nil {
			return err
		}
	}
	if c.MTU == 0 {
		c.MTU = defaultMTU
	}
	if c.MTU < 16 || c.MTU > maxMTU {
		return refused("MTU", c.MTU, "must be 16 to 65511")
	}
	if c.Depth >= depthSources {
		return refused("Depth", c.Depth, "must be Notices or Ghost")
	}
	return nil
}

// fewestChannels returns the carving with the most queues in which each port has some.
func fewestChannels(ports []chip.DevPort) chip.Carving {
	for count := 1; count <= chip.Channels; count *= 2 {
		carving, err := chip.Breakout(count)
		if err != nil {
			panic(err) // powers of two up to 8
		}
		all := true
		for _, port := range ports {
			all = all && carving.Count(port.Channel()) > 0
		}
		if all {
			return carving
		}
	}
	return chip.DefaultCarving()
}

// Recirculation returns how many bits of notices go round in a second at most, while a port sends
// packets of that many bytes at the rates of all ports: 64 octets for each packet, and 64 more
// where it is the last in its queue.
func (b *BFC) Recirculation(size sluice.Bytes) sluice.Rate {
	sum := sluice.Rate(0)
	for at := range b.Machine.Ports {
		sum += b.Machine.Ports[at].Link.Rate
	}
	return sum / sluice.Rate(max(size, 1)) * 2 * noticeOctets
}

// noticeOctets is the length of a notice on its way: the smallest packet.
const noticeOctets = 64
