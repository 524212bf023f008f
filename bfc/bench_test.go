package bfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// BenchmarkPacket is a packet's way through a switch, Enqueue, Next and Dequeue, with as many packets
// held as there are live flows, one of each in turn:
//
//	go test -run '^$' -bench Packet -benchtime 200ms -count 3 ./bfc
func BenchmarkPacket(b *testing.B) {
	for _, queues := range []int{8, 32, 128} {
		for _, ideal := range []bool{false, true} {
			b.Run(fmt.Sprintf("queues=%d/ideal=%t/flows=1000", queues, ideal), func(b *testing.B) {
				benchmarkPacket(b, Config{Queues: queues, Ideal: ideal}, 1000)
			})
		}
	}
	b.Run("queues=2048/host/flows=1000", func(b *testing.B) {
		benchmarkPacket(b, HostConfig(link100G, 2048), 1000)
	})
}

var link100G = sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}

// fifos is the embedder's side: a list of packets for each queue.
type fifos struct {
	head, tail []int32
	next       []int32
	packets    []sluice.Packet
	free       []int32
}

func newFIFOs(queues, packets int) *fifos {
	f := &fifos{
		head:    make([]int32, queues),
		tail:    make([]int32, queues),
		next:    make([]int32, packets),
		packets: make([]sluice.Packet, packets),
	}
	for i := range packets {
		f.free = append(f.free, int32(i))
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

func benchmarkPacket(b *testing.B, c Config, flows int) {
	const ports = 8
	host := len(c.Ports) > 0
	if !host {
		for range ports {
			c.Ports = append(c.Ports, PortConfig{Link: link100G})
		}
	}
	s, err := New(c)
	require.NoError(b, err)
	port := s.Port(0)
	f := newFIFOs(s.Queues(), flows+1)
	fill := func(i int32, flow int) {
		f.packets[i] = sluice.Packet{Flow: uint64(flow) * 0x9e3779b97f4a7c15, Size: 1000, Ingress: sluice.Local}
		if !host {
			f.packets[i].Ingress = sluice.PortID(1 + flow%(ports-1))
			f.packets[i].UpstreamQueue = sluice.QueueID(flow % c.Queues)
		}
	}
	now := sluice.Time(0)
	for i := range int32(flows) {
		fill(i, int(i))
		f.push(port.Enqueue(now, &f.packets[i]).Queue(), i)
	}
	spare := int32(flows)
	fill(spare, 0)
	flow := 0
	var frame Frame
	b.ReportAllocs()
	for b.Loop() {
		now += 80 * sluice.Nanosecond
		in := &f.packets[spare]
		v := port.Enqueue(now, in)
		f.push(v.Queue(), spare)
		q, ok := port.Next(now)
		if !ok {
			b.Fatal("nothing to send")
		}
		spare = f.pop(q)
		v2 := port.Dequeue(now, q, &f.packets[spare])
		if (v.Wake() | v2.Wake()).Has(sluice.WakeFrames) {
			for {
				if _, ok := s.PollFrame(now, &frame); !ok {
					break
				}
			}
		}
		if flow++; flow == flows {
			flow = 0
		}
	}
	_ = flow
	b.StopTimer()
	require.NoError(b, s.Audit())
}
