package main

import (
	"context"
	"math"
	"runtime"
	"runtime/pprof"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/sluicefc/sluice/kit"
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

// turns is a switch whose rounds the benchmark calls.
type turns struct{ *node }

func newTurns(b *testing.B, n *bench, s settings) turns {
	made, err := newNode(n.plan, n.plan.places[2], s)
	require.NoError(b, err)
	for i := range made.ports {
		made.ports[i].socket = n.wires[i]
	}
	made.clock, made.files = clock{time.Now(), s.day}, slices.Clone(n.files)
	return turns{made}
}

// hollow gives the switch a machine that decides nothing.
func (t turns) hollow() turns {
	t.driver = kit.NewDriver[[]byte](hollow{t.driver.Machine()}, t.store, t.node)
	return t
}

func (t turns) forwarded() int { return int(t.ports[0].Forwarded) - t.store.Used() }

// plain is the least that forwards: it reads a frame, looks up where its address is, and writes it.
type plain struct {
	wires   []wire
	files   []unix.PollFd
	ports   map[[6]byte]int
	scratch []byte
	sent    int
}

func newPlain(n *bench) *plain {
	p := &plain{n.wires, slices.Clone(n.files), map[[6]byte]int{}, make([]byte, maxFrame), 0}
	for port, peer := range n.plan.places[2].peers {
		p.ports[peer.mac()] = port
	}
	return p
}

func (p *plain) forwarded() int { return p.sent }

func (p *plain) round() {
	sleep(p.files, time.Millisecond)
	for i, in := range p.wires {
		if p.files[i].Revents == 0 {
			continue
		}
		for range patience {
			length, err := in.receive(p.scratch)
			if err != nil {
				break
			}
			out, ok := p.ports[[6]byte(p.scratch)]
			if ok && p.wires[out].send(p.scratch[:length]) == nil {
				p.sent++
			}
		}
	}
}

// bench is where switches are measured: between two hosts that do nothing by themselves.
type bench struct {
	plan    *plan
	hosts   [2]wire
	wires   []wire // of the switch
	files   []unix.PollFd
	packets [][]byte // a packet of each flow
	scratch []byte
	batches int // in a turn of a contender
}

// of returns the bench for a protocol, whose packets may have a shim.
func (n bench) of(s settings) *bench {
	n.packets, n.scratch = nil, make([]byte, maxFrame)
	for f := range flows {
		n.packets = append(n.packets,
			template(f, n.plan.places[0], n.plan.places[1], s.size, s.protocol == "bfc"))
	}
	return &n
}

// veth is a bench in the kernel.
func veth(b *testing.B, s settings) *bench {
	l := &lab{settings: s, plan: star(&s)}
	b.Cleanup(func() { require.NoError(b, l.close()) })
	require.NoError(b, l.build())
	n := &bench{plan: l.plan, files: l.nodes[2].files, batches: 1}
	for i := range n.hosts {
		n.hosts[i] = l.nodes[i].ports[0].socket
		n.wires = append(n.wires, l.nodes[2].ports[i].socket)
	}
	return n
}

// offer sends a batch to the switch.
func (n *bench) offer(b *testing.B) {
	for i := range batch {
		require.NoError(b, n.hosts[0].send(n.packets[i%flows]))
	}
}

// arrived counts the packets that wait for a host, and takes them.
func (n *bench) arrived(host int) (packets int) {
	for {
		length, err := n.hosts[host].receive(n.scratch)
		if err != nil {
			return packets
		}
		if !isControl(n.scratch[:length]) {
			packets++
		}
	}
}

// processorTime is what this thread has used, in the kernel and outside.
func processorTime(b *testing.B) int64 {
	var t unix.Timespec
	require.NoError(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return t.Nano()
}
