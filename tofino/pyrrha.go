package tofino

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
)

// PyrrhaConfig says for which switch a program is made.
type PyrrhaConfig struct {
	// Machine is the configuration of the switch, in which [RealisePyrrha] has nothing to change.
	Machine pyrrha.Config
	// Network is the forwarding state of the network, in which Machine.Switch forwards.
	Network *hashpath.Snapshot
	// Site is where the program runs: a port needs Machine.IQs+3 queues, the MTU is 20 to 65,517.
	// Depth is the source of the lengths of the OQs: notices of packets from the OQ go round in
	// either case, as they compare with K_resume. Unit is 1, 2, 4, 8, 16 or 32 cells.
	Site
	// Stages is how many stages of a pass the longest chain of dependent tables may take by the
	// estimate of package fit, a lower bound. Zero means the chip's 20; an edge of a fat-tree of three
	// tiers takes 19, by ghost 20. A program that takes more is refused.
	Stages int
}

// Pyrrha is congestion-root-based flow control on the chip, with single-tier queues (section V-A):
// a program with what fills it.
//
// A data packet finds the ports behind this switch on its path (path tables), which of the ports
// are known roots (the congestion-root table: an array for each distance), and which of the roots
// have an isolation queue (IQ) at its egress port. If no root has an IQ, the packet goes to the
// output queue (OQ). Otherwise the set of these roots finds its queue: an element of set_packets
// and set_key says whether the set has a queue (IsAssigned), a stack of each port which queues are
// free (QueueId stack), set_queue which queue the set has (QueueId record). Packets of a root's set
// are counted where they came in; above K_pause, a PAUSE is sent.
//
// The departure of a packet is seen in egress: a notice goes round by the recirculation port, and
// undoes what the packet did. Work of more than one pass, as sending frames or freeing an IQ, goes
// round as a thread, a header alone, which is sent on from pass to pass until nothing is left to
// do. To look at all ports, or at all queues of a port, a thread becomes a multicast group's copies
// by the recirculation port, one for each port or queue, and the last copy goes on.
//
//	register       bits x elements         what
//	heard          64 x ports              the last sequence number of frames
//	tree           2 x 16 x (levels+1) 256 upstreams in the tree of a root; paused upstreams
//	identity       2 x 32 x levels 256     switch, port and number of a root
//	roots1..4      16 x numbers            slot of a root at that distance, 0 if it is not known
//	slot_top, _id  8 x levels, levels 256  stacks of free slots
//	iq1..4         2 x 16 x ports 256      state of a root's IQ at an egress port, packets that wait
//	iqs            8 x levels 256          egress ports with an IQ of the root
//	oq             32 x ports              cells in the OQ: packet and notice, or ghost
//	own            32 x ports ports        by upstream, the last frame about the egress port
//	up1..4         2 x 32 x ports 256      by ingress, waiting cells; the last frame to it
//	set_packets    16 x 4,096              packets of a set
//	set_key        2 x 32 x 4,096          slots and port of the set
//	free_top, _id  8 x ports, ports IQs    stacks of free queues
//	set_queue      8 x 4,096               the set's queue
//	queue_set      32 x ports IQs          slots of the set that a queue is of
//	shared         32 x ports              packets that share a queue with another set
//	sequence       32 x ports              egress: the number of the next frame
//
// Queue 0 is the OQ, 1 to IQs are isolation queues: the last is for sets that find no queue free,
// and is never held. Behind them are the queues of signals and of the class that is not under
// Pyrrha.
type Pyrrha struct {
	Made
	// Machine is the configuration of the machine to compare with, every default filled in.
	Machine pyrrha.Config
	Paths   *Paths
}

