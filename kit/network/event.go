package network

import (
	"cmp"

	"github.com/sluicefc/sluice"
)

// Kind is what an event is about.
type Kind uint8

const (
	// Arrived: all bytes of a message have come to its receiver.
	Arrived Kind = iota
	// Done: the last acknowledgement of a message has come to its sender, after Arrived, or at the
	// same time. No packet of it is left.
	Done
	// Timer: the time of a call of Schedule is over.
	Timer
)

func (k Kind) String() string { return [...]string{"arrived", "done", "timer"}[min(k, Timer)] }

// Event is something that happens at an instant.
type Event struct {
	Kind Kind
	At   sluice.Time
	Tag  uint64 // of Send or Schedule
	// Of a message:
	Message  MessageID
	Src, Dst sluice.SwitchID
	Bytes    sluice.Bytes
	Start    sluice.Time // when it was sent
}

// Next lets time pass until the next event, or until an instant if none comes before: then it
// returns false, and that instant is the present. What happens at the instant itself counts.
// Sluice.Never stands for as long as anything happens: false says that no timer is set and no
// message is under way. At one time events of messages come first, then timers, in the order of
// Schedule. An instant before the present is the present.
//
// An error says why nothing goes on: messages are under way and none of their packets ever moves
// again, as in a deadlock, or after losses that the transport does not repair. It stays.
func (n *Network) Next(until sluice.Time) (Event, bool, error) {
	if n.err != nil {
		return Event{}, false, n.err
	}
	due := n.timers.first()
	notice, ok, err := n.live.Advance(max(min(until, due), n.Now()))
	switch {
	case err != nil:
		n.err = err
		return Event{}, false, err
	case ok:
		kind := Arrived
		if notice.Acknowledged {
			kind = Done
		}
		return Event{
			Kind: kind, At: n.Now(), Tag: notice.Tag, Message: MessageID(notice.Number),
			Src: notice.Src, Dst: notice.Dst, Bytes: notice.Bytes, Start: notice.Start,
		}, true, nil
	case due <= until && due < sluice.Never:
		t := n.timers.pop()
		return Event{Kind: Timer, At: t.at, Tag: t.tag}, true, nil
	}
	return Event{}, false, nil
}

// timer is a call of Schedule.
type timer struct {
	at   sluice.Time
	turn uint64 // of Schedule
	tag  uint64
}

// timers is a heap: the first to end is on top.
type timers struct {
	heap []timer
	turn uint64
}

func (t *timers) first() sluice.Time {
	if len(t.heap) == 0 {
		return sluice.Never
	}
	return t.heap[0].at
}

func before(a, b timer) bool {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.turn, b.turn)) < 0
}

func (t *timers) push(one timer) {
	one.turn = t.turn
	t.turn++
	t.heap = append(t.heap, one)
	for i := len(t.heap) - 1; i > 0 && before(t.heap[i], t.heap[(i-1)/2]); i = (i - 1) / 2 {
		t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
	}
}

func (t *timers) pop() timer {
	top, last := t.heap[0], len(t.heap)-1
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && before(t.heap[child+1], t.heap[child]) {
			child++
		}
		if !before(t.heap[child], t.heap[i]) {
			return top
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}
