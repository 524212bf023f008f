package sim

import (
	"math"

	"github.com/sluicefc/sluice"
)

// port is one end of a link: the transmitter. A hop touches it as the sender's; it is one cache
// line.
type port struct {
	busyUntil sluice.Time // the transmitter is free from then on
	delay     sluice.Time
	held      sluice.Bytes // in the port's queues
	perByte   uint32       // picoseconds, 0 if not whole
	peer      int32        // index of the port at the other end
	site
	beyond   int16  // the part of the peer, if it is another: its number plus one
	planned  bool   // eventSent is in the agenda
	down     bool   // the link
	incoming int32  // control frames on the wire towards this port
	late     handle // a control frame that lets the next one pass
	lanes    uint8  // the first of its link's lanes, or noLane
	lane     uint8  // of the last packet: see laneOf
	_        [10]byte
}

// site is where a port is: what a packet needs that comes in by it. The sites of all ports lie side
// by side, eight in a cache line.
type site struct {
	node   int32
	id     sluice.PortID
	host   bool
	relays bool // it is a host's that forwards
}

func (p *site) nodeID() sluice.SwitchID { return sluice.SwitchID(p.node) }

// newPort returns a port that knows its link only.
func newPort(link sluice.Link) port {
	p := port{delay: link.Delay}
	const byteAtOneBitPerSecond = 8 * sluice.Rate(sluice.Second)
	if each := link.Rate.TimeOf(1); byteAtOneBitPerSecond%link.Rate == 0 && each <= math.MaxUint32 {
		p.perByte = uint32(each)
	}
	return p
}

// serialisation returns how long n bytes keep the transmitter of a port busy.
func (s *part) serialisation(p *port, n sluice.Bytes) sluice.Time {
	if p.perByte != 0 {
		return sluice.Time(p.perByte) * sluice.Time(n)
	}
	return s.timeOf(p, n)
}

func (s *part) timeOf(p *port, n sluice.Bytes) sluice.Time {
	return s.rateOf(p).TimeOf(n)
}

// launch puts a packet on the wire.
func (s *part) launch(p *port, h handle, pkt *packet) {
	s.result.PacketHops++
	p.busyUntil = s.now + s.serialisation(p, pkt.Size)
	arrivesAt := p.busyUntil + p.delay
	p.lane = s.laneOf(p, pkt.Size)
	if pkt.Value.kind != controlPacket {
		s.lastSent = s.now
		if !pkt.Value.resent {
			s.lastNew = s.now
		}
	} else if p.beyond == 0 {
		s.ports[p.peer].incoming++
	}
	if p.beyond == 0 {
		s.agenda.planArrival(arrivesAt, p.peer, h, p.lane)
	} else {
		s.cross(p, arrivesAt, h, pkt)
	}
}

// sent handles a transmitter that became free.
func (s *part) sent(index int32) {
	p := &s.ports[index]
	p.planned = false
	n := &s.nodes[p.node]
	n.driver.Ready(s.now, p.id)
	s.follow(p.node, n)
}
