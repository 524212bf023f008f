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

// agenda is a 4-ary heap of events.
type agenda []event

func (a *agenda) push(e event) {
	*a = append(*a, e)
	h := *a
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

func (a *agenda) pop() event {
	h := *a
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*a = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for j := first + 1; j < min(first+4, len(h)); j++ {
			if h[j].before(&h[least]) {
				least = j
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}
