package strict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/strict"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}

func threePorts(t *testing.T) kit.Machine {
	port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 4500, XOn: 1500, Headroom: 6000}}
	m, err := kit.WrapNew(pfc.New(pfc.Config{Ports: []pfc.PortConfig{port, port, port},
		Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3)}))
	require.NoError(t, err)
	return m
}

// wires sends all, and keeps the last frame as long as its test wants.
type wires struct {
	store *kit.Store[int]
	sent  int
	frame []byte
	busy  bool
}

func (w *wires) Free(sluice.PortID) bool { return !w.busy }
func (w *wires) Send(_ sluice.PortID, h kit.Handle) {
	w.sent++
	w.store.Release(h)
}
func (w *wires) SendFrame(_ sluice.PortID, frame []byte, _ string) { w.frame = frame }
func (w *wires) Drop(_ sluice.PortID, h kit.Handle, _ sluice.Reason) {
	w.store.Release(h)
}

type hears struct {
	wires
	woken int
}

func (h *hears) Woken(sluice.Time, sluice.PortID) { h.woken++ }

func embedded(t *testing.T, m kit.Machine) (*kit.Driver[int], *strict.Machine, *wires) {
	store, err := kit.NewStore[int](64)
	require.NoError(t, err)
	w := &wires{store: store}
	driver, checks := strict.NewDriver(m, store, w)
	return driver, checks, w
}

func (w *wires) packet(p sluice.Packet) kit.Handle {
	h, _ := w.store.Take()
	w.store.At(h).Packet = p
	return h
}

// An embedder that keeps the contract hears nothing, and decides as without checks.
func TestNothingOfASoundEmbedder(t *testing.T) {
	driver, checks, w := embedded(t, threePorts(t))
	w.busy = true
	for i := range 6 {
		packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.PortID(i % 2)}
		driver.Enqueue(sluice.Time(i), 2, w.packet(packet))
	}
	w.busy = false
	for port := range sluice.PortID(3) {
		driver.Ready(10, port)
	}
	for driver.Deadline() < sluice.Millisecond {
		driver.Expire(driver.Deadline())
	}
	require.Equal(t, 6, w.sent)
	require.NoError(t, checks.Done(sluice.Millisecond))
	require.NoError(t, driver.Err())
}

// A frame is good until SendFrame returns: an embedder that keeps its bytes delivers rubbish, which
// the peer refuses.
func TestBytesOfAFrameAreKept(t *testing.T) {
	driver, _, w := embedded(t, threePorts(t))
	w.busy = true
	for range 4 {
		driver.Enqueue(0, 2, w.packet(sluice.Packet{Size: 1500, Class: 3}))
	}
	w.busy = false
	driver.Ready(0, 0)
	require.NotEmpty(t, w.frame)
	peer, checks, _ := embedded(t, threePorts(t))
	require.Error(t, peer.Receive(0, 0, w.frame))
	require.ErrorContains(t, checks.Err(), "were its bytes kept after SendFrame?")
}

// A packet that came in by port 1 and says port 0, because nothing set its Ingress: PFC pauses the
// wrong neighbour.
func TestIngressIsAlwaysZero(t *testing.T) {
	driver, checks, w := embedded(t, threePorts(t))
	for range 5 {
		driver.Enqueue(0, 1, w.packet(sluice.Packet{Size: 100, Class: 3}))
		driver.Enqueue(0, 0, w.packet(sluice.Packet{Size: 100, Class: 3}))
	}
	require.ErrorContains(t, checks.Done(0), "all 10 packets have Ingress 0, and 5 packets left by "+
		"that port: is Ingress set")
	driver.Enqueue(0, 1, w.packet(sluice.Packet{Size: 100, Class: 3, Ingress: 3}))
	require.ErrorContains(t, checks.Err(), "Ingress 3 is no port of 3, and not Local")
}

