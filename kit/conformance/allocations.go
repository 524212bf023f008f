package conformance

import (
	"runtime"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// checkReplay replays the hooks on fresh machines and counts their allocations, in three attempts:
// the runtime allocates now and then on its own account.
func (d *driver) checkReplay() {
	r := newReplay(d.journal.steps)
	var allocations float64
	for range 3 {
		machines := [2]kit.Machine{d.make(), d.make()}
		next := 0
		allocations = testing.AllocsPerRun(1, func() {
			r.run(machines[next])
			next++
		})
		if allocations == 0 {
			return
		}
	}
	if guilty := r.blame(d.make()); guilty >= 0 {
		d.fail(zeroAllocations,
			"this hook: interfaces, closures, maps, append, errors made on the spot; state that New "+
				"should have made",
			"%.0f allocations in %d hooks, the first in: %s", allocations, len(r.steps), &r.steps[guilty])
	}
	d.fail(zeroAllocations, "interfaces, closures, maps, append, errors made on the spot",
		"%.0f allocations in %d hooks", allocations, len(r.steps))
}

// replay is a journal's hooks with everything that they need, so that calling them again allocates
// nothing by itself.
type replay struct {
	steps   []step
	packets []sluice.Packet
	spare   sluice.Packet
	buffer  []byte
}

func newReplay(steps []step) *replay {
	r := &replay{steps: steps, buffer: make([]byte, 0, 4096)}
	for i := range steps {
		r.packets = append(r.packets, make([]sluice.Packet, max(0, steps[i].id+1-len(r.packets)))...)
	}
	return r
}

func (r *replay) run(m kit.Machine) {
	for i := range r.steps {
		r.take(m, &r.steps[i])
	}
}

func (r *replay) take(m kit.Machine, s *step) {
	p, b := &r.spare, r.buffer
	if s.id >= 0 {
		p = &r.packets[s.id]
	}
	if s.id < 0 || s.kind == stepEnqueue {
		*p = s.packet
	}
	if s.kind == stepReceive {
		b = s.frame
	}
	s.call(m, s.now, p, b)
	m.PollPort()
}

func (r *replay) blame(m kit.Machine) int {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	for i := range r.steps {
		runtime.ReadMemStats(&before)
		r.take(m, &r.steps[i])
		runtime.ReadMemStats(&after)
		if after.Mallocs != before.Mallocs {
			return i
		}
	}
	return -1
}
