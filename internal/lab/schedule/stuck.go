package schedule

import "fmt"

// Stuck says what keeps ranks from going on when nothing is under way any more: the first receives
// that wait, "" if all ranks are done.
func (r *Ranks) Stuck() string {
	ranks, text, named := 0, "", 0
	for rank := range int32(r.s.Ranks) {
		if r.iteration[rank] < r.iterations {
			ranks++
		}
	}
	if ranks == 0 {
		return ""
	}
	const most = 3
	for i := range r.s.operations {
		if named < most && r.waits(int32(i)) {
			text += "; " + r.s.name(int32(i)) + " waits for its message"
			named++
		}
	}
	return fmt.Sprintf("%d of %d ranks of job %s are not done", ranks, r.s.Ranks, r.job.Name) + text
}

// waits reports whether a receive is due and its message has not arrived.
func (r *Ranks) waits(operation int32) bool {
	if r.s.operations[operation].Kind != Recv {
		return false
	}
	channel := r.s.channels.of[operation]
	each := r.s.channels.receives[channel+1] - r.s.channels.receives[channel]
	for number := max(r.due[channel]-each, 0); number < r.due[channel]; number++ {
		if *r.match(channel, number) == operation+1 {
			return true
		}
	}
	return false
}
