package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
)

// marked hangs ECN marking on a machine that has none of its own: a packet is marked by the length
// of the queue that it leaves, as it leaves.
type marked struct {
	kit.Machine
	red    []marking.RED // by port
	random prng.Source
}

// mark returns the machine of a switch with the marking that the parameters ask for, or as it is.
func (p *plan) mark(node sluice.SwitchID, m kit.Machine) kit.Machine {
	if !p.values.IsSet("ecn.kmin") || p.graph.IsHost(node) {
		return m
	}
	w := &marked{Machine: m, random: prng.New(prng.Mix(p.seed + uint64(node)))}
	for _, end := range p.graph.Nodes[node].Ports {
		w.red = append(w.red, marking.New(p.marking(end.Link.Rate)))
	}
	return w
}

// marking returns the marking of a port of a rate.
func (p *plan) marking(rate sluice.Rate) sluice.Marking {
	return sluice.Marking{
		KMin: scaleBytes(p.values.Bytes("ecn.kmin"), rate), KMax: scaleBytes(p.values.Bytes("ecn.kmax"), rate),
		PMax: ratio(p.values, "ecn.pmax"),
	}
}

// Dequeue marks what the machine transmits.
func (m *marked) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.Machine.Dequeue(now, port, q, p)
	if v.Action() != sluice.Transmit {
		return v
	}
	backlog := int64(m.Machine.Backlog(port, q))
	if red := &m.red[port]; backlog > red.Above() {
		return v.WithMark(red.Mark(v.Mark(), backlog, &m.random))
	}
	return v
}

// Unwrap returns the machine that is marked.
func (m *marked) Unwrap() kit.Machine { return m.Machine }
