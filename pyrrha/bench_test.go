package pyrrha

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// benchSwitch is a switch of 32 ports that knows roots of other switches at its port 0: the given
// number of them at each of the levels 1 to 4, resumed.
func benchSwitch(b *testing.B, organisation Organisation, roots int) *Switch {
	c := Config{Switch: 1, Organisation: organisation, Buffer: 1 << 30, MTU: 1500}
	for range 32 {
		c.Ports = append(
			c.Ports, PortConfig{Link: sluice.Link{Rate: 400 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}},
		)
	}
	s, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	p := s.Port(0)
	for i := range roots {
		// A child keeps the IQs though they are empty and resumed.
		level := 1 + i%4
		root := benchRoot(level, i/4)
		f := Frame{Type: Pause, Root: root, Hop: uint8(level), Sequence: uint32(2*i + 1)}
		p.Receive(0, &f)
		s.list(s.find(root), 9)
		f.Type, f.Sequence = Resume, f.Sequence+1
		p.Receive(0, &f)
	}
	for r := range s.roots { // the frames are not measured
		if u := s.upstream(r, 9); u.state != Unlisted {
			u.told = ResumedUpstream
		}
	}
	if err := s.Audit(); err != nil {
		b.Fatal(err)
	}
	return s
}

func benchRoot(level, i int) sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(100*level + i), Port: sluice.PortID(i % 16)}
}

// benchPacket has a path of five hops; roots of these levels are on it.
func benchPacket(i int, levels ...int) sluice.Packet {
	pkt := sluice.Packet{Flow: uint64(i), Size: 1000, Ingress: sluice.PortID(1 + i%8)}
	pkt.Path.Append(sluice.Hop{Switch: 1})
	for level := 1; level <= 4; level++ {
		hop := sluice.Hop{Switch: sluice.SwitchID(5000 + 10*i + level), Port: 3}
		for _, l := range levels {
			if l == level {
				hop = benchRoot(level, i%8)
			}
		}
		pkt.Path.Append(hop)
	}
	return pkt
}

// cross is a packet's way through a port: Enqueue, then Next and Dequeue until it leaves. It
// returns how many moves that took.
func cross(b *testing.B, p *Port, now sluice.Time, pkt *sluice.Packet) int {
	if p.Enqueue(now, pkt).Action() != sluice.Append {
		b.Fatal("refused")
	}
	for moves := 0; ; moves++ {
		q, ok := p.Next(now)
		if !ok {
			b.Fatal("stuck")
		}
		if p.Dequeue(now, q, pkt).Action() == sluice.Transmit {
			return moves
		}
	}
}

// BenchmarkCross is one Enqueue and the Next and Dequeue calls of one packet; a packet that was
// isolated needs one pair more for each IQ it visits.
func BenchmarkCross(b *testing.B) {
	all := []int{1, 2, 3, 4}
	for _, c := range []struct {
		name   string
		org    Organisation
		roots  int
		levels []int
	}{
		{"org=hiq/roots=0/hit=none", Hierarchical, 0, nil},
		{"org=hiq/roots=32/hit=none", Hierarchical, 32, nil},
		{"org=hiq/roots=32/hit=nearest", Hierarchical, 32, all[:1]},
		{"org=hiq/roots=32/hit=farthest", Hierarchical, 32, all[3:]},
		{"org=hiq/roots=32/hit=all", Hierarchical, 32, all},
		{"org=single/roots=32/hit=nearest", SingleTier, 32, all[:1]},
		{"org=single/roots=32/hit=all", SingleTier, 32, all},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := benchSwitch(b, c.org, c.roots)
			p := s.Port(0)
			packets := make([]sluice.Packet, 64)
			for i := range packets {
				packets[i] = benchPacket(i, c.levels...)
			}
			b.ReportAllocs()
			moves := 0
			now := sluice.Time(0)
			b.ResetTimer()
			for i := range b.N {
				moves += cross(b, p, now, &packets[i&63])
				now += 20 * sluice.Nanosecond
			}
			b.ReportMetric(float64(moves)/float64(b.N), "moves/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N+moves), "ns/visit")
		})
	}
}

// BenchmarkIsolate is one Enqueue, one Next and one Dequeue in steady state: 32 roots are known,
// each packet's path of five hops has one of them, four hops away, so that every Enqueue searches
// the whole path and hits; IQs hold some packets each, and Next and Dequeue move a packet to the
// OQ, from which it is taken without being counted here.
func BenchmarkIsolate(b *testing.B) {
	for _, roots := range []int{0, 4, 32} {
		b.Run(fmt.Sprintf("roots=%d", roots), func(b *testing.B) {
			s := benchSwitch(b, Hierarchical, roots)
			p := s.Port(0)
			packets := make([]sluice.Packet, max(roots/4, 1))
			ofQueue := make([]*sluice.Packet, p.iq.Queues()) // all packets of a queue are alike
			now := sluice.Time(0)
			for i := range packets {
				packets[i] = benchPacket(i, 4)
				for range 4 {
					ofQueue[p.Enqueue(now, &packets[i]).Queue()] = &packets[i]
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				p.Enqueue(now, &packets[i&(len(packets)-1)])
				q, _ := p.Next(now)
				if p.Dequeue(now, q, ofQueue[q]).Action() == sluice.Append {
					p.iq.TakeOutput(1000)
					s.buffered -= 1000
				}
				now += 20 * sluice.Nanosecond
			}
		})
	}
}

func BenchmarkReceive(b *testing.B) {
	s := benchSwitch(b, Hierarchical, 32)
	p := s.Port(0)
	f := Frame{Type: Pause, Root: benchRoot(2, 3), Hop: 2, Sequence: 1000}
	b.ReportAllocs()
	for i := range b.N {
		f.Type = Pause + FrameType(i&1)
		f.Sequence++
		p.Receive(0, &f)
	}
}

// BenchmarkPauseResume is a packet that makes an OQ cross both thresholds: two frames are polled.
func BenchmarkPauseResume(b *testing.B) {
	c := Config{Switch: 1, Ports: []PortConfig{
		{Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: 0}},
		{Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: 0}},
	}}
	s, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	p := s.Port(0)
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	var f Frame
	b.ReportAllocs()
	for range b.N {
		p.Enqueue(0, &pkt)
		s.Port(1).PollFrame(0, &f)
		p.Dequeue(0, hiq.Output, &pkt)
		s.Port(1).PollFrame(0, &f)
	}
}

func BenchmarkFrame(b *testing.B) {
	f := Frame{
		Type: Merge, Root: sluice.Hop{Switch: 1, Port: 2}, Old: sluice.Hop{Switch: 3, Port: 4}, Hop: 2,
	}
	var buf []byte
	b.ReportAllocs()
	for range b.N {
		buf = f.AppendTo(buf[:0])
		if err := f.Parse(buf); err != nil {
			b.Fatal(err)
		}
	}
}
