package explore

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sluicefc/sluice"
)

// Options bound a search.
type Options struct {
	// States is how many states to visit at most. Zero: a million.
	States int
	// Time is when to stop. Zero: never.
	Time time.Duration
	// Memory is how many bytes the heap of the process may have at most. Zero: no bound. It is looked
	// at now and then, so that the heap may be larger by what a few thousand states take.
	Memory int64
	// NoSymmetry tells apart states that symmetries make of each other: see the package comment.
	NoSymmetry bool
}

// Result is what a search found.
type Result struct {
	States      int  // visited; all states that symmetries make of each other count as one
	Transitions int  // steps tried
	Depth       int  // steps of the longest of the shortest ways to a state
	NodeStates  int  // states of single nodes, which make the states of the network
	Rest        int  // states in which nothing waits, is held or is on a link
	Symmetries  int  // in how many ways the network is like itself: 1 if it is not
	Whole       bool // nothing is left to visit
	// Waiting is the states whose steps were not tried: 0 if Whole.
	Waiting int
	// Through is the steps through which the search is complete: it visited every state that Through
	// steps lead to, or fewer.
	Through int
	// Frames is the kinds of control frames that were sent, in the order of the alphabet.
	Frames []string
	// Bound is what ended a search that is not Whole: "States", "Time" or "Memory". It is empty where
	// a violation did; a deadlock is looked for after the search, and may stand beside a bound.
	Bound string
	// Memory is the largest heap of the process, in bytes, that was seen.
	Memory int64
	Took   time.Duration
	// Violation is the first violation found, nil if there is none.
	Violation *Violation
}

// Violation is a property that does not hold, and the shortest way to a state where it does not.
type Violation struct {
	Property string // "no loss", "no deadlock"
	What     string
	Steps    []Step

	network *Network
}

func (f fault) violation(n *Network, steps ...Step) *Violation {
	return &Violation{Property: f.property, What: f.what, Steps: steps, network: n}
}

// Error names the property and the number of steps.
func (v *Violation) Error() string {
	return fmt.Sprintf("explore: %s after %d steps: %s", v.Property, len(v.Steps), v.What)
}

// Replay takes steps, one after another, from where nothing happened, and returns the violation
// that they end with, nil if there is none. After the last step it looks on for a deadlock, in up
// to 10,000 states. It writes what happens to w, unless w is nil. A step that cannot be taken is an
// error.
func (n *Network) Replay(w io.Writer, steps ...string) error {
	if err := n.check(); err != nil {
		return err
	}
	at, err := newWorld(n)
	if err != nil {
		return err
	}
	for i, text := range steps {
		step, err := ParseStep(text)
		if err != nil {
			return err
		}
		if !slices.Contains(at.steps(nil), step) {
			return fmt.Errorf("explore: step %d, %q, cannot be taken", i, text)
		}
		before := at.text()
		f := at.happen(step)
		if w != nil {
			fmt.Fprintf(w, "%3d %-12s %s\n", i+1, text, difference(before, at.text()))
		}
		if f != (fault{}) {
			return f.violation(n)
		}
	}
	return at.stuck()
}

// stuck looks whether the queues can empty from a state on, and the machines become quiescent.
func (w *world) stuck() error {
	identity, _ := w.network.symmetries(w.ports())
	ahead := &search{
		network: w.network, options: Options{States: 10_000}, begun: time.Now(),
		memory: newMemory(w.network, newGroup(identity, nil, nil)),
	}
	r, err := ahead.run(w)
	if v := r.Violation; err == nil && v != nil && len(v.Steps) == 0 {
		return v
	}
	return err
}

// Test returns a test that takes the steps of the violation: network is how the test makes the
// network.
func (v *Violation) Test(name, network string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s: %s.\nfunc Test%s(t *testing.T) {\n\terr := %s.Replay(nil,\n", v.Property, v.What,
		name, network)
	for i := 0; i < len(v.Steps); i += 6 {
		b.WriteString("\t\t")
		for k, step := range v.Steps[i:min(i+6, len(v.Steps))] {
			if k > 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "%q,", step.String())
		}
		b.WriteString("\n")
	}
	b.WriteString("\t)\n\trequire.NoError(t, err)\n}\n")
	return b.String()
}

// Timeline tells what happens on the way to the violation, a step in a line.
func (v *Violation) Timeline() string {
	var b strings.Builder
	var steps []string
	for _, s := range v.Steps {
		steps = append(steps, s.String())
	}
	var again *Violation
	if err := v.network.Replay(&b, steps...); err != nil && !errors.As(err, &again) {
		fmt.Fprintf(&b, "%v\n", err)
	}
	fmt.Fprintf(&b, "%s: %s\n", v.Property, v.What)
	return b.String()
}

// text describes what waits, what is on the links, and which queues with packets are held, a line
// for each.
func (w *world) text() (lines []string) {
	for i, n := range w.nodes {
		name := w.network.Nodes[i].Name
		if name == "" {
			name = fmt.Sprint("node ", i)
		}
		for port := range n.machine.Ports() {
			for q := range n.machine.Queues() {
				fifo := *n.fifo(sluice.PortID(port), sluice.QueueID(q))
				if len(fifo) == 0 {
					continue
				}
				held := ""
				if !n.machine.Sendable(sluice.PortID(port), sluice.QueueID(q)) {
					held = ", held"
				}
				lines = append(lines, fmt.Sprintf("%s port %d queue %d: %s%s", name, port, q, list(fifo), held))
			}
		}
	}
	for i := range w.wires {
		d := &w.wires[i]
		for k := range d.items {
			what := d.items[k].kind
			if p := &d.items[k].packet; d.items[k].frame == "" {
				what = fmt.Sprintf("%d.%d", p.flow, p.number)
			}
			lines = append(lines, fmt.Sprintf("%s on its way to %v", what, d.to))
		}
	}
	return lines
}

// list names packets by flow and number.
func list(fifo []packet) string {
	var names []string
	for i := range fifo {
		names = append(names, fmt.Sprintf("%d.%d", fifo[i].flow, fifo[i].number))
	}
	return strings.Join(names, " ")
}

// difference returns the lines that are new.
func difference(before, after []string) string {
	old := map[string]int{}
	for _, line := range before {
		old[line]++
	}
	var fresh []string
	for _, line := range after {
		if old[line]--; old[line] < 0 {
			fresh = append(fresh, line)
		}
	}
	if len(fresh) == 0 {
		return "-"
	}
	return strings.Join(fresh, "; ")
}
