package main

import (
	"context"
	"math"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	batch = 1024 // packets between two readings of the processor time
	flows = 64
)

// BenchmarkForward measures what a switch takes to forward a packet of 64 bytes from one interface
// to another, in processor time of its one thread, the kernel's included. The packets wait in the
// socket when it begins. The time of the hosts, which send and receive on the same thread, is left
// out, but a write to a veth cable carries the frame as far as the socket at the other end.
//
// A plain forwarder takes turns with the switch. It reads, looks up, and writes by the same code
// and the same sockets. The switch also runs on wires of memory, and beside it there one whose
// machine decides nothing: the difference is what hooks take while their memory is in caches. Every
// time is the least of all batches, because other programs make some of them longer:
//
//	packets/s         of the switch, for each second of processor time
//	plain-packets/s   of the plain forwarder
//	of-plain          the ratio of the two
//	memory-ns         a packet at the switch on wires of memory
//	hooks-ns          of these in the machine, timers included
//
// The share of the hooks on veth, where the kernel uses the caches between two packets, is too
// small for a difference. It is in a profile, whose samples have the label run=veth:
//
//	go test -run '^$' -bench Forward/pfc -cpuprofile wire.prof -exec sudo .
//	go tool pprof -tagfocus run=veth -top -cum wire.prof
//
// PortFC is not among the protocols, because its network has hosts that forward.
func BenchmarkForward(b *testing.B) {
	needNetwork(b)
	s := defaults()
	s.hosts, s.megabits, s.size = 2, 10_000, minFrame // links that do not limit the switch
	s.delays = givenDelays(100 * time.Microsecond)
	cables := veth(b, s)
	for _, protocol := range []string{"none", "pfc", "bfc", "ofc", "pyrrha"} {
		b.Run(protocol, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			s.protocol = protocol
			kernel, memory := cables.of(s), inMemory(b, s)
			plain := contest("plain", kernel, newPlain(kernel))
			onVeth := contest("veth", kernel, newTurns(b, kernel, s))
			inMemory := contest("memory", memory, newTurns(b, memory, s))
			hollow := contest("hollow", memory, newTurns(b, memory, s).hollow())
			for b.Loop() {
				for _, c := range []*contender{plain, onVeth, inMemory, hollow} {
					c.measure(b)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(1e9/onVeth.least, "packets/s")
			b.ReportMetric(1e9/plain.least, "plain-packets/s")
			b.ReportMetric(plain.least/onVeth.least, "of-plain")
			b.ReportMetric(inMemory.least, "memory-ns")
			b.ReportMetric(inMemory.least-hollow.least, "hooks-ns")
		})
	}
}

// contender is a forwarder on a bench, with the nanoseconds that a packet took in its best batch.
type contender struct {
	*bench
	forwarder
	label context.Context // for profiles
	least float64
}

func contest(name string, n *bench, f forwarder) *contender {
	label := pprof.WithLabels(context.Background(), pprof.Labels("run", name))
	return &contender{n, f, label, math.Inf(1)}
}

// measure has batches forwarded.
func (c *contender) measure(b *testing.B) {
	for range c.batches {
		c.offer(b)
		goal, rounds := c.forwarded()+batch, 0
		pprof.SetGoroutineLabels(c.label)
		began := processorTime(b)
		for ; c.forwarded() < goal && rounds < 10*batch; rounds++ {
			c.round()
		}
		took := processorTime(b) - began
		pprof.SetGoroutineLabels(context.Background())
		require.Equal(b, batch, c.arrived(1), "packets that arrived in %d rounds", rounds)
		c.arrived(0) // frames for the sender
		c.least = min(c.least, float64(took)/batch)
	}
}

// forwarder is what is measured, round by round.
type forwarder interface {
	round()
	forwarded() int // packets so far
}
