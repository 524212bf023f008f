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
	relays    bool  // it is a host's that forwards
	planned   bool  // eventSent is in the agenda
	down      bool  // the link
	beyond    int16 // the part of the peer, if it is another: its number plus one
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
func (s *part) serialisation(p *port, n int32) sluice.Time {
	if p.perByte != 0 {
		return sluice.Time(p.perByte) * sluice.Time(n)
	}
	return s.config.Topology.Nodes[p.node].Ports[p.id].Link.Rate.TimeOf(sluice.Bytes(n))
}

// launch puts a packet on the wire.
func (s *part) launch(p *port, h handle, pkt *packet) {
	s.result.PacketHops++
	p.busyUntil = s.now + s.serialisation(p, pkt.Size)
	if pkt.Value.kind != controlPacket {
		s.lastSent = s.now
		if !pkt.Value.resent {
			s.lastNew = s.now
		}
	}
	if arrivesAt := p.busyUntil + p.delay; p.beyond == 0 {
		s.carry(p.peer, arrivesAt, h)
	} else {
		s.cross(p, arrivesAt, h, pkt)
	}
}

// carry puts a packet behind what is on the wire into a port.
func (s *part) carry(to int32, arrivesAt sluice.Time, h handle) {
	peer := &s.ports[to]
	if peer.incoming.Empty() {
		peer.arrivesAt = arrivesAt
		s.agenda.plan(arrivesAt, eventArrival, to)
	} else {
		setNextAt(s.arena.At(peer.incoming.Tail()), arrivesAt)
	}
	s.arena.Push(&peer.incoming, h)
}

// sent handles a transmitter that became free.
func (s *part) sent(index int32) {
	p := &s.ports[index]
	p.planned = false
	n := &s.nodes[p.node]
	n.driver.Ready(s.now, p.id)
	s.follow(p.node, n)
}
