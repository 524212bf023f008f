package tcd

import (
	"encoding/binary"
	"testing"

	"github.com/sluicefc/sluice"
)

// FuzzDetector decodes bytes to a configuration and a list of events, right and wrong ones, and
// compares the detector with the rules after each. Times that step back count as the latest.
func FuzzDetector(f *testing.F) {
	f.Add([]byte{5, 0, 1, 200, 0, 0x80, 0xff, 1, 100, 0, 0x01, 0xff, 9, 100, 0, 0x01, 0xf0})
	f.Add([]byte{1, 9, 3, 10, 0, 0x80, 0, 1, 2, 0, 3, 9, 2, 1, 0, 2, 9, 2, 1, 0, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 3 {
			return
		}
		config := shipped()
		config.MaxTon = 1 + sluice.Time(b[0])
		config.Slack = sluice.Bytes(b[1])
		config.Marking = sluice.Marking{
			KMin: 1000, KMax: 1000 + 500*sluice.Bytes(b[2]), PMax: sluice.Ratio{Num: 1, Den: 2},
		}
		d, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(config)
		var now sluice.Time
		d.now = now // so that the first step back is one
		for b = b[3:]; len(b) >= 5; b = b[5:] {
			then := now + sluice.Time(int8(b[0]))*sluice.Time(b[1])
			now = max(now, then)
			q := sluice.Bytes(int16(binary.BigEndian.Uint16(b[3:])))
			if b[2]&0x80 != 0 {
				d.Resumed(then, q)
				m.resume(now, q)
				continue
			}
			ecn := sluice.ECN(b[2] & 3)
			got, want := d.Dequeue(then, sluice.Bytes(b[2])-9, q, ecn), m.dequeue(now, q, ecn)
			if got != want || d.State() != m.state || d.random != m.random {
				t.Fatalf("%v, %v; by the rules %v, %v", got, d.State(), want, m.state)
			}
		}
	})
}
