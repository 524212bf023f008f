package cc

import "github.com/sluicefc/sluice"

// receiver is the receiving end of a flow: when it may tell the sender of marks.
type receiver struct {
	next   sluice.Time // at once: no notice before it; per interval: the pending notice, or Never
	origin sluice.Time // of the intervals: the first packet, Never before it
	mark   sluice.ECN  // of the pending notice
}

func newReceiver() receiver { return receiver{next: sluice.Never, origin: sluice.Never} }

// Arrival is what a receiver does about a packet.
type Arrival struct {
	Echo   sluice.ECN // mark to echo in its acknowledgement: CE, UE, or NotECT for none
	Notice Notice     // to send at once, unless it is the zero Notice
}

// Arrive takes a data packet of flow i that came to its receiver with a code point. A notice may
// then be due later: see NoticeDue. O(1).
func (c *Control) Arrive(now sluice.Time, i int32, ecn sluice.ECN) (a Arrival) {
	if !c.known(i) || c.flows[i].rate == 0 {
		c.counters.Ignored++
		return Arrival{}
	}
	marked := ecn == sluice.CE || ecn == sluice.UE && c.config.Ternary
	if marked {
		a.Echo = ecn
	}
	if c.config.Kind != DCQCN {
		return a
	}
	r := &c.dcqcn[i].receiver
	if r.origin == sluice.Never {
		r.origin = now
	}
	switch {
	case !marked:
	case c.config.DCQCN.NoticeWindow:
		c.remember(now, r, ecn)
	case r.next == sluice.Never || now >= r.next:
		r.next = now.Add(c.config.DCQCN.NoticeSpacing)
		a.Notice = Notice{Mark: ecn}
		c.counters.Notices++
	}
	return a
}

// remember has a notice sent at the end of the present interval, with the largest mark in it.
func (c *Control) remember(now sluice.Time, r *receiver, ecn sluice.ECN) {
	interval := c.config.DCQCN.NoticeSpacing
	if r.next == sluice.Never {
		r.mark = ecn
		r.next = r.origin.Add(((now-r.origin)/interval + 1) * interval)
		return
	}
	r.mark = max(r.mark, ecn)
}

// NoticeDue returns when the receiver of flow i has a notice to send, Never if it has none: call
// TakeNotice then. It changes with Arrive and TakeNotice.
func (c *Control) NoticeDue(i int32) sluice.Time {
	if !c.config.DCQCN.NoticeWindow || c.config.Kind != DCQCN || !c.known(i) {
		return sluice.Never
	}
	return c.dcqcn[i].next
}

// TakeNotice returns the notice that is due; ok is false if none is.
func (c *Control) TakeNotice(now sluice.Time, i int32) (n Notice, ok bool) {
	if now < c.NoticeDue(i) {
		return Notice{}, false
	}
	r := &c.dcqcn[i].receiver
	n = Notice{Mark: r.mark}
	r.next = sluice.Never
	c.counters.Notices++
	return n, true
}
