package cbfc

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/tshark"
)

// golden are flow control packets and their octets.
var golden = []struct {
	frame Frame
	wire  string
	text  string
}{
	{
		Frame{Op: Normal, VL: 5, FCTBS: 0x123, FCCL: 0x456}, "012354564bc6",
		"credit VL 5: sent 291, limit 1110",
	},
	{Frame{Op: Init, VL: 0, FCTBS: 0, FCCL: 0x800}, "100008008dd8", "init VL 0: sent 0, limit 2048"},
	{
		Frame{Op: Normal, VL: 7, FCTBS: 0xfff, FCCL: 0x7ff}, "0fff77ff6742",
		"credit VL 7: sent 4095, limit 2047",
	},
}

func TestWire(t *testing.T) {
	for _, test := range golden {
		b := test.frame.AppendTo([]byte{9})
		require.Equal(t, "09"+test.wire, hex.EncodeToString(b))
		var f Frame
		require.NoError(t, f.Parse(b[1:]))
		require.Equal(t, test.frame, f)
		require.Equal(t, test.text, f.String())
		require.EqualValues(t, 2, f.Overhead(), "a delimiter at each end")
	}
}

// TestFieldsAreCut: bits that a field does not have do not spill into its neighbour.
func TestFieldsAreCut(t *testing.T) {
	f := Frame{Op: 0xf1, VL: 0xf2, FCTBS: 0xf333, FCCL: 0xf444}
	b := f.AppendTo(nil)
	require.Equal(t, "13332444", hex.EncodeToString(b[:4]))
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		spoil  func([]byte) []byte
		offset int
	}{
		{"empty", func([]byte) []byte { return nil }, 0},
		{"shorter", func(b []byte) []byte { return b[:5] }, 0},
		{"longer", func(b []byte) []byte { return append(b, 0) }, 0},
		{"op", func(b []byte) []byte { b[0] = 0x20; return b }, 0},
		{"FCTBS", func(b []byte) []byte { b[1] ^= 1; return b }, 4},
		{"FCCL", func(b []byte) []byte { b[3] ^= 0x80; return b }, 4},
		{"LPCRC", func(b []byte) []byte { b[5] ^= 1; return b }, 4},
	} {
		f := Frame{}
		err := f.Parse(test.spoil(golden[0].frame.AppendTo(nil)))
		var bad *sluice.FrameError
		require.ErrorAs(t, err, &bad, test.name)
		require.Equal(t, "cbfc", bad.Package)
		require.Equal(t, test.offset, bad.Offset, test.name)
		require.Equal(t, Frame{}, f)
	}
}

// TestDissector compares FCPs with what tshark reads in them. It takes them from records of
// Endace's format, whose type 25 is a packet of an InfiniBand link, and wants more octets behind
// an FCP than there are.
func TestDissector(t *testing.T) {
	const infiniBandLink, header, behind = 25, 16, 42
	var records [][]byte
	for _, test := range golden {
		wire := append(test.frame.AppendTo(nil), make([]byte, behind)...)
		record := make([]byte, header, header+len(wire))
		record[8] = infiniBandLink
		binary.BigEndian.PutUint16(record[10:], uint16(header+len(wire)))
		binary.BigEndian.PutUint16(record[14:], uint16(len(wire)))
		records = append(records, append(record, wire...))
	}
	rows := tshark.Fields(t, tshark.ERF, records, "infiniband_link.op", "infiniband_link.fctbs",
		"infiniband_link.vl", "infiniband_link.fccl", "infiniband_link.lpcrc", "_ws.malformed")
	require.Equal(t, [][]string{
		{"0", "291", "5", "1110", "0x4bc6", ""},
		{"1", "0", "0", "2048", "0x8dd8", ""},
		{"0", "4095", "7", "2047", "0x6742", ""},
	}, rows)
}

// FuzzParse: no bytes make Parse panic, and it writes an accepted frame with the same bytes.
func FuzzParse(f *testing.F) {
	for _, test := range golden {
		f.Add(test.frame.AppendTo(nil))
	}
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		fixed := bytes.Clone(b) // with the check that no mutation finds
		if len(fixed) == FrameLength {
			binary.LittleEndian.PutUint16(fixed[crcOffset:], linkCRC(fixed[:crcOffset]))
		}
		for _, src := range [][]byte{b, fixed} {
			var frame Frame
			if err := frame.Parse(src); err != nil {
				if frame != (Frame{}) {
					t.Fatal("a refused frame changed the Frame")
				}
				continue
			}
			if again := frame.AppendTo(nil); !bytes.Equal(again, src) {
				t.Fatalf("%x parses, and is written as %x", src, again)
			}
		}
	})
}
