package cbfc

import (
	"encoding/binary"
	"fmt"

	"github.com/sluicefc/sluice"
)

// FrameLength is the length of a flow control packet in octets, its check included.
const FrameLength = 6

// WireLength is an FCP's length on the wire, in byte times: with its two delimiters.
const WireLength sluice.Bytes = FrameLength + 2

// Op is the purpose of an FCP.
type Op uint8

// Ops.
const (
	Normal Op = 0
	Init   Op = 1 // the sender has just come up, and does not know the other end
)

// Layout of an FCP: op 4 bits, FCTBS 12, VL 4, FCCL 12, LPCRC 16.
const (
	counterBits = 12
	counterMask = 1<<counterBits - 1
	crcOffset   = 4
)

// Errors of Parse, made once so that a hostile frame costs nothing.
var (
	errLength = frameError(0, "not 6 octets long")
	errOp     = frameError(0, "op is neither 0 nor 1")
	errCheck  = frameError(crcOffset, "LPCRC is wrong")
)

// Frame is a flow control packet. Keep one and reuse it: a Frame that is declared where PollFrame
// is called through an interface escapes to the heap.
type Frame struct {
	Op    Op
	VL    uint8  // 4 bits
	FCTBS uint16 // blocks sent on this VL, 12 bits
	FCCL  uint16 // blocks that may be sent on it in the other direction, 12 bits
}

// AppendTo appends the frame's 6 octets to dst. Bits that its fields do not have are cut off.
func (f *Frame) AppendTo(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(f.Op&15)<<counterBits|f.FCTBS&counterMask)
	dst = binary.BigEndian.AppendUint16(dst, uint16(f.VL&15)<<counterBits|f.FCCL&counterMask)
	return binary.LittleEndian.AppendUint16(dst, linkCRC(dst[len(dst)-crcOffset:]))
}

// Parse sets f from the frame in src. It refuses bytes that are not exactly a flow control packet,
// with a [*sluice.FrameError]; f is then unchanged.
func (f *Frame) Parse(src []byte) error {
	if len(src) != FrameLength {
		return errLength
	}
	first, second := binary.BigEndian.Uint16(src), binary.BigEndian.Uint16(src[2:])
	switch {
	case Op(first>>counterBits) > Init:
		return errOp
	case binary.LittleEndian.Uint16(src[crcOffset:]) != linkCRC(src[:crcOffset]):
		return errCheck
	}
	*f = Frame{
		Op: Op(first >> counterBits), VL: uint8(second >> counterBits),
		FCTBS: first & counterMask, FCCL: second & counterMask,
	}
	return nil
}

// Overhead returns the byte times of an FCP on the wire beside its octets: two delimiters.
func (f *Frame) Overhead() sluice.Bytes { return WireLength - FrameLength }

// Kind returns "init" or "credit".
func (f *Frame) Kind() string {
	if f.Op == Init {
		return "init"
	}
	return "credit"
}

// String formats the frame. It allocates:
//
//	credit VL 3: sent 291, limit 1110
func (f Frame) String() string {
	return fmt.Sprintf("%s VL %d: sent %d, limit %d", f.Kind(), f.VL, f.FCTBS, f.FCCL)
}

// linkCRC returns the link packet CRC of four octets: polynomial 0x100B, all ones before and
// complemented after, the low bit of each octet first. It goes on the wire low octet first.
func linkCRC(b []byte) uint16 {
	crc := uint16(0xffff)
	for _, x := range b {
		crc = crc>>8 ^ crcTable[byte(crc)^x]
	}
	return ^crc
}

// crcTable is what each octet does to the CRC.
var crcTable = func() (table [256]uint16) {
	const reversed = 0xd008 // 0x100b, its bits the other way round
	for i := range table {
		crc := uint16(i)
		for range 8 {
			crc = crc>>1 ^ reversed&-(crc&1)
		}
		table[i] = crc
	}
	return table
}()

func frameError(offset int, rule string) error {
	return &sluice.FrameError{Package: "cbfc", Offset: offset, Rule: rule}
}