// NewPyrrha returns the program of a switch and its entries. It refuses, with a
// [*sluice.ConfigError], a configuration in which [RealisePyrrha] has something to change, naming
// the first field; a network that [NewPaths] refuses, that has no port behind the switch, that is
// deeper than four hops there or in which a port is at two distances; ports of several pipes; and a
// program that takes more stages than are accepted.
func NewPyrrha(config PyrrhaConfig) (*Pyrrha, error) {
	machine, err := machineOf(config.Machine, RealisePyrrha, pyrrha.New)
	if err != nil {
		return nil, err
	}
	full := machine.Config()
	b := &pyrrhaBuilder{machine: machine, full: full, network: config.Network}
	b.site = site{Site: config.Site, mac: full.MAC, overhead: FrameOverhead}
	for at := range full.Ports {
		b.rates = append(b.rates, full.Ports[at].Link.Rate)
	}
	few := func(at, count int) error {
		return refused("Machine.IQs", full.IQs, fmt.Sprintf("must be at most %d: port %d has %d "+
			"queues, of which three are for others", count-queuesApart, at, count))
	}
	if err := b.complete(full.IQs+queuesApart, few, "a queue of an egress port is taken from its "+
		"stack, and what waits is added up, where packets come in", 20,
		1<<16-1-FrameOverhead); err != nil {
		return nil, err
	}
	if cells := b.Unit.Cells(); b.Depth == Ghost && (cells > 1<<maxDoublings || cells&(cells-1) != 0) {
		return nil, refused("Unit", b.Unit, fmt.Sprintf("must be as many cells as a power of two, at "+
			"most %d: nothing is multiplied", 1<<maxDoublings))
	}
	if err := b.program(); err != nil {
		return nil, err
	}
	b.entries()
	if err := b.fits(config.Stages); err != nil {
		return nil, err
	}
	return &Pyrrha{b.made(), full, b.paths}, nil
}

// PyrrhaCarving returns the carving that gives each of a switch's ports the most queues, as many to
// each port, and how many of a port's queues are isolation queues.
func PyrrhaCarving(ports []chip.DevPort) (chip.Carving, int) {
	channels := 1
	for _, port := range ports {
		channels = max(channels, port.Channel()+1)
	}
	var counts [chip.Channels]int
	for channel := range channels {
		counts[channel] = chip.QueuesPerGroup / channels &^ 3
	}
	carving, err := chip.NewCarving(counts)
	if err != nil {
		panic(err) // at most 128 in all, multiples of four
	}
	return carving, counts[0] - queuesApart
}

// Root returns how far a port is from the switch and its number there; false if no path passes it.
func (p *Pyrrha) Root(port sluice.Hop) (level, number int, known bool) {
	for level := range p.Paths.hops {
		if number, known := p.Paths.Root(level, port); known {
			return level, number, true
		}
	}
	return 0, 0, false
}

// fits refuses a program that takes more stages than are accepted.
func (b *pyrrhaBuilder) fits(most int) error {
	if most = cmp.Or(most, chip.Stages); most < 0 {
		return refused("Stages", most, "must not be negative")
	}
	stages := fit.Of(b.p, b.filled).Stages
	if stages <= most {
		return nil
	}
	return refused("Stages", most, fmt.Sprintf("must be at least %d to accept the program, whose "+
		"longest chain of dependent tables takes as many stages by estimate; the chip has %d: the "+
		"nearest program that fits finds paths alone", stages, chip.Stages))
}

// checkPaths refuses paths that the program cannot follow.
func (b *pyrrhaBuilder) checkPaths() error {
	if b.levels == 0 {
		return refused("Network", 0, "must have ports behind the switch: there are no other roots")
	}
	if b.levels > mostLevels {
		return refused("Network", b.levels, "must have paths of at most four ports behind the "+
			"switch: a level takes registers of its own")
	}
	levels := map[sluice.Hop]int{}
	for level, h := range b.paths.hops {
		for port := range h.roots {
			if level == 0 {
				continue
			}
			if other, known := levels[port]; known {
				return refused("Network", port, fmt.Sprintf("must be at one distance from the switch, and "+
					"is at %d and %d", other, level))
			}
			levels[port] = level
		}
	}
	return nil
}