// Calls in another order than the contract has them, each named with its port and time.
func TestOrderOfCalls(t *testing.T) {
	for want, does := range map[string]func(m *strict.Machine, p *sluice.Packet){
		"Next of port 2 at 5ps without PollFrame before": func(m *strict.Machine, p *sluice.Packet) {
			m.Next(5, 2)
		},
		"Dequeue of port 2 queue 3 at 5ps without Next before": func(m *strict.Machine,
			p *sluice.Packet) {
			m.Dequeue(5, 2, 3, p)
		},
		"Dequeue of port 2 queue 4 at 5ps: Next named queue 3": func(m *strict.Machine,
			p *sluice.Packet) {
			m.PollFrame(5, 2, nil)
			m.Next(5, 2)
			m.Dequeue(5, 2, 4, p)
		},
		"the packet has 64 bytes of flow 0x0 from port 0, the head of the queue 1500": func(
			m *strict.Machine, p *sluice.Packet) {
			m.PollFrame(5, 2, nil)
			q, _ := m.Next(5, 2)
			m.Dequeue(5, 2, q, &sluice.Packet{Size: 64, Class: 3})
		},
		"Note changed while the packet waited": func(m *strict.Machine, p *sluice.Packet) {
			m.PollFrame(5, 2, nil)
			q, _ := m.Next(5, 2)
			other := *p
			other.Note++
			m.Dequeue(5, 2, q, &other)
		},
		"Next at 1ps, after a call at 5ps: time goes back": func(m *strict.Machine, p *sluice.Packet) {
			m.PollFrame(5, 2, nil)
			m.Next(1, 2)
		},
		"PollFrame at Never": func(m *strict.Machine, p *sluice.Packet) {
			m.PollFrame(sluice.Never, 2, nil)
		},
		"Enqueue woke port 2, which was not asked since": func(m *strict.Machine, p *sluice.Packet) {
			_ = m.Done(5)
		},
		"packets left in queue 3 of port 2, which may go: 1": func(m *strict.Machine,
			p *sluice.Packet) {
			_ = m.Done(5)
		},
		"Path begins with port 1 of switch 7": func(m *strict.Machine, p *sluice.Packet) {
			other := *p
			other.Path, _ = sluice.MakePath(sluice.Hop{Switch: 7, Port: 1})
			m.Enqueue(5, 2, &other)
		},
	} {
		m := strict.New(threePorts(t))
		p := &sluice.Packet{Size: 1500, Class: 3}
		require.Equal(t, sluice.Append, m.Enqueue(0, 2, p).Action())
		require.NoError(t, m.Err())
		does(m, p)
		require.ErrorContains(t, m.Err(), want)
	}
}

// Timers are the embedder's: a machine whose Expire is never called refreshes no pause.
func TestLateTimers(t *testing.T) {
	m := strict.New(threePorts(t))
	for range 4 {
		m.Enqueue(0, 2, &sluice.Packet{Size: 1500, Class: 3})
	}
	_, _, ok := m.PollFrame(0, 0, nil)
	require.True(t, ok, "a pause")
	due := m.Deadline()
	require.Less(t, due, sluice.Never)
	m.PollFrame(due+1, 0, nil)
	m.PollFrame(due+2, 0, nil)
	require.ErrorContains(t, m.Err(), "Expire was not called at the deadline "+due.String()+
		" (and 1 more)")
}

// A port of Pyrrha behind which a host stands, and whose Role says nothing: the host is taken for a
// switch that isolates the root, and that would say so.
func TestRoleIsForgotten(t *testing.T) {
	config := pyrrha.Config{Switch: 9, IQs: 8, Ports: []pyrrha.PortConfig{
		{Link: link}, {Link: link}, {Link: link}}}
	m, err := kit.WrapNew(pyrrha.New(config))
	require.NoError(t, err)
	driver, checks, w := embedded(t, m)
	w.busy = true
	for range 40 {
		p := sluice.Packet{Size: 1500, Class: 3, Ingress: 0, Flow: 1}
		p.Path, _ = sluice.MakePath(sluice.Hop{Switch: 9, Port: 2})
		driver.Enqueue(0, 2, w.packet(p))
	}
	w.busy = false
	for port := range sluice.PortID(3) {
		driver.Ready(1, port)
	}
	require.ErrorContains(t, checks.Done(1), "root 9:2 has 0 IQs, and 1 upstreams of which 0 are "+
		"paused; port 0, whose Role is down, waits for DEALLOC")
}

// An output that hears of wakes hears of them through the checks, too.
func TestOutputHearsOfWakes(t *testing.T) {
	store, err := kit.NewStore[int](64)
	require.NoError(t, err)
	h := &hears{wires: wires{store: store, busy: true}}
	driver, _ := strict.NewDriver(threePorts(t), store, h)
	for range 4 {
		driver.Enqueue(0, 2, h.packet(sluice.Packet{Size: 1500, Class: 3}))
	}
	require.Positive(t, h.woken)
}
