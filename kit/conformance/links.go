package conformance

import (
	"bytes"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"pgregory.net/rapid"
)

// changeLink fails the link of a port, and repairs it if it is down. While it is down its queues
// may be flushed.
func (d *driver) changeLink() {
	at := d.drawPort()
	p := &d.ports[at]
	if !p.down {
		d.link(at, stepLinkDown)
		if rapid.Bool().Draw(d.t, "flush") {
			d.flush(at)
		}
		return
	}
	d.link(at, stepLinkUp)
}

// link calls LinkDown or LinkUp. LinkDown may hold a queue until another is empty, for the sake of
// order, but not on the word of the peer: see flush.
func (e *embedder) link(at sluice.PortID, kind stepKind) {
	e.ports[at].down = kind == stepLinkDown
	e.checkStep(e.do(step{kind: kind, port: at}))
}

// flush empties the queues of a port whose link is down, as an embedder does that discards its
// packets. Queues may have to wait for a timer of the machine's own, but not for the peer.
func (d *driver) flush(at sluice.PortID) {
	p := &d.ports[at]
	for range 2 * (p.held + 1) * (d.queues + 1) {
		if p.held == 0 {
			return
		}
		q, ok := d.next(at)
		if ok {
			d.dequeue(at, q)
			p.busy = false
			continue
		}
		if d.deadline() == sluice.Never {
			break
		}
		d.now = max(d.now, d.deadline())
		d.expire()
	}
	if p.held > 0 {
		d.fail(liveness, "LinkDown: it holds no queue on the word of the peer",
			"the link of port %d is down, and %d packets cannot be flushed", at, p.held)
	}
}

// rebase moves the origin of time of the machine under test. Its twin keeps its own, and must
// answer alike.
func (d *driver) rebase() {
	by := sluice.Time(rapid.SampledFrom([]int64{
		1, 999_999, 1_000_000_000_000, -1_000_000_000_000,
	}).Draw(d.t, "by picoseconds"))
	s := d.do(step{kind: stepRebase, by: by})
	d.base += by
	d.checkStep(s)
}

// goOnWithACopy replaces the machine under test by a copy, if its state can be copied. Later calls
// of the original must not reach the copy. The state must equal the twin's, which has another
// origin of time and got no call that changes nothing.
func (d *driver) goOnWithACopy() {
	original, ok := kit.StatefulOf(d.m)
	if !ok {
		return
	}
	now := d.now - d.base
	state := original.AppendState(nil, now)
	if twin, _ := kit.StatefulOf(d.twin); !bytes.Equal(state, twin.AppendState(nil, d.now)) {
		d.fail(determinism, "AppendState: what tells of the past; what is relative to a time",
			"after the same inputs the machine and its twin append different states")
	}
	copied := original.Clone()
	p := d.drawPacket(&d.flows[0])
	d.m.Enqueue(now, d.flows[0].port, &p)
	for port := range d.ports {
		d.m.LinkDown(now, sluice.PortID(port))
	}
	d.m = copied
	if again, _ := kit.StatefulOf(copied); !bytes.Equal(state, again.AppendState(nil, now)) {
		d.fail(determinism, "Clone: memory that the copy shares; AppendState: what it changes",
			"the copy's state changed with the original")
	}
}
