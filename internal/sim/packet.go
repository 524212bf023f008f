package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

type packetKind uint8

const (
	dataPacket packetKind = iota
	ackPacket             // sequence is the next packet the receiver expects
	nackPacket            // the same, and something after it came
	controlPacket
)

// cargo is what the simulator knows of a packet beside what machines know. With that it fills two cache
// lines: the first has all that a hop needs, but for what is here.
type cargo struct {
	arrivesAt sluice.Time
	flow      int32 // of a control packet: the index of its bytes in frames
	sequence  int32 // number of the packet in its flow
	kind      packetKind
	resent    bool // it brings nothing that was not sent before
	hopsLeft  uint8
}

type (
	packet = kit.Item[cargo]
	handle = kit.Handle
)

// arena holds all packets, and the bytes of control frames.
type arena struct {
	*kit.Store[cargo]
	frames [][]byte
	spare  []int32 // of frames
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
	if c := &a.At(h).Value; c.kind == controlPacket {
		a.spare = append(a.spare, c.flow)
	}
	a.Release(h)
}
