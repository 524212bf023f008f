package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/cc"
	"github.com/sluicefc/sluice/internal/transport"
	"github.com/sluicefc/sluice/kit"
)

type packetKind uint8

// Answers have the numbers of the transport's kinds. Their sequence is the next packet that the
// receiver expects.
const (
	dataPacket    packetKind = iota
	ackPacket                = packetKind(transport.Ack)
	nackPacket               = packetKind(transport.Nack)
	sackPacket               = packetKind(transport.Sack)
	noticePacket             = sackPacket + 1 // of congestion, from the receiver or from a switch
	controlPacket            = sackPacket + 2 // a frame
)

// cargo is what the simulator knows of a packet beside what machines know. With that it fills two
// cache lines: the first has all that a hop needs, but for what is here.
type cargo struct {
	arrivesAt sluice.Time
	flow      int32 // of a control packet: the index of its bytes in frames
	sequence  int32 // number of the packet in its flow; of a notice, its feedback or rate
	letter    int32 // index of what else it carries, 0 if nothing
	kind      packetKind
	resent    bool // it brings nothing that was not sent before
	hopsLeft  uint8
	mark      sluice.ECN // of an answer, echoed; of a notice
}

// letter is what some packets carry beside: what a control or a transport needs that most do not.
type letter struct {
	sentAt    sluice.Time // of the data packet
	seen      int32       // of a selective answer: the packet that came
	next      int32       // in the list of free letters
	telemetry cc.INT
}

type (
	packet = kit.Item[cargo]
	handle = kit.Handle
)

// arena holds all packets, and the bytes of control frames.
type arena struct {
	*kit.Store[cargo]
	frames  [][]byte
	spare   []int32 // of frames
	letters []letter
	blank   int32 // list of free letters
}

func newArena() arena {
	const atFirst = 1024
	store, err := kit.NewStore[cargo](atFirst)
	if err != nil {
		panic(err) // the capacity is a constant
	}
	return arena{Store: store}
}

// take returns a packet whose fields are whatever the last user left.
func (a *arena) take() (handle, *packet) {
	h, ok := a.Take()
	if !ok {
		a.Grow(a.Capacity())
		h, _ = a.Take()
	}
	return h, a.At(h)
}

// takeFrame returns a control packet with a copy of a frame.
func (a *arena) takeFrame(frame []byte) (handle, *packet) {
	h, pkt := a.take()
	if len(a.spare) == 0 {
		a.spare = append(a.spare, int32(len(a.frames)))
		a.frames = append(a.frames, nil)
	}
	last := len(a.spare) - 1
	i := a.spare[last]
	a.spare = a.spare[:last]
	a.frames[i] = append(a.frames[i][:0], frame...)
	pkt.Value = cargo{kind: controlPacket, flow: i}
	pkt.Path = sluice.Path{}
	return h, pkt
}

// packets returns how many packets there are that are no control packets.
func (a *arena) packets() int { return a.Used() - (len(a.frames) - len(a.spare)) }

// frame returns the bytes of a control packet.
func (a *arena) frame(h handle) []byte { return a.frames[a.At(h).Value.flow] }

// release gives a packet back.
func (a *arena) release(h handle) {
	c := &a.At(h).Value
	if c.kind == controlPacket {
		a.spare = append(a.spare, c.flow)
	}
	a.dropLetter(c.letter)
	a.Release(h)
}

// takeLetter returns the index of a copy of a letter.
func (a *arena) takeLetter(l letter) int32 {
	if len(a.letters) == 0 {
		a.letters = append(a.letters, letter{})
	}
	i := a.blank
	if i == 0 {
		i = int32(len(a.letters))
		a.letters = append(a.letters, l)
		return i
	}
	a.blank = a.letters[i].next
	a.letters[i] = l
	return i
}

// letterOf returns a copy of a letter and drops it; an empty one for index 0.
func (a *arena) letterOf(i int32) (l letter) {
	if i != 0 {
		l = a.letters[i]
		a.dropLetter(i)
	}
	return l
}

func (a *arena) dropLetter(i int32) {
	if i != 0 {
		a.letters[i].next = a.blank
		a.blank = i
	}
}
