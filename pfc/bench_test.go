package pfc

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
)

// benchSwitch returns a switch of n ports at 100 Gb/s with the constants of the ns-3 codes.
func benchSwitch(b *testing.B, n int, lossless ClassSet) *Switch {
	b.Helper()
	config := Config{Buffer: sluice.Bytes(n) * sluice.MiB, Lossless: lossless}
	for range n {
		config.Ports = append(config.Ports, PortConfig{
			Rate: 100 * sluice.Gbps, Alpha: Ratio{1, 8},
			Reserve: 4 * sluice.KiB, ResumeOffset: 3 * sluice.KiB, Headroom: 37500,
		})
	}
	s, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkQuiet is a packet through the switch, enqueue, next and dequeue, with a few in each
// queue and no pause: 8 classes, every ingress and egress in turn.
func BenchmarkQuiet(b *testing.B) {
	for _, n := range []int{32, 256} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) { benchmarkQuiet(b, benchSwitch(b, n, Classes(0, 1, 2, 3, 4, 5, 6, 7))) })
	}
}

func benchmarkQuiet(b *testing.B, s *Switch) {
	b.ReportAllocs()
	n := s.Ports()
	packets := make([]sluice.Packet, 8*n)
	for i := range packets {
		packets[i] = sluice.Packet{Size: 1500, Class: sluice.Class(i % 8), Ingress: sluice.PortID(i * 7 % n)}
	}
	i, now := 0, sluice.Time(0)
	for b.Loop() {
		p := s.Port(sluice.PortID(i / 8))
		packet := &packets[i]
		now += 120 * sluice.Nanosecond
		if v := p.Enqueue(now, packet); v.Action() != sluice.Append {
			b.Fatal(v)
		}
		q, ok := p.Next(now)
		if !ok {
			b.Fatal("nothing to send")
		}
		if v := p.Dequeue(now, q, packet); v.Action() != sluice.Transmit {
			b.Fatal(v)
		}
		if i++; i == len(packets) {
			i = 0
		}
	}
}

// BenchmarkSawtooth is an incast that pauses every 20th packet: an ingress fills to X_off in
// 20 packets and drains, frames polled. A packet is an enqueue, a next and a dequeue.
func BenchmarkSawtooth(b *testing.B) {
	for _, n := range []int{32, 256} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) { benchmarkSawtooth(b, n) })
	}
}

func benchmarkSawtooth(b *testing.B, n int) {
	b.ReportAllocs()
	config := Config{Buffer: sluice.Bytes(n) * sluice.MiB, Lossless: Classes(0, 1, 2, 3, 4, 5, 6, 7)}
	for range n {
		config.Ports = append(config.Ports, PortConfig{Rate: 100 * sluice.Gbps, XOff: 20 * 1500, XOn: 3000, Headroom: 37500})
	}
	s, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	packets := make([]sluice.Packet, 8*n)
	for i := range packets {
		packets[i] = sluice.Packet{Size: 1500, Class: sluice.Class(i % 8), Ingress: sluice.PortID(i * 7 % n)}
	}
	var frame Frame
	i, k, now, frames := 0, 0, sluice.Time(0), 0
	draining := false
	for b.Loop() {
		p := s.Port(sluice.PortID(i / 8))
		packet := &packets[i]
		now += 120 * sluice.Nanosecond
		// 20 packets in, 20 out: half an operation each way, so a pass of 20 does ten whole ones.
		for range 2 {
			var v sluice.Verdict
			if !draining {
				v = p.Enqueue(now, packet)
				if k++; k == 20 {
					draining = true
				}
			} else {
				q, ok := p.Next(now)
				if !ok {
					b.Fatal("nothing to send")
				}
				v = p.Dequeue(now, q, packet)
				if k--; k == 0 {
					draining = false
					if i++; i == len(packets) {
						i = 0
					}
				}
			}
			if v.Wake().Has(sluice.WakeFrames) {
				for {
					if _, ok := s.PollFrame(now, &frame); !ok {
						break
					}
					frames++
				}
			}
		}
	}
	b.ReportMetric(float64(frames)/float64(b.N), "frames/op")
}

var sink []byte

func BenchmarkFrameAppend(b *testing.B) {
	b.ReportAllocs()
	f := Frame{Opcode: OpcodePFC, Enabled: 0xff, Time: [8]sluice.Quanta{1, 2, 3, 4, 5, 6, 7, 8}}
	buffer := make([]byte, 0, FrameLength)
	for b.Loop() {
		buffer = f.AppendTo(buffer[:0])
	}
	sink = buffer
}

func BenchmarkFrameParse(b *testing.B) {
	b.ReportAllocs()
	f := Frame{Opcode: OpcodePFC, Enabled: 0xff, Time: [8]sluice.Quanta{1, 2, 3, 4, 5, 6, 7, 8}}
	buffer := f.AppendTo(nil)
	for b.Loop() {
		if err := f.Parse(buffer); err != nil {
			b.Fatal(err)
		}
	}
}
