package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
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
