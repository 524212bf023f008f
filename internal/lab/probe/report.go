package probe

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Report is what was seen of a run.
type Report struct {
	From, To sluice.Time      // of the statistics
	Ports    []PortStatistics // of all ports, by node and number
	Series   []*PortSeries    // of the ports that were asked for
	Flows    []*FlowSeries    // of the flows that were asked for
	Pauses   []Pause          // in their order, if asked for
	Lengths  []Lengths        // of the ports of switches, if asked for
	States   []Change         // in their order, if asked for
	Marks    []*FlowMarks     // in the order of the first packets, if asked for
}

// PortStatistics is what a port did from the end of the warm-up on.
type PortStatistics struct {
	At           sluice.Hop
	MeanQueue    sluice.Bytes // weighted with time, rounded down
	LongestQueue sluice.Bytes
	Sent         sluice.Bytes // of packets
	Packets      int64
	Frames       int64       // control frames sent
	Pauses       int64       // times that downstream began to pause a queue, at ports that are watched
	Held         sluice.Time // in which it paused at least one, at ports that are watched
	UE, CE       int64       // packets that were marked so here
	// Paused counts, by class, how often the port began to pause it by PFC, if asked for.
	Paused [sluice.Classes]int64
	// Pausing counts, by class, the PFC frames that pause it, those that repeat a pause among them.
	Pausing [sluice.Classes]int64
}

// Pause is a queue that downstream began to pause, or resumed.
type Pause struct {
	At     sluice.Hop
	Time   sluice.Time
	Paused bool
}

// Change is a detector that came to another state, when a packet left.
type Change struct {
	At       sluice.Hop
	Time     sluice.Time
	From, To string
}

// FlowMarks counts the packets of a flow that left a port, from the beginning of the run.
type FlowMarks struct {
	At      sluice.Hop
	Flow    uint64 // hash of its five-tuple
	First   sluice.Time
	Packets int64
	UE, CE  int64 // packets marked UE or CE here
}

// Lengths is the distribution of the queue of a port: how many samples found 0, 1, 2, ... whole
// kilobytes, of 1,000 bytes.
type Lengths struct {
	At     sluice.Hop
	Counts []int64
}

// PortSeries is a port over time: a number for each sample.
type PortSeries struct {
	At      sluice.Hop
	Time    []sluice.Time
	Backlog []sluice.Bytes
	Held    []int          // queues that downstream pauses
	Sent    []sluice.Bytes // of packets, since the last sample
	Pauses  []int64        // since the last sample
	UE, CE  []int64        // packets marked so, since the last sample
	State   []string       // of the detector, "" where there is none
}

// FlowState is a flow at an instant.
type FlowState struct {
	// Rate is the rate that the control has set, the line rate without a control; 0 before the
	// flow starts and when it is over.
	Rate     sluice.Rate
	Cuts     int          // times that the control decreased it; 0 when it is over
	Received sluice.Bytes // payload, without a gap
}

// FlowSeries is a flow over time: a number for each sample.
type FlowSeries struct {
	Flow     int32 // its number in the list of flows
	Time     []sluice.Time
	Set      []sluice.Rate
	Cuts     []int          // times that the control decreased it so far
	Received []sluice.Bytes // payload, since the last sample
	last     sluice.Bytes
}

// Flows returns the flows whose samples are taken.
func (o *Observer) Flows() []int32 { return o.config.Flows }

// SampleFlow notes the state of flow number i of Flows at an instant.
func (o *Observer) SampleFlow(i int, at sluice.Time, state FlowState) {
	s := o.report.Flows[i]
	s.Time = append(s.Time, at)
	s.Set = append(s.Set, state.Rate)
	s.Cuts = append(s.Cuts, state.Cuts)
	s.Received = append(s.Received, state.Received-s.last)
	s.last = state.Received
}

func (p *port) statistics(span sluice.Time) PortStatistics {
	if !p.warm {
		return PortStatistics{At: p.at} // the run ended before the warm-up
	}
	s := PortStatistics{
		At: p.at, LongestQueue: p.longest, Held: p.heldFor, Paused: p.paused, Pausing: p.pausing,
		Sent: p.total.sent - p.base.sent, Packets: p.total.packets - p.base.packets,
		Frames: p.total.frames - p.base.frames, Pauses: p.total.pauses - p.base.pauses,
		UE: p.total.marks[sluice.UE] - p.base.marks[sluice.UE],
		CE: p.total.marks[sluice.CE] - p.base.marks[sluice.CE],
	}
	if span > 0 {
		mean, _ := bits.Div64(p.area[0], p.area[1], uint64(span))
		s.MeanQueue = sluice.Bytes(mean)
	}
	return s
}

// Look visits what every port did from the end of the warm-up to an instant.
func (o *Observer) Look(now sluice.Time, visit func(*PortStatistics)) {
	for i := range o.ports {
		o.touch(&o.ports[i], now)
		s := o.ports[i].statistics(now - o.config.From)
		visit(&s)
	}
}

// Sample notes the network as it is at an instant.
func (o *Observer) Sample(at sluice.Time) {
	for _, p := range o.probed {
		p.sample(at, o.machines[p.at.Switch].state(p.at.Port, o.config.Class))
	}
	if !o.config.Lengths {
		return
	}
	for i := range o.ports {
		p := &o.ports[i]
		if !o.config.Graph.Forwards(p.at.Switch) {
			continue
		}
		kilobytes := int(p.backlog / sluice.KB)
		for len(p.counts) <= kilobytes {
			p.counts = append(p.counts, 0)
		}
		p.counts[kilobytes]++
	}
}

func (p *port) sample(at sluice.Time, state string) {
	s, now, last := p.series, &p.total, &p.last
	s.Time = append(s.Time, at)
	s.Backlog = append(s.Backlog, p.backlog)
	s.Held = append(s.Held, p.held)
	s.Sent = append(s.Sent, now.sent-last.sent)
	s.Pauses = append(s.Pauses, now.pauses-last.pauses)
	s.UE = append(s.UE, now.marks[sluice.UE]-last.marks[sluice.UE])
	s.CE = append(s.CE, now.marks[sluice.CE]-last.marks[sluice.CE])
	s.State = append(s.State, state)
	p.last = *now
}
