package pyrrha

import (
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/wire"
)

// FrameType is the type of a control frame (section IV-D; DEALLOC from the authors' ns-3 code).
type FrameType uint8

// Types.
const (
	Pause   FrameType = iota + 1 // upstream: hold what passes Root
	Resume                       // upstream: Root takes packets again
	Merge                        // upstream: Old is no root, its tree is part of Root's
	Dealloc                      // downstream: the sender gave up its IQ of Root
)

// Frame is a control frame.
//
// On the wire it has the header of package sluice, Frames on the wire, with protocol 3, and this
// body:
//
//	PAUSE           Root.Switch (4 bytes), Root.Port (2), Hop (1)
//	RESUME, DEALLOC Root.Switch (4), Root.Port (2)
//	MERGE           Root.Switch (4), Root.Port (2), Old.Switch (4), Old.Port (2), Hop (1)
type Frame struct {
	Type FrameType
	// Root is the congestion root the frame is about; with MERGE the new one.
	Root sluice.Hop
	// Old is the root that abdicated. Only with MERGE.
	Old sluice.Hop
	// Hop is the distance in hops from the receiver's port to Root, 1 to hiq.MaxLevels. Only with
	// PAUSE and MERGE.
	Hop uint8
	// Sequence numbers the frames that the sender sent by one port, modulo 2^32. A frame about a
	// root that is the last one about it again, or one of the 65,535 numbers before, is ignored:
	// but see Forged frames in the package documentation.
	Sequence uint32
	// Source is the sender's address.
	Source sluice.MAC
}

var (
	codec = wire.NewCodec(wire.Pyrrha)

	errType   = codec.Fault(16, "type is not 1 to 4")
	errLength = codec.Fault(18, "length of the body does not fit the type")
	errHop    = codec.Fault(wire.HeaderLength, "distance to the root is not 1 to 7 hops")
	errMerge  = codec.Fault(wire.HeaderLength, "old and new root are the same")
)

// Lengths of bodies.
const (
	pauseLength = wire.HopLength + 1
	mergeLength = 2*wire.HopLength + 1
)

// AppendTo appends the frame as it goes on the wire, without check sequence, and returns the
// extended slice.
func (f *Frame) AppendTo(dst []byte) []byte {
	start := len(dst)
	dst = codec.Begin(dst, &wire.Header{Source: f.Source, Type: uint8(f.Type), Sequence: f.Sequence})
	dst = wire.AppendHop(dst, f.Root)
	if f.Type == Merge {
		dst = wire.AppendHop(dst, f.Old)
	}
	if f.Type == Pause || f.Type == Merge {
		dst = append(dst, f.Hop)
	}
	return codec.Finish(dst, start)
}

// Parse reads a frame from the wire, without check sequence. It refuses everything that AppendTo
// does not write of a valid frame; then f is unchanged. Errors are *sluice.FrameError values made
// at start-up.
func (f *Frame) Parse(src []byte) error {
	var h wire.Header
	body, err := codec.Parse(src, &h)
	if err != nil {
		return err
	}
	parsed := Frame{Type: FrameType(h.Type), Sequence: h.Sequence, Source: h.Source}
	want := wire.HopLength
	switch parsed.Type {
	case Pause:
		want = pauseLength
	case Merge:
		want = mergeLength
	case Resume, Dealloc:
	default:
		return errType
	}
	if len(body) != want {
		return errLength
	}
	parsed.Root = wire.ParseHop(body)
	if parsed.Type == Merge {
		if parsed.Old = wire.ParseHop(body[wire.HopLength:]); parsed.Old == parsed.Root {
			return errMerge
		}
	}
	if parsed.Type == Pause || parsed.Type == Merge {
		parsed.Hop = body[want-1]
		if parsed.Hop < 1 || parsed.Hop > hiq.MaxLevels {
			return errHop
		}
	}
	*f = parsed
	return nil
}

// Kind returns "pause", "resume", "merge" or "dealloc", "unknown" for any other type.
func (f *Frame) Kind() string {
	return wire.Kind(f.Type, "pause", "resume", "merge", "dealloc")
}

// String formats the frame: "pause 160:3 hop 1", "merge 170:0 into 160:3 hop 2". It allocates.
func (f Frame) String() string {
	s := f.Kind() + " "
	if f.Type == Merge {
		s += f.Old.String() + " into "
	}
	s += f.Root.String()
	if f.Type == Pause || f.Type == Merge {
		s += " hop " + strconv.Itoa(int(f.Hop))
	}
	return s
}
