package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// ideal returns the completion time of a flow that has the network to itself and an open window:
// its last packet follows the others at line rate and is stored and forwarded at every hop. 0 if
// the way does not lead to the destination.
func (s *part) ideal(in *workload.Flow, index int32) sluice.Time {
	key := &s.key
	*key = s.tuple(index)
	packets := (in.Bytes-1)/s.config.Payload + 1
	t := train{
		before: sluice.Time(packets - 1),
		full:   s.config.Payload + s.config.Header,
		last:   in.Bytes - (packets-1)*s.config.Payload + s.config.Header,
	}
	at, ingress := in.Src, sluice.Local
	for hops := 0; at != in.Dst; {
		path, status := s.config.Network.Path(at, ingress, key)
		if path.Len() == 0 || status != hashpath.OK && status != hashpath.TooLong {
			return 0
		}
		for i := range path.Len() {
			hop := path.At(i)
			if at == in.Dst { // this hop is the host's own
				break
			}
			if hops++; hops > int(s.config.HopLimit)+1 {
				return 0
			}
			p := &s.ports[s.nodes[hop.Switch].firstPort+int32(hop.Port)]
			t.pass(p.delay, s.serialisation(p, t.full), s.serialisation(p, t.last))
			peer := &s.ports[p.peer]
			at, ingress = peer.nodeID(), peer.id
		}
	}
	return t.arrived
}

// train is the packets of a flow on their way through an empty network: some full ones, and the
// last.
type train struct {
	before     sluice.Time  // full packets before the last
	full, last sluice.Bytes // sizes

	first   sluice.Time // when the first full packet is at this hop
	slowest sluice.Time // serialisation of a full packet at the slowest hop so far
	arrived sluice.Time // when the last packet is at this hop
}

// pass takes the train over one link, on which a full packet and the last one take so long. Full
// packets leave a hop as far apart as the slowest hop so far spaced them; the last leaves when it
// has come and the one before it has left.
func (t *train) pass(delay, full, last sluice.Time) {
	start := t.arrived
	if t.before > 0 {
		t.slowest = max(t.slowest, full)
		start = max(start, t.first+full+(t.before-1)*t.slowest)
		t.first += full + delay
	}
	t.arrived = start + last + delay
}
