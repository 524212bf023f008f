// Package probe watches a network while it is simulated: what every port holds, sends and marks,
// and when downstream pauses it. Its machines hang on the machines of the nodes. They
// see what every embedder sees, and change nothing: a run gives the same whether it is watched or
// not.
package probe

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/pfc"
)

// Config says what to watch, beside what is summed up of every port.
type Config struct {
	Graph *topo.Graph
	// From is the end of the warm-up: statistics of ports begin there. Samples begin with the run.
	From sluice.Time
	// Ports are ports whose samples are kept. Where queues are classes, a sample has the state of the
	// detector of Class.
	Ports []sluice.Hop
	Class sluice.Class
	Flows []int32 // flows whose samples are kept, by their numbers in the list of flows
	// Held has every port watched for queues that downstream pauses.
	Held bool
	// Pauses keeps every pause and resume of any queue, Lengths the distribution of the queues of
	// switches over the samples.
	Pauses, Lengths bool
	// States keeps every change of the state of the detectors of Ports, Marks how many packets of
	// each flow left them and were marked there.
	States, Marks bool
	// Classes counts the pauses of PFC that ports begin, and the frames that say so, by class.
	Classes bool
	// Capture takes the frames, and the packets of the ports that it chooses; nil for none.
	Capture Capture
}

// Capture is where control frames and packets go as they leave a port.
type Capture interface {
	Frame(now sluice.Time, at sluice.Hop, frame []byte)
	// Wants reports whether Packet is to be called of a port.
	Wants(at sluice.Hop) bool
	Packet(now sluice.Time, at sluice.Hop, p *sluice.Packet)
}

// Observer watches one run.
type Observer struct {
	config   Config
	first    []int32 // of a node's ports
	ports    []port  // of all nodes
	probed   []*port // in the order of the configuration
	machines []*machine
	report   Report
}

type port struct {
	at      sluice.Hop
	backlog sluice.Bytes
	held    int // queues that downstream pauses
	changed sluice.Time
	warm    bool
	watched bool // every hook looks for queues that downstream began to pause
	total   counters
	base    counters // when statistics began

	// Since then.
	longest sluice.Bytes
	area    [2]uint64 // byte-picoseconds of backlog, the high word first
	heldFor sluice.Time
	paused  [sluice.Classes]int64 // pauses of a class that the port began
	pausing [sluice.Classes]int64 // frames that began or repeated one

	told [sluice.Classes]sluice.Time // until when the PFC frames of the port pause a class

	series *PortSeries
	state  string                // of the detector, when a packet last left
	flows  map[uint64]*FlowMarks // by hash, if asked for
	last   counters              // at the last sample
	counts []int64               // samples by the kilobytes of the backlog
}

type counters struct {
	sent    sluice.Bytes // of packets
	packets int64
	frames  int64
	pauses  int64
	marks   [4]int64 // packets whose code point became this one here
}

// New returns an observer whose machines are still to be hung.
func New(c Config) *Observer {
	o := &Observer{config: c, machines: make([]*machine, len(c.Graph.Nodes))}
	for id := range c.Graph.Nodes {
		o.first = append(o.first, int32(len(o.ports)))
		for i := range c.Graph.Nodes[id].Ports {
			at := sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(i)}
			o.ports = append(o.ports, port{at: at, watched: c.Pauses || c.Held})
		}
	}
	for _, at := range c.Ports {
		p := o.port(at)
		p.series = &PortSeries{At: at}
		p.watched, p.state = true, "0"
		if c.Marks {
			p.flows = make(map[uint64]*FlowMarks)
		}
		o.probed = append(o.probed, p)
	}
	for _, flow := range c.Flows {
		o.report.Flows = append(o.report.Flows, &FlowSeries{Flow: flow})
	}
	return o
}

func (o *Observer) port(at sluice.Hop) *port { return &o.ports[o.first[at.Switch]+int32(at.Port)] }

// touch brings the sums of a port up to an instant.
func (o *Observer) touch(p *port, now sluice.Time) {
	if now < o.config.From {
		return
	}
	if !p.warm {
		p.warm = true
		p.base, p.changed, p.longest = p.total, o.config.From, p.backlog
	}
	span := now - p.changed
	p.changed = now
	hi, lo := bits.Mul64(uint64(p.backlog), uint64(span))
	var carry uint64
	p.area[1], carry = bits.Add64(p.area[1], lo, 0)
	p.area[0] += hi + carry
	if p.held > 0 {
		p.heldFor += span
	}
}

// hold adds bytes to what a port holds.
func (o *Observer) hold(p *port, now sluice.Time, bytes sluice.Bytes) {
	o.touch(p, now)
	p.backlog += bytes
	p.longest = max(p.longest, p.backlog)
}

// switchPaused notes that downstream began or ceased to pause a queue of a port.
func (o *Observer) switchPaused(p *port, now sluice.Time, paused bool) {
	o.touch(p, now)
	if paused {
		p.held++
		p.total.pauses++
	} else {
		p.held--
	}
	if o.config.Pauses {
		o.report.Pauses = append(o.report.Pauses, Pause{At: p.at, Time: now, Paused: paused})
	}
}

// pause counts a PFC frame, and the pauses that it begins. A frame that repeats a pause before that
// ends begins none (802.1Q, 36.1.3.3: each frame sets the timer of a class anew).
func (o *Observer) pause(p *port, now sluice.Time, frame []byte) {
	var f pfc.Frame
	if f.Parse(frame) != nil {
		return
	}
	rate := o.config.Graph.Nodes[p.at.Switch].Ports[p.at.Port].Link.Rate
	for c, t := range f.Time {
		if !f.Enabled.Has(sluice.Class(c)) {
			continue
		}
		if t > 0 && now >= o.config.From {
			p.pausing[c]++
			if now >= p.told[c] {
				p.paused[c]++
			}
		}
		p.told[c] = now.Add(rate.TimeOfQuanta(t))
	}
}

// leave notes a packet that leaves a port whose samples are kept.
func (o *Observer) leave(p *port, now sluice.Time, flow uint64, was, is sluice.ECN) {
	if p.flows == nil {
		return
	}
	f := p.flows[flow]
	if f == nil {
		f = &FlowMarks{At: p.at, Flow: flow, First: now}
		p.flows[flow] = f
		o.report.Marks = append(o.report.Marks, f)
	}
	f.Packets++
	switch {
	case was == is:
	case is == sluice.CE:
		f.CE++
	case is == sluice.UE:
		f.UE++
	}
}

// enterState notes the state of the detector of a port after a packet left.
func (o *Observer) enterState(p *port, now sluice.Time, state string) {
	if state != "" && state != p.state {
		o.report.States = append(o.report.States, Change{At: p.at, Time: now, From: p.state, To: state})
		p.state = state
	}
}

// Finish ends the watch at an instant and returns what was seen: a copy, so that a report that is
// kept does not keep the machines.
func (o *Observer) Finish(now sluice.Time) *Report {
	r := o.report
	r.From, r.To = min(o.config.From, now), now
	for i := range o.ports {
		p := &o.ports[i]
		o.touch(p, now)
		r.Ports = append(r.Ports, p.statistics(r.To-r.From))
		if p.counts != nil {
			r.Lengths = append(r.Lengths, Lengths{At: p.at, Counts: p.counts})
		}
	}
	for _, p := range o.probed {
		r.Series = append(r.Series, p.series)
	}
	return &r
}
