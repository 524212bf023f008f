package cbfc

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
)

func benchSwitch(b *testing.B, ports int, change func(*Config)) *Switch {
	c := Config{MTU: 1500}
	for range ports {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{Rate: 100 * g}, PeerBuffer: MaxAnnounced, Period: 4 * us,
		})
	}
	if change != nil {
		change(&c)
	}
	return newSwitch(b, c)
}

// BenchmarkPacket is a packet through the switch, enqueue, next and dequeue: 8 VLs, every ingress
// and egress in turn. Credit is renewed by an FCP per 64 packets, whose time is in it.
func BenchmarkPacket(b *testing.B) {
	for _, kind := range []struct {
		name   string
		change func(*Config)
	}{
		{"strict", nil},
		{"round robin", func(c *Config) { c.Quantum[0] = 1500 }},
	} {
		for _, ports := range []int{32, 256} {
			b.Run(fmt.Sprintf("%s/ports=%d", kind.name, ports), func(b *testing.B) {
				b.ReportAllocs()
				s := benchSwitch(b, ports, kind.change)
				packets := make([]sluice.Packet, sluice.Classes*ports)
				for i := range packets {
					packets[i] = sluice.Packet{
						Size: 1500, Class: sluice.Class(i % sluice.Classes), Ingress: sluice.PortID(i * 7 % ports),
					}
				}
				i, rounds, now := 0, 0, sluice.Time(0)
				var f Frame
				for b.Loop() {
					p := s.Port(sluice.PortID(i / sluice.Classes))
					packet := &packets[i]
					now += 120 * sluice.Nanosecond
					if p.Enqueue(now, packet).Action() != sluice.Append {
						b.Fatal("no room")
					}
					q, ok := p.Next(now)
					if !ok {
						b.Fatal("nothing to send")
					}
					if p.Dequeue(now, q, packet).Action() != sluice.Transmit {
						b.Fatal("not sent")
					}
					if rounds&63 == 63 {
						f = Frame{
							VL: uint8(q), FCTBS: p.vls[q].received, FCCL: (p.vls[q].sent + maxCredit) & counterMask,
						}
						p.Receive(now, &f)
					}
					if i++; i == len(packets) {
						i = 0
						rounds++
					}
				}
			})
		}
	}
}

// BenchmarkReceive is an FCP: an FCP that renews credit, from the struct and from its octets, and
// FCPs that hold and release a VL in turn.
func BenchmarkReceive(b *testing.B) {
	s := benchSwitch(b, 32, nil)
	b.Run("frame", func(b *testing.B) {
		b.ReportAllocs()
		f := Frame{VL: 3, FCCL: 2048}
		i := 0
		for b.Loop() {
			s.Port(sluice.PortID(i%32)).Receive(0, &f)
			i++
		}
	})
	b.Run("hold", func(b *testing.B) {
		b.ReportAllocs()
		frames := [2]Frame{{VL: 3, FCCL: 2048}, {VL: 3, FCCL: 10}}
		i := 0
		for b.Loop() {
			s.Port(sluice.PortID(i/2%32)).Receive(0, &frames[i&1])
			i++
		}
	})
	b.Run("wire", func(b *testing.B) {
		b.ReportAllocs()
		wire := (&Frame{VL: 3, FCCL: 2048}).AppendTo(nil)
		i := 0
		for b.Loop() {
			if _, err := s.Port(sluice.PortID(i%32)).ReceiveWire(0, wire); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}

// BenchmarkTick is an Expire that makes FCPs of 8 VLs due, and polling them.
func BenchmarkTick(b *testing.B) {
	b.ReportAllocs()
	s := benchSwitch(b, 1, nil)
	p := s.Port(0)
	var f Frame
	for b.Loop() {
		for vl := range sluice.Class(sluice.Classes) {
			p.vls[vl].received++
			p.touch(vl)
		}
		s.woken.Take()
		s.Expire(s.Deadline())
		for p.PollFrame(0, &f) {
		}
	}
}
