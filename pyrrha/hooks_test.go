package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// Every hook moves the clock of the switch to its time, if that is later. An earlier time counts as
// the latest.
func TestHooksTellTheTime(t *testing.T) {
	const us = sluice.Microsecond
	root := at(20, 1)
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		for name, hook := range map[string]func(l *lab, p *Port){
			"Enqueue": func(l *lab, p *Port) { p.Enqueue(l.now, &sluice.Packet{Size: 1000, Ingress: 1}) },
			"Enqueue of another class": func(l *lab, p *Port) {
				p.Enqueue(l.now, &sluice.Packet{Size: 1000, Class: 7, Ingress: 1})
			},
			"Dequeue": func(l *lab, p *Port) { p.Dequeue(l.now, 0, &l.fifo[0][0][0]) },
			"Dequeue of another class": func(l *lab, p *Port) {
				q := sluice.QueueID(l.s.Queues() - 1)
				p.Dequeue(l.now, q, &sluice.Packet{Size: 1000, Class: 7, Ingress: 1})
			},
			"Dequeue of an IQ": func(l *lab, p *Port) { p.Dequeue(l.now, 1, &l.fifo[0][1][0]) },
			"Next":             func(l *lab, p *Port) { p.Next(l.now) },
			"Receive": func(l *lab, p *Port) {
				p.Receive(l.now, &Frame{Type: Pause, Root: at(30, 1), Hop: 1, Sequence: 10})
			},
			"PollFrame": func(l *lab, p *Port) {
				require.True(t, p.PollFrame(l.now, &Frame{}))
			},
			"Hold":     func(l *lab, p *Port) { p.Hold(l.now, true) },
			"Expire":   func(l *lab, _ *Port) { l.s.Expire(l.now) },
			"LinkDown": func(l *lab, p *Port) { p.LinkDown(l.now) },
			"LinkUp":   func(l *lab, p *Port) { p.LinkUp(l.now) },
		} {
			for _, now := range []sluice.Time{60 * us, 30 * us} {
				l := newLab(t, Config{
					Ports: ports(Down, Down), Organisation: o, Classes: sluice.MakeClassSet(0),
				})
				p := l.s.Port(0)
				p.Enqueue(0, &sluice.Packet{Size: 1000, Class: 7, Ingress: 1})
				l.enqueue(0, 1)
				l.pause(0, root, 1)
				require.EqualValues(t, 1, l.enqueue(0, 1, root))
				l.resume(0, root)
				p.Receive(50*us, &Frame{Type: Resume, Root: at(40, 1), Sequence: 9})
				l.now = now
				hook(l, p)
				require.Equal(t, max(now, 50*us), l.s.Snapshot().Now, "%v: %s", o, name)
				require.Zero(t, l.s.Counters().Misuse, "%v: %s", o, name)
			}
		}
	}
}

// Of packets that nothing holds, classes above those under Pyrrha go first, then moves, the OQ, and
// the other classes, whichever of them have packets. A port that is held sends other classes alone,
// also when its link is down.
func TestWhoseTurnItIs(t *testing.T) {
	root := at(20, 1)
	for _, down := range []bool{false, true} {
		for _, held := range []bool{false, true} {
			for classes := range 4 {
				l := newLab(t, Config{Ports: ports(Down, Down), Classes: sluice.MakeClassSet(1)})
				p := l.s.Port(0)
				put := func(class sluice.Class, beyond ...sluice.Hop) {
					pkt := sluice.Packet{Size: 1000, Class: class, Ingress: 1}
					pkt.Path.Append(at(10, 0))
					for _, hop := range beyond {
						pkt.Path.Append(hop)
					}
					l.put(pkt)
				}
				l.pause(0, root, 1)
				put(1, root)
				put(1)
				l.resume(0, root)
				want := []sluice.QueueID{1, hiq.Output, hiq.Output}
				if down { // what is discarded there pauses no upstream
					p.LinkDown(0)
					want = []sluice.QueueID{hiq.Output, 1, hiq.Output}
				}
				if held {
					p.Hold(0, true)
					want = nil
				}
				if classes&1 != 0 {
					put(0)
					want = append(want, 101)
				}
				if classes&2 != 0 {
					put(7)
					want = append([]sluice.QueueID{107}, want...)
				}
				var turns []sluice.QueueID
				for q, ok := p.Next(0); ok; q, ok = p.Next(0) {
					pkt := l.fifo[0][q][0]
					l.fifo[0][q] = l.fifo[0][q][1:]
					if v := p.Dequeue(0, q, &pkt); v.Action() == sluice.Append {
						l.fifo[0][v.Queue()] = append(l.fifo[0][v.Queue()], pkt)
					}
					turns = append(turns, q)
				}
				require.Equal(t, want, turns, "down %v, held %v, classes %b", down, held, classes)
			}
		}
	}
}

