package cc

import "github.com/sluicefc/sluice"

// ibccFlow is the congestion control of an InfiniBand channel adapter (InfiniBand volume 1, annex
// A10): an index into a table of delays between packets.
type ibccFlow struct {
	receiver
	timerAt sluice.Time // when the index next falls, Never at its least
	index   int32       // CCTI
}

// startIBCC begins at the least index.
func (c *Control) startIBCC(i int32) {
	c.ibcc[i] = ibccFlow{
		receiver: newReceiver(), timerAt: sluice.Never, index: c.config.IBCC.Min,
	}
	f := &c.flows[i]
	f.rate = c.rateIBCC(f.class, c.config.IBCC.Min)
}

// noticeIBCC is a BECN: a larger index, which is a longer delay.
func (c *Control) noticeIBCC(now sluice.Time, i int32) {
	c.advanceIBCC(now, i)
	b, k := &c.ibcc[i], &c.config.IBCC
	if b.timerAt == sluice.Never {
		b.timerAt = now.Add(k.Timer)
	}
	b.index = min(b.index+k.Increase, k.Limit)
	c.delayIBCC(i)
}

// holdIBCC keeps the index for a period of the timer, where congestion is undetermined.
func (c *Control) holdIBCC(now sluice.Time, i int32) {
	c.advanceIBCC(now, i)
	if b := &c.ibcc[i]; b.timerAt != sluice.Never {
		b.timerAt = now.Add(c.config.IBCC.Timer)
		c.delayIBCC(i)
	}
}

// advanceIBCC applies the ends of the timer up to now.
func (c *Control) advanceIBCC(now sluice.Time, i int32) {
	b, k := &c.ibcc[i], &c.config.IBCC
	if b.timerAt > now {
		return
	}
	for b.timerAt <= now && b.index > k.Min {
		b.index--
		b.timerAt = b.timerAt.Add(k.Timer)
	}
	c.delayIBCC(i)
}

// delayIBCC sets the rate by the index.
func (c *Control) delayIBCC(i int32) {
	f, b := &c.flows[i], &c.ibcc[i]
	if b.index == c.config.IBCC.Min {
		b.timerAt = sluice.Never
	}
	f.changes = b.timerAt
	c.set(f, c.rateIBCC(f.class, b.index))
}

// rateIBCC returns the rate of packets that are each followed by a gap of CCT[index] packets.
func (c *Control) rateIBCC(class uint32, index int32) sluice.Rate {
	line, step := uint64(c.classes[class].line), c.config.IBCC.Step // line times Den is below 2^64
	return max(1, sluice.Rate(line*uint64(step.Den)/(uint64(step.Den)+uint64(step.Num)*uint64(index))))
}
