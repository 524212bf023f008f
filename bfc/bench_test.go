package bfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
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
	f := newFIFOs(s.Queues(), benchFlows*backlog+1)
	for i := range f.packets {
		flow := i % benchFlows
		p := &f.packets[i]
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
	for i := range len(f.packets) - 1 {
		v := port.Enqueue(now, &f.packets[i])
		f.push(v.Queue(), int32(i))
		poll(v.Wake())
	}
	outside := int32(len(f.packets) - 1)
	b.ReportAllocs()
	for b.Loop() {
		now += 80 * sluice.Nanosecond
		v := port.Enqueue(now, &f.packets[outside])
		poll(v.Wake())
		f.push(v.Queue(), outside)
		q, _ := port.Next(now)
		outside = f.pop(q)
		poll(port.Dequeue(now, q, &f.packets[outside]).Wake())
	}
	b.StopTimer()
	c := s.Counters()
	b.ReportMetric(float64(c.PausesSent+c.ResumesSent)/float64(c.Transmitted), "frames/op")
	b.ReportMetric(float64(c.OverThreshold-c.Exemptions)/float64(c.Transmitted), "counted/op")
	require.NoError(b, s.Audit())
	require.Zero(b, c.Misuse)
}

// fifos is the embedder's side: a list of packets for each queue.
type fifos struct {
	head, tail []int32
	next       []int32
	packets    []sluice.Packet
}

func newFIFOs(queues, packets int) *fifos {
	f := &fifos{
		head:    make([]int32, queues),
		tail:    make([]int32, queues),
		next:    make([]int32, packets),
		packets: make([]sluice.Packet, packets),
	}
	for q := range queues {
		f.head[q] = -1
	}
	return f
}

func (f *fifos) push(q sluice.QueueID, i int32) {
	f.next[i] = -1
	if f.head[q] < 0 {
		f.head[q] = i
	} else {
		f.next[f.tail[q]] = i
	}
	f.tail[q] = i
}

func (f *fifos) pop(q sluice.QueueID) int32 {
	i := f.head[q]
	f.head[q] = f.next[i]
	return i
}

// BenchmarkFIFOs is BenchmarkPacket without BFC: 32 queues served in turn, each packet read and
// written.
func BenchmarkFIFOs(b *testing.B) {
	for _, backlog := range []int{1, 3} {
		b.Run(fmt.Sprintf("backlog=%d", backlog), func(b *testing.B) {
			const queues = 32
			f := newFIFOs(queues, benchFlows*backlog+1)
			last := int32(len(f.packets) - 1)
			for i := range last {
				f.push(sluice.QueueID(i%queues), i)
			}
			outside := last
			q := sluice.QueueID(0)
			for b.Loop() {
				p := &f.packets[outside]
				p.Note += uint64(p.Size)
				f.push(q, outside)
				q = (q + 1) % queues
				outside = f.pop(q)
				f.packets[outside].Note++
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
