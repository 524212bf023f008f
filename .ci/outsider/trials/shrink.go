package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// shape is what findings of one cause have in common, as far as words can tell.
func (f *finding) shape(protocol string) string {
	text, _, _ := strings.Cut(f.text, "\n")
	return protocol + ": " + f.invariant + ": " + numbers.ReplaceAllString(text, "#")
}

var numbers = regexp.MustCompile(`[0-9]+(:[0-9]+)?(\.[0-9]+)?([pnum]?s|B|KB|MB)?|\{[0-9 ]*\}`)

// check runs a trial, and again with noise now and then: the answers must be the same. Where a
// clock steps back, the noise may have told a machine a later time than anything else.
func check(t *trial) (calls uint64, f *finding) {
	w, f := run(t, false)
	if f != nil || t.lazy || t.late || w.broken.steps || t.seed%4 != 0 {
		return w.calls, f
	}
	again, f := run(t, true)
	if f == nil && again.digest != w.digest {
		f = &finding{
			invariant: "7 determinism",
			text:      "calls that change nothing, and moves of the origin of time, changed the answers",
		}
	}
	return w.calls + again.calls, f
}

// shrink leaves out actions as long as what is found has the same shape.
func shrink(t *trial, f *finding, limit time.Duration) (*trial, *finding) {
	shape, end := f.shape(t.protocol), time.Now().Add(limit)
	for size := max(1, len(t.actions)/2); ; {
		smaller := false
		for at := 0; at < len(t.actions) && time.Now().Before(end); {
			tried := *t
			tried.actions = append([]action(nil), t.actions[:at]...)
			tried.actions = append(tried.actions, t.actions[min(at+size, len(t.actions)):]...)
			if _, g := check(&tried); g != nil && g.shape(t.protocol) == shape {
				t, f, smaller = &tried, g, true
			} else {
				at += size
			}
		}
		if size == 1 && !smaller || time.Now().After(end) {
			break
		}
		if !smaller || size > len(t.actions) {
			size = max(1, size/2)
		}
	}
	return shorten(t, f, shape, end)
}

func shorten(t *trial, f *finding, shape string, end time.Time) (*trial, *finding) {
	for i := range t.actions {
		for t.actions[i].kind == burst && t.actions[i].n > 1 && time.Now().Before(end) {
			tried := *t
			tried.actions = append([]action(nil), t.actions...)
			tried.actions[i].n /= 2
			_, g := check(&tried)
			if g == nil || g.shape(t.protocol) != shape {
				break
			}
			t, f = &tried, g
		}
	}
	return t, f
}

func report(t *trial, f *finding) string {
	var b strings.Builder
	how := "kit.Driver"
	if t.own {
		how = "own loop"
	}
	fmt.Fprintf(&b, "FINDING %s, invariant %s\n  %s\n", t.protocol, f.invariant,
		strings.ReplaceAll(f.text, "\n", "\n  "))
	fmt.Fprintf(&b, "  seed %d, after %d hook calls; %s, lazy %v, timers late %v, ends at %v\n",
		t.seed, f.calls, how, t.lazy, t.late, t.end)
	fmt.Fprintf(&b, "  configuration: %s\n  network: %v\n  actions:\n", t.setup.text, t.graph)
	for i := range t.actions {
		fmt.Fprintf(&b, "   %s\n", t.actions[i].describe(t))
	}
	fmt.Fprintf(&b, "  again: go run ./.ci/outsider -seed %d -only %s\n", t.seed, t.protocol)
	return b.String()
}
