package main

import (
	"container/heap"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// loop is the simulator: a clock, what will happen, and all packets.
type loop struct {
	now       sluice.Time
	events    eventHeap
	scheduled int
	store     *kit.Store[struct{}]
	nodes     []*node
	frames    map[string]int // sent, by kind
}

// event is something to do at a time. Events of one time are done in the order they were scheduled.
type event struct {
	at       sluice.Time
	sequence int
	do       func()
}

func (l *loop) schedule(at sluice.Time, do func()) {
	l.scheduled++
	heap.Push(&l.events, event{at, l.scheduled, do})
}

// run does what comes next, an event or what a driver's Deadline stands for, until there are no
// more events. Some protocols repeat their state for ever, so that to wait for Never would be to
// wait for ever.
func (l *loop) run() {
	for len(l.events) > 0 {
		next, due := l.events[0].at, (*node)(nil)
		for _, n := range l.nodes {
			if at := n.driver.Deadline(); at < next {
				next, due = at, n
			}
		}
		l.now = max(l.now, next)
		if due != nil {
			due.driver.Expire(l.now)
		} else {
			heap.Pop(&l.events).(event).do()
		}
	}
}

// eventHeap has the next event first.
type eventHeap []event

func (h eventHeap) Len() int      { return len(h) }
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].sequence < h[j].sequence
}

func (h *eventHeap) Push(x any) { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}
