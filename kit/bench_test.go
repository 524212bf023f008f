package kit_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/stretchr/testify/require"
)

// BenchmarkPacket is what a packet costs an embedder at a switch without pauses: Enqueue, Next
// and Dequeue of a port's own hooks; the same by way of a Machine; and a Driver with its Store,
// which takes the packet from Take to Release and keeps the FIFO too.
func BenchmarkPacket(b *testing.B) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 90_000, XOn: 45_000}}
	port.Headroom = port.HeadroomFor(1500, 0).Total
	priority, err := pfc.New(pfc.Config{Ports: []pfc.PortConfig{port, port}})
	require.NoError(b, err)
	backpressure, err := bfc.New(bfc.Config{Ports: []bfc.PortConfig{{Link: link}, {Link: link}}})
	require.NoError(b, err)
	roots, err := pyrrha.New(pyrrha.Config{Ports: []pyrrha.PortConfig{{Link: link}, {Link: link}}})
	require.NoError(b, err)

	b.Run("hooks/pfc", func(b *testing.B) { benchmarkHooks(b, priority.Port(1)) })
	for name, m := range map[string]kit.Machine{
		"pfc": kit.Wrap(priority), "bfc": kit.Wrap(backpressure), "pyrrha": kit.Wrap(roots),
	} {
		b.Run("machine/"+name, func(b *testing.B) { benchmarkMachine(b, m) })
		b.Run("driver/"+name, func(b *testing.B) { benchmarkDriver(b, m) })
	}
}

// benchmarkHooks is for one protocol, because a type parameter would make its calls indirect. Other
// protocols' packages have their own.
func benchmarkHooks(b *testing.B, port *pfc.Port) {
	p := &sluice.Packet{Flow: 1, Size: 1000, Ingress: 0}
	for now := sluice.Time(0); b.Loop(); now += sluice.Microsecond {
		port.Enqueue(now, p)
		q, _ := port.Next(now)
		port.Dequeue(now, q, p)
	}
}

func benchmarkMachine(b *testing.B, m kit.Machine) {
	p := &sluice.Packet{Flow: 1, Size: 1000, Ingress: 0}
	for now := sluice.Time(0); b.Loop(); now += sluice.Microsecond {
		m.Enqueue(now, 1, p)
		q, _ := m.Next(now, 1)
		m.Dequeue(now, 1, q, p)
	}
}

func benchmarkDriver(b *testing.B, m kit.Machine) {
	store, err := kit.NewStore[string](1)
	require.NoError(b, err)
	driver := kit.NewDriver(m, store, &silent{store})
	for now := sluice.Time(0); b.Loop(); now += sluice.Microsecond {
		h, _ := store.Take()
		store.At(h).Packet = sluice.Packet{Flow: 1, Size: 1000, Ingress: 0}
		driver.Enqueue(now, 1, h)
	}
}
