package pcn

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// DefaultPeriod is the CNP generation period T of the paper.
const DefaultPeriod = 50 * sluice.Microsecond

// The share of marked packets from which on a flow is congested, unless given: 95 %.
const (
	defaultShareNum = 19
	defaultShareDen = 20
)

// NPConfig configures a NotificationPoint. The zero NPConfig is the paper's.
type NPConfig struct {
	// Period is T, the time between CNPs. Zero means DefaultPeriod. Section 6.2 recommends the longest
	// round-trip time of the network, the same for all flows. Positive, less than sluice.Never.
	Period sluice.Time
	// Share of packets marked from which on the flow is congested, above 0 and at most 1. Zero
	// means 19/20.
	Share sluice.Ratio
}

// NotificationPoint is the receiver of one flow (section 5.2, Figure 8). The zero
// NotificationPoint has the paper's parameters and is ready to use.
type NotificationPoint struct {
	period             sluice.Time // zero: DefaultPeriod
	shareNum, shareDen uint32      // zero: 19/20

	deadline sluice.Time // of the timer, if it is armed
	last     sluice.Time // when the last packet arrived
	gap      sluice.Time // since the packet before it, 0 if there was none
	bytes    int64       // recData
	packets  uint32      // recNum
	marked   uint32      // ECNNum
	ignored  uint32
	armed    bool // the timer runs
	seen     bool // a packet has arrived
}

// NewNotificationPoint returns the notification point of a flow that has not begun. The error is a
// [*sluice.ConfigError].
func NewNotificationPoint(c NPConfig) (NotificationPoint, error) {
	if err := checkPeriod("NPConfig", c.Period); err != nil {
		return NotificationPoint{}, err
	}
	if c.Share != (sluice.Ratio{}) && (!c.Share.Valid() || c.Share.Num > c.Share.Den) {
		return NotificationPoint{}, configError("NPConfig", "Share", c.Share, shareRule)
	}
	return NotificationPoint{
		period:   c.Period,
		shareNum: uint32(c.Share.Num),
		shareDen: uint32(c.Share.Den),
	}, nil
}

func checkPeriod(of string, period sluice.Time) error {
	if period < 0 || period == sluice.Never {
		return configError(of, "Period", period, "must not be negative, and less than never")
	}
	return nil
}

// Arrive says that a packet of the flow arrived, size bytes long, with the code point ecn. It
// reports whether that started the timer, and so changed Deadline. A size that is not 1 to
// sluice.MaxPacket is counted and ignored.
func (n *NotificationPoint) Arrive(now sluice.Time, size sluice.Bytes, ecn sluice.ECN) bool {
	if size <= 0 || size > sluice.MaxPacket || n.packets == math.MaxUint32 {
		n.ignored++
		return false
	}
	if n.seen {
		now = chassis.Later(n.last, now)
		n.gap = chassis.Span(n.last, now)
	} else {
		now = chassis.Later(chassis.Earliest, now)
	}
	n.seen = true
	n.last = now
	n.packets++
	n.bytes += int64(size)
	if ecn == sluice.CE {
		n.marked++
	}
	if n.armed {
		return false
	}
	n.armed = true
	n.deadline = chassis.After(now, n.t())
	return true
}

// Expire ends the period if its time has come, and otherwise does nothing. If packets arrived in
// it, it returns the CNP to send and true: whether the flow is congested and its receiving rate;
// the addresses are for the caller to fill in. The timer then runs for another period. If none
// arrived there is no CNP, and the timer stops until the next packet.
func (n *NotificationPoint) Expire(now sluice.Time) (CNP, bool) {
	if now = chassis.Later(n.last, now); now < n.deadline {
		return CNP{}, false
	}
	if n.packets == 0 {
		n.armed = false
		return CNP{}, false
	}
	c := CNP{Congested: n.congested(), RecRate: n.rate(now)}
	n.deadline = chassis.After(now, n.t())
	n.bytes, n.packets, n.marked = 0, 0, 0
	return c, true
}

// congested is "ECNNum/TotalNum > 0.95" of Figure 8, with the equality of the text.
func (n *NotificationPoint) congested() bool {
	num, den := uint64(n.shareNum), uint64(n.shareDen)
	if den == 0 {
		num, den = defaultShareNum, defaultShareDen
	}
	return uint64(n.marked)*den >= uint64(n.packets)*num
}

func (n *NotificationPoint) rate(now sluice.Time) uint32 {
	span := chassis.After(n.t(), chassis.Span(n.deadline, now))
	if n.packets == 1 {
		span = max(span, n.gap)
	}
	return megabits(n.bytes, span)
}

// megabits returns the rate of that many bytes in a span, both positive, in Mb/s: to the nearest,
// at least 1, and saturating.
func megabits(bytes int64, span sluice.Time) uint32 {
	const perMicrosecond = 8 * uint64(sluice.Microsecond) // bits are Mb/s times microseconds
	hi, lo := bits.Mul64(uint64(bytes), perMicrosecond)
	lo, carry := bits.Add64(lo, uint64(span)/2, 0)
	hi += carry
	if hi >= uint64(span) {
		return math.MaxUint32
	}
	rate, _ := bits.Div64(hi, lo, uint64(span))
	return uint32(min(max(rate, 1), math.MaxUint32))
}

// Deadline returns when the timer ends, and Never while it does not run.
func (n *NotificationPoint) Deadline() sluice.Time {
	if !n.armed {
		return sluice.Never
	}
	return chassis.Due(n.deadline)
}

func (n *NotificationPoint) t() sluice.Time { return cmp.Or(n.period, DefaultPeriod) }

// Ignored counts the packets whose size was not 1 to sluice.MaxPacket.
func (n *NotificationPoint) Ignored() uint64 { return uint64(n.ignored) }
