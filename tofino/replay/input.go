package replay

import (
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/ir"
)

// begin notes an input and returns its time as the chip shows it.
func (t *Tap) begin(now sluice.Time, hook Hook, port sluice.PortID) sluice.Time {
	now = t.tick(now)
	t.stats.Inputs++
	t.input = Input{Number: t.stats.Inputs, Now: now, Hook: hook, Port: port}
	if t.down != "" {
		t.stats.LeftOut[t.down]++
		return now
	}
	t.trace.Steps = t.trace.Steps[:0]
	t.sent = t.sent[:0]
	if now != sluice.Never { // which is misuse
		t.catchUp(now)
	}
	if hook != Receive {
		t.advance(now)
	}
	return now
}

// advance moves the chip's clock on to a time that the machine's clock took in.
func (t *Tap) advance(now sluice.Time) {
	if now != sluice.Never {
		t.latest = max(t.latest, now)
	}
}

// end compares the frames and the state after an input.
func (t *Tap) end(now sluice.Time, wake sluice.Wake) {
	if t.comparing() && t.config.Wiring.Timers != nil {
		t.config.Wiring.Timers(now, func(pipe, app, batch, packet int) {
			t.generate(now, pipe, app, batch, packet)
		})
	}
	if t.comparing() {
		t.poll(now, wake)
	}
	if !t.comparing() {
		return
	}
	t.surplus()
	if t.stats.Inputs%uint64(t.config.Every) == 0 {
		t.compareState()
	}
}

func (t *Tap) generate(now sluice.Time, pipe, app, batch, packet int) {
	if _, found := t.outcome(now, t.chip.Timer(t.clock(), pipe, app, batch, packet, nil)); found {
		t.differs("copies", "", "no packet of the generator's in a queue", "one")
	}
}

// compareState compares all gates, and the registers.
func (t *Tap) compareState() {
	for at := range t.ports {
		t.gates(sluice.PortID(at))
	}
	if t.config.Wiring.State == nil || t.config.Count {
		return
	}
	t.stats.States++
	if d := t.config.Wiring.State(t.chip); d != nil {
		t.differs("register", strings.TrimPrefix(d.What, "register"), d.Machine, d.Program)
	}
}

// Check compares all gates and registers now and returns the first difference of all, nil if there
// was none.
func (t *Tap) Check() error {
	if t.comparing() {
		t.compareState()
	}
	return t.Err()
}

// clock returns the time of the chip's clock.
func (t *Tap) clock() uint64 { return uint64((t.latest + t.origin) / t.config.Tick) }

// differs notes that machine and program made a decision of a kind differently; of says about what.
func (t *Tap) differs(kind, of, machine, program string) {
	if t.config.Count {
		t.stats.Differences[kind]++
		return
	}
	if t.first == nil {
		t.first = &Difference{Input: t.input, What: kind + of, Machine: machine, Program: program,
			Met: append([]ir.TraceStep(nil), t.trace.Steps...)}
	}
}
