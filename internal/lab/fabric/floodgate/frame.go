package floodgate

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
	Credit Type = 1 // upstream: how much was sent on
	SYN    Type = 2 // downstream: how much was sent, and credited as far as is known
)

// MaxListed is how many destinations a frame can name.
const MaxListed = 32

// Entry is what a frame says of a destination: bytes since the link came up, modulo 2^32.
type Entry struct {
	Destination sluice.Hop
	Credited    uint32
	Sent        uint32 // in a SYN only
}

const (
	creditLength = 10
	synLength    = 14
	longestFrame = wire.HeaderLength + 2 + MaxListed*synLength + 4 + 20
)

// Frame tells the device upstream what it is credited, or asks the device downstream for it. It is
// plain data: keep one and use it again. Copying it is allowed.
//
// On the wire it is an Ethernet frame of EtherType 0x88B5, protocol 8, with this body, numbers big
// endian: count (2 bytes, 1 to 32), then count entries: switch (4 bytes), port (2), credited (4),
// and of a SYN sent (4). The sequence number is one more in each frame that a port sends.
type Frame struct {
	Type     Type
	Source   sluice.MAC // MAC address
	Sequence uint32
	Count    uint16
	Entries  [MaxListed]Entry
}

var (
	codec    = wire.NewCodec(wire.Floodgate)
	errType  = codec.Fault(16, "type is not 1 or 2")
	errBody  = codec.Fault(18, "body is not as long as its count says")
	errCount = codec.Fault(wire.HeaderLength, "count is not 1 to 32")
)

func (f *Frame) Kind() string { return wire.Kind(f.Type, "credit", "syn") }

func (f *Frame) Listed() []Entry { return f.Entries[:min(int(f.Count), MaxListed)] }

// String formats the frame: "credit [8:0 3000]", "syn [8:0 3000 of 4500]". It allocates.
func (f Frame) String() string {
	text := f.Kind()
	for _, e := range f.Listed() {
		text += fmt.Sprintf(" [%v %d", e.Destination, e.Credited)
		if f.Type == SYN {
			text += fmt.Sprintf(" of %d", e.Sent)
		}
		text += "]"
	}
	return text
}

func (f *Frame) entryLength() int {
	if f.Type == SYN {
		return synLength
	}
	return creditLength
}

func (f *Frame) add(e Entry) {
	f.Entries[f.Count] = e
	f.Count++
}

func (f *Frame) AppendTo(dst []byte) []byte {
	start := len(dst)
	header := wire.Header{Source: f.Source, Type: uint8(f.Type), Sequence: f.Sequence}
	dst = codec.Begin(dst, &header)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(f.Listed())))
	for i := range f.Listed() {
		e := &f.Entries[i]
		dst = wire.AppendHop(dst, e.Destination)
		dst = binary.BigEndian.AppendUint32(dst, e.Credited)
		if f.Type == SYN {
			dst = binary.BigEndian.AppendUint32(dst, e.Sent)
		}
	}
	return codec.Finish(dst, start)
}

func (f *Frame) Parse(src []byte) error {
	var h wire.Header
	body, err := codec.Parse(src, &h)
	switch {
	case err != nil:
		return err
	case h.Type != uint8(Credit) && h.Type != uint8(SYN):
		return errType
	case len(body) < 2:
		return errBody
	}
	f.Type, f.Source, f.Sequence = Type(h.Type), h.Source, h.Sequence
	f.Count = binary.BigEndian.Uint16(body)
	if f.Count == 0 || f.Count > MaxListed {
		return errCount
	}
	length := f.entryLength()
	if body = body[2:]; len(body) != length*int(f.Count) {
		return errBody
	}
	for i := range f.Listed() {
		b := body[length*i:]
		e := Entry{Destination: wire.ParseHop(b), Credited: binary.BigEndian.Uint32(b[6:])}
		if f.Type == SYN {
			e.Sent = binary.BigEndian.Uint32(b[10:])
		}
		f.Entries[i] = e
	}
	return nil
}
