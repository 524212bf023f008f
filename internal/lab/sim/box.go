package sim

import "github.com/sluicefc/sluice"

// box is what crosses from one part to another in a window, and is read in the next.
type box struct {
	first   sluice.Time // arrival of what arrives first, Never if it is empty
	items   []crossing
	frames  int      // of the items
	letters []letter // of the items, if packets carry some
	bytes   []byte   // of control frames
}

// crossing is a packet on a link that is cut.
type crossing struct {
	arrivesAt sluice.Time
	to        int32 // port
	length    int32 // of a control frame
	packet    packet
}

func (b *box) clear() {
	b.first = sluice.Never
	b.items, b.letters, b.bytes, b.frames = b.items[:0], b.letters[:0], b.bytes[:0], 0
}

// frames returns how many control packets a part has, or sent to others in the last window.
func (s *part) frames() int64 {
	n := s.arena.controls()
	for i := range s.boxes[s.parity] {
		n += s.boxes[s.parity][i].frames
	}
	return int64(n)
}

// packets is the same for packets that are no control packets.
func (s *part) packets() int64 {
	n := s.arena.Used()
	for i := range s.boxes[s.parity] {
		n += len(s.boxes[s.parity][i].items)
	}
	return int64(n) - s.frames()
}

// cross puts a packet on a link that leads to another part.
func (s *part) cross(p *port, arrivesAt sluice.Time, h handle, pkt *packet) {
	b := &s.boxes[s.parity][p.beyond-1]
	b.first = min(b.first, arrivesAt)
	c := crossing{arrivesAt: arrivesAt, to: p.peer, packet: *pkt}
	if pkt.Value.kind == controlPacket {
		frame := s.arena.frame(h)
		c.length = int32(len(frame))
		b.frames++
		b.bytes = append(b.bytes, frame...)
	}
	b.items = append(b.items, c)
	if s.arena.letters != nil {
		b.letters = append(b.letters, s.arena.letters[h])
	}
	s.arena.release(h)
}

// unpack takes what crossed to this part in a window of a parity.
func (s *part) unpack(parity int) {
	if len(s.parts) == 1 {
		return
	}
	for _, from := range s.parts {
		if b := &from.boxes[parity][s.number]; len(b.items) > 0 {
			s.take(b)
		}
	}
}

// take takes what is in a box.
func (s *part) take(b *box) {
	bytes := b.bytes
	for i := range b.items {
		c := &b.items[i]
		var h handle
		if c.packet.Value.kind == controlPacket {
			var pkt *packet
			h, pkt = s.arena.takeFrame(bytes[:c.length])
			bytes = bytes[c.length:]
			pkt.Packet = c.packet.Packet
			s.ports[c.to].incoming++
		} else {
			var pkt *packet
			h, pkt = s.arena.take()
			pkt.Packet, pkt.Value = c.packet.Packet, c.packet.Value
			if s.arena.letters != nil {
				s.arena.letters[h] = b.letters[i]
			}
		}
		s.agenda.planArrival(c.arrivesAt, c.to, h, noLane)
	}
	b.clear()
}
