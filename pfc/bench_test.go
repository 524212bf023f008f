package pfc

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
)

// benchSwitch returns a switch of n ports at 100 Gb/s with the constants of the ns-3 codes, and all
// classes lossless.
func benchSwitch(b *testing.B, n int, change func(*Config)) *Switch {
	b.Helper()
	config := hpcc(n, 100*sluice.Gbps, sluice.Microsecond, sluice.Bytes(n)*sluice.MiB)
	config.Classes = sluice.AllClasses
	if change != nil {
		change(&config)
	}
	s, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// benchPackets returns a packet for each class of each egress, from ingresses that vary.
func benchPackets(n int) []sluice.Packet {
	packets := make([]sluice.Packet, sluice.Classes*n)
	for i := range packets {
		packets[i] = sluice.Packet{
			Size:    1500,
			Class:   sluice.Class(i % sluice.Classes),
			Ingress: sluice.PortID(i * 7 % n),
		}
	}
	return packets
}

// BenchmarkQuiet is a packet through the switch, enqueue, next and dequeue, without a pause: 8
// classes, every ingress and egress in turn.
func BenchmarkQuiet(b *testing.B) {
	for _, n := range []int{32, 256} {
		b.Run(
			fmt.Sprintf("ports=%d", n),
			func(b *testing.B) { passThrough(b, benchSwitch(b, n, nil), benchPackets(n)) },
		)
	}
}

// BenchmarkKinds is the same for other kinds of switch.
func BenchmarkKinds(b *testing.B) {
	b.Run("lossy", func(b *testing.B) {
		passThrough(
			b,
			benchSwitch(b, 32, func(c *Config) { c.Classes = sluice.NoClasses }),
			benchPackets(32),
		)
	})
	b.Run("local", func(b *testing.B) {
		packets := benchPackets(1)
		for i := range packets {
			packets[i].Ingress = sluice.Local
		}
		passThrough(b, benchSwitch(b, 1, nil), packets)
	})
	b.Run("groups", func(b *testing.B) {
		passThrough(
			b,
			benchSwitch(b, 32, func(c *Config) { c.Groups = []Group{{Classes: 0xc0}, {Classes: 0x3f}} }),
			benchPackets(32),
		)
	})
	b.Run("marking", func(b *testing.B) {
		passThrough(b, benchSwitch(b, 32, func(c *Config) {
			for i := range c.Ports {
				for k := range c.Ports[i].ECN {
					c.Ports[i].ECN[k] = sluice.Marking{KMin: 400_000, KMax: 1_600_000, PMax: ratio(1, 5)}
				}
			}
		}), benchPackets(32))
	})
}

func passThrough(b *testing.B, s *Switch, packets []sluice.Packet) {
	b.ReportAllocs()
	i, now := 0, sluice.Time(0)
	for b.Loop() {
		p := s.Port(sluice.PortID(i / sluice.Classes))
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

// BenchmarkSawtooth is an incast that pauses every 20th packet: 20 packets come in, and the last
// takes the ingress to X_off; 20 go out, and one takes it to X_on; both frames are polled. An
// operation is a packet: an enqueue, and a next and dequeue.
func BenchmarkSawtooth(b *testing.B) {
	for _, n := range []int{32, 256} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) {
			s := benchSwitch(b, n, func(c *Config) {
				for i := range c.Ports {
					c.Ports[i] = PortConfig{
						Link:    sluice.Link{Rate: g100},
						Profile: Profile{XOff: 20 * 1500, XOn: 3000, Headroom: 37500},
					}
				}
			})
			sawtooth(b, s, benchPackets(n))
		})
	}
}

func sawtooth(b *testing.B, s *Switch, packets []sluice.Packet) {
	b.ReportAllocs()
	var frame Frame
	i, waiting, draining := 0, 0, false
	now, frames := sluice.Time(0), 0
	for b.Loop() {
		p := s.Port(sluice.PortID(i / sluice.Classes))
		packet := &packets[i]
		now += 120 * sluice.Nanosecond
		for range 2 { // two half operations
			var v sluice.Verdict
			if draining {
				q, ok := p.Next(now)
				if !ok {
					b.Fatal("nothing to send")
				}
				v = p.Dequeue(now, q, packet)
				if waiting--; waiting == 0 {
					draining = false
					if i++; i == len(packets) {
						i = 0
					}
				}
			} else {
				v = p.Enqueue(now, packet)
				waiting++
				draining = waiting == 20
			}
			if port, ok := v.Wake().Port(); ok && s.Port(port).PollFrame(now, &frame) {
				frames++
			}
		}
	}
	b.ReportMetric(float64(frames)/float64(b.N), "frames/op")
}

func BenchmarkReceive(b *testing.B) {
	b.ReportAllocs()
	s := benchSwitch(b, 32, nil)
	frames := [2]Frame{pauseOf(65535, 3), pauseOf(0, 3)}
	i, now := 0, sluice.Time(0)
	for b.Loop() {
		now += 120 * sluice.Nanosecond
		s.Port(sluice.PortID(i/2%32)).Receive(now, &frames[i%2])
		i++
	}
}

func BenchmarkFrameAppend(b *testing.B) {
	b.ReportAllocs()
	f := pauseOf(65535, 0, 1, 2, 3, 4, 5, 6, 7)
	buffer := make([]byte, 0, FrameLength)
	for b.Loop() {
		buffer = f.AppendTo(buffer[:0])
	}
}

func BenchmarkFrameParse(b *testing.B) {
	b.ReportAllocs()
	f := pauseOf(65535, 0, 1, 2, 3, 4, 5, 6, 7)
	buffer := f.AppendTo(nil)
	for b.Loop() {
		if err := f.Parse(buffer); err != nil {
			b.Fatal(err)
		}
	}
}
