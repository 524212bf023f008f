package ofc

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
	Pause   Type = 1 // the flows listed are paused, or the whole class is held
	Resume  Type = 2 // the flows listed are paused no longer, or the whole class is held no longer
	Refresh Type = 3 // a part of the list of all paused flows, and whether the class is held
)

// MaxListed is how many flows a frame can name.
const MaxListed = (wire.MaximumBody - listOffset) / flowLength

const (
	listOffset = 12
	flowLength = 8
	maxParts   = 1<<16 - 1
)

// MaxFrameLength is the length of the largest frame, without the check sequence.
const MaxFrameLength sluice.Bytes = wire.HeaderLength + listOffset + flowLength*MaxListed

// Frame tells the device upstream which flows of a class to pause. It is plain data: keep one and
// use it again. Copying it is allowed.
//
// On the wire it has the header of package sluice, Frames on the wire, with protocol 2, and this
// body:
//
//	offset bytes field
//	 0     1     class
//	 1     1     flags: bit 0 all, bit 1 last; others 0
//	 2     2     count of flows, 0 to 184
//	 4     4     generation, of a refresh; else 0
//	 8     2     part, of a refresh, from 0; else 0
//	10     2     parts, of a refresh, more than part; else 0
//	12     8n    flows, sluice.Packet.Flow
//
// A Pause or Resume with the flag all names no flow. The sequence number is one more in each frame
// that a port sends; a port obeys a frame only if its number, modulo 2^32, is neither the number of
// the newest before it nor less than 65,536 behind. A frame further behind comes from a peer which
// started anew, and is taken; so is the fourth of late frames in ascending order, see Forged frames
// in the package documentation. [Port.LinkUp] makes a port take any.
type Frame struct {
	Type     Type
	Source   sluice.MAC // MAC address
	Sequence uint32
	Class    sluice.Class
	All      bool // the whole class, flows included that are not here yet
	Last     bool // of a Resume: no flow is paused after this one, but by frames to come

	Generation  uint32 // of a Refresh
	Part, Parts uint16
	// Count is how many of Keys count.
	Count uint16
	Keys  [MaxListed]uint64
}

var (
	codec    = wire.NewCodec(wire.OFC)
	errType  = codec.Fault(16, "type is not 1, 2 or 3")
	errBody  = codec.Fault(18, "body is not as long as its count says")
	errClass = codec.Fault(wire.HeaderLength, "class is above 7")
	errFlags = codec.Fault(wire.HeaderLength+1, "flags that the type does not have")
	errCount = codec.Fault(wire.HeaderLength+2,
		"count is too large, or beside the flag all, or 0 without it")
	errPart = codec.Fault(wire.HeaderLength+4, "generation and part do not fit the type")
)

// Kind returns "pause", "resume" or "refresh", "unknown" for any other type.
func (f *Frame) Kind() string { return wire.Kind(f.Type, "pause", "resume", "refresh") }

// Flows returns the flows that the frame names. The slice aliases f.
func (f *Frame) Flows() []uint64 { return f.Keys[:min(int(f.Count), MaxListed)] }

func (f *Frame) add(flow uint64) {
	f.Keys[f.Count%MaxListed] = flow
	f.Count++
}

// String formats the frame, as in `pause class 3 all`, `resume class 3 [1f 2e] last`, or
// `refresh 7 class 3 part 1 of 2 []`. It allocates.
func (f Frame) String() string {
	text := f.Kind()
	if f.Type == Refresh {
		text += fmt.Sprintf(" %d class %d part %d of %d", f.Generation, f.Class, f.Part+1, f.Parts)
	} else {
		text += fmt.Sprintf(" class %d", f.Class)
	}
	if f.All {
		text += " all"
	}
	if !f.All || f.Type == Refresh {
		text += fmt.Sprintf(" %x", f.Flows())
	}
	if f.Last {
		text += " last"
	}
	return text
}

// Flags on the wire.
const (
	flagAll  = 1
	flagLast = 2
)

// AppendTo appends the frame as it goes on the wire, without the check sequence: 60 bytes to
// MaxFrameLength. A Count too large is cut off.
func (f *Frame) AppendTo(dst []byte) []byte {
	start := len(dst)
	header := wire.Header{Source: f.Source, Type: uint8(f.Type), Sequence: f.Sequence}
	dst = codec.Begin(dst, &header)
	flags := byte(0)
	if f.All {
		flags |= flagAll
	}
	if f.Last {
		flags |= flagLast
	}
	flows := f.Flows()
	dst = append(dst, byte(f.Class), flags)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(flows)))
	dst = binary.BigEndian.AppendUint32(dst, f.Generation)
	dst = binary.BigEndian.AppendUint16(dst, f.Part)
	dst = binary.BigEndian.AppendUint16(dst, f.Parts)
	for _, flow := range flows {
		dst = binary.BigEndian.AppendUint64(dst, flow)
	}
	return codec.Finish(dst, start)
}

// Parse sets f from a whole frame without its check sequence, or returns a *sluice.FrameError and
// leaves f in no particular state. It allocates nothing and keeps nothing of src.
func (f *Frame) Parse(src []byte) error {
	var h wire.Header
	body, err := codec.Parse(src, &h)
	if err != nil {
		return err
	}
	f.Type, f.Source, f.Sequence = Type(h.Type), h.Source, h.Sequence
	if f.Type < Pause || f.Type > Refresh {
		return errType
	}
	if len(body) < listOffset {
		return errBody
	}
	flags := body[1]
	f.Class, f.All, f.Last = sluice.Class(body[0]), flags&flagAll != 0, flags&flagLast != 0
	f.Count = binary.BigEndian.Uint16(body[2:])
	f.Generation = binary.BigEndian.Uint32(body[4:])
	f.Part, f.Parts = binary.BigEndian.Uint16(body[8:]), binary.BigEndian.Uint16(body[10:])
	if flags&^(flagAll|flagLast) != 0 {
		return errFlags
	}
	if err := f.check(); err != nil {
		return err
	}
	if len(body) != listOffset+flowLength*int(f.Count) {
		return errBody
	}
	for i := range f.Flows() {
		f.Keys[i] = binary.BigEndian.Uint64(body[listOffset+flowLength*i:])
	}
	return nil
}

// check returns what the frame says that cannot be, nil if all can.
func (f *Frame) check() error {
	switch refresh := f.Type == Refresh; {
	case f.Type < Pause || f.Type > Refresh:
		return errType
	case f.Class >= sluice.Classes:
		return errClass
	case f.Last && (f.Type != Resume || f.All):
		return errFlags
	case f.Count > MaxListed, !refresh && f.All != (f.Count == 0):
		return errCount
	case refresh && f.Part >= f.Parts, !refresh && (f.Generation != 0 || f.Part != 0 || f.Parts != 0):
		return errPart
	}
	return nil
}
