package pfc

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
)

// FrameLength is the length of a pause frame in bytes, without the frame check sequence: the length
// of the smallest frame (IEEE 802.3 clause 31.3 and 4A.4.2).
const FrameLength = 60

// WireLength is a pause frame's length on the wire, in byte times: with frame check sequence,
// preamble, start delimiter and inter-packet gap.
const WireLength sluice.Bytes = FrameLength + 4 + 8 + 12

// Opcodes of MAC control frames (IEEE 802.3 annex 31A, table 31A-1).
const (
	OpcodePause uint16 = 0x0001 // PAUSE, annex 31B
	OpcodePFC   uint16 = 0x0101 // priority-based flow control, annex 31D
)

// Layout of a frame (IEEE 802.3 figures 31-1, 31B-1 and 31D-1).
const (
	sourceOffset    = 6
	etherTypeOffset = 12
	opcodeOffset    = 14
	vectorOffset    = 16 // PFC: class-enable vector. PAUSE: the pause time
	timesOffset     = 18 // PFC: eight pause times
	pfcEnd          = timesOffset + 2*sluice.Classes
	pauseEnd        = vectorOffset + 2

	etherType = 0x8808 // MAC control (IEEE 802.3 clause 31.4.1.3)
)

// destination is the address of all pause frames, which bridges do not forward (IEEE 802.3
// annex 31B.1 and IEEE 802.1Q table 8-1).
var destination = sluice.MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}

// Errors of Parse, made once so that a hostile frame costs nothing.
var (
	errShort       = frameError(0, "shorter than 34 bytes")
	errDestination = frameError(0, "destination is not 01-80-C2-00-00-01")
	errSource      = frameError(sourceOffset, "source is a group address")
	errEtherType   = frameError(etherTypeOffset, "EtherType is not 0x8808")
	errOpcode      = frameError(opcodeOffset, "opcode is neither 0x0001 nor 0x0101")
	errUnpadded    = frameError(0, "shorter than 60 bytes")
	errVector      = frameError(vectorOffset, "reserved bits of the class-enable vector are not zero")
	errPFCPad      = frameError(pfcEnd, "padding is not zero")
	errPausePad    = frameError(pauseEnd, "padding is not zero")
)

// Frame is a pause frame: priority-based flow control of IEEE 802.1Qbb (IEEE 802.3 annex 31D) or
// classic PAUSE of IEEE 802.3x (annex 31B), by its Opcode. Keep one and reuse it: a Frame that is
// declared where PollFrame is called through an interface escapes to the heap.
type Frame struct {
	// Source is the address of the port that sends it.
	Source sluice.MAC
	// Opcode is OpcodePFC or OpcodePause.
	Opcode uint16
	// Enabled says for which classes Time means something. Empty in a PAUSE frame.
	Enabled sluice.ClassSet
	// Time of each class, in quanta of 512 bit times: for how long not to send, 0 to send again at
	// once. A PAUSE frame has one, Time[0].
	Time [sluice.Classes]sluice.Quanta
}

// AppendTo appends the frame's 60 bytes to dst. A frame whose opcode is not OpcodePause is encoded
// as PFC with that opcode, which Parse refuses unless it is OpcodePFC.
func (f *Frame) AppendTo(dst []byte) []byte {
	var b [FrameLength]byte
	copy(b[:], destination[:])
	copy(b[sourceOffset:], f.Source[:])
	binary.BigEndian.PutUint16(b[etherTypeOffset:], etherType)
	binary.BigEndian.PutUint16(b[opcodeOffset:], f.Opcode)
	if f.Opcode == OpcodePause {
		binary.BigEndian.PutUint16(b[vectorOffset:], uint16(f.Time[0]))
		return append(dst, b[:]...)
	}
	b[vectorOffset+1] = byte(f.Enabled)
	for c, t := range f.Time {
		binary.BigEndian.PutUint16(b[timesOffset+2*c:], uint16(t))
	}
	return append(dst, b[:]...)
}

// Parse sets f from the frame in src as a receiver does. It ignores the fields that the standard
// says to ignore: the reserved octet of the class-enable vector, the padding, and any bytes behind,
// such as a frame check sequence; the padding may be missing. It refuses bytes that are no pause
// frame, with a [*sluice.FrameError]; f is then unchanged. Times of classes that are not enabled
// are kept as they are.
func (f *Frame) Parse(src []byte) error { return f.parse(src, destination) }

