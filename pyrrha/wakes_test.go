package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Any packets, frames and timers come while a transmitter is busy with any class, early, late or
// repeated. A port that is asked only when a word named it leaves no packet behind that may go, and
// a packet that waits for time alone has a deadline.
func TestWakes(t *testing.T) {
	depth.Fewer(t, 30)
	rapid.Check(t, checkWakes)
}

// A packet comes to an IQ whose level has just moved its share. It waits for time alone, and the
// switch has a deadline. A packet that comes after that, before its timer is served, ends the wait
// as well.
func TestPacketForALevelThatMoved(t *testing.T) {
	root := at(20, 1)
	for _, late := range []bool{false, true} {
		l := newLab(t, Config{Ports: ports(Down, Down), MTU: 1000})
		l.pause(0, root, 1)
		l.enqueueMany(31, 0, 1, root)
		l.resume(0, root)
		l.serve(0, 29)
		require.True(t, l.transmit(0))
		require.True(t, l.transmit(0), "an MTU ahead of the line")
		require.Equal(t, hiq.Resumed, l.state(0, root), "an upstream is in the tree")
		require.Equal(t, sluice.Never, l.s.Deadline())

		q := l.enqueue(0, 1, root)
		require.NotEqual(t, hiq.Output, q)
		require.NoError(t, l.s.Audit())
		require.False(t, l.transmit(0))
		due := l.now + labLink.Rate.TimeOf(1000)
		require.Equal(t, due, l.s.Deadline())
		if late {
			l.now = due
			l.enqueue(0, 1, root)
			require.True(t, l.woken[0])
		} else {
			l.expire()
		}
		require.True(t, l.s.Port(0).Sendable(q))
		require.True(t, l.transmit(0))
	}
}

// waker is a switch of one port with a transmitter, beside its lab: packets take their time, and
// the port is asked when it was woken or its transmitter is free again, and not otherwise.
type waker struct {
	*lab
	busy  sluice.Time // until then the transmitter sends
	asked bool        // since it was woken, and answered that there is nothing
}

func checkWakes(t *rapid.T) {
	w := &waker{lab: newLab(t, Config{
		Ports:        ports(Down, Down),
		Classes:      rapid.SampledFrom([]sluice.ClassSet{0x01, 0x02}).Draw(t, "under"),
		Organisation: Organisation(rapid.IntRange(0, 1).Draw(t, "organisation")),
		Unordered:    rapid.Bool().Draw(t, "unordered"), MTU: 1500,
		Speedup: rapid.IntRange(1, 2).Draw(t, "speedup"),
		Expiry:  rapid.SampledFrom([]sluice.Time{0, sluice.Microsecond}).Draw(t, "expiry"),
	})}
	roots := []sluice.Hop{at(20, 1), at(30, 1), at(40, 1)}
	root := func(t *rapid.T) int { return rapid.IntRange(0, len(roots)-1).Draw(t, "root") }
	frame := func(t *rapid.T) {
		switch r := root(t); rapid.IntRange(0, 8).Draw(t, "frame") {
		case 0, 1, 2, 3:
			w.pause(0, roots[r], r+1)
		case 4, 5, 6, 7:
			w.resume(0, roots[r])
		default:
			if into := root(t); into != r {
				w.merge(0, roots[r], roots[into], into+1)
			}
		}
	}
	actions := map[string]func(*rapid.T){
		"enqueue": func(t *rapid.T) {
			p := sluice.Packet{
				Size: rapid.SampledFrom([]sluice.Bytes{64, 700, 1500}).Draw(t, "size"), Ingress: 1,
				Class: sluice.Class(rapid.IntRange(0, 1).Draw(t, "class")),
			}
			p.Path.Append(at(int(labID), 0))
			for _, r := range roots {
				if rapid.IntRange(0, 3).Draw(t, "passes") > 0 {
					p.Path.Append(r)
				}
			}
			for range rapid.IntRange(1, 6).Draw(t, "packets") {
				w.put(p)
				w.asked = false // an append has the embedder ask the port
				w.pull()
			}
		},
		"frame": frame,
		"frames": func(t *rapid.T) {
			for range rapid.IntRange(2, 5).Draw(t, "frames") {
				frame(t)
				w.pull()
			}
		},
		"again": func(t *rapid.T) { // a resumed root is paused before the port is asked, or the reverse
			r := root(t)
			w.resume(0, roots[r])
			w.pull()
			w.pause(0, roots[r], r+1)
		},
		"free": func(t *rapid.T) { w.now = max(w.now, w.busy) },
		"wait": func(t *rapid.T) {
			w.now += sluice.Time(rapid.IntRange(1, 200_000).Draw(t, "picoseconds"))
		},
		"expire": func(t *rapid.T) {
			if d := w.s.Deadline(); d != sluice.Never {
				w.now = max(w.now, d+rapid.SampledFrom([]sluice.Time{-1, 0, 1, 1000}).Draw(t, "late"))
			}
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				w.act(w.s.Expire(w.now))
				w.pull()
			}
		},
		"hold": func(t *rapid.T) {
			w.act(w.s.Port(0).Hold(w.now, rapid.Bool().Draw(t, "on")))
		},
		"": func(t *rapid.T) { w.check() },
	}
	for name, action := range actions {
		actions[name] = func(t *rapid.T) {
			w.t = t
			action(t)
			w.pull()
		}
	}
	for range 4 {
		t.Repeat(actions)
	}
	w.finish(roots)
}

