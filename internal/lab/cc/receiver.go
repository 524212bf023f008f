package cc

import "github.com/sluicefc/sluice"

// Arrival is what a receiver does about a packet.
type Arrival struct {
	Echo   sluice.ECN // mark to echo in its acknowledgement: CE, UE, or NotECT for none
	Notice Notice     // to send at once, unless it is the zero Notice
}

// Arrive takes a data packet of flow i that came to its receiver, size bytes long on the wire, with
// a code point. A notice may then be due later: see NoticeDue. O(1).
func (c *Control) Arrive(now sluice.Time, i int32, size sluice.Bytes, ecn sluice.ECN) (a Arrival) {
	if !c.underWay(i) {
		c.counters.Ignored++
		return Arrival{}
	}
	if ecn == sluice.CE || ecn == sluice.UE && c.ternary() {
		a.Echo = ecn
	}
	if c.signals&Notices != 0 {
		a.Notice = c.law.arrive(now, i, size, ecn, a.Echo)
	}
	return a
}

// NoticeDue returns when the receiver of flow i has a notice to send, Never if it has none: call
// TakeNotice then. It changes with Arrive and TakeNotice.
func (c *Control) NoticeDue(i int32) sluice.Time {
	if c.signals&Notices == 0 || !c.underWay(i) {
		return sluice.Never
	}
	return c.law.noticeDue(i)
}

// TakeNotice returns the notice that is due; ok is false if no notice is due, or if nothing came
// that a notice could tell of.
func (c *Control) TakeNotice(now sluice.Time, i int32) (n Notice, ok bool) {
	if due := c.NoticeDue(i); now < due || due == sluice.Never {
		return Notice{}, false
	}
	if n, ok = c.law.takeNotice(now, i); ok {
		c.counters.Notices++
	}
	return n, ok
}

// receiver is the receiving end of a flow that answers marks with notices.
type receiver struct {
	next   sluice.Time // at once: no notice before it; per interval: the pending notice, or Never
	origin sluice.Time // of the intervals: the first packet, Never before it
	mark   sluice.ECN  // of the pending notice

	// Counts of the interval in which the last packet came, if a share of marks is asked for.
	ends            sluice.Time
	packets, marked int32
}

func newReceiver() receiver { return receiver{next: sluice.Never, origin: sluice.Never} }

// atOnce answers a mark, unless a notice was sent less than spacing ago.
func (c *Control) atOnce(
	now sluice.Time, r *receiver, mark sluice.ECN, spacing sluice.Time,
) (n Notice) {
	if mark != sluice.NotECT && (r.next == sluice.Never || now >= r.next) {
		r.next = now.Add(spacing)
		n.Mark = mark
		c.counters.Notices++
	}
	return n
}

// inInterval has a notice sent at the end of the present interval, with the largest mark in it. It
// counts packets if a share of them must be marked.
func (r *receiver) inInterval(now, interval sluice.Time, mark sluice.ECN, counts bool) {
	if r.origin == sluice.Never {
		r.origin = now
	}
	if counts {
		r.count(now, interval, mark != sluice.NotECT)
	}
	switch {
	case mark == sluice.NotECT:
	case r.next == sluice.Never:
		r.mark, r.next = mark, r.intervalEnd(now, interval)
	default:
		r.mark = max(r.mark, mark)
	}
}

func (r *receiver) intervalEnd(now, interval sluice.Time) sluice.Time {
	return r.origin.Add(((now-r.origin)/interval + 1) * interval)
}

func (r *receiver) count(now, interval sluice.Time, marked bool) {
	if r.packets == 0 || now >= r.ends {
		r.ends, r.packets, r.marked = r.intervalEnd(now, interval), 0, 0
	}
	r.packets++
	if marked {
		r.marked++
	}
}

// take returns the notice that is due, unless fewer than a share of the packets of its interval
// were marked.
func (r *receiver) take(share sluice.Ratio) (n Notice, ok bool) {
	due := r.next
	r.next = sluice.Never
	if r.ends == due && int64(r.marked)*share.Den < int64(r.packets)*share.Num {
		return Notice{}, false
	}
	return Notice{Mark: r.mark}, true
}
