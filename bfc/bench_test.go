package bfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

const benchFlows = 1000

// BenchmarkPacket is a packet's way through a switch of eight ports of 100 Gb/s: Enqueue, Next and
// Dequeue, and PollFrame of the port that a wake names. 1,000 flows are live throughout, each with
// as many packets here as backlog says. BenchmarkFIFOs is what the benchmark itself spends on the
// embedder's queues:
//
//	go test -run '^$' -bench 'Packet|FIFOs' -benchtime 200ms -count 10 ./bfc
func BenchmarkPacket(b *testing.B) {
	for _, queues := range []int{8, 32, 128} {
		for _, ideal := range []bool{false, true} {
			for _, backlog := range []int{1, 3} {
				b.Run(fmt.Sprintf("queues=%d/ideal=%t/backlog=%d", queues, ideal, backlog), func(b *testing.B) {
					benchmarkPacket(b, benchConfig(queues, ideal), backlog)
				})
			}
		}
	}
	b.Run("host/backlog=3", func(b *testing.B) {
		benchmarkPacket(b, HostConfig(benchLink), 3)
	})
}

var benchLink = sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}

func benchConfig(queues int, ideal bool) Config {
	c := Config{Ports: make([]PortConfig, 8), Queues: queues, Ideal: ideal, VFIDs: 100 * queues}
	for i := range c.Ports {
		c.Ports[i].Link = benchLink
	}
	return c
}

func benchmarkPacket(b *testing.B, config Config, backlog int) {
	s := mustNew(b, config)
	port := s.Port(0)
	queues := make([]kit.Queue, s.Queues())
	store, packets := benchStore(b, benchFlows*backlog+1)
	for i, h := range packets {
		flow := i % benchFlows
		p := &store.At(h).Packet
		*p = sluice.Packet{Flow: uint64(flow) * 0x9e3779b97f4a7c15, Size: 1000, Ingress: sluice.Local}
		if s.Ports() > 1 {
			p.Ingress = sluice.PortID(1 + flow%(s.Ports()-1))
			p.UpstreamQueue = sluice.QueueID(flow % s.config.Queues)
		}
	}
	now := sluice.Time(0)
	var frame Frame
	poll := func(w sluice.Wake) {
		if w == 0 {
			return
		}
		if port, ok := w.Port(); ok {
			s.Port(port).PollFrame(now, &frame)
		}
	}
	enqueue := func(h kit.Handle) {
		v := port.Enqueue(now, &store.At(h).Packet)
		store.Push(&queues[v.Queue()], h)
		poll(v.Wake())
	}
	for _, h := range packets[1:] {
		enqueue(h)
	}
	outside := packets[0]
	b.ReportAllocs()
	for b.Loop() {
		now += 80 * sluice.Nanosecond
		enqueue(outside)
		q, _ := port.Next(now)
		outside = store.Pop(&queues[q])
		poll(port.Dequeue(now, q, &store.At(outside).Packet).Wake())
	}
	b.StopTimer()
	c := s.Counters()
	b.ReportMetric(float64(c.PausesSent+c.ResumesSent)/float64(c.Transmitted), "frames/op")
	b.ReportMetric(float64(c.OverThreshold-c.Exemptions)/float64(c.Transmitted), "counted/op")
	require.NoError(b, s.Audit())
	require.Zero(b, c.Misuse)
}

// benchStore returns a store of packets that are all taken.
func benchStore(b *testing.B, n int) (*kit.Store[struct{}], []kit.Handle) {
	store, err := kit.NewStore[struct{}](n)
	require.NoError(b, err)
	packets := make([]kit.Handle, n)
	for i := range packets {
		packets[i], _ = store.Take()
	}
	return store, packets
}

// BenchmarkFIFOs is BenchmarkPacket without BFC: 32 queues served in turn, each packet read and
// written.
func BenchmarkFIFOs(b *testing.B) {
	for _, backlog := range []int{1, 3} {
		b.Run(fmt.Sprintf("backlog=%d", backlog), func(b *testing.B) {
			var queues [32]kit.Queue
			store, packets := benchStore(b, benchFlows*backlog+1)
			for i, h := range packets[1:] {
				store.Push(&queues[i%len(queues)], h)
			}
			outside, q := packets[0], 0
			for b.Loop() {
				p := &store.At(outside).Packet
				p.Note += uint64(p.Size)
				store.Push(&queues[q], outside)
				q = (q + 1) % len(queues)
				outside = store.Pop(&queues[q])
				store.At(outside).Note++
			}
		})
	}
}

// BenchmarkAssign is a packet of a new flow each time, which needs a queue, into an otherwise idle
// port: the search for a free queue is nearly all there is.
func BenchmarkAssign(b *testing.B) {
	for _, queues := range []int{32, 128, 2048} {
		b.Run(fmt.Sprintf("queues=%d", queues), func(b *testing.B) {
			s := mustNew(b, benchConfig(queues, false))
			port := s.Port(0)
			p := sluice.Packet{Size: 1000, Ingress: sluice.Local}
			now := sluice.Time(0)
			for b.Loop() {
				now += 10 * sluice.Microsecond // beyond the sticky time
				p.Flow++
				v := port.Enqueue(now, &p)
				port.Dequeue(now, v.Queue(), &p)
			}
			c := s.Counters()
			require.Equal(b, c.Transmitted, c.Assignments)
		})
	}
}

// BenchmarkReceive is a frame that pauses, or resumes, one of 32 queues.
func BenchmarkReceive(b *testing.B) {
	for _, kind := range []Type{Pause, Bitmap} {
		f := Frame{Type: kind, Count: 1}
		b.Run(f.Kind(), func(b *testing.B) {
			s := mustNew(b, benchConfig(32, false))
			port := s.Port(0)
			if kind == Bitmap {
				f.Count = 32
			}
			for b.Loop() {
				f.Sequence++
				if kind == Bitmap {
					f.Bits[0] ^= 1
				} else {
					f.Type = Pause + Type(f.Sequence&1)
				}
				port.Receive(0, &f)
			}
		})
	}
}
