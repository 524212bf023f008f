package pfc

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestDissector writes frames into a capture file and compares what tshark reads in them, field by
// field. Wireshark calls PFC by its working name, class-based flow control.
func TestDissector(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not on the PATH: the frames were not compared with its dissector")
	}
	frames := []Frame{
		{Source: [6]byte{2, 0, 0, 0, 0, 1}, Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(3), Time: [8]sluice.Quanta{3: 0xffff}},
		{Source: [6]byte{2, 0, 0, 0, 0, 2}, Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(3)},
		{Source: [6]byte{2, 0, 0, 0, 0, 3}, Opcode: OpcodePFC, Enabled: sluice.AllClasses, Time: [8]sluice.Quanta{1, 20, 300, 4000, 50000, 6, 70, 65535}},
		{Source: [6]byte{2, 0, 0, 0, 0, 4}, Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(0, 7), Time: [8]sluice.Quanta{0: 513, 7: 1026}},
		{Source: [6]byte{2, 0, 0, 0, 0, 5}, Opcode: OpcodePause, Time: [8]sluice.Quanta{0x1234}},
		{Source: [6]byte{2, 0, 0, 0, 0, 6}, Opcode: OpcodePause},
	}
	rows := dissect(t, tshark, frames)
	require.Len(t, rows, len(frames))
	for i := range frames {
		for k, text := range rows[i] { // a newer tshark prints booleans as words
			switch text {
			case "False":
				rows[i][k] = "0"
			case "True":
				rows[i][k] = "1"
			}
		}
		require.Equal(t, expectedFields(&frames[i]), rows[i], "frame %d", i)
	}
}

// dissectorFields are the names of what a frame has, in Wireshark's reference of display filters
// for MAC control.
func dissectorFields() []string {
	fields := []string{"eth.dst", "eth.src", "eth.type", "macc.opcode", "macc.pause_time", "macc.cbfc.enbv"}
	for c := range sluice.Classes {
		fields = append(fields, fmt.Sprintf("macc.cbfc.enbv.c%d", c))
	}
	for c := range sluice.Classes {
		fields = append(fields, fmt.Sprintf("macc.cbfc.pause_time.c%d", c))
	}
	return append(fields, "_ws.expert", "_ws.malformed")
}

func expectedFields(f *Frame) []string {
	row := []string{"01:80:c2:00:00:01", fmt.Sprintf("02:00:00:00:00:%02x", f.Source[5]), "0x8808", fmt.Sprintf("0x%04x", f.Opcode)}
	if f.Opcode == OpcodePause {
		row = append(row, fmt.Sprint(uint16(f.Time[0])))
		return append(row, make([]string, 1+2*sluice.Classes+2)...)
	}
	row = append(row, "", fmt.Sprintf("0x%04x", uint8(f.Enabled)))
	for c := range sluice.Class(sluice.Classes) {
		bit := "0"
		if f.Enabled.Has(c) {
			bit = "1"
		}
		row = append(row, bit)
	}
	for _, time := range f.Time {
		row = append(row, fmt.Sprint(uint16(time)))
	}
	return append(row, "", "")
}

// capture returns a capture file: libpcap's format, version 2.4, of link type Ethernet.
func capture(frames []Frame) []byte {
	const magic, linkTypeEthernet = 0xa1b2c3d4, 1
	var b []byte
	word := func(x uint32) { b = binary.BigEndian.AppendUint32(b, x) }
	word(magic)
	word(2<<16 | 4) // version
	word(0)         // time zone
	word(0)         // accuracy
	word(65535)     // longest record
	word(linkTypeEthernet)
	for i := range frames {
		word(uint32(i)) // seconds
		word(0)         // microseconds
		word(FrameLength)
		word(FrameLength)
		b = frames[i].AppendTo(b)
	}
	return b
}

func dissect(t *testing.T, tshark string, frames []Frame) [][]string {
	path := filepath.Join(t.TempDir(), "frames.pcap")
	require.NoError(t, os.WriteFile(path, capture(frames), 0o600))
	arguments := []string{"-r", path, "-T", "fields", "-E", "separator=,", "-E", "occurrence=f"}
	for _, field := range dissectorFields() {
		arguments = append(arguments, "-e", field)
	}
	command := exec.Command(tshark, arguments...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	require.NoError(t, err, complaints.String())
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	require.NoError(t, err)
	return rows
}
