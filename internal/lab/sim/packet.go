package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/transport"
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

// cargo is what the simulator knows of a packet beside what machines know: as little as makes a
// packet 96 bytes.
type cargo struct {
	flow     int32 // of a control packet: the index of its bytes in frames
	sequence int32 // number of the packet in its flow; of a notice, its feedback or rate
	kind     packetKind
	resent   bool // it brings nothing that was not sent before
	hopsLeft uint8
	mark     sluice.ECN // of an answer, echoed; of a notice
}

// letter is what some packets carry beside: what a control or a transport needs that most do not.
type letter struct {
	sentAt    sluice.Time // of the data packet
	seen      int32       // of a selective answer: the packet that came
	label     uint32      // of the data packet, under PLB
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
	spare   []int32  // of frames
	letters []letter // by packet, nil if packets carry none
	stays   []stay   // by packet, nil without jobs
}

func newArena() arena {
	const atFirst = 1024
	store, err := kit.NewStore[cargo](atFirst)
	if err != nil {
		panic(err) // the capacity is a constant
	}
	return arena{Store: store}
}

// addLetters has every packet carry a letter.
func (a *arena) addLetters() { a.letters = make([]letter, a.Capacity()+1) }

// addStays has every packet know since when it waits.
func (a *arena) addStays() { a.stays = make([]stay, a.Capacity()+1) }

// take returns a packet whose fields are whatever the last user left.
func (a *arena) take() (handle, *packet) {
	h, ok := a.Take()
	if !ok {
		h = a.grow()
	}
	return h, a.At(h)
}

// grow makes room for more packets, by a 32nd, and takes one: the store copies nothing.
func (a *arena) grow() handle {
	more := a.Capacity()/32 + 1
	a.Grow(more)
	if a.letters != nil {
		a.letters = append(a.letters, make([]letter, more)...)
	}
	if a.stays != nil {
		a.stays = append(a.stays, make([]stay, more)...)
	}
	h, _ := a.Take()
	return h
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
	return h, pkt
}

// controls returns how many control packets there are.
func (a *arena) controls() int { return len(a.frames) - len(a.spare) }

// frame returns the bytes of a control packet.
func (a *arena) frame(h handle) []byte { return a.frames[a.At(h).Value.flow] }

// release gives a packet back.
func (a *arena) release(h handle) {
	c := &a.At(h).Value
	if c.kind == controlPacket {
		a.spare = append(a.spare, c.flow)
	}
	a.Release(h)
}
