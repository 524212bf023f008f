package voq

import (
	"encoding/binary"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// Type is what a frame does.
type Type uint8

// Types, as on the wire.
const (
	Pause  Type = 1 // the listed destinations are held
	Resume Type = 2 // they are not
)

// MaxListed is how many destinations a frame can name: as many as fit the smallest Ethernet frame.
const MaxListed = (wire.MinimumLength - wire.HeaderLength - 2) / wire.HopLength

// Rest is the destination that stands for all that found no queue.
var Rest = sluice.Hop{Switch: 0xffff_ffff, Port: 0xffff}

// Frame tells the device upstream which destinations to hold. It is plain data: keep one and use it
// again. Copying it is allowed.
//
// On the wire it is an Ethernet frame of EtherType 0x88B5, protocol 7, with this body, numbers big
// endian: count (2 bytes, 1 to 5), then count destinations: switch (4 bytes), port (2 bytes). The
// sequence number is one more in each frame that a port sends.
type Frame struct {
	Type         Type
	Source       sluice.MAC // MAC address
	Sequence     uint32
	Count        uint16
	Destinations [MaxListed]sluice.Hop
}

const longestFrame = wire.MinimumLength + 4 + 20

var (
	codec    = wire.NewCodec(wire.VOQ)
	errType  = codec.Fault(16, "type is not 1 or 2")
	errBody  = codec.Fault(18, "body is not as long as its count says")
	errCount = codec.Fault(wire.HeaderLength, "count is not 1 to 5")
)

func (f *Frame) Kind() string { return wire.Kind(f.Type, "pause", "resume") }

// Listed returns the destinations. The slice aliases f.
func (f *Frame) Listed() []sluice.Hop { return f.Destinations[:min(int(f.Count), MaxListed)] }

// String formats the frame: "pause [8:0 9:2]". It allocates.
func (f Frame) String() string { return fmt.Sprint(f.Kind(), " ", f.Listed()) }

func (f *Frame) AppendTo(dst []byte) []byte {
	start := len(dst)
	header := wire.Header{Source: f.Source, Type: uint8(f.Type), Sequence: f.Sequence}
	dst = codec.Begin(dst, &header)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(f.Listed())))
	for _, hop := range f.Listed() {
		dst = wire.AppendHop(dst, hop)
	}
	return codec.Finish(dst, start)
}

func (f *Frame) Parse(src []byte) error {
	var h wire.Header
	body, err := codec.Parse(src, &h)
	switch {
	case err != nil:
		return err
	case h.Type != uint8(Pause) && h.Type != uint8(Resume):
		return errType
	case len(body) < 2:
		return errBody
	}
	f.Type, f.Source, f.Sequence = Type(h.Type), h.Source, h.Sequence
	f.Count = binary.BigEndian.Uint16(body)
	if f.Count == 0 || f.Count > MaxListed {
		return errCount
	}
	if body = body[2:]; len(body) != wire.HopLength*int(f.Count) {
		return errBody
	}
	for i := range f.Listed() {
		f.Destinations[i] = wire.ParseHop(body[wire.HopLength*i:])
	}
	return nil
}
