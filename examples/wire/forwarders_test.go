package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/sluicefc/sluice/kit"
)

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
