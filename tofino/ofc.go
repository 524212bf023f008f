package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
)

// OFCConfig says for which switch a program is made.
type OFCConfig struct {
	// Machine is the configuration of the switch, in which [RealiseOFC] has nothing to change.
	Machine ofc.Config
	// Site is where the program runs: a port needs three queues for each class under OFC, one for each
	// other class and one for signals, the MTU is 20 to 16,347. With Ghost q_out is the sum of the
	// last depths that ghost received of a class's queues; q_in is the sum of many queues, which ghost
	// cannot add up.
	Site
	// Routes say where packets go: by the route with the longest prefix of the address.
	Routes []Route
}

// OFC is original-congestion-based flow control on the chip: a program with what fills it.
//
// A packet's flow is two CRCs of its five-tuple. The three tables are registers of 64 bits, in two
// rows: the lower half of the flow, the CRC-32, finds its cell in the first row, the upper half,
// the CRC-32C, its cell in the second row. A cell stores the half that did not find it.
//
// Ingress counts what an ingress holds and an egress has, and pauses upstream; a notice of each
// departure goes round and undoes what the packet did. To name all flows of a queue a copy of the
// packet goes round, once for each cell, and so does the packet that resumes all flows which frames
// paused.
//
// Egress has a copy of congested_flow_tab. A packet of a paused flow that gets there is dropped,
// and its copy goes round by the recirculation port into the paused queue. A frame goes round once
// to change the copy in egress, and once more as the order mark, behind all packets that have
// moved. Then the queues rotate, by words of flow control. The rotation ends when the queue that is
// served is empty, as its notices say; flows that were resumed meanwhile are paused until a
// rotation number that has come by then.
//
//	register        bits x elements           holds
//	q_in, q_out     32 x ports classes        cells: packet +, notice -; or in the place of q_out
//	depth0, 1, 2    32 x ports classes        the last depth of each queue that ghost received
//	flow_a, _b      2 x 32 x ports Flows/2    flow_in_port_tab: half a flow, its packets
//	seen_a, _b      2 x 32 x ports Flows/2    the other half, the port that it came by
//	unknown         32 x ports classes        packets of flows that there was no room for
//	backup          2 x 32 x ports classes    packets in the paused and in the draining queue
//	side            8 x ports classes         which of the backup queues is the paused one
//	ended           32 x ports classes        rotations that ended; egress has a copy
//	congested_a, _b 2 x 32 x ports Flows/2    congested_flow_tab: half a flow, the rotation until
//	                                          which it is paused; egress has a copy
//	paused_flows    2 x 32 x ports classes    how many, and how many until the rotation's end
//	episode         2 x 32 x ports classes    resumes, and whether something was paused since
//	walked          32 x ports ports classes  the last resume before all flows were named
//	pause_frame_a,  2 x 32 x ports Flows/2    pause_frame_tab: a flow
//	pause_frame_b
//	pause_frames    32 x ports classes        how many
//	all_held        1 x ports classes         a frame paused the whole class upstream
//	held            2 x 32 x ports classes    the class is held: by a frame; by a full table
//	heard           2 x 32 x ports            frame: the last sequence number
//	sequence        32 x ports                egress: the number of the next frame
//
// Queues are in the machine's order, without backup queues of classes that are not under OFC; the
// queue behind them is for signals.
type OFC struct {
	Made
	// Machine is the configuration of the machine to compare with, every default filled in.
	Machine ofc.Config
}

// NewOFC returns the program of a switch and its entries. It refuses, with a [*sluice.ConfigError],
// a configuration in which [RealiseOFC] has something to change, naming the first field, and ports
// of several pipes.
func NewOFC(config OFCConfig) (*OFC, error) {
	machine, err := machineOf(config.Machine, RealiseOFC, ofc.New)
	if err != nil {
		return nil, err
	}
	full := machine.Config()
	b := &ofcBuilder{full: full}
	b.site = site{Site: config.Site, Routes: config.Routes, mac: full.MAC, overhead: FrameOverhead}
	for at := range full.Ports {
		b.rates = append(b.rates, full.Ports[at].Link.Rate)
	}
	few := func(at, count int) error {
		return refused("Carving", b.Carving, fmt.Sprintf("must give each port %d queues, three for "+
			"each class under OFC, one for each other and one for signals, and port %d has %d: fewer "+
			"channels in a port group have more", b.signals()+1, at, count))
	}
	if err := b.complete(b.signals()+1, few, "queues, flows and counters of an egress port are added "+
		"to where packets come in", 20, mostMoved); err != nil {
		return nil, err
	}
	if err := b.program(); err != nil {
		return nil, err
	}
	b.entries()
	return &OFC{b.made(), full}, nil
}

// Queue returns the chip's queue of a queue of the machine; false for a queue that the chip does
// not have.
func (o *OFC) Queue(q sluice.QueueID) (int, bool) {
	class, number := sluice.Class(q/ofc.QueuesPerClass), int(q%ofc.QueuesPerClass)
	b := ofcBuilder{full: o.Machine}
	return b.queueOf(class, number), class < sluice.Classes && number < b.queuesOf(class)
}

// Signals returns the number of the queue of signals.
func (o *OFC) Signals() int {
	b := ofcBuilder{full: o.Machine}
	return b.signals()
}

// Moves returns how many bits of packets go round in a second at most, each packet once as it moves
// to the paused queue: if downstream pauses every flow while all ports send at their rates.
func (o *OFC) Moves() sluice.Rate { return o.rate() }

// Circulating says what a chip without advanced flow control, a Tofino 1, would need: the paper
// holds paused packets there by letting them go round. It returns how many bits go round in a
// second while the ports hold the given bytes in paused queues and a round takes the given time,
// and how many bytes a recirculation port of that rate can hold in this way.
func Circulating(
	held sluice.Bytes, round sluice.Time, port sluice.Rate,
) (needed sluice.Rate, most sluice.Bytes) {
	rounds := int64(sluice.Second / max(round, 1))
	return sluice.Rate(int64(held) * 8 * rounds), port.BDP(round)
}

// mostMoved is the longest IP packet that goes round: a mirror's copy has at most 16,383 octets,
// headers of Ethernet and of the chip among them.
const mostMoved = 1<<14 - 1 - 14 - ofcBridgeOctets
