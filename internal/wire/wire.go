// Package wire is the header that every control frame of this library's own formats has: see Frames
// on the wire in the documentation of package sluice.
package wire

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

// Sizes, in bytes.
const (
	HeaderLength  = 24
	MinimumLength = 60
	MaximumBody   = 1500 - (HeaderLength - 14)
)

// Protocol numbers, as on the wire.
const (
	BFC       = 1
	OFC       = 2
	Pyrrha    = 3
	PortFC    = 4
	VOQ       = 7
	Floodgate = 8
)

// Packages are the packages of the protocols by number, "" where a number has none.
var Packages = [...]string{
	BFC: "bfc", OFC: "ofc", Pyrrha: "pyrrha", PortFC: "portfc", VOQ: "voq", Floodgate: "floodgate",
}

const (
	etherType = 0x88B5
	version   = 1
)

var destination = sluice.MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E}

// Header is what varies in a frame's header.
type Header struct {
	Source   sluice.MAC
	Type     uint8
	Sequence uint32
}

// Codec appends and parses frames of one protocol. Make it once, with NewCodec.
type Codec struct {
	name     string
	protocol byte

	errShort, errDestination, errEtherType, errProtocol *sluice.FrameError
	errVersion, errFlags, errLength, errPadding         *sluice.FrameError
}

// NewCodec returns the codec of a protocol of Packages, by its number.
func NewCodec(protocol byte) *Codec {
	c := &Codec{name: Packages[protocol], protocol: protocol}
	c.errShort = c.Fault(0, "shorter than 60 bytes")
	c.errDestination = c.Fault(0, "destination is not 01-80-C2-00-00-0E")
	c.errEtherType = c.Fault(12, "EtherType is not 0x88B5")
	c.errProtocol = c.Fault(14, "another protocol's number")
	c.errVersion = c.Fault(15, "version is not 1")
	c.errFlags = c.Fault(17, "flags are not 0")
	c.errLength = c.Fault(18, "length of the body does not fit the frame")
	c.errPadding = c.Fault(HeaderLength, "bytes after the body that are not minimum-size zero padding")
	return c
}

// Fault returns what is wrong with frames of the protocol at an offset.
func (c *Codec) Fault(offset int, rule string) *sluice.FrameError {
	return &sluice.FrameError{Package: c.name, Offset: offset, Rule: rule}
}

// Kind returns the name of a type of frames: type 1 has the first name; "unknown" if it has none.
func Kind[T ~uint8](t T, names ...string) string {
	if i := int(t) - 1; uint(i) < uint(len(names)) {
		return names[i]
	}
	return "unknown"
}

// Begin appends a header whose length field is 0; append the body, then call Finish with the length
// that dst had before.
func (c *Codec) Begin(dst []byte, h *Header) []byte {
	dst = append(dst, destination[:]...)
	dst = append(dst, h.Source[:]...)
	dst = binary.BigEndian.AppendUint16(dst, etherType)
	dst = append(dst, c.protocol, version, h.Type, 0, 0, 0)
	return binary.BigEndian.AppendUint32(dst, h.Sequence)
}

// Finish sets the length of the frame that starts at offset start of dst and pads it.
func (c *Codec) Finish(dst []byte, start int) []byte {
	binary.BigEndian.PutUint16(dst[start+18:], uint16(len(dst)-start-HeaderLength))
	for len(dst)-start < MinimumLength {
		dst = append(dst, 0)
	}
	return dst
}

// Parse checks src, a whole frame without its check sequence, fills h and returns the body, which
// aliases src. Errors are values made by NewCodec: nothing is allocated.
func (c *Codec) Parse(src []byte, h *Header) ([]byte, error) {
	switch {
	case len(src) < MinimumLength:
		return nil, c.errShort
	case sluice.MAC(src[:6]) != destination:
		return nil, c.errDestination
	case binary.BigEndian.Uint16(src[12:]) != etherType:
		return nil, c.errEtherType
	case src[14] != c.protocol:
		return nil, c.errProtocol
	case src[15] != version:
		return nil, c.errVersion
	case src[17] != 0:
		return nil, c.errFlags
	}
	end := HeaderLength + int(binary.BigEndian.Uint16(src[18:]))
	if end > len(src) {
		return nil, c.errLength
	}
	if len(src) != max(end, MinimumLength) {
		return nil, c.errPadding
	}
	for _, b := range src[end:] {
		if b != 0 {
			return nil, c.errPadding
		}
	}
	h.Source = sluice.MAC(src[6:12])
	h.Type = src[16]
	h.Sequence = binary.BigEndian.Uint32(src[20:])
	return src[HeaderLength:end], nil
}

// Number returns the bytes of a frame that are its sequence number, big endian; nil if it is no
// frame of this library's own formats.
func Number(frame []byte) []byte {
	const number = HeaderLength - 4
	if len(frame) < HeaderLength || binary.BigEndian.Uint16(frame[12:]) != etherType {
		return nil
	}
	return frame[number:HeaderLength]
}

// HopLength is how many bytes AppendHop appends.
const HopLength = 6

// AppendHop appends a hop: switch (4 bytes) and port (2), big endian.
func AppendHop(dst []byte, h sluice.Hop) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.Switch))
	return binary.BigEndian.AppendUint16(dst, uint16(h.Port))
}

// ParseHop reads what AppendHop wrote.
func ParseHop(src []byte) sluice.Hop {
	return sluice.Hop{
		Switch: sluice.SwitchID(binary.BigEndian.Uint32(src)),
		Port:   sluice.PortID(binary.BigEndian.Uint16(src[4:])),
	}
}
