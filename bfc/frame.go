package bfc

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// Type is the type of a frame.
type Type uint8

// Types, as on the wire.
const (
	Pause  Type = 1 // the listed queues are paused
	Resume Type = 2 // the listed queues are not paused
	Bitmap Type = 3 // which of all queues are paused
)

// MaxListed is how many queues a Pause or Resume frame can name: as many as fit the smallest
// Ethernet frame.
const MaxListed = (wire.MinimumLength - wire.HeaderLength - countLength) / 2

const countLength = 2

// longestFrame is the length of the longest Bitmap with check sequence, preamble and gap.
const longestFrame = wire.HeaderLength + countLength + MaxUpstreamQueues/8 + 4 + 20

// Frame pauses and resumes queues of the device upstream. It is plain data: keep one and use it
// again. Copying it is allowed.
//
// On the wire it has the header of package sluice, Frames on the wire, with protocol 1, and this
// body:
//
//	Pause, Resume: count (2 bytes, 1 to 17), then count queue numbers (2 bytes each)
//	Bitmap:        n (2 bytes, 1 to 4096), then (n+7)/8 bytes; queue q is bit q%8 of byte q/8, from
//	               the least significant; bits past the last queue are 0
//
// The sequence number is one more in each frame that a port sends, of any type, and 65,536 more
// than that after [Port.LinkUp]. Frames of a link arrive in order, or not at all, or again; a port
// obeys a frame only if its number, modulo 2^32, is neither the number of the newest frame before
// it nor less than 65,536 behind, so that an old duplicate does not undo a newer state. A frame
// that is further behind comes from a peer which started anew, and is taken; so is any after
// [Port.LinkUp] that is not from before, and the fourth of late frames in ascending order: see
// Forged frames in the package documentation.
type Frame struct {
	Type     Type
	Source   sluice.MAC // MAC address
	Sequence uint32
	// Count is how many of Queues count, or for a Bitmap how many queues there are.
	Count  uint16
	Queues [MaxListed]sluice.QueueID
	// Bits has bit q%64 of word q/64 set if queue q is paused.
	Bits [MaxUpstreamQueues / 64]uint64
}

var (
	codec    = wire.NewCodec(wire.BFC)
	errType  = codec.Fault(16, "type is not 1, 2 or 3")
	errBody  = codec.Fault(18, "body is not as long as its count says")
	errCount = codec.Fault(wire.HeaderLength, "count is 0 or too large")
	errBits  = codec.Fault(wire.HeaderLength+countLength, "bits past the last queue are set")
)

// Kind returns "pause", "resume" or "bitmap", "unknown" for any other type.
func (f *Frame) Kind() string { return wire.Kind(f.Type, "pause", "resume", "bitmap") }

// Listed returns the queues that a Pause or Resume names, none for a Bitmap. The slice aliases f.
func (f *Frame) Listed() []sluice.QueueID {
	if f.Type != Pause && f.Type != Resume {
		return nil
	}
	return f.Queues[:min(int(f.Count), MaxListed)]
}

// Covered returns how many queues a Bitmap says something of, 0 for other types.
func (f *Frame) Covered() int {
	if f.Type != Bitmap {
		return 0
	}
	return min(int(f.Count), MaxUpstreamQueues)
}

// Paused reports whether a Bitmap says that queue q is paused; false for a queue it does not cover.
func (f *Frame) Paused(q sluice.QueueID) bool {
	return int(q) < f.Covered() && f.Bits[q>>6]>>(q&63)&1 != 0
}

// AppendPaused appends the queues that a Bitmap says are paused, the lowest first, and returns the
// extended slice; for other types it appends nothing. It is to a Bitmap what Listed is to a Pause
// or Resume.
func (f *Frame) AppendPaused(dst []sluice.QueueID) []sluice.QueueID {
	n := f.Covered()
	for first := 0; first < n; first += 64 {
		word := f.Bits[first>>6]
		if n-first < 64 {
			word &= 1<<(n-first) - 1
		}
		for ; word != 0; word &= word - 1 {
			dst = append(dst, sluice.QueueID(first+bits.TrailingZeros64(word)))
		}
	}
	return dst
}

// String formats the frame: "pause [3 5]", "resume [3]", "bitmap of 32: [5 7]". It allocates.
func (f Frame) String() string {
	switch f.Type {
	case Pause, Resume:
		return fmt.Sprint(f.Kind(), " ", f.Listed())
	case Bitmap:
		return fmt.Sprint(f.Kind(), " of ", f.Covered(), ": ", f.AppendPaused(nil))
	}
	return f.Kind()
}

