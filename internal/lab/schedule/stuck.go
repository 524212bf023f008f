package schedule

import "fmt"

// Stuck says what keeps ranks from going on when nothing is under way any more: the first receives
// that wait, "" if all ranks are done.
func (r *Ranks) Stuck() string {
	ranks, text, named := 0, "", 0
	const most = 3
	for rank := range r.ranks {
		st := &r.ranks[rank]
		if st.iteration == r.iterations {
			continue
		}
		ranks++
		waits := st.mail.waiting()
		for e := (Effects{}); len(waits)+named < most && r.readFor(&e, 0, int32(rank)); {
			waits = st.mail.waiting()
		}
		for _, operation := range waits[:min(len(waits), most-named)] {
			p, i := r.at(int32(rank), operation)
			text += "; " + r.nameAt(rank, p, i) + " waits for its message"
			named++
		}
	}
	if ranks == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d ranks of job %s are not done", ranks, r.s.Ranks, r.job.Name) + text
}

// nameAt says which operation it is, and where the file has it if it is read in a window.
func (r *Ranks) nameAt(rank int, p *piece, i int32) string {
	text := nameOf(rank, p.base+i-r.s.first[rank], &p.operations[i])
	if r.s.spool != nil {
		text += fmt.Sprintf(" at %s %d of %s", r.s.spool.unit, p.places[i], r.s.spool.name)
	}
	return text
}
