package conformance

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
	"pgregory.net/rapid"
)

// RunStates is what Run does with machines whose state can be copied and compared, for further
// machines of a protocol.
func RunStates(t *testing.T, spec Spec) {
	t.Run("states", func(t *testing.T) { checkStates(quiet{t}, &spec) })
}

// Of a check: pairs that are compared, and acts before and after two states are equal.
const (
	longestHistory = 40
	futureLength   = 16
)

// pairsOfCheck is the pairs of one check: in 50 checks the gates compare 1,000 pairs, and nights
// 20,000 in 100.
func pairsOfCheck() int { return depth.Choose(1, 4, 20, 200) }

// checkStates gives random inputs to machines, collects pairs whose states are equal after
// different inputs, and gives both the same random inputs again: they must return the same answers.
func checkStates(tb rapid.TB, spec *Spec) {
	c := &coverage{}
	rapid.Check(c.watch(tb), func(t *rapid.T) {
		c.checks++
		r := newRun(spec, c)
		s := &search{run: r, random: prng.New(0)}
		r.guard(func() {
			if s.draw(t, spec.complete()) {
				s.collect(pairsOfCheck())
			}
		})
		r.report(t)
	})
	tb.Logf("%d checks: %d pairs of equal states", c.checks, c.pairs)
}

// search is one check of equal states.
type search struct {
	*run
	scene  scene
	fresh  *subject
	random prng.Source
	seen   map[string]*met
}

// met is a state that was met, and what led there.
type met struct {
	history []act
	at      *subject // nil until it is met again
	pairs   int
}

// draw draws machines and what can happen to them; false if their states cannot be compared.
func (s *search) draw(t *rapid.T, spec *Spec) bool {
	s.scene = scene{make: spec.New(t), words: spec.Describe}
	fresh, ok := newSubject(&s.scene)
	if !ok {
		return false
	}
	s.fresh = fresh
	m := fresh.machine()
	port := func() sluice.PortID {
		return sluice.PortID(rapid.IntRange(0, m.Ports()-1).Draw(t, "port"))
	}
	for range rapid.IntRange(1, 4).Draw(t, "packets") {
		f := flow{port: port()}
		f.template = spec.Flow(t, m, f.port)
		spec.Packet(t, m, &f.template)
		s.scene.packets = append(s.scene.packets, f)
	}
	if spec.Frame != nil {
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			at := port()
			s.scene.frames = append(s.scene.frames, forged{at, spec.Frame(t, m, at)})
		}
	}
	for range 3 {
		s.scene.spans = append(s.scene.spans, sluice.Time(rapid.SampledFrom([]int64{
			1, 1_000, 20_000, 80_000, 120_000, 500_000, 1_000_000, 5_000_000, 20_000_000, 1_000_000_000,
		}).Draw(t, "picoseconds")))
	}
	s.random = prng.New(rapid.Uint64().Draw(t, "seed"))
	return true
}

func (s *search) below(n int) int { return int(s.random.Below(uint64(n))) }

// ahead is by how much numbers of frames are ahead of the newest heard: mostly one.
var ahead = []uint32{
	1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0, 1000, 1030, 30_000, 65_535, 65_536,
	1 << 31, ^uint32(0), ^uint32(1), ^uint32(1000), ^uint32(1030), ^uint32(40_000), ^uint32(65_535),
}

// act draws what happens next to a subject.
func (s *search) act(to *subject) act {
	a := act{port: sluice.PortID(s.below(len(to.down))), times: 1}
	if s.below(4) == 0 {
		a.times = 1 + s.below(4)
	}
	if f, ok := s.frame(to); ok && s.below(4) == 0 {
		a.kind, a.frame, a.ahead = actReceive, f.bytes, ahead[s.below(len(ahead))]
		if s.below(4) > 0 {
			a.port = f.port
		}
		return a
	}
	a.which = s.below(len(s.scene.packets))
	a.span, a.late = s.scene.spans[s.below(len(s.scene.spans))], s.below(16) == 0
	switch n := s.below(40); {
	case n < 10:
		a.kind = actEnqueue
	case n < 24:
		a.kind = actSend
	case n < 26:
		a.kind = actPoll
	case n < 33:
		a.kind = actPass
	case n < 37:
		a.kind = actDeadline
	case n < 39:
		a.kind = actConsume
	default:
		a.kind = actLink
	}
	return a
}

// frame draws a frame of the scene, or one that the subject sent.
func (s *search) frame(to *subject) (forged, bool) {
	n := s.below(len(s.scene.frames) + len(to.frames))
	switch {
	case n < len(s.scene.frames):
		return s.scene.frames[n], true
	case len(to.frames) > 0:
		return forged{sluice.PortID(s.below(len(to.down))), to.frames[n-len(s.scene.frames)]}, true
	}
	return forged{}, false
}