// pull asks the port if its transmitter is free and there is a cause.
func (w *waker) pull() {
	w.asked = w.asked && !w.woken[0]
	w.woken = nil
	if w.busy > w.now || w.asked {
		return
	}
	p := w.s.Port(0)
	for {
		q, ok := p.Next(w.now)
		if w.asked = !ok; !ok {
			return
		}
		require.NotEmpty(w.t, w.fifo[0][q], "queue %d", q)
		pkt := w.fifo[0][q][0]
		w.fifo[0][q] = w.fifo[0][q][1:]
		v := p.Dequeue(w.now, q, &pkt)
		w.act(v.Wake())
		if v.Action() == sluice.Transmit {
			w.busy, w.asked = w.now+labLink.Rate.TimeOf(pkt.Size), false
			return
		}
		require.Equal(w.t, sluice.Append, v.Action(), "%v", v)
		w.fifo[0][v.Queue()] = append(w.fifo[0][v.Queue()], pkt)
	}
}

// check: a waiting packet is held, or the transmitter is busy, or there is a deadline. It does not
// ask the machine which queues may go, but derives that from the states of roots.
func (w *waker) check() {
	require.NoError(w.t, w.s.Audit())
	p := &w.s.ports[0]
	if p.held || !w.asked || w.busy > w.now {
		return
	}
	for q := range w.fifo[0] {
		if len(w.fifo[0][q]) == 0 {
			continue
		}
		require.False(w.t, p.Sendable(sluice.QueueID(q)), "queue %d waits, without a wake", q)
		if q < p.iq.Queues() && !w.paused(sluice.QueueID(q)) {
			require.NotEqual(w.t, sluice.Never, w.s.Deadline(), "queue %d waits, for nothing", q)
		}
	}
}

// paused reports whether a root that is paused holds queue q; in a single tier that may be a root
// that holds packets which must go before.
func (w *waker) paused(q sluice.QueueID) bool {
	for r := range w.s.roots {
		if p := &w.s.ports[0]; p.iq.State(r) == hiq.Paused && (w.s.single || p.iq.Queue(r) == q) {
			return true
		}
	}
	return false
}

// finish resumes every paused root: every packet leaves, by words and deadlines alone.
func (w *waker) finish(roots []sluice.Hop) {
	for r := range roots {
		w.resume(0, roots[r])
		w.pull()
	}
	w.act(w.s.Port(0).Hold(w.now, false))
	w.pull()
	for w.s.Buffered() > 0 {
		switch d := w.s.Deadline(); {
		case w.busy > w.now && w.busy < d:
			w.now = w.busy
		case d != sluice.Never:
			w.now = max(w.now, d)
			w.act(w.s.Expire(w.now))
		default:
			require.Fail(w.t, "packets wait, and nothing will happen", "%d bytes", w.s.Buffered())
		}
		w.pull()
	}
	w.check()
}
