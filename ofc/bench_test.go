package ofc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// BenchmarkPacket takes a packet through a switch of eight ports: Enqueue, Next and Dequeue. All
// flows are live throughout, each with two packets here, and downstream pauses 64 of them, or none
// of fewer; packets of paused flows moved before the clock starts, and the others pass them.
// BenchmarkFIFOs measures the embedder's queues alone:
//
//	go test -run '^$' -bench 'Packet|Sawtooth|FIFOs' -count 10 ./ofc
func BenchmarkPacket(b *testing.B) {
	for _, flows := range []int{16, 64, 256, 1024, 4096} {
		b.Run(fmt.Sprintf("flows=%d", flows), func(b *testing.B) { benchmarkPacket(b, flows) })
	}
}

func benchConfig(flows int) Config {
	c := Config{Ports: make([]PortConfig, 8), Flows: 2 * flows}
	for i := range c.Ports {
		c.Ports[i] = PortConfig{Link: link40, XOff: sluice.GiB}
	}
	return c
}

// benchFlow spreads the number of a flow as a hash does.
func benchFlow(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 }

func benchmarkPacket(b *testing.B, flows int) {
	s := mustNew(b, benchConfig(flows))
	p := s.Port(0)
	f := newFIFOs(2*flows + 1)
	for i := range f.packets {
		f.packets[i] = benchPacket(i, flows)
	}
	paused := 0
	if flows > 64 {
		paused = 64
	}
	frame := Frame{Type: Pause, Sequence: 1}
	for i := range paused {
		frame.add(benchFlow(i * flows / paused))
	}
	if paused > 0 {
		p.Receive(0, &frame)
	}
	for i := range 2 * flows {
		f.push(p.Enqueue(0, &f.packets[i]).Queue(), int32(i))
	}
	outside := int32(2 * flows)
	now := sluice.Time(0)
	step := func() {
		now += 300 * sluice.Nanosecond
		f.push(p.Enqueue(now, &f.packets[outside]).Queue(), outside)
		for {
			q, _ := p.Next(now)
			i := f.pop(q)
			v := p.Dequeue(now, q, &f.packets[i])
			if v.Action() == sluice.Transmit {
				outside = i
				return
			}
			f.push(v.Queue(), i)
		}
	}
	for range 8 * flows {
		step()
	}
	require.Equal(b, int(p.classes[0].congested), paused)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		step()
	}
	b.StopTimer()
	require.NoError(b, s.Audit())
	require.Zero(b, s.Counters().Misuse+s.Counters().Untracked)
}

func benchPacket(i, flows int) sluice.Packet {
	flow := i % flows
	return sluice.Packet{Flow: benchFlow(flow), Size: 1500, Ingress: sluice.PortID(1 + flow%7)}
}

// BenchmarkSawtooth is the same with as many flows as a frame names, and 1,024 packets. All flows
// are paused and the packets move, then all are resumed and the packets leave: every packet moves
// once. An iteration is one packet, with its move and its share of the two frames.
func BenchmarkSawtooth(b *testing.B) {
	const flows, packets = MaxListed, 1024
	s := mustNew(b, benchConfig(flows))
	p := s.Port(0)
	f := newFIFOs(packets)
	for i := range f.packets {
		f.packets[i] = benchPacket(i, flows)
	}
	now, frame := sluice.Time(0), Frame{}
	for i := range flows {
		frame.add(benchFlow(i))
	}
	send := func(kind Type) {
		frame.Type = kind
		frame.Sequence += 1 << 16
		p.Receive(now, &frame)
	}
	b.ReportAllocs()
	left := 0
	for b.Loop() {
		if left == 0 {
			send(Pause)
			left = packets
			for i := range f.packets {
				f.push(p.Enqueue(now, &f.packets[i]).Queue(), int32(i))
			}
			for q, ok := p.Next(now); ok; q, ok = p.Next(now) {
				i := f.pop(q)
				f.push(p.Dequeue(now, q, &f.packets[i]).Queue(), i)
			}
			send(Resume)
		}
		q, ok := p.Next(now)
		if !ok {
			b.Fatal("nothing to send")
		}
		if v := p.Dequeue(now, q, &f.packets[f.pop(q)]); v.Action() != sluice.Transmit {
			b.Fatal(v)
		}
		left--
	}
	require.NoError(b, s.Audit())
}

// BenchmarkFrame is a frame of 184 flows that is made, parsed and obeyed: a PAUSE and a RESUME in
// turn.
func BenchmarkFrame(b *testing.B) {
	s := mustNew(b, benchConfig(1024))
	p := s.Port(0)
	f := Frame{Type: Pause}
	for i := range MaxListed {
		packet := benchPacket(i, 1024)
		p.Enqueue(0, &packet)
		f.add(benchFlow(i))
	}
	buffer := make([]byte, 0, 2000)
	b.ReportAllocs()
	for b.Loop() {
		f.Sequence += 1 << 16
		f.Type = 3 - f.Type
		buffer = f.AppendTo(buffer[:0])
		if _, err := p.ReceiveWire(0, buffer); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, s.Audit())
}

// BenchmarkFIFOs is BenchmarkPacket without OFC.
func BenchmarkFIFOs(b *testing.B) {
	for _, flows := range []int{16, 1024, 4096} {
		b.Run(fmt.Sprintf("flows=%d", flows), func(b *testing.B) {
			f := newFIFOs(2*flows + 1)
			for i := range 2 * flows {
				f.push(0, int32(i))
			}
			outside := int32(2 * flows)
			for b.Loop() {
				f.packets[outside].Note += uint64(f.packets[outside].Size)
				f.push(0, outside)
				outside = f.pop(0)
				f.packets[outside].Note++
			}
		})
	}
}

// fifos is the embedder's side: a list of packets for each queue.
type fifos struct {
	head, tail [QueuesPerClass * sluice.Classes]int32
	next       []int32
	packets    []sluice.Packet
}

func newFIFOs(packets int) *fifos {
	f := &fifos{next: make([]int32, packets), packets: make([]sluice.Packet, packets)}
	for q := range f.head {
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