// ParseStrict is Parse for tests of a sender: it also refuses frames shorter than 60 bytes, and
// frames whose reserved octet, or padding behind the times, is not zero.
func (f *Frame) ParseStrict(src []byte) error {
	if len(src) < FrameLength {
		return errUnpadded
	}
	var parsed Frame
	if err := parsed.Parse(src); err != nil {
		return err
	}
	switch {
	case parsed.Opcode == OpcodePause && !allZero(src[pauseEnd:]):
		return errPausePad
	case parsed.Opcode == OpcodePFC && src[vectorOffset] != 0:
		return errVector
	case !allZero(src[pfcEnd:]):
		return errPFCPad
	}
	*f = parsed
	return nil
}

// parse is Parse for a station of the given address, which a classic PAUSE may have for its
// destination (IEEE 802.3 annex 31B.1).
func (f *Frame) parse(src []byte, station sluice.MAC) error {
	if len(src) < pauseEnd {
		return errShort
	}
	to := sluice.MAC(src)
	opcode := binary.BigEndian.Uint16(src[opcodeOffset:])
	switch {
	case to != destination && (to != station || opcode != OpcodePause):
		return errDestination
	case src[sourceOffset]&1 != 0:
		return errSource
	case binary.BigEndian.Uint16(src[etherTypeOffset:]) != etherType:
		return errEtherType
	}
	switch opcode {
	case OpcodePFC:
		return f.parsePFC(src)
	case OpcodePause:
		f.Source = sluice.MAC(src[sourceOffset:])
		f.Opcode = OpcodePause
		f.Enabled = 0
		f.Time = [sluice.Classes]sluice.Quanta{sluice.Quanta(binary.BigEndian.Uint16(src[vectorOffset:]))}
		return nil
	}
	return errOpcode
}

func (f *Frame) parsePFC(src []byte) error {
	if len(src) < pfcEnd {
		return errShort
	}
	f.Source = sluice.MAC(src[sourceOffset:])
	f.Opcode = OpcodePFC
	f.Enabled = sluice.ClassSet(src[vectorOffset+1])
	for c := range f.Time {
		f.Time[c] = sluice.Quanta(binary.BigEndian.Uint16(src[timesOffset+2*c:]))
	}
	return nil
}

// Kind returns "pause" if the frame stops anything, a time above zero of an enabled class, and
// "resume" if it does not.
func (f *Frame) Kind() string {
	if f.pauses() {
		return "pause"
	}
	return "resume"
}

func (f *Frame) pauses() bool {
	if f.Opcode == OpcodePause {
		return f.Time[0] > 0
	}
	for c, t := range f.Time {
		if t > 0 && f.Enabled>>c&1 != 0 {
			return true
		}
	}
	return false
}

// String formats the frame. It allocates. Examples, the last two of classic frames:
//
//	pause {3} for 1000 quanta
//	pause {3} for 1000 quanta, resume {4}
//	pause all for 1000 quanta
//	resume all
func (f Frame) String() string {
	switch {
	case f.Opcode == OpcodePause && f.Time[0] == 0:
		return "resume all"
	case f.Opcode == OpcodePause:
		return fmt.Sprintf("pause all for %d quanta", f.Time[0])
	case f.Opcode != OpcodePFC:
		return fmt.Sprintf("opcode %#04x", f.Opcode)
	}
	var clauses []string
	var resumed sluice.ClassSet
	for rest := f.Enabled; rest != 0; {
		t := f.Time[lowest(rest)]
		same := f.enabledFor(t)
		rest &^= same
		if t == 0 {
			resumed = same
		} else {
			clauses = append(clauses, fmt.Sprintf("pause %v for %d quanta", same, t))
		}
	}
	if resumed != 0 || len(clauses) == 0 {
		clauses = append(clauses, fmt.Sprint("resume ", resumed))
	}
	return strings.Join(clauses, ", ")
}

func (f *Frame) enabledFor(t sluice.Quanta) (same sluice.ClassSet) {
	for c := range sluice.Class(sluice.Classes) {
		if f.Enabled.Has(c) && f.Time[c] == t {
			same |= 1 << c
		}
	}
	return same
}

func allZero(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func frameError(offset int, rule string) error {
	return &sluice.FrameError{Package: "pfc", Offset: offset, Rule: rule}
}
