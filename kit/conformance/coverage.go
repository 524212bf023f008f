package conformance

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

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

	first string // the first failure, before rapid tried to find it again
}

func (c *coverage) String() string {
	return fmt.Sprintf("%d checks: %d packets enqueued, %d dropped, %d moved, %d sent, held %d "+
		"times; %d frames sent; %d expiries",
		c.checks, c.enqueued, c.dropped, c.moved, c.sent, c.held, c.frames, c.expired)
}

// watch returns tb with one thing added: if rapid calls a failure flaky, because the same draws did
// not lead to it again, the first failure is told all the same. It is usually the machine
// that is not deterministic.
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
