package main

import (
	"container/heap"

	"github.com/sluicefc/sluice"
)

// event is something to do at a time. Events of one time are done in the order they were scheduled.
type event struct {
	at       sluice.Time
	sequence int
	do       func(now sluice.Time)
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

var (
	events    eventHeap
	scheduled int
)

func schedule(at sluice.Time, do func(now sluice.Time)) {
	scheduled++
	heap.Push(&events, event{at, scheduled, do})
}

// run does what comes next, an event or what a machine's Deadline stands for, until there is nothing.
func run(nodes []*node) {
	for {
		next, due := sluice.Never, (*node)(nil)
		if len(events) > 0 {
			next = events[0].at
		}
		for _, n := range nodes {
			if at := n.machine.Deadline(); at < next {
				next, due = at, n
			}
		}
		switch {
		case next == sluice.Never:
			return
		case due != nil:
			due.act(next, due.machine.Expire(next))
		default:
			heap.Pop(&events).(event).do(next)
		}
	}
}
