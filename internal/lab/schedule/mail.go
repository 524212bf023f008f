package schedule

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// mail is how the messages of a rank are matched with receives. A message and a receive have
// numbers: how many with the same ranks and tag were before. Equal numbers match. An entry goes
// when nothing of its iteration is to come, or when it has its match.
type mail struct {
	sent, due map[channel]int32 // in the iteration at hand, where there are several
	matches   map[match]int32   // the operation that waits; or early
	early     int               // of matches
}

// channel is the peer of a rank, and a tag.
type channel struct {
	peer int32
	tag  uint32
}

type match struct {
	channel
	number int32
}

// numbered returns the number of a send or receive, of which there are uses in an iteration.
func numbered(counts *map[channel]int32, c channel, uses, iteration int32) int32 {
	if uses == 1 {
		return iteration
	}
	if *counts == nil {
		*counts = map[channel]int32{}
	}
	before := (*counts)[c]
	if before+1 == uses {
		delete(*counts, c)
	} else {
		(*counts)[c] = before + 1
	}
	return iteration*uses + before
}

// note notes a match to come.
func (m *mail) note(key match, what int32) {
	if m.matches == nil {
		m.matches = map[match]int32{}
	}
	m.matches[key] = what
}

// waiting returns the receives that wait, in their order.
func (m *mail) waiting() (receives []int32) {
	for _, operation := range m.matches {
		if operation != early {
			receives = append(receives, operation)
		}
	}
	slices.Sort(receives)
	return receives
}

// send starts a message.
func (r *Ranks) send(e *Effects, now sluice.Time, rank, operation int32) {
	st := &r.ranks[rank]
	p, i := r.at(rank, operation)
	o := &p.operations[i]
	m := Message{
		Operation: operation, From: rank, To: o.Peer, Tag: o.Tag, Size: o.Size,
		Number: numbered(&st.mail.sent, channel{o.Peer, o.Tag}, p.uses[i], st.iteration),
		Last:   st.iteration == r.iterations-1,
	}
	if p.message[i] == none { // to the same host
		r.arrive(e, now, now, &m)
		r.end(e, now, rank, operation)
		return
	}
	m.Flow = int32(r.job.First) + st.iteration*r.messages + p.message[i]
	if st.window.ports != nil {
		m.SrcPort = p.ports[i]
	}
	st.meter.count(now)
	st.meter.leaving++
	e.Messages = append(e.Messages, m)
}

// receive has a receive wait for its message, unless that is there.
func (r *Ranks) receive(e *Effects, now sluice.Time, rank, operation int32) {
	st := &r.ranks[rank]
	p, i := r.at(rank, operation)
	o := &p.operations[i]
	c := channel{o.Peer, o.Tag}
	key := match{c, numbered(&st.mail.due, c, p.uses[i], st.iteration)}
	if _, there := st.mail.matches[key]; there {
		delete(st.mail.matches, key)
		st.mail.early--
		r.end(e, now, rank, operation)
		return
	}
	st.mail.note(key, operation)
}

// arrive matches a message with a receive. If that was due, the message released it. It returns
// since when the receiver communicated by it.
func (r *Ranks) arrive(e *Effects, now, sent sluice.Time, m *Message) (since sluice.Time) {
	st := &r.ranks[m.To]
	since = now // of a rank that has done all
	if st.iteration < r.iterations {
		since = st.meter.arrive(now, sent)
	}
	key := match{channel{m.From, m.Tag}, m.Number}
	operation, waits := st.mail.matches[key]
	for !waits && r.readFor(e, now, m.To) {
		operation, waits = st.mail.matches[key]
	}
	if !waits {
		st.mail.note(key, early)
		st.mail.early++
		return since
	}
	delete(st.mail.matches, key)
	p, i := r.at(m.To, operation)
	if p.releasedStart != nil {
		p.releasedStart[i] = p.released[i]
	}
	if p.released[i] = earlier; m.Last {
		p.released[i] = m.Operation | byMessage
	}
	r.end(e, now, m.To, operation)
	return since
}
