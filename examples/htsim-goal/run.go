package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit/network"
)

// pair is what a message and its receive have in common.
type pair struct {
	from, to int
	tag      uint64
}

// messages counts the messages of a pair that ended without a receive, and has the receives that
// wait.
type messages struct {
	ended    int
	receives []*operation
}

// run is a schedule that runs on a network.
type run struct {
	network *network.Network
	sends   map[network.MessageID]*operation
	pairs   map[pair]*messages
	timers  []*operation
	ended   int
	last    sluice.Time // when the last operation ended
	took    sluice.Time // all messages, in sum
}

// all runs the operations to their end.
func (r *run) all(operations []*operation) error {
	var first []*operation
	for _, o := range operations {
		if o.waits == 0 {
			first = append(first, o)
		}
	}
	for _, o := range first {
		if err := r.begin(o); err != nil {
			return err
		}
	}
	for {
		event, more, err := r.network.Next(sluice.Never)
		switch {
		case err != nil:
			return err
		case !more && r.ended < len(operations):
			return fmt.Errorf("%d of %d operations ended", r.ended, len(operations))
		case !more:
			return nil
		case event.Kind == network.Timer:
			err = r.end(r.timers[event.Tag])
		case event.Kind == network.Done:
			r.took += event.At - event.Start
			err = r.deliver(r.sends[event.Message])
		}
		if err != nil {
			return err
		}
	}
}

func (r *run) begin(o *operation) error {
	switch o.kind {
	case "send":
		id, err := r.network.Send(
			sluice.SwitchID(o.rank), sluice.SwitchID(o.peer), sluice.Bytes(o.amount), o.tag,
		)
		r.sends[id] = o
		return err
	case "calc":
		r.timers = append(r.timers, o)
		after := sluice.Time(o.amount) * sluice.Nanosecond
		return r.network.Schedule(after, uint64(len(r.timers)-1))
	}
	m := r.of(pair{o.peer, o.rank, o.tag})
	if m.ended > 0 {
		m.ended--
		return r.end(o)
	}
	m.receives = append(m.receives, o)
	return nil
}

// deliver ends a send, and the receive that its message is for.
func (r *run) deliver(send *operation) error {
	m := r.of(pair{send.rank, send.peer, send.tag})
	if len(m.receives) == 0 {
		m.ended++
		return r.end(send)
	}
	receive := m.receives[0]
	m.receives = m.receives[1:]
	if err := r.end(send); err != nil {
		return err
	}
	return r.end(receive)
}

// end ends an operation, and begins what waited for it alone.
func (r *run) end(o *operation) error {
	r.ended++
	r.last = r.network.Now()
	for _, later := range o.then {
		if later.waits--; later.waits == 0 {
			if err := r.begin(later); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) of(p pair) *messages {
	if r.pairs[p] == nil {
		r.pairs[p] = &messages{}
	}
	return r.pairs[p]
}
