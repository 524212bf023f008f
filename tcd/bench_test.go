package tcd

import (
	"testing"

	"github.com/sluicefc/sluice"
)

// BenchmarkDequeue is a packet that leaves, in each state, and in turn through all of them with a
// resume every 64 packets.
func BenchmarkDequeue(b *testing.B) {
	for s := range numStates {
		b.Run("state="+[...]string{"0", "1", "undetermined", "draining"}[s], func(b *testing.B) {
			b.ReportAllocs()
			d, q := inState(b, s)
			for b.Loop() {
				d.Dequeue(0, 1030, q, sluice.ECT1)
			}
			if d.State() != s {
				b.Fatal(d.State())
			}
		})
	}
	b.Run("ramp", func(b *testing.B) {
		b.ReportAllocs()
		d, _ := inState(b, NonCongestion)
		for b.Loop() {
			d.Dequeue(0, 1030, 100_000, sluice.ECT1)
		}
	})
	b.Run("mixed", func(b *testing.B) {
		b.ReportAllocs()
		d, _ := inState(b, NonCongestion)
		i, now := 0, sluice.Time(0)
		for b.Loop() {
			i++
			now += 4 * us
			q := sluice.Bytes(i&0x3f) << 13
			if i&0x3f == 0 {
				d.Resumed(now, 262_144)
			}
			d.Dequeue(now, 1030, q, sluice.ECT1)
		}
	})
}

func BenchmarkECN(b *testing.B) {
	b.ReportAllocs()
	e, err := NewECN(ECNConfig{Marking: shipped().Marking})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e.Dequeue(0, 1030, 300_000, sluice.ECT1)
	}
}

func BenchmarkFECN(b *testing.B) {
	b.ReportAllocs()
	f, err := NewFECN(FECNConfig{Threshold: 50_000})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f.Dequeue(0, 1030, 300_000, sluice.ECT1)
	}
}
