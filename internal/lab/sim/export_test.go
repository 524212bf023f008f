package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/kit"
)

// MessageWait is what a message of a job waited at a port.
type MessageWait struct {
	Flow   int32
	At     sluice.Hop
	Queued sluice.Time
	Holds  []schedule.Hold
}

// MessageWaits returns what messages waited, once the run is over.
func (s *Simulator) MessageWaits() (all []MessageWait) {
	for i := range s.waited {
		w := &s.waited[i]
		p := &s.ports[w.port]
		all = append(all, MessageWait{
			w.flow, sluice.Hop{Switch: p.nodeID(), Port: p.id}, w.queued, w.holds,
		})
	}
	return all
}

// MessagePackets visits every packet of a message that waits in a queue, with the machine there.
func (s *Simulator) MessagePackets(
	visit func(flow int32, at sluice.Hop, q sluice.QueueID, m kit.Machine),
) {
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 {
			continue
		}
		n := &s.nodes[p.node]
		for q := range sluice.QueueID(n.machine().Queues()) {
			for h := n.driver.Queue(p.id, q).Head(); h != 0; h = n.part.arena.After(h) {
				if c := &n.part.arena.At(h).Value; c.kind == dataPacket && s.isMessage(c.flow) {
					visit(c.flow, sluice.Hop{Switch: p.nodeID(), Port: p.id}, q, n.machine())
				}
			}
		}
	}
}
