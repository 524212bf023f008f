package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// hybrid is a switch with PFC below, which admits packets and accounts them by ingress, and Pyrrha above, which has the queues.
type hybrid struct {
	now         sluice.Time
	below       *pfc.Switch
	above       *pyrrha.Switch
	held        []bool // by port: PFC pauses it, and Pyrrha was told
	fifos       [][][]*sluice.Packet
	pfcFrame    pfc.Frame
	pyrrhaFrame pyrrha.Frame
}

// forward takes in a packet: PFC admits it, then Pyrrha says where it waits.
func (h *hybrid) forward(ingress, egress sluice.PortID, next sluice.Hop) {
	path, _ := sluice.MakePath(sluice.Hop{Switch: self, Port: egress}, next)
	p := &sluice.Packet{Size: int32(mtu), Class: class, Ingress: ingress, Path: path}
	admitted := h.below.Port(egress).Enqueue(h.now, p)
	h.sendFrames(admitted.Wake())
	if admitted.Action() != sluice.Append {
		fmt.Printf("%8v  PFC: %v\n", h.now, admitted)
		return
	}
	queued := h.above.Port(egress).Enqueue(h.now, p)
	if queued.Action() != sluice.Append { // then PFC need not account it
		h.sendFrames(h.below.Port(egress).Dequeue(h.now, class, p).Wake())
		fmt.Printf("%8v  Pyrrha: %v\n", h.now, queued)
		return
	}
	fifo := &h.fifos[egress][queued.Queue()]
	*fifo = append(*fifo, p)
	h.act(queued.Wake())
}

// transmit sends what may go by a port. What Pyrrha transmits leaves PFC's accounts.
func (h *hybrid) transmit(egress sluice.PortID) {
	var towards, past int // the root
	for {
		h.expire()
		q, ok := h.above.Port(egress).Next(h.now)
		if !ok {
			break
		}
		p := h.fifos[egress][q][0]
		h.fifos[egress][q] = h.fifos[egress][q][1:]
		verdict := h.above.Port(egress).Dequeue(h.now, q, p)
		if verdict.Action() == sluice.Append {
			fifo := &h.fifos[egress][verdict.Queue()]
			*fifo = append(*fifo, p)
		} else {
			h.sendFrames(h.below.Port(egress).Dequeue(h.now, class, p).Wake())
			h.now += rate.TimeOf(mtu)
			if p.Path.At(1) == root {
				towards++
			} else {
				past++
			}
		}
		h.act(verdict.Wake())
	}
	fmt.Printf("%8v  port %d sent packets: %d towards %v, %d past it\n", h.now, egress, towards, root, past)
}

// receive takes in a frame of either kind. Neither parser takes the other's.
func (h *hybrid) receive(port sluice.PortID, wire []byte) {
	switch {
	case h.pfcFrame.Parse(wire) == nil:
		fmt.Printf("%8v  port %d got PFC %v\n", h.now, port, h.pfcFrame)
		h.sendFrames(h.below.Port(port).Receive(h.now, &h.pfcFrame))
		h.follow()
	case h.pyrrhaFrame.Parse(wire) == nil:
		fmt.Printf("%8v  port %d got Pyrrha %v\n", h.now, port, &h.pyrrhaFrame)
		h.act(h.above.Port(port).Receive(h.now, &h.pyrrhaFrame))
	}
}

// expire serves the timers of both.
func (h *hybrid) expire() {
	if h.now >= h.below.Deadline() {
		h.sendFrames(h.below.Expire(h.now))
		h.follow()
	}
	if h.now >= h.above.Deadline() {
		h.act(h.above.Expire(h.now))
	}
}

// follow has Pyrrha hold the ports that PFC may not send by, and no others. All packets under Pyrrha share an OQ, so that
// with several classes a pause of one would have to hold all; here there is one.
func (h *hybrid) follow() {
	for i := range h.held {
		port := h.below.Port(sluice.PortID(i))
		if hold := !port.Sendable(class); hold != h.held[i] {
			h.held[i] = hold
			h.act(h.above.Port(port.ID()).Hold(h.now, hold))
		}
	}
}

// act does what a hook of Pyrrha's asked for. Of PFC's, only the frames count: what it says of queues comes by Hold.
func (h *hybrid) act(wake sluice.Wake) {
	h.sendFrames(wake)
	if wake.Has(sluice.WakeQueues) {
		for i := range h.held {
			if wake.Port() == sluice.PortID(i) || wake.Port() == sluice.AnyPort {
				h.transmit(sluice.PortID(i))
			}
		}
	}
}

// sendFrames sends the pending frames of both machines.
func (h *hybrid) sendFrames(wake sluice.Wake) {
	for wake.Has(sluice.WakeFrames) {
		if port, ok := h.below.PollFrame(h.now, &h.pfcFrame); ok {
			fmt.Printf("%8v  port %d sends PFC %v\n", h.now, port, h.pfcFrame)
		} else if port, ok := h.above.PollFrame(h.now, &h.pyrrhaFrame); !ok {
			break
		} else { // never to the legacy switch, which would not know what to make of it
			fmt.Printf("%8v  port %d sends Pyrrha %v\n", h.now, port, &h.pyrrhaFrame)
		}
	}
}
