package bfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// resumeLimiter holds back resumes beyond Config.ResumeLimit. Every data queue of every egress port
// has a window of time, opened by the first resume after the last one ended; resumes that do not
// fit wait in a list, first come first served, for the next window.
//
// An upstream queue that waits is still paused. If its counter rises again it leaves the list. The
// zero value limits nothing.
type resumeLimiter struct {
	limit   int32
	periods []sluice.Time  // by egress port
	windows []resumeWindow // by egress port and data queue
	waiters []resumeWaiter // by first[ingress] and upstream queue
	first   []int32        // by ingress
}

type resumeWindow struct {
	end        sluice.Time
	used       int32
	head, tail int32 // waiters, or none
}

type resumeWaiter struct {
	next, previous int32 // none at the ends
	window         int32 // none: it does not wait
	port           sluice.PortID
	queue          sluice.QueueID
}

const none = -1

func newResumeLimiter(c *Config) resumeLimiter {
	r := resumeLimiter{
		limit:   int32(c.ResumeLimit),
		windows: make([]resumeWindow, len(c.Ports)*c.Queues),
	}
	for i, p := range c.Ports {
		r.periods = append(r.periods, c.resumePeriod(p.HRTT))
		r.first = append(r.first, int32(len(r.waiters)))
		for q := range p.UpstreamQueues {
			waiter := resumeWaiter{none, none, none, sluice.PortID(i), sluice.QueueID(q)}
			r.waiters = append(r.waiters, waiter)
		}
	}
	for i := range r.windows {
		r.windows[i] = resumeWindow{end: math.MinInt64, head: none, tail: none}
	}
	return r
}

func (c *Config) resumePeriod(roundTrip sluice.Time) sluice.Time {
	switch {
	case c.ResumePeriod > 0:
		return c.ResumePeriod
	case roundTrip > 0:
		return roundTrip
	}
	return DefaultPeriod
}

// allow takes a place in the window of an egress queue, opening one if none is open. It reports
// false if there is no place, or a queue already waits for one.
func (r *resumeLimiter) allow(window, queues int, now sluice.Time) bool {
	w := &r.windows[window]
	if w.head != none {
		return false
	}
	if now >= w.end {
		w.end = chassis.After(now, r.periods[window/queues])
		w.used = 0
	}
	if w.used == r.limit {
		return false
	}
	w.used++
	return true
}

// postpone lets the resume of a queue of ingress wait for the next window.
func (s *Switch) postpone(window int, ingress sluice.PortID, q sluice.QueueID) {
	r := &s.resumes
	i := r.first[ingress] + int32(q)
	w, waiter := &r.windows[window], &r.waiters[i]
	waiter.window, waiter.previous, waiter.next = int32(window), w.tail, none
	if w.tail != none {
		r.waiters[w.tail].next = i
		w.tail = i
		return
	}
	w.head, w.tail = i, i
	s.setTimer(timerKinds*len(s.ports)+window, w.end)
}

// cancel takes a queue of ingress out of the list it waits in; false if it waits in none.
func (r *resumeLimiter) cancel(ingress sluice.PortID, q sluice.QueueID) bool {
	if r.limit == 0 {
		return false
	}
	i := r.first[ingress] + int32(q)
	if r.waiters[i].window == none {
		return false
	}
	r.remove(i)
	return true
}

func (r *resumeLimiter) remove(i int32) {
	waiter := &r.waiters[i]
	w := &r.windows[waiter.window]
	if waiter.previous == none {
		w.head = waiter.next
	} else {
		r.waiters[waiter.previous].next = waiter.next
	}
	if waiter.next == none {
		w.tail = waiter.previous
	} else {
		r.waiters[waiter.next].previous = waiter.previous
	}
	waiter.next, waiter.previous, waiter.window = none, none, none
}

// windowEnded resumes queues that waited for the window to end, as many as the next window allows.
func (s *Switch) windowEnded(window int, now sluice.Time) {
	r := &s.resumes
	w := &r.windows[window]
	next := sluice.Never
	if w.head != none {
		w.end = chassis.After(now, r.periods[window/s.config.Queues])
		w.used = 0
	}
	for w.head != none && w.used < r.limit {
		w.used++
		waiter := r.waiters[w.head]
		r.remove(w.head)
		s.ports[waiter.port].resume(waiter.queue)
	}
	if w.head != none {
		next = w.end
	}
	s.timers.Put(timerKinds*len(s.ports)+window, next)
}
