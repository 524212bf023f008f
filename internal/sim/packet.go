package sim

import "github.com/sluicefc/sluice"

// handle names a packet in the arena; 0 is none.
type handle uint32

type packetKind uint8

const (
	dataPacket packetKind = iota
	ackPacket             // sequence is the next packet the receiver expects
	nackPacket            // the same, and something after it came
	controlPacket
)

// packet is what travels.
type packet struct {
	sluice.Packet
	kind      packetKind
	resent    bool // it brings nothing that was not sent before
	hopsLeft  uint8
	next      handle // in whatever list it is
	flow      int32
	sequence  int32 // number of the packet in its flow
	frame     []byte
	arrivesAt sluice.Time
}

// arena holds all packets.
type arena struct {
	packets []packet
	free    handle
	used    int // packets taken and not released
}

func newArena() arena { return arena{packets: make([]packet, 1, 1024)} }

func (a *arena) at(h handle) *packet { return &a.packets[h] }

// take returns a packet whose fields are whatever the last user left, except next.
func (a *arena) take() (handle, *packet) {
	a.used++
	if h := a.free; h != 0 {
		p := &a.packets[h]
		a.free = p.next
		p.next = 0
		return h, p
	}
	a.packets = append(a.packets, packet{})
	h := handle(len(a.packets) - 1)
	return h, &a.packets[h]
}

func (a *arena) release(h handle) {
	a.used--
	a.packets[h].next = a.free
	a.free = h
}

// list is a first-in first-out list of packets.
type list struct{ head, tail handle }

func (l *list) empty() bool { return l.head == 0 }

func (l *list) push(a *arena, h handle) {
	a.packets[h].next = 0
	if l.head == 0 {
		l.head = h
	} else {
		a.packets[l.tail].next = h
	}
	l.tail = h
}

func (l *list) pop(a *arena) handle {
	h := l.head
	l.head = a.packets[h].next
	return h
}
