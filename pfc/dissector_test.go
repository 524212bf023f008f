package pfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/tshark"
)

// TestDissector writes frames into a capture file and compares what tshark reads in them, field by
// field. Wireshark calls PFC by its working name, class-based flow control.
func TestDissector(t *testing.T) {
	frames := []Frame{
		{
			Source:  sluice.MAC{2, 0, 0, 0, 0, 1},
			Opcode:  OpcodePFC,
			Enabled: sluice.MakeClassSet(3),
			Time:    [8]sluice.Quanta{3: 0xffff},
		},
		{Source: sluice.MAC{2, 0, 0, 0, 0, 2}, Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(3)},
		{
			Source:  sluice.MAC{2, 0, 0, 0, 0, 3},
			Opcode:  OpcodePFC,
			Enabled: sluice.AllClasses,
			Time:    [8]sluice.Quanta{1, 20, 300, 4000, 50000, 6, 70, 65535},
		},
		{
			Source:  sluice.MAC{2, 0, 0, 0, 0, 4},
			Opcode:  OpcodePFC,
			Enabled: sluice.MakeClassSet(0, 7),
			Time:    [8]sluice.Quanta{0: 513, 7: 1026},
		},
		{Source: sluice.MAC{2, 0, 0, 0, 0, 5}, Opcode: OpcodePause, Time: [8]sluice.Quanta{0x1234}},
		{Source: sluice.MAC{2, 0, 0, 0, 0, 6}, Opcode: OpcodePause},
	}
	frames = append(frames, framesOfASwitch(t)...)
	var wire [][]byte
	for i := range frames {
		wire = append(wire, frames[i].AppendTo(nil))
	}
	for i, row := range tshark.Fields(t, tshark.Ethernet, wire, dissectorFields()...) {
		require.Equal(t, expectedFields(&frames[i]), row, "frame %d", i)
	}
}

// framesOfASwitch are a pause, a refresh, a frame that pauses and resumes, one after a link came
// up, and a resume, of a port of each mode that sends.
func framesOfASwitch(t *testing.T) (frames []Frame) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		k := newBench(t, twoClasses(mode, 999, g100, g100))
		k.enqueue(1, 0, 3, 1000)
		k.enqueue(1, 0, 4, 1000)
		k.at(333 * 5120)
		k.send(1)
		k.poll(k.s.Port(0).LinkUp(k.now))
		k.drain(1)
		before := len(frames)
		for _, f := range k.take() {
			frames = append(frames, f.Frame)
		}
		require.Equal(t, map[Mode]int{PriorityPause: 6, ClassicPause: 4}[mode], len(frames)-before)
	}
	return frames
}

// dissectorFields are the names of a frame's fields, in Wireshark's reference of display filters
// for MAC control.
func dissectorFields() []string {
	fields := []string{
		"eth.dst",
		"eth.src",
		"eth.type",
		"macc.opcode",
		"macc.pause_time",
		"macc.cbfc.enbv",
	}
	for c := range sluice.Classes {
		fields = append(fields, fmt.Sprintf("macc.cbfc.enbv.c%d", c))
	}
	for c := range sluice.Classes {
		fields = append(fields, fmt.Sprintf("macc.cbfc.pause_time.c%d", c))
	}
	return append(fields, "_ws.expert", "_ws.malformed")
}

func expectedFields(f *Frame) []string {
	row := []string{
		"01:80:c2:00:00:01",
		fmt.Sprintf("02:00:00:00:00:%02x", f.Source[5]),
		"0x8808",
		fmt.Sprintf("0x%04x", f.Opcode),
	}
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
