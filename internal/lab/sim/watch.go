package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// Watcher looks at the whole network at every sample, with the methods of Simulator below. It
// keeps nothing of the simulator, and changes nothing.
type Watcher interface {
	// Hang returns the machine of a node, or a machine that wraps it and behaves alike.
	Hang(node sluice.SwitchID, m kit.Machine) kit.Machine
	// Sample is called between events: all up to an instant are done.
	Sample(at sluice.Time, s *Simulator)
	// Begin is called when a rank of a job begins a computation, or a message to another host.
	Begin(*Begun)
}

// Begun is a computation or message of a rank that has begun.
type Begun struct {
	Job, Rank int
	Number    int // of the operation in its rank, from 1, in the order of the file
	At        sluice.Time
	Flow      int         // the message's index in the list of flows; -1 of a computation
	Peer      int         // rank that the message goes to
	Lasts     sluice.Time // the computation
}

// tellBegun tells the watcher what ranks of a job have begun.
func (s *part) tellBegun(job int) {
	of := s.config.Jobs[job].Schedule
	for i := range s.effects.Messages {
		m := &s.effects.Messages[i]
		_, number := of.Place(m.Operation)
		s.config.Watcher.Begin(&Begun{
			Job: job, Rank: int(m.From), Number: number, At: s.now, Flow: int(m.Flow), Peer: int(m.To),
		})
	}
	for _, c := range s.effects.Computations {
		rank, number := of.Place(c.Operation)
		s.config.Watcher.Begin(&Begun{
			Job: job, Rank: rank, Number: number, At: s.now, Flow: none, Lasts: c.End - s.now,
		})
	}
}

// Ports visits every port: what it holds, and whether its link is down.
func (s *Simulator) Ports(visit func(at sluice.Hop, held sluice.Bytes, down bool)) {
	for i := range s.ports {
		p := &s.ports[i]
		visit(sluice.Hop{Switch: p.nodeID(), Port: p.id}, p.held, p.down)
	}
}

// Waiting visits every packet that waits in a queue, with its flow, and whether that may send.
func (s *Simulator) Waiting(visit func(in hol.Node, sendable bool, flow int32, size sluice.Bytes)) {
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 {
			continue
		}
		n := &s.nodes[p.node]
		for q := range sluice.QueueID(n.machine().Queues()) {
			queue := n.driver.Queue(p.id, q)
			if queue.Empty() {
				continue
			}
			in, sendable := queueOf(p, q), n.machine().Sendable(p.id, q)
			for h := queue.Head(); h != 0; h = n.part.arena.After(h) {
				pkt := n.part.arena.At(h)
				visit(in, sendable, pkt.Value.flow, pkt.Size)
			}
		}
	}
}

// Waits visits what held queues wait for, as the search for deadlocks sees it.
func (s *Simulator) Waits(visit func(from, to hol.Node)) { s.waits(true).graph.Each(visit) }

// Lost visits the places where packets were lost, with how many were.
func (s *Simulator) Lost(visit func(*DropRecord)) {
	for _, p := range s.parts {
		for i := range p.result.Drops {
			visit(&p.result.Drops[i])
		}
	}
}

// UnderWay visits the flows that have begun and are not over.
func (s *Simulator) UnderWay(visit func(flow int32, state probe.FlowState)) {
	for _, p := range s.parts {
		for slot := range p.flows {
			f, guess := &p.flows[slot], int32(slot)
			if f.packets > 0 && f.sends && s.resultOf(f.index).FCT == sluice.Never {
				visit(f.index, p.flowState(f.index, s.Now(), &guess))
			}
		}
	}
}

// Way appends the hops of a flow's data to dst: its own if it is under way, else as the network
// would choose them now; none if Config.Steering would. Of a way longer than sluice.MaxHops the
// rest is as it would be now.
func (s *Simulator) Way(dst []sluice.Hop, flow int32) []sluice.Hop {
	in := &s.config.Flows[flow]
	key := workload.Key(in, int(flow))
	var path sluice.Path
	p := s.at(in.Src)
	if known := s.endsAt(flow); known != nil && known.slot[sending] != none &&
		p.hasSlot(flow, known.slot[sending]) {
		path = p.flows[known.slot[sending]].forward
	} else if s.config.Steering == nil {
		path, _ = s.config.Network.Path(in.Src, sluice.Local, &key)
	}
	for path.Len() > 0 && len(dst) < int(s.config.HopLimit)+1 {
		var end *port
		for i := range path.Len() {
			dst = append(dst, path.At(i))
			end = s.nodes[path.At(i).Switch].port(path.At(i).Port)
		}
		peer := &s.ports[end.peer]
		if peer.nodeID() == in.Dst {
			break
		}
		path, _ = s.config.Network.Path(peer.nodeID(), peer.id, &key)
	}
	return dst
}
