package conformance

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sluicefc/sluice/internal/testnet"
	"pgregory.net/rapid"
)

// Numbers of the invariants, as the package comment lists them.
const (
	conservation = 1 + iota
	order
	lossless
	noLostWake
	liveness
	bounded
	determinism
	zeroAllocations
)

var invariantNames = [...]string{
	conservation:    "conservation",
	order:           "order",
	lossless:        "lossless",
	noLostWake:      "no lost wake",
	liveness:        "liveness",
	bounded:         "bounded",
	determinism:     "determinism",
	zeroAllocations: "zero allocations",
}

// violation is the panic with which a broken invariant leaves the action that broke it.
type violation struct {
	number int
	what   string // the observation
	lookAt string // where its cause is likely
	stack  string // of a machine that panicked
}

func (v *violation) headline(name string) string {
	return fmt.Sprintf("%s: invariant %d (%s) is broken: %s\n\tlook at: %s", name, v.number,
		invariantNames[v.number], v.what, v.lookAt)
}

// run is one check of one property: its actions, and its violation.
type run struct {
	name     string
	words    func(frame []byte) string // Spec.Describe
	coverage *coverage
	journal  journal
	broken   *violation
}

// newRun returns a check whose journal takes the memory of the check before.
func newRun(spec *Spec, c *coverage) *run {
	r := &run{name: spec.Name, words: spec.Describe, coverage: c}
	if c.latest != nil {
		r.journal.steps = c.latest.journal.steps[:0]
	}
	c.latest = r
	return r
}

func (r *run) fail(number int, lookAt, format string, args ...any) {
	panic(&violation{number: number, lookAt: lookAt, what: fmt.Sprintf(format, args...)})
}

// guard runs an action and keeps the violation it ends with. A machine's panic is a violation too;
// panics of rapid, with which it ends a check, pass through.
func (r *run) guard(action func()) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if v, ok := p.(*violation); ok {
			r.broken = v
			return
		}
		if fromRapid(p) {
			panic(p)
		}
		r.broken = &violation{
			number: bounded,
			what:   fmt.Sprintf("the machine panicked: %v", p),
			lookAt: "the last action, and the stack below it; a machine counts what makes no sense and " +
				"ignores it",
			stack: machineStack(string(debug.Stack())),
		}
	}()
	action()
}

// machineStack cuts a stack down to what lies between the panic and the suite.
func machineStack(stack string) string {
	_, below, _ := strings.Cut(stack, "panic(")
	_, below, _ = strings.Cut(below, "\n")
	_, below, _ = strings.Cut(below, "\n")
	for _, caller := range []string{"(*embedder)", "(*driver)", "(*network)", "(*subject)"} {
		if i := strings.Index(below, "conformance."+caller); i >= 0 {
			below = below[:i]
		}
	}
	if i := strings.LastIndexByte(below, '\n'); i >= 0 {
		below = below[:i]
	}
	return below
}

func fromRapid(p any) bool {
	t := reflect.TypeOf(p)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "pgregory.net/rapid"
}

// report fails the check if an invariant broke.
func (r *run) report(t *rapid.T) {
	v := r.broken
	if v == nil {
		return
	}
	headline := v.headline(r.name)
	story := strings.Join(r.journal.lines(), "\n")
	if v.stack != "" {
		story += "\n" + v.stack
	}
	t.Logf("%s", story)
	if r.coverage.first == "" {
		r.coverage.first = headline + "\n" + story
	}
	failDeep(t, v.number, headline)
}

// failDeep fails the check in a stack that is deeper by the given number of calls. Rapid shrinks
// towards sequences that fail with the same stack, so that it does not slip from one invariant to
// another.
func failDeep(t *rapid.T, calls int, headline string) {
	if calls > 0 {
		failDeep(t, calls-1, headline)
		return
	}
	t.Fatalf("%s", headline)
}

// quiet keeps rapid's lines about single draws out of the output: the list of actions says it
// better.
type quiet struct{ *testing.T }

func (q quiet) Logf(format string, args ...any) {
	if strings.HasPrefix(format, "[rapid] draw ") {
		return
	}
	q.T.Helper()
	q.T.Logf(format, args...)
}

// coverage counts what the checks of one property made a machine do, so that a test which tests
// nothing is seen: a configuration that never holds a packet, frames that no machine accepts.
type coverage struct {
	checks   int
	enqueued int
	dropped  int
	moved    int
	sent     int
	held     int // Next had nothing although packets waited
	frames   int // polled
	hostile  int // of Spec.Frame: offered
	accepted int // and not refused
	expired  int
	pairs    int // of equal states
	faults   testnet.Counts

	first  string // the first failure, before rapid tried to find it again
	latest *run
}

func (c *coverage) String() string {
	return fmt.Sprintf("%d checks: %d packets enqueued, %d dropped, %d moved, %d sent, held %d "+
		"times; %d frames sent; %d expiries; by chance %+v",
		c.checks, c.enqueued, c.dropped, c.moved, c.sent, c.held, c.frames, c.expired, c.faults)
}

// watch returns a tb that also reports the first failure when rapid calls it flaky, because the
// same draws did not lead to it again. Then usually the machine is not deterministic.
func (c *coverage) watch(tb rapid.TB) rapid.TB { return watched{tb, c} }

type watched struct {
	rapid.TB
	*coverage
}

func (w watched) Errorf(format string, args ...any) {
	w.TB.Helper()
	if strings.HasPrefix(format, "[rapid] flaky test") {
		w.TB.Errorf("invariant %d (%s): the same actions do not lead to the same end twice. The first "+
			"was:\n%s",
			determinism, invariantNames[determinism], w.first)
	}
	w.TB.Errorf(format, args...)
}

// fewest is how often something must have been tried before its absence is a fault of the Spec.
const fewest = 50

// judge logs the coverage and fails a test that covers too little. A failed check never comes here.
func (c *coverage) judge(tb rapid.TB) {
	tb.Helper()
	tb.Logf("%v", c)
	if c.enqueued+c.dropped >= fewest && c.sent == 0 {
		tb.Errorf("no packet was ever sent: look at the configurations and flows that the Spec draws")
	}
	if c.hostile >= fewest && c.accepted == 0 {
		tb.Errorf("none of %d frames drawn by Spec.Frame was accepted: they are to be well-formed",
			c.hostile)
	}
}