// collect lets machines run until it has compared the pairs of a check, or it has run for long.
func (s *search) collect(pairs int) {
	s.seen = map[string]*met{}
	for runs := 0; pairs > 0 && runs < 100+10*pairsOfCheck(); runs++ {
		m := s.fresh.clone()
		var history []act
		length := 1 + s.below(longestHistory)
		for range length {
			a := s.act(m)
			m.do(&a)
			if len(m.steps) == 0 && a.kind != actPass && a.kind != actDeadline {
				continue // nothing happened
			}
			history = append(history, a)
			if s.meet(m, history) {
				if pairs--; pairs == 0 {
					return
				}
			}
		}
	}
}

// meet notes a state, and compares it with one that was met before and is equal, if there is any.
func (s *search) meet(m *subject, history []act) bool {
	const mostPairs = 2
	key := m.key()
	before := s.seen[key]
	switch {
	case before == nil:
		s.seen[key] = &met{history: history[:len(history):len(history)]}
		return false
	case before.pairs == mostPairs || m.machine().Buffered() == 0 && s.below(8) > 0:
		return false // so that most states are of packets that wait
	case before.at == nil:
		before.at = s.after(before.history).origin()
	}
	before.pairs++
	s.coverage.pairs++
	pair := [2]*subject{before.at.clone(), m.origin()}
	var future []act
	for range futureLength {
		a := s.act(pair[0])
		future = append(future, a)
		if lockstep(pair, &a) != "" {
			s.differ(before.history, history, future)
		}
	}
	if afterwards(pair) != "" {
		s.differ(before.history, history, future)
	}
	return true
}

// after returns a subject to which all this happened.
func (s *search) after(history []act) *subject {
	m := s.fresh.clone()
	for i := range history {
		m.do(&history[i])
	}
	return m
}

// lockstep does the same to both of a pair, and returns what differs.
func lockstep(pair [2]*subject, a *act) string {
	for i := range pair {
		pair[i].do(a)
	}
	x, y := pair[0], pair[1]
	for i := range min(len(x.steps), len(y.steps)) {
		if p, q := &x.steps[i], &y.steps[i]; p.kind != q.kind || !p.answer.equal(&q.answer) ||
			p.now != q.now {
			return fmt.Sprintf("the first did: %v; the other: %v", p, q)
		}
	}
	if len(x.steps) != len(y.steps) {
		return fmt.Sprintf("the first took %d steps, the other %d", len(x.steps), len(y.steps))
	}
	return unlike(x, y)
}

// unlike returns what two subjects that did the same say differently when they are asked.
func unlike(x, y *subject) string {
	a, b := x.machine(), y.machine()
	if p, q := a.Deadline(), b.Deadline(); p != q {
		return fmt.Sprintf("Deadline is %v, of the other %v", p, q)
	}
	if p, q := a.Buffered(), b.Buffered(); p != q {
		return fmt.Sprintf("Buffered is %v, of the other %v", p, q)
	}
	if p, q := a.Quiescent(), b.Quiescent(); (p == nil) != (q == nil) {
		return fmt.Sprintf("Quiescent: %v, of the other %v", p, q)
	}
	for port := range sluice.PortID(len(x.down)) {
		for q := range sluice.QueueID(a.Queues()) {
			if m, n := a.Sendable(port, q), b.Sendable(port, q); m != n {
				return fmt.Sprintf("queue %d of port %d is Sendable: %v, of the other %v", q, port, m, n)
			}
			if m, n := a.Backlog(port, q), b.Backlog(port, q); m != n {
				return fmt.Sprintf("Backlog of queue %d of port %d is %v, of the other %v", q, port, m, n)
			}
		}
	}
	return ""
}

// afterwards returns what differs at the end: what the ports counted since their origin, and the
// states, which are to be equal again.
func afterwards(pair [2]*subject) string {
	for port := range pair[0].since {
		m, n := counts(pair, 0, port), counts(pair, 1, port)
		if m != n {
			return fmt.Sprintf("port %d counted since then %+v, of the other %+v", port, m, n)
		}
	}
	x, y := pair[0], pair[1]
	if !bytes.Equal(x.m.AppendState(nil, x.now), y.m.AppendState(nil, y.now)) {
		return "afterwards they append different states"
	}
	return ""
}

// counts returns the counters of a port of one of a pair, and the earlier ones of the other's port.
func counts(pair [2]*subject, which, port int) sluice.Counters {
	c := pair[which].machine().Counters(sluice.PortID(port))
	c.Add(&pair[1-which].since[port])
	return c
}