// AppendTo appends the frame as it goes on the wire, without the check sequence: 60 bytes, or up to
// 538 for a Bitmap of many queues. A Count too large for the type is cut off.
func (f *Frame) AppendTo(dst []byte) []byte {
	start := len(dst)
	header := wire.Header{Source: f.Source, Type: uint8(f.Type), Sequence: f.Sequence}
	dst = codec.Begin(dst, &header)
	if f.Type == Bitmap {
		return codec.Finish(f.appendBits(dst), start)
	}
	listed := f.Listed()
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(listed)))
	for _, q := range listed {
		dst = binary.BigEndian.AppendUint16(dst, uint16(q))
	}
	return codec.Finish(dst, start)
}

func (f *Frame) appendBits(dst []byte) []byte {
	n := f.Covered()
	dst = binary.BigEndian.AppendUint16(dst, uint16(n))
	first := 0
	for ; n-first >= 64; first += 64 {
		dst = binary.LittleEndian.AppendUint64(dst, f.Bits[first>>6])
	}
	for ; first < n; first += 8 {
		b := byte(f.Bits[first>>6] >> (first & 63))
		dst = append(dst, b&maskBelow(n-first))
	}
	return dst
}

// maskBelow returns a byte whose lowest n bits are set, all from 8 on.
func maskBelow(n int) byte { return byte(1<<min(uint(n), 8) - 1) }

// Parse sets f from a whole frame without its check sequence, or returns a *sluice.FrameError and
// leaves f in no particular state. It allocates nothing and keeps nothing of src.
func (f *Frame) Parse(src []byte) error {
	var h wire.Header
	body, err := codec.Parse(src, &h)
	if err != nil {
		return err
	}
	f.Type, f.Source, f.Sequence = Type(h.Type), h.Source, h.Sequence
	if f.Type < Pause || f.Type > Bitmap {
		return errType
	}
	if len(body) < countLength {
		return errBody
	}
	f.Count = binary.BigEndian.Uint16(body)
	if f.Type == Bitmap {
		return f.parseBits(body[countLength:])
	}
	return f.parseList(body[countLength:])
}

func (f *Frame) parseList(body []byte) error {
	if f.Count == 0 || f.Count > MaxListed {
		return errCount
	}
	if len(body) != 2*int(f.Count) {
		return errBody
	}
	for i := range f.Listed() {
		f.Queues[i] = sluice.QueueID(binary.BigEndian.Uint16(body[2*i:]))
	}
	return nil
}

func (f *Frame) parseBits(body []byte) error {
	n := int(f.Count)
	if n == 0 || n > MaxUpstreamQueues {
		return errCount
	}
	if len(body) != (n+7)/8 {
		return errBody
	}
	if body[len(body)-1]&^maskBelow(n-8*(len(body)-1)) != 0 {
		return errBits
	}
	clear(f.Bits[:])
	w := 0
	for ; len(body) >= 8; body = body[8:] {
		f.Bits[w] = binary.LittleEndian.Uint64(body)
		w++
	}
	for i, b := range body {
		f.Bits[w] |= uint64(b) << (i * 8)
	}
	return nil
}

// ShimLength is the length of a shim in bytes.
const ShimLength = 6

// The shim's EtherType is IEEE 802's local experimental 2.
const (
	shimEtherType = 0x88B6
	shimVersion   = 1
)

var (
	errShimShort     = codec.Fault(0, "shim is shorter than 6 bytes")
	errShimEtherType = codec.Fault(0, "EtherType of the shim is not 0x88B6")
	errShimVersion   = codec.Fault(2, "version of the shim is not 1")
	errShimReserved  = codec.Fault(3, "reserved byte of the shim is not 0")
)

// AppendShim appends the header that carries a packet's upstream queue to the next hop. It stands
// where a VLAN tag would, after the source address and before the packet's own EtherType, and
// leaves an IP header aligned to four bytes:
//
//	offset bytes field
//	0      2     EtherType 0x88B6 (IEEE 802, local experimental 2)
//	2      1     version, 1
//	3      1     reserved, 0
//	4      2     queue, big endian
//
// The queue is the queue that was passed to the Dequeue which answered Transmit. Each hop that
// transmits the packet writes its own queue over the last.
func AppendShim(dst []byte, q sluice.QueueID) []byte {
	dst = binary.BigEndian.AppendUint16(dst, shimEtherType)
	dst = append(dst, shimVersion, 0)
	return binary.BigEndian.AppendUint16(dst, uint16(q))
}

// ParseShim reads a shim at the start of src and returns its queue, for
// sluice.Packet.UpstreamQueue, and what follows the shim. The error is a *sluice.FrameError whose
// offsets count from the beginning of src.
func ParseShim(src []byte) (q sluice.QueueID, rest []byte, err error) {
	switch {
	case len(src) < ShimLength:
		return 0, nil, errShimShort
	case binary.BigEndian.Uint16(src) != shimEtherType:
		return 0, nil, errShimEtherType
	case src[2] != shimVersion:
		return 0, nil, errShimVersion
	case src[3] != 0:
		return 0, nil, errShimReserved
	}
	return sluice.QueueID(binary.BigEndian.Uint16(src[4:])), src[ShimLength:], nil
}
