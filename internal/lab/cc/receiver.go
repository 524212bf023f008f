package cc

import "github.com/sluicefc/sluice"

// receiver is the receiving end of a flow: when it may tell the sender of marks.
type receiver struct {
	next   sluice.Time // at once: no notice before it; per interval: the pending notice, or Never
	origin sluice.Time // of the intervals: the first packet, Never before it
	mark   sluice.ECN  // of the pending notice

	// With a least share of marks: of the interval that the last packet came in.
	ends            sluice.Time
	packets, marked int32
}

func newReceiver() receiver { return receiver{next: sluice.Never, origin: sluice.Never} }

// Arrival is what a receiver does about a packet.
type Arrival struct {
	Echo   sluice.ECN // mark to echo in its acknowledgement: CE, UE, or NotECT for none
	Notice Notice     // to send at once, unless it is the zero Notice
}

// Arrive takes a data packet of flow i that came to its receiver, size bytes long on the wire, with
// a code point. A notice may then be due later: see NoticeDue. O(1).
func (c *Control) Arrive(now sluice.Time, i int32, size int32, ecn sluice.ECN) (a Arrival) {
	if !c.known(i) || c.flows[i].rate == 0 {
		c.counters.Ignored++
		return Arrival{}
	}
	marked := ecn == sluice.CE || ecn == sluice.UE && c.ternary
	if marked {
		a.Echo = ecn
	}
	switch c.family {
	case DCQCN:
		a.Notice = c.arriveDCQCN(now, &c.dcqcn[i].receiver, marked, ecn)
	case IBCC:
		if marked {
			a.Notice = c.noticeAtOnce(now, &c.ibcc[i].receiver, ecn, c.config.IBCC.NoticeSpacing)
		}
	case PCN:
		c.pcn[i].notification.Arrive(now, size, ecn)
	}
	return a
}

func (c *Control) arriveDCQCN(
	now sluice.Time, r *receiver, marked bool, ecn sluice.ECN,
) (n Notice) {
	if r.origin == sluice.Never {
		r.origin = now
	}
	if c.config.DCQCN.NoticeShare.Num > 0 && c.config.DCQCN.NoticeWindow {
		c.count(now, r, marked)
	}
	switch {
	case !marked:
	case c.config.DCQCN.NoticeWindow:
		c.remember(now, r, ecn)
	default:
		n = c.noticeAtOnce(now, r, ecn, c.config.DCQCN.NoticeSpacing)
	}
	return n
}

// noticeAtOnce answers a mark, unless a notice was sent so short a time ago.
func (c *Control) noticeAtOnce(
	now sluice.Time, r *receiver, ecn sluice.ECN, spacing sluice.Time,
) (n Notice) {
	if r.next == sluice.Never || now >= r.next {
		r.next = now.Add(spacing)
		n.Mark = ecn
		c.counters.Notices++
	}
	return n
}

// remember has a notice sent at the end of the present interval, with the largest mark in it.
func (c *Control) remember(now sluice.Time, r *receiver, ecn sluice.ECN) {
	if r.next == sluice.Never {
		r.mark = ecn
		r.next = c.intervalEnd(now, r)
		return
	}
	r.mark = max(r.mark, ecn)
}

// intervalEnd returns the end of the present interval.
func (c *Control) intervalEnd(now sluice.Time, r *receiver) sluice.Time {
	interval := c.config.DCQCN.NoticeSpacing
	return r.origin.Add(((now-r.origin)/interval + 1) * interval)
}

// count counts a packet to the present interval.
func (c *Control) count(now sluice.Time, r *receiver, marked bool) {
	if r.packets == 0 || now >= r.ends {
		r.ends, r.packets, r.marked = c.intervalEnd(now, r), 0, 0
	}
	r.packets++
	if marked {
		r.marked++
	}
}

// marksSuffice reports whether the share of marks in the interval of the notice that is due is
// large enough.
func (c *Control) marksSuffice(r *receiver) bool {
	share := c.config.DCQCN.NoticeShare
	return r.ends != r.next || int64(r.marked)*share.Den >= int64(r.packets)*share.Num
}

// NoticeDue returns when the receiver of flow i has a notice to send, Never if it has none: call
// TakeNotice then. It changes with Arrive and TakeNotice.
func (c *Control) NoticeDue(i int32) sluice.Time {
	switch {
	case !c.known(i):
	case c.family == PCN:
		return c.pcn[i].notification.Deadline()
	case c.family == DCQCN && c.config.DCQCN.NoticeWindow:
		return c.dcqcn[i].next
	}
	return sluice.Never
}

// TakeNotice returns the notice that is due; ok is false if none is, or if nothing came that it
// could tell of.
func (c *Control) TakeNotice(now sluice.Time, i int32) (n Notice, ok bool) {
	if due := c.NoticeDue(i); now < due || due == sluice.Never {
		return Notice{}, false
	}
	if c.family == PCN {
		return c.takeRate(now, i)
	}
	r := &c.dcqcn[i].receiver
	n, ok = Notice{Mark: r.mark}, c.marksSuffice(r)
	r.next = sluice.Never
	if !ok {
		return Notice{}, false
	}
	c.counters.Notices++
	return n, true
}
