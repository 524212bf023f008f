package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// freedStack is the stack of queues of LastFreed: those that emptied since they were taken last,
// the one that emptied last on top. Not all of them are free: a flow may have filled one again
// without taking it.
type freedStack struct {
	queues []sluice.QueueID
	on     bitset.Set // those on the stack
}

// newFreedStack returns the stack of queues of which none was ever used, queue 0 on top.
func newFreedStack(queues int) *freedStack {
	f := &freedStack{queues: make([]sluice.QueueID, 0, queues), on: bitset.New(queues)}
	for q := queues - 1; q >= 0; q-- {
		f.push(q)
	}
	return f
}

func (f *freedStack) push(q int) {
	if !f.on.Has(q) {
		f.on.Add(q)
		f.queues = append(f.queues, sluice.QueueID(q))
	}
}

// pop takes the queue that emptied last, -1 if none is there.
func (f *freedStack) pop() int {
	if len(f.queues) == 0 {
		return -1
	}
	last := len(f.queues) - 1
	q := int(f.queues[last])
	f.queues = f.queues[:last]
	f.on.Remove(q)
	return q
}
