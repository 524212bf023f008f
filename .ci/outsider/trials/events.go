package main

import "github.com/sluicefc/sluice"

type eventKind uint8

const (
	packetArrives eventKind = iota
	frameArrives
	transmitterFree
	injects // the next packet of a burst
	acts
	linkIsUp
	lossEnds
	congestionEnds
	servesLate // ports that were woken and left waiting
	heals
)

// event is something that will happen. What a link carries is void if its epoch has changed.
type event struct {
	at    sluice.Time
	turn  uint64
	kind  eventKind
	node  uint8
	port  uint8
	epoch uint16
	what  uint32 // a packet, a frame, or an action
	left  int32
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.turn < o.turn }

// agenda is a binary heap of events.
type agenda []event

func (a *agenda) push(e event) {
	h := append(*a, e)
	for i := len(h) - 1; i > 0 && h[i].before(&h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*a = h
}

func (a *agenda) pop() event {
	h := *a
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for at, least := 0, 0; ; at = least {
		for child := 2*at + 1; child < min(2*at+3, len(h)); child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if least == at {
			break
		}
		h[at], h[least] = h[least], h[at]
	}
	*a = h
	return top
}
