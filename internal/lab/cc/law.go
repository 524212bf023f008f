package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// law is a control at work: its constants, and the state of each flow by its index. It embeds
// [each], whose methods do nothing, and has its own for methods that it needs. i is a flow that is
// under way.
type law interface {
	// parameters are the constants, bound to fields. prepare makes of them what the law reckons with.
	parameters() []params.Field
	prepare() error
	// class returns the constants of a line rate: the parameters, or published constants scaled to
	// it. It is asked once for each line rate, in the order of their indexes.
	class(line sluice.Rate) class
	start(now sluice.Time, i int32)
	// sent learns of packets once a notice has come.
	sent(now sluice.Time, i int32, size int64)
	// ack takes acknowledgements if the law learns from echoes, times or telemetry; arrive takes
	// packets if it learns from notices.
	ack(now sluice.Time, i int32, s *Sample)
	// notice reports whether the notice meant anything.
	notice(now sluice.Time, i int32, n Notice) bool
	// advance applies what has fallen due.
	advance(now sluice.Time, i int32)
	// arrive returns the notice that answers a packet at once. A mark that the law does not know is
	// NotECT in mark.
	arrive(now sluice.Time, i int32, size sluice.Bytes, ecn, mark sluice.ECN) Notice
	noticeDue(i int32) sluice.Time
	takeNotice(now sluice.Time, i int32) (Notice, bool)

	bind(c *Control)
	grow()
}

// each is the state S of each flow, and the control that the law belongs to.
type each[S any] struct {
	*Control
	state []S
}

func (e *each[S]) bind(c *Control) { e.Control = c }

func (e *each[S]) grow() {
	var none S
	e.state = append(e.state, none)
}

func (*each[S]) parameters() []params.Field                   { return nil }
func (*each[S]) prepare() error                               { return nil }
func (*each[S]) class(sluice.Rate) class                      { return class{} }
func (*each[S]) start(sluice.Time, int32)                     {}
func (*each[S]) sent(sluice.Time, int32, int64)               {}
func (*each[S]) ack(sluice.Time, int32, *Sample)              {}
func (*each[S]) notice(sluice.Time, int32, Notice) bool       { return false }
func (*each[S]) advance(sluice.Time, int32)                   {}
func (*each[S]) noticeDue(int32) sluice.Time                  { return sluice.Never }
func (*each[S]) takeNotice(sluice.Time, int32) (Notice, bool) { return Notice{}, false }
func (*each[S]) arrive(sluice.Time, int32, sluice.Bytes, sluice.ECN, sluice.ECN) (n Notice) {
	return n
}

// The ranges of parameters. A rate that is not given has no range: it is the default for a flow's
// line rate.

func share(name string, into *sluice.Ratio, initial, doc string) params.Field {
	return params.Bind(name, into, initial, doc).Range(">0", "1")
}

func shareOrZero(name string, into *sluice.Ratio, initial, doc string) params.Field {
	return params.Bind(name, into, initial, doc).Range("", "1")
}

func span(name string, into *sluice.Time, initial, doc string) params.Field {
	return params.Bind(name, into, initial, doc).Range("1ns", "1000s")
}

func amount(name string, into *sluice.Bytes, initial, doc string) params.Field {
	return params.Bind(name, into, initial, doc).Range("1B", "1000GB")
}

func count(name string, into *int32, initial, doc string) params.Field {
	return params.Bind(name, into, initial, doc).Range("", "65536")
}

func rate(name string, into *sluice.Rate, initial, doc string) params.Field {
	return params.Bind(name, into, initial, doc).Range("1bps", "10Tbps")
}

// inOrder returns an error unless low is at most high, which parameters name.
func inOrder[T sluice.Time | int32](low, high T, name, below string) error {
	if low <= high {
		return nil
	}
	return &params.Error{Parameter: name, Rule: "must be at least " + below}
}

// or returns v, or otherwise if v is 0, which means that it is not given.
func or[T sluice.Rate | sluice.Bytes | sluice.Time](v, otherwise T) T {
	if v != 0 {
		return v
	}
	return max(1, otherwise)
}

func float(r sluice.Ratio) float64 { return float64(r.Num) / float64(r.Den) }

// fixed32 returns r, which is below 1, in units of 2^-32.
func fixed32(r sluice.Ratio) uint64 { return uint64(float64(float(r) * (1 << 32))) }

type Kind struct {
	Name    string  // as a user writes it
	Signals Signals // what it learns from
	// Detector marks packets for it by default: a value of parameter detect.
	Detector string
	// Windowed says that its window shrinks with the rate by default.
	Windowed bool

	base *Kind // whose parameters it has; nil: it has its own
	law  func() law
}

// kinds are all there are, in the order of lists.
var kinds = []*Kind{
	None, DCQCN, DCQCNHPCC, Timely, TimelyPCN, HPCC, QCN, DCTCP, DCQCNTCD, TimelyTCD, IBCC, IBCCTCD,
	PCN,
}

// None is a control that does nothing.
var None = &Kind{Name: "none", law: func() law { return new(none) }}

type none struct{ each[struct{}] }

func (k *Kind) String() string { return k.Name }

var Names = func() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}()

func Find(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

func Definitions() (all []params.Definition) {
	for _, k := range kinds {
		if k.base == nil {
			l := k.law()
			(*params.Values)(nil).Fill(l.parameters())
			all = append(all, params.Definitions(l.parameters())...)
		}
	}
	return all
}

// Signals is a set of what a control learns from.
type Signals uint8

const (
	Marks     Signals = 1 << iota // ECN marks of data packets; without marking it never acts
	Echoes                        // marks come back in acknowledgements
	Notices                       // marks come back in notices of the receiver (CNP)
	Feedback                      // notices of switches (CNM)
	RTT                           // round-trip times of packets that are acknowledged
	Telemetry                     // INT, which makes data packets longer
	Ternary                       // marks are UE as well as CE (TCD); senders send with ECT1
)
