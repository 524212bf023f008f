package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Drain makes a host take what it receives no faster than at a rate: behind its card is a bus that
// is slower than its link (Pyrrha, section IV-D: "end-host congestion (e.g., PCIe congestion)").
// What it has not taken yet waits in the card, without limit.
type Drain struct {
	Host sluice.SwitchID
	Rate sluice.Rate // positive
	// High and Low are the bytes above and below which Congested, unless it is nil, learns that the
	// host can take no more, and that it can again.
	High, Low sluice.Bytes
	Congested func(now sluice.Time, on bool)
}

// drain is a host that takes what it receives at a rate.
type drain struct {
	*Drain
	queue     kit.Queue
	bytes     sluice.Bytes
	congested bool
}

// receive takes a packet into the card of such a host.
func (s *part) receive(d *drain, p *site, h handle, pkt *packet) {
	if d.queue.Empty() {
		s.agenda.plan(s.now+d.Rate.TimeOf(pkt.Size), eventDrained, p.node)
	}
	s.arena.Push(&d.queue, h)
	d.bytes += pkt.Size
	s.result.MaxDrainBytes = max(s.result.MaxDrainBytes, d.bytes)
	if !d.congested && d.bytes > d.High {
		s.congest(d, p.node, true)
	}
}

// drained handles that the host took a packet.
func (s *part) drained(node int32) {
	d, p := s.drains[node], &s.sites[s.nodes[node].firstPort]
	h := s.arena.Pop(&d.queue)
	pkt := s.arena.At(h)
	d.bytes -= pkt.Size
	if next := d.queue.Head(); next != 0 {
		s.agenda.plan(s.now+d.Rate.TimeOf(s.arena.At(next).Size), eventDrained, node)
	}
	if d.congested && d.bytes < d.Low {
		s.congest(d, node, false)
	}
	s.deliver(p, h, pkt)
}

// congest tells the flow control of the card, which then has a frame to send.
func (s *part) congest(d *drain, node int32, on bool) {
	d.congested = on
	if d.Congested == nil {
		return
	}
	d.Congested(s.now, on)
	n := &s.nodes[node]
	for i := range len(n.own) {
		n.driver.Ready(s.now, sluice.PortID(i))
	}
	s.follow(node, n)
}
