package pcn

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
)

// BenchmarkDequeue is a packet at the congestion point, a pause every 64.
func BenchmarkDequeue(b *testing.B) {
	b.ReportAllocs()
	var p CongestionPoint
	i := 0
	for b.Loop() {
		if i++; i&63 == 0 {
			p.Resumed(0, 16*1030)
		}
		p.Dequeue(0, 1030, 30_000, sluice.ECT1)
	}
}

// BenchmarkArrive is a packet at the notification point, at 40 Gb/s, the expiry of every period
// included.
func BenchmarkArrive(b *testing.B) {
	for _, flows := range []int{1, 1024} {
		b.Run(fmt.Sprintf("flows=%d", flows), func(b *testing.B) {
			b.ReportAllocs()
			points := make([]NotificationPoint, flows)
			var now sluice.Time
			i, notices := 0, 0
			for b.Loop() {
				n := &points[i&(flows-1)]
				i++
				now += 206 * sluice.Nanosecond
				if now >= n.Deadline() {
					if c, ok := n.Expire(now); ok && c.Congested {
						notices++
					}
				}
				n.Arrive(now, 1030, sluice.CE)
			}
			b.ReportMetric(float64(notices)/float64(b.N), "CNPs/op")
		})
	}
}

// BenchmarkReceive is a CNP at the reaction point.
func BenchmarkReceive(b *testing.B) {
	b.ReportAllocs()
	r, err := NewReactionPoint(RPConfig{LineRate: 40 * g})
	if err != nil {
		b.Fatal(err)
	}
	notices := [4]CNP{
		{Congested: true, RecRate: 9500}, {RecRate: 9500}, {RecRate: 9500}, {Congested: true},
	}
	i := 0
	for b.Loop() {
		r.Receive(&notices[i&3])
		i++
	}
}

func BenchmarkAppendTo(b *testing.B) {
	b.ReportAllocs()
	c := sample()
	buffer := make([]byte, 0, IPv6Length)
	for b.Loop() {
		buffer = c.AppendTo(buffer[:0])
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	var c CNP
	for b.Loop() {
		if err := c.Parse(captured); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFluid is a control loop of a flow.
func BenchmarkFluid(b *testing.B) {
	b.ReportAllocs()
	const flows = 1024
	f := newFluid(b, FluidConfig{Capacity: 40 * g, Rates: make([]sluice.Rate, flows)})
	for i := 0; i < b.N; i += flows {
		f.Step()
	}
}
