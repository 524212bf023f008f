package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

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