// Where no class is under Pyrrha every class has a queue of its own, class 0 too.
func TestNoClassUnderPyrrha(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Classes: sluice.NoClasses})
	for class := range sluice.Class(sluice.Classes) {
		pkt := sluice.Packet{Size: 1000, Class: class, Ingress: 1}
		queue := l.s.Port(0).Enqueue(0, &pkt).Queue()
		q, ok := l.s.Port(0).Next(0)
		require.True(t, ok, "class %d", class)
		require.Equal(t, queue, q)
		require.Equal(t, sluice.TransmitMarked(0), l.s.Port(0).Dequeue(0, q, &pkt))
	}
}

// A packet that leaves the OQ, and lets no other packet go by that, wakes nothing.
func TestNothingIsWokenForNothing(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o})
		l.enqueueMany(2, 0, 1)
		v := l.s.Port(0).Dequeue(0, hiq.Output, &l.fifo[0][0][0])
		require.Equal(t, sluice.TransmitMarked(0), v)
	}
}

// Bytes that are no frame are counted as malformed, and obeyed as no frame, not even as the last
// one.
func TestBytesThatAreNoFrame(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	p := l.s.Port(0)
	for sequence := range uint32(2) {
		f := Frame{Type: Pause, Root: at(20, int(sequence)), Hop: 1, Sequence: sequence}
		wake, err := p.ReceiveWire(0, f.AppendTo(nil))
		require.NoError(t, err)
		require.Zero(t, wake)
	}
	p.Receive(0, &Frame{Type: Resume, Root: at(20, 1), Sequence: 2})
	before := l.s.Snapshot()
	wake, err := p.ReceiveWire(0, []byte("no frame"))
	require.Error(t, err)
	require.Zero(t, wake)
	require.Equal(t, before, l.s.Snapshot())
	c := p.Counters()
	require.Equal(t, []uint64{1, 3, 0}, []uint64{c.Malformed, c.FramesReceived, c.Stale})
}

// A move takes its time from the time of its hook, or from the latest time of the switch, if that
// is later or the hook has none.
func TestAMoveBeginsNow(t *testing.T) {
	const now = sluice.Microsecond
	for _, c := range []struct{ shown, told sluice.Time }{
		{now, 0}, {now, now}, {0, now}, {now, sluice.Never},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down), MTU: 1000})
		p := l.s.Port(0)
		l.pause(0, at(20, 1), 1)
		q := l.enqueueMany(3, 0, 1, at(20, 1))
		l.resume(0, at(20, 1))
		l.s.Port(1).Hold(c.shown, false)
		for i := range 2 {
			require.Equal(t, sluice.Append, p.Dequeue(c.told, q, &l.fifo[0][q][i]).Action())
		}
		for i := range 2 {
			v := p.Dequeue(c.told, hiq.Output, &l.fifo[0][q][i])
			require.Equal(t, sluice.Transmit, v.Action())
		}
		require.Equal(t, now+labLink.Rate.TimeOf(1000), l.s.Deadline(), "%+v", c)
	}
}

