package main

import (
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// faulty is a machine that breaks one promise.
type faulty struct {
	kit.Machine
	fault   string
	packets int
}

func (f *faulty) Unwrap() kit.Machine { return f.Machine }

func (f *faulty) Enqueue(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Verdict {
	if f.packets++; f.fault == "drops" && f.packets%50 == 0 && p.Size > 0 && p.Class < 8 {
		return sluice.DropBecause(sluice.BufferFull)
	}
	v := f.Machine.Enqueue(now, port, p)
	if f.fault == "deaf to deadlines" {
		return v.WithoutWake().WithWake(v.Wake() &^ sluice.WakeDeadline)
	}
	return v
}

func (f *faulty) Receive(now sluice.Time, port sluice.PortID, b []byte) (sluice.Wake, error) {
	w, err := f.Machine.Receive(now, port, b)
	if f.fault == "lost wake" {
		return 0, err
	}
	return w, err
}

func (f *faulty) Expire(now sluice.Time) sluice.Wake {
	if f.fault == "never expires" {
		return 0
	}
	return f.Machine.Expire(now)
}

func (f *faulty) Rebase(by sluice.Time) {
	if f.fault == "stays where it was" && by > 0 {
		by /= 2
	}
	f.Machine.Rebase(by)
}

func (f *faulty) Buffered() sluice.Bytes {
	if f.fault == "counts wrong" {
		return f.Machine.Buffered() + 1
	}
	return f.Machine.Buffered()
}

// Each promise that a machine breaks is found, and shrinking keeps what was found. A sound machine
// in the same wrapping breaks none.
func TestFindsBrokenPromises(t *testing.T) {
	for fault, invariant := range map[string]string{
		"": "", "drops": "3", "deaf to deadlines": "4", "lost wake": "4", "never expires": "6",
		"stays where it was": "", "counts wrong": "1",
	} {
		trial, f := firstFinding(fault)
		if fault == "" {
			if f != nil {
				t.Errorf("a sound machine: %s", report(trial, f))
			}
			continue
		}
		if f == nil {
			t.Errorf("%s: not found", fault)
			continue
		}
		if !strings.HasPrefix(f.invariant, invariant) {
			t.Errorf("%s: found as %s: %s", fault, f.invariant, f.text)
		}
		before := len(trial.actions)
		trial, again := shrink(trial, f, 1e9)
		if again.shape(trial.protocol) != f.shape(trial.protocol) || len(trial.actions) > before {
			t.Errorf("%s: shrunk to something else: %s", fault, report(trial, again))
		}
	}
}

// firstFinding tries cbfc and pfc with a fault in every machine.
func firstFinding(fault string) (*trial, *finding) {
	for seed := range uint64(60) {
		for _, i := range []int{0, 5} {
			t := drawTrial(&protocols[i], seed)
			if t == nil {
				continue
			}
			node := t.setup.node
			t.setup.operate = nil
			t.setup.node = func(id int) (kit.Machine, error) {
				m, err := node(id)
				return &faulty{Machine: m, fault: fault}, err
			}
			t.actions = withoutOperators(t.actions)
			if _, f := check(t); f != nil {
				return t, f
			}
		}
	}
	return nil, nil
}

func withoutOperators(actions []action) (kept []action) {
	for _, a := range actions {
		if a.kind != operated {
			kept = append(kept, a)
		}
	}
	return kept
}

// The same seed makes the same run, to the bit.
func TestTrialsAreDeterministic(t *testing.T) {
	for i := range protocols {
		first, _ := run(drawTrial(&protocols[i], 3), false)
		second, _ := run(drawTrial(&protocols[i], 3), false)
		if first.digest != second.digest || first.calls != second.calls || first.calls == 0 {
			t.Errorf("%s: %d and %d calls", protocols[i].name, first.calls, second.calls)
		}
	}
}
