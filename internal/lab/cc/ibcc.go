package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// IBCC is the congestion control of InfiniBand (volume 1, annex A10), IBCCTCD is IBCC on ternary
// marks.
var (
	IBCC = &Kind{
		Name: "ibcc", Signals: Marks | Notices, Detector: "fecn", law: func() law { return new(ibcc) },
	}
	IBCCTCD = &Kind{
		Name: "ibcc+tcd", Signals: IBCC.Signals | Ternary, Detector: "tcd", base: IBCC, law: IBCC.law,
	}
)

type ibcc struct {
	each[ibccFlow]
	increase, limit, least int32
	timer, spacing         sluice.Time
	step                   sluice.Ratio
}

// ibccFlow is a channel adapter's state of a flow: an index into a table of delays between packets.
type ibccFlow struct {
	receiver
	timerAt sluice.Time // when the index next falls, Never at its least
	index   int32       // CCTI
}

func (k *ibcc) parameters() []params.Field {
	return []params.Field{
		count("ibcc.increase", &k.increase, "1", "steps of the index per notice (CCTI_Increase)"),
		count("ibcc.limit", &k.limit, "127", "largest index (CCTI_Limit)"),
		count("ibcc.min", &k.least, "0", "least index (CCTI_Min)"),
		span("ibcc.timer", &k.timer, "150us",
			"time after which the index falls by one (CCTI_Timer); 30us in IBM's model"),
		share("ibcc.step", &k.step, "1/8",
			"entry i of the table of delays (CCT) is i times this, in packet times; an entry counts "+
				"at least eighths"),
		params.Bind("ibcc.becn", &k.spacing, "0",
			"least time between the notices of a flow; 0: one for each marked packet").Range("", "1s"),
	}
}

func (k *ibcc) prepare() error {
	if !k.step.Valid() {
		return &params.Error{
			Parameter: "ibcc.step", Value: k.step.String(), Rule: "must have terms of at most 2^20",
		}
	}
	return inOrder(k.least, k.limit, "ibcc.limit", "ibcc.min")
}

func (k *ibcc) start(_ sluice.Time, i int32) {
	k.state[i] = ibccFlow{receiver: newReceiver(), timerAt: sluice.Never, index: k.least}
	f := &k.flows[i]
	f.rate = k.rateAt(f.class, k.least)
}

func (k *ibcc) notice(now sluice.Time, i int32, n Notice) bool {
	switch {
	case n.Mark == sluice.CE:
		k.lengthen(now, i)
	case n.Mark == sluice.UE && k.ternary():
		k.hold(now, i)
	default:
		return false
	}
	return true
}

// lengthen is a BECN: a larger index, which is a longer delay.
func (k *ibcc) lengthen(now sluice.Time, i int32) {
	k.advance(now, i)
	b := &k.state[i]
	if b.timerAt == sluice.Never {
		b.timerAt = now.Add(k.timer)
	}
	b.index = min(b.index+k.increase, k.limit)
	k.delay(i)
}

// hold keeps the index for a period of the timer, where congestion is undetermined.
func (k *ibcc) hold(now sluice.Time, i int32) {
	k.advance(now, i)
	if b := &k.state[i]; b.timerAt != sluice.Never {
		b.timerAt = now.Add(k.timer)
		k.delay(i)
	}
}

// advance applies the ends of the timer up to now.
func (k *ibcc) advance(now sluice.Time, i int32) {
	b := &k.state[i]
	if b.timerAt > now {
		return
	}
	for b.timerAt <= now && b.index > k.least {
		b.index--
		b.timerAt = b.timerAt.Add(k.timer)
	}
	k.delay(i)
}

func (k *ibcc) delay(i int32) {
	f, b := &k.flows[i], &k.state[i]
	if b.index == k.least {
		b.timerAt = sluice.Never
	}
	f.changes = b.timerAt
	k.set(f, k.rateAt(f.class, b.index))
}

// rateAt returns the rate of packets that are each followed by a gap of CCT[index] packets.
func (k *ibcc) rateAt(class uint32, index int32) sluice.Rate {
	line, step := uint64(k.classes[class].line), k.step // line times Den is below 2^64
	return max(1, sluice.Rate(line*uint64(step.Den)/(uint64(step.Den)+uint64(step.Num)*uint64(index))))
}

func (k *ibcc) arrive(now sluice.Time, i int32, _ sluice.Bytes, _, mark sluice.ECN) Notice {
	return k.atOnce(now, &k.state[i].receiver, mark, k.spacing)
}
