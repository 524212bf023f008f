package sim

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// port is one end of a link: the transmitter, and the wire that leads in. A hop touches it once as
// the sender's and once as the receiver's; it is one cache line.
type port struct {
	busyUntil sluice.Time // the transmitter is free from then on
	delay     sluice.Time
	arrivesAt sluice.Time  // what comes first on the wire
	held      sluice.Bytes // in the port's queues
	incoming  kit.Queue    // on the wire towards this port
	perByte   uint32       // picoseconds, 0 if not whole
	node      int32
	peer      int32  // index of the port at the other end
	late      handle // a control frame that lets the next one pass
	id        sluice.PortID
	host      bool
	relays    bool // it is a host's that forwards
	planned   bool // eventSent is in the agenda
	down      bool // the link
}

func (p *port) nodeID() sluice.SwitchID { return sluice.SwitchID(p.node) }

// newPort returns a port of which only the link is known.
func newPort(link sluice.Link) port {
	p := port{delay: link.Delay}
	const byteAtOneBitPerSecond = 8 * sluice.Rate(sluice.Second)
	if each := link.Rate.TimeOf(1); byteAtOneBitPerSecond%link.Rate == 0 && each <= math.MaxUint32 {
		p.perByte = uint32(each)
	}
	return p
}

// serialisation returns how long n bytes keep the transmitter of a port busy.
func (s *Simulator) serialisation(p *port, n int32) sluice.Time {
	if p.perByte != 0 {
		return sluice.Time(p.perByte) * sluice.Time(n)
	}
	return s.config.Topology.Nodes[p.node].Ports[p.id].Link.Rate.TimeOf(sluice.Bytes(n))
}

// launch puts a packet on the wire.
func (s *Simulator) launch(p *port, h handle, pkt *packet) {
	s.result.PacketHops++
	p.busyUntil = s.now + s.serialisation(p, pkt.Size)
	if pkt.Value.kind != controlPacket {
		s.lastSent = s.now
		if !pkt.Value.resent {
			s.lastNew = s.now
		}
	}
	peer, arrivesAt := &s.ports[p.peer], p.busyUntil+p.delay
	if peer.incoming.Empty() {
		peer.arrivesAt = arrivesAt
		s.agenda.plan(arrivesAt, eventArrival, p.peer)
	} else {
		setNextAt(s.arena.At(peer.incoming.Tail()), arrivesAt)
	}
	s.arena.Push(&peer.incoming, h)
}

// sent handles a transmitter that became free.
func (s *Simulator) sent(index int32) {
	p := &s.ports[index]
	p.planned = false
	n := &s.nodes[p.node]
	n.driver.Ready(s.now, p.id)
	s.follow(p.node, n)
}