// The buffer may be full to the last byte, and no fuller, whatever way a packet takes.
func TestBufferIsFullToTheLastByte(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		for _, class := range []sluice.Class{0, 7} {
			l := newLab(t, Config{
				Ports: ports(Down, Down), Organisation: o, Classes: sluice.MakeClassSet(0), Buffer: 2000,
			})
			p := l.s.Port(0)
			pkt := sluice.Packet{Size: 1000, Class: class, Ingress: 1}
			pkt.Path.Append(at(10, 0))
			larger := pkt
			larger.Size = 1001
			require.Equal(t, sluice.Append, p.Enqueue(0, &pkt).Action())
			require.Equal(t, sluice.DropBecause(sluice.BufferFull), p.Enqueue(0, &larger))
			require.Equal(t, sluice.Append, p.Enqueue(0, &pkt).Action())
			require.Equal(t, sluice.DropBecause(sluice.BufferFull), p.Enqueue(0, &pkt))
			q, ok := p.Next(0)
			require.True(t, ok)
			require.Equal(t, sluice.Transmit, p.Dequeue(0, q, &pkt).Action())
			c := p.Counters()
			require.EqualValues(t, 2, c.Enqueued)
			require.EqualValues(t, 1, c.Transmitted)
			require.EqualValues(t, 1000, l.s.Buffered())
			require.NoError(t, l.s.Audit())
		}
	}
}

// A packet without a path is counted as one, also at port 0 of switch 0, which the zero Hop names.
func TestNoPathAtTheZeroHop(t *testing.T) {
	s, err := New(Config{Ports: ports(Down, Down)})
	require.NoError(t, err)
	p := s.Port(0)
	v := p.Enqueue(0, &sluice.Packet{Size: 1, Ingress: 1})
	require.Equal(t, sluice.AppendToQueue(hiq.Output), v)
	require.EqualValues(t, 1, p.Counters().Incomplete)
}

// Levels that only time keeps from moving wait for the timer while the OQ is empty, and no longer
// once it has a packet, though that has no path.
func TestAPacketWithoutAPathEndsTheWaitForTime(t *testing.T) {
	near, far := at(20, 1), at(30, 1)
	l := newLab(t, Config{Ports: ports(Down, Down)})
	p := l.s.Port(0)
	l.pause(0, near, 1)
	l.pause(0, far, 2)
	l.enqueueMany(5, 0, 1, near, far)
	l.resume(0, near)
	for q, ok := p.Next(0); ok; q, ok = p.Next(0) {
		pkt := l.fifo[0][q][0]
		l.fifo[0][q] = l.fifo[0][q][1:]
		require.Equal(t, sluice.Append, p.Dequeue(0, q, &pkt).Action())
	}
	require.NotEqual(t, sluice.Never, l.s.Deadline())
	require.False(t, p.Sendable(1), "its level moved its share")
	require.Equal(t, sluice.Append, p.Enqueue(0, &sluice.Packet{Size: 1000, Ingress: 1}).Action())
	require.True(t, p.Sendable(1))
	require.NoError(t, l.s.Audit())
}

// The ingress of a packet that waits is its own: another, though that is no port, is misuse.
func TestDequeueByNoIngress(t *testing.T) {
	root := at(20, 1)
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o})
		p := l.s.Port(0)
		l.pause(0, root, 1)
		l.enqueueMany(2, 0, int(sluice.Local), root)
		l.resume(0, root)
		q, ok := p.Next(0)
		require.True(t, ok)
		pkt := l.fifo[0][q][0]
		for _, ingress := range []sluice.PortID{0, 1, 2, 3, sluice.Local - 1} {
			other := pkt
			other.Ingress = ingress
			require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, q, &other), "%v", o)
		}
		require.EqualValues(t, 5, p.Counters().Misuse)
		require.NotEqual(t, sluice.Drop, p.Dequeue(0, q, &pkt).Action())
		require.NoError(t, l.s.Audit())
	}
}
