package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
)

// BFCConfig says for which switch a program is made.
type BFCConfig struct {
	// Machine is the configuration of the switch, in which [RealiseBFC] has nothing to change.
	Machine bfc.Config
	// Site is where the program runs: a port needs Machine.Queues queues and one for signals, the MTU
	// is 16 to 65,511.
	Site
	// Routes say where packets go: by the route with the longest prefix of the address.
	Routes []Route
}

// BFC is backpressure flow control on the chip: a program with what fills it.
//
// A data packet finds its flow's entry by the low bits of a CRC-32 of its five-tuple: source and
// destination address, protocol, source and destination port. Its queue, whether it is over the
// threshold and whether it pauses the queue that it came from are decided in one pass through
// ingress. Its departure is seen in egress: a notice, the packet's first octets behind a header of
// what ingress needs to know, goes round by the recirculation port and undoes what the packet did.
// A queue that empties is put on the stack of free queues by a second round: a register is touched
// in one stage only, and the packet that takes a queue reads the stack before it can know the
// queue.
//
//	register    bits x elements          written by
//	last        32 x ports VFIDs         notice: time of the last departure
//	flow_size   16 x ports VFIDs         packet + 1, notice - 1; 2^15: entry never used
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
//	sequence    32 x ports               egress: the number of the next frame
//
// Data queue q of the machine is queue q of the port; the queue behind them is for signals.
type BFC struct {
	Made
	// Machine is the configuration of the machine to compare with, every default filled in.
	Machine bfc.Config
}

// Overhead is what Ethernet adds to an IP packet in the buffer: 14 octets of header, the shim, and
// the check sequence.
const Overhead = 14 + bfc.ShimLength + 4

const maxMTU = 1<<16 - 1 - Overhead

// NewBFC returns the program of a switch and its entries. It refuses, with a [*sluice.ConfigError],
// a configuration in which [RealiseBFC] has something to change, naming the first field, and ports
// of several pipes, naming them: what a packet counts must be known where it comes in.
func NewBFC(config BFCConfig) (*BFC, error) {
	machine, err := machineOf(config.Machine, RealiseBFC, bfc.New)
	if err != nil {
		return nil, err
	}
	full := machine.Config()
	b := &bfcBuilder{machine: machine, full: full}
	b.site = site{Site: config.Site, Routes: config.Routes, mac: full.MAC, overhead: Overhead}
	for at := range full.Ports {
		b.rates = append(b.rates, full.Ports[at].Link.Rate)
	}
	few := func(at, count int) error {
		return refused("Machine.Queues", full.Queues, fmt.Sprintf("must be less than the %d queues "+
			"that port %d has: one is for signals", count, at))
	}
	// A packet adds to its egress port's state in the pipe of its ingress port: the state cannot be
	// copied to another pipe as frames could be.
	if err := b.complete(full.Queues+1, few, "queues, flows and counters of an egress port are added "+
		"to where packets come in", 16, maxMTU); err != nil {
		return nil, err
	}
	if err := b.program(); err != nil {
		return nil, err
	}
	b.entries()
	return &BFC{b.made(), full}, nil
}

// bfcBuilder is a program under construction.
type bfcBuilder struct {
	builder
	machine   *bfc.Switch
	full      bfc.Config
	queueBits int
}

// Recirculation returns how many bits of notices go round in a second at most, while a port sends
// packets of that many bytes at the rates of all ports: 64 octets for each packet, and 64 more
// where it is the last in its queue.
func (b *BFC) Recirculation(size sluice.Bytes) sluice.Rate { return 2 * b.Made.Recirculation(size) }
