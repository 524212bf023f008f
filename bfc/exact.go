package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/table"
)

// exact is what Config.Ideal adds to a flow table: an entry belongs to one flow, and a queue to one
// entry, its owner.
//
// A flow that has no entry gets an unused one; else the entry of a flow without packets here: of a
// flow that owns no queue, else of the flow whose queue has been empty longest. A flow that needs a
// queue gets a free one; else again the queue that has been empty longest, from its owner. A queue
// that has packets, or that downstream pauses, is not taken from its owner: so a flow whose packets
// have all left cannot come back to another queue and escape the pause.
//
// If every entry has packets here, or a queue that cannot be taken, the flow joins the shared entry
// that it hashes to, and its queue. While a shared entry has packets, every flow that hashes to it
// and has no entry of its own joins it. So a flow never has packets under two entries, and cannot
// be reordered.
type exact struct {
	flows  table.Table // the entry of a flow
	known  int         // entries of flows; the shared ones are numbered after them
	unused []int32     // entries of no flow

	owners []int32   // by data queue: the entry that owns it, or none
	links  []restful // by entry
	// Entries without packets here that may be given to another flow: entries that own a queue,
	// which is empty and not paused, and entries that own none. The entry that has rested longest
	// comes first.
	owning, others restList
}

type restful struct {
	previous, next int32 // none at the ends
	in             bool
}

// restList is a list of entries, linked by exact.links.
type restList struct{ head, tail int32 }

// sharedEntries is how many entries are for flows that find no room.
const (
	sharedBits    = 6
	sharedEntries = 1 << sharedBits
)

func newExact(c *Config, seed uint64) *exact {
	known := max(c.VFIDs, c.Queues)
	x := &exact{
		flows:  table.New(known, seed),
		known:  known,
		unused: make([]int32, known),
		owners: make([]int32, c.Queues),
		links:  make([]restful, known),
		owning: restList{none, none},
		others: restList{none, none},
	}
	for i := range x.unused {
		x.unused[i] = int32(known - 1 - i) // the lowest comes out first
	}
	for q := range x.owners {
		x.owners[q] = none
	}
	return x
}

// lookup returns the index of the entry for a packet of a flow that is arriving, where vfid does
// not say it: of LowBits, or with Config.Ideal.
func (p *Port) lookup(flow uint64) int {
	if p.exact == nil {
		return int(flow & uint64(len(p.entries)-1))
	}
	if index, ok := p.exact.flows.Find(flow); ok {
		return index
	}
	return p.admit(flow)
}

// admit returns the entry for a packet of a flow that has none: a new one of its own, or a shared
// one.
func (p *Port) admit(flow uint64) int {
	x := p.exact
	shared := x.known + int(spread(flow^p.seed)>>(64-sharedBits))
	if p.entries[shared].size > 0 {
		p.counters.TableOverflows++
		return shared
	}
	index := int(x.others.head)
	if n := len(x.unused); n > 0 {
		index = int(x.unused[n-1])
		x.unused = x.unused[:n-1]
	} else if index == none {
		index = int(x.owning.head)
	}
	if index == none {
		p.counters.TableOverflows++
		return shared
	}
	if x.links[index].in {
		p.evict(index)
		x.unused = x.unused[:len(x.unused)-1]
	}
	x.flows.Put(flow, index)
	p.entries[index] = entry{flow: flow}
	return index
}

// evict takes a resting entry from its flow, and its queue if it owns one, and puts it among the
// unused ones.
func (p *Port) evict(index int) {
	x, e := p.exact, &p.entries[index]
	x.remove(index)
	x.flows.Remove(e.flow)
	x.unused = append(x.unused, int32(index))
	if q := int(e.queue); x.owners[q] == int32(index) {
		p.disown(q, e)
	}
}

// reclaim takes the queue that has been empty longest from its owner, which keeps its entry; -1 if
// there is none that may be taken.
func (p *Port) reclaim() int {
	x := p.exact
	index := int(x.owning.head)
	if index == none {
		return -1
	}
	x.remove(index)
	q := int(p.entries[index].queue)
	p.disown(q, &p.entries[index])
	x.append(&x.others, index)
	return q
}

// disown takes queue q, which is empty, from its owner.
func (p *Port) disown(q int, e *entry) {
	if p.owner.clock.Now()-e.last <= p.from[place(sluice.Local)].sticky {
		p.counters.StickyEvictions++
	}
	p.exact.owners[q] = none
	p.offer(q)
}

func (p *Port) own(q, index int) {
	if p.exact.owners[q] == none {
		p.exact.owners[q] = int32(index)
		p.free.Remove(q)
	}
}

// wake takes an entry that is to get a packet out of the lists, and reports whether it owns its
// queue.
func (x *exact) wake(e *entry, index int) (owns bool) {
	if index >= x.known {
		return false
	}
	if x.links[index].in {
		x.remove(index)
	}
	return e.used && x.owners[e.queue] == int32(index)
}

// rest takes note that the last packet of an entry has left: another flow may have the entry, and
// its queue if that may be taken.
func (p *Port) rest(index int) {
	x := p.exact
	if index >= x.known {
		return
	}
	q := int(p.entries[index].queue)
	switch {
	case x.owners[q] != int32(index):
		x.append(&x.others, index)
	case p.queues[q].packets == 0:
		p.offer(q)
	}
}

func (x *exact) offer(q int, open bool) {
	index := int(x.owners[q])
	switch {
	case open == x.links[index].in:
	case open:
		x.append(&x.owning, index)
	default:
		x.remove(index)
	}
}

func (x *exact) append(l *restList, index int) {
	x.links[index] = restful{previous: l.tail, next: none, in: true}
	if l.tail == none {
		l.head = int32(index)
	} else {
		x.links[l.tail].next = int32(index)
	}
	l.tail = int32(index)
}

func (x *exact) remove(index int) {
	link := x.links[index]
	l := &x.owning
	if x.others.head == int32(index) || x.others.tail == int32(index) {
		l = &x.others
	}
	if link.previous == none {
		l.head = link.next
	} else {
		x.links[link.previous].next = link.next
	}
	if link.next == none {
		l.tail = link.previous
	} else {
		x.links[link.next].previous = link.previous
	}
	x.links[index] = restful{}
}
