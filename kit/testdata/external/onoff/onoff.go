// Package onoff is a flow control of somebody else's: an ingress that holds more than Off bytes
// stops its peer until it holds less than On. It is a kit.Machine and knows nothing of sluice but
// what is public.
package onoff

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
)

// Switch has one queue per port and no timers.
type Switch struct {
	Off, On, Headroom sluice.Bytes
	ports             []port
	held              sluice.Bytes
}

type port struct {
	backlog  sluice.Bytes
	packets  int
	ingress  sluice.Bytes // of packets that came in here, wherever they wait
	stops    bool         // the peer is to stop
	told     bool         // the last frame stops the peer
	held     bool         // the peer stops us
	down     bool
	counters sluice.Counters
}

// New returns a switch of so many ports.
func New(ports int, off, on, headroom sluice.Bytes) *Switch {
	return &Switch{Off: off, On: on, Headroom: headroom, ports: make([]port, ports)}
}

func (s *Switch) Ports() int  { return len(s.ports) }
func (s *Switch) Queues() int { return 1 }

func (s *Switch) Enqueue(_ sluice.Time, id sluice.PortID, p *sluice.Packet) sluice.Verdict {
	out, size := &s.ports[id], p.Size
	reason := sluice.NoReason
	switch {
	case p.Ingress != sluice.Local && int(p.Ingress) >= len(s.ports):
		reason = sluice.BadIngress
	case p.Class >= sluice.Classes:
		reason = sluice.BadClass
	case !p.Sized():
		reason = sluice.BadSize
	case p.Ingress != sluice.Local && s.ports[p.Ingress].ingress+size > s.Off+s.Headroom:
		reason = sluice.HeadroomExhausted
	}
	if reason != sluice.NoReason {
		out.counters.Dropped[reason]++
		return sluice.DropBecause(reason)
	}
	out.counters.Enqueued++
	out.backlog += size
	out.packets++
	s.held += size
	return sluice.AppendToQueue(0).WithWake(s.account(p.Ingress, size))
}

// account adds bytes to an ingress, and wakes it if a frame to its peer is due.
func (s *Switch) account(id sluice.PortID, size sluice.Bytes) sluice.Wake {
	if id == sluice.Local {
		return 0
	}
	in := &s.ports[id]
	in.ingress += size
	switch {
	case in.ingress > s.Off:
		in.stops = true
	case in.ingress < s.On:
		in.stops = false
	}
	if in.stops != in.told && !in.down {
		return sluice.WakePort(id)
	}
	return 0
}

func (s *Switch) PollFrame(_ sluice.Time, id sluice.PortID, buf []byte) ([]byte, string, bool) {
	p := &s.ports[id]
	if p.stops == p.told || p.down {
		return buf, "", false
	}
	p.told = p.stops
	p.counters.FramesSent++
	if p.stops {
		return append(buf, "stop"...), "stop", true
	}
	return append(buf, "go.."...), "go", true
}

func (s *Switch) Next(_ sluice.Time, id sluice.PortID) (sluice.QueueID, bool) {
	p := &s.ports[id]
	return 0, p.packets > 0 && !p.held
}

func (s *Switch) Dequeue(
	_ sluice.Time, id sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	out, size := &s.ports[id], p.Size
	if q != 0 || out.packets == 0 || size <= 0 || size > out.backlog {
		out.counters.Misuse++
		return sluice.DropBecause(sluice.BadQueue)
	}
	out.counters.Transmitted++
	out.backlog -= size
	out.packets--
	s.held -= size
	return sluice.TransmitMarked(p.ECN).WithWake(s.account(p.Ingress, -size))
}

var errFrame = errors.New("onoff: neither stop nor go")

func (s *Switch) Receive(_ sluice.Time, id sluice.PortID, frame []byte) (sluice.Wake, error) {
	p := &s.ports[id]
	said := string(frame) == "stop"
	if !said && string(frame) != "go.." {
		p.counters.Malformed++
		return 0, errFrame
	}
	p.counters.FramesReceived++
	if p.down {
		p.counters.Stale++
		return 0, nil
	}
	released := p.held && !said
	p.held = said
	if released {
		return sluice.WakePort(id), nil
	}
	return 0, nil
}

func (s *Switch) LinkDown(_ sluice.Time, id sluice.PortID) sluice.Wake {
	p := &s.ports[id]
	p.down = true
	return s.release(id)
}

func (s *Switch) LinkUp(_ sluice.Time, id sluice.PortID) sluice.Wake {
	p := &s.ports[id]
	p.down, p.told = false, false
	return s.release(id) | wakeIf(p.stops, id)
}

// release ends what the peer said.
func (s *Switch) release(id sluice.PortID) sluice.Wake {
	released := s.ports[id].held
	s.ports[id].held = false
	return wakeIf(released, id)
}

func wakeIf(condition bool, id sluice.PortID) sluice.Wake {
	if condition {
		return sluice.WakePort(id)
	}
	return 0
}

func (s *Switch) Expire(sluice.Time) sluice.Wake  { return 0 }
func (s *Switch) Deadline() sluice.Time           { return sluice.Never }
func (s *Switch) PollPort() (sluice.PortID, bool) { return 0, false }
func (s *Switch) Rebase(sluice.Time)              {}

func (s *Switch) Backlog(id sluice.PortID, q sluice.QueueID) sluice.Bytes {
	if q != 0 {
		return 0
	}
	return s.ports[id].backlog
}

func (s *Switch) Sendable(id sluice.PortID, q sluice.QueueID) bool {
	return q == 0 && !s.ports[id].held
}
func (s *Switch) Buffered() sluice.Bytes                    { return s.held }
func (s *Switch) Counters(id sluice.PortID) sluice.Counters { return s.ports[id].counters }

// WaitsFor: the peer stops this port on account of every packet that came in by it.
func (s *Switch) WaitsFor(
	_ sluice.PortID, q sluice.QueueID, _ *sluice.Packet, _ sluice.QueueID, came bool,
) bool {
	return q == 0 && came
}

func (s *Switch) Audit() error {
	for i := range s.ports {
		if p := &s.ports[i]; p.ingress < 0 || p.backlog < 0 || p.packets < 0 {
			return fmt.Errorf("onoff: port %d has a negative counter", i)
		}
	}
	return nil
}

func (s *Switch) Quiescent() error {
	for i := range s.ports {
		if p := &s.ports[i]; p.backlog > 0 || p.stops || p.told || p.held {
			return fmt.Errorf("onoff: port %d is not at rest", i)
		}
	}
	return nil
}

// Snapshot is the observable state, for kit.Dump.
type Snapshot struct{ Ports []PortSnapshot }

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Backlog, Ingress sluice.Bytes
	Stops, Held      bool
}

func (s *Switch) Snapshot() any {
	var snapshot Snapshot
	for i := range s.ports {
		p := &s.ports[i]
		snapshot.Ports = append(snapshot.Ports, PortSnapshot{p.backlog, p.ingress, p.stops, p.held})
	}
	return snapshot
}
