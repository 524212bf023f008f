package conformance

import "slices"

// story is how two machines came to equal states, and what happened to both then.
type story struct{ one, other, future []act }

// differ fails with the fewest acts found after which equal states are not alike.
func (s *search) differ(one, other, future []act) {
	t := story{slices.Clone(one), slices.Clone(other), slices.Clone(future)}
	what, _ := s.compare(&t, false)
	if what == "" {
		s.fail(determinism, "the suite", "a difference of equal states did not come again")
	}
	for again := true; again; {
		again = false
		for _, part := range []*[]act{&t.future, &t.one, &t.other} {
			again = s.shorten(&t, part) || again
		}
	}
	what, _ = s.compare(&t, true)
	s.fail(determinism, "AppendState: what it leaves out, or takes for the past, and a decision "+
		"depends on", "two machines append the same state and do not behave alike: %s", what)
}

// shorten leaves acts out of a part of a story, and makes them smaller, as long as what follows
// still differs.
func (s *search) shorten(t *story, part *[]act) (shorter bool) {
	try := func(acts []act) bool {
		before := *part
		*part = acts
		if what, equal := s.compare(t, false); equal && what != "" {
			shorter = true
			return true
		}
		*part = before
		return false
	}
	for size := len(*part); size > 0; size /= 2 {
		for at := len(*part) - size; at >= 0; at-- {
			if at+size <= len(*part) {
				try(slices.Concat((*part)[:at], (*part)[at+size:]))
			}
		}
	}
	for i := range *part {
		for _, make := range []func(a *act){
			func(a *act) { a.times = 1 }, func(a *act) { a.ahead = 1 }, func(a *act) { a.late = false },
		} {
			acts := slices.Clone(*part)
			if make(&acts[i]); !same(&acts[i], &(*part)[i]) {
				try(acts)
			}
		}
	}
	return shorter
}

func same(a, b *act) bool { return a.times == b.times && a.ahead == b.ahead && a.late == b.late }

// compare runs a story, and returns the difference, and whether the states were equal before. It
// writes the journal if write is set.
func (s *search) compare(t *story, write bool) (what string, equal bool) {
	var pair [2]*subject
	for i, history := range [][]act{t.one, t.other} {
		m := s.fresh.clone()
		if write {
			s.journal.remark(0, "", "%s machine:", [...]string{"one", "the other"}[i])
		}
		for k := range history {
			m.do(&history[k])
			if write {
				s.journal.steps = append(s.journal.steps, m.steps...)
			}
		}
		if i == 1 && m.key() != pair[0].key() {
			return "", false
		}
		if pair[i] = m; i == 1 {
			pair[0], pair[1] = pair[0].origin(), m.origin()
		}
	}
	if pair[0].key() != pair[1].key() {
		return "after Rebase and Renumber the states differ", true
	}
	if write {
		s.journal.remark(0, "", "both are in equal states; the time is 0, and then one does:")
	}
	for k := range t.future {
		what = lockstep(pair, &t.future[k])
		if write {
			s.journal.steps = append(s.journal.steps, pair[0].steps...)
		}
		if what != "" {
			return what, true
		}
	}
	return afterwards(pair), true
}
