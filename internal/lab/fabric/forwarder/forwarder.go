// Package forwarder is a host that forwards packets and, of flow control, only the pause frames
// that it receives from switches, as the nodes of PortFC's Figure 5 do (section II-C.3).
package forwarder

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
)

// Machine obeys pause frames as a pfc switch without lossless classes does, makes none of its own,
// and sends those that it received out of all its other ports. If two frames about a class wait at
// a port, the later frame counts. It repeats nothing: devices that pause repeat it.
type Machine struct {
	kit.Machine
	mac   sluice.MAC
	owed  []pfc.Frame // by port; Enabled is 0 if there is none
	down  []bool      // by port: the link failed
	woken chassis.Woken
	frame pfc.Frame // received
}

// New returns the forwarder of a pfc configuration: its Classes are none, and every port obeys all.
func New(c pfc.Config) (*Machine, error) {
	c.Classes = sluice.NoClasses
	ports := append([]pfc.PortConfig(nil), c.Ports...)
	for i := range ports {
		ports[i].Classes, ports[i].Obeys = sluice.NoClasses, sluice.AllClasses
	}
	c.Ports = ports
	s, err := pfc.New(c)
	if err != nil {
		return nil, err
	}
	return &Machine{
		Machine: kit.Wrap(s), mac: c.MAC, owed: make([]pfc.Frame, len(ports)),
		down:  make([]bool, len(ports)),
		woken: chassis.NewWoken(len(ports)),
	}, nil
}

func (m *Machine) Unwrap() kit.Machine { return m.Machine }

// Receive obeys a frame and owes it to the peers of all other ports.
func (m *Machine) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	wake, err := m.Machine.Receive(now, port, frame)
	if err != nil {
		return wake, err
	}
	m.note(wake)
	if m.frame.Parse(frame) == nil && m.frame.Opcode == pfc.OpcodePFC && !m.down[port] {
		m.passOn(port)
	}
	return m.woken.Take(), nil
}

// passOn merges the frame received by a port into what the others owe.
func (m *Machine) passOn(from sluice.PortID) {
	f := &m.frame
	for i := range m.owed {
		to, owed := sluice.PortID(i), &m.owed[i]
		if to == from || m.down[i] || f.Enabled == 0 {
			continue
		}
		for class := range sluice.Class(sluice.Classes) {
			if f.Enabled.Has(class) {
				owed.Time[class] = f.Time[class]
			}
		}
		owed.Source, owed.Opcode, owed.Enabled = m.mac, pfc.OpcodePFC, owed.Enabled|f.Enabled
		m.woken.Port(to)
	}
}

func (m *Machine) PollFrame(
	now sluice.Time, port sluice.PortID, buf []byte,
) (frame []byte, kind string, ok bool) {
	owed := &m.owed[port]
	if owed.Enabled == 0 {
		return m.Machine.PollFrame(now, port, buf)
	}
	frame, kind = owed.AppendTo(buf), owed.Kind()
	*owed = pfc.Frame{}
	return frame, kind, true
}

// LinkDown forgets what the port owes.
func (m *Machine) LinkDown(now sluice.Time, port sluice.PortID) sluice.Wake {
	m.owed[port], m.down[port] = pfc.Frame{}, true
	return m.Machine.LinkDown(now, port)
}

// LinkUp forgets what the port owes.
func (m *Machine) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	m.owed[port], m.down[port] = pfc.Frame{}, false
	return m.Machine.LinkUp(now, port)
}

func (m *Machine) PollPort() (sluice.PortID, bool) {
	if port, ok := m.woken.Poll(); ok {
		return port, true
	}
	return m.Machine.PollPort()
}

// note takes over the ports that the pfc switch woke.
func (m *Machine) note(wake sluice.Wake) {
	m.woken.Note(wake &^ sluice.WakeSeveral)
	if wake.Has(sluice.WakeSeveral) {
		for port, ok := m.Machine.PollPort(); ok; port, ok = m.Machine.PollPort() {
			m.woken.Port(port)
		}
	}
}

// Quiescent returns an error if a frame waits, or as the pfc switch has it.
func (m *Machine) Quiescent() error {
	for i := range m.owed {
		if m.owed[i].Enabled != 0 {
			return fmt.Errorf("forwarder: port %d: a frame about classes %v waits", i, m.owed[i].Enabled)
		}
	}
	return m.Machine.Quiescent()
}

// Before is a pfc switch whose peers are forwarders: its held queues wait for what the forwarder's
// queues of the same class towards other switches wait for, whose pauses it has passed on.
type Before struct {
	kit.Machine
	Back []sluice.PortID // by port: the forwarder's port that leads back
}

func (b *Before) Unwrap() kit.Machine { return b.Machine }

func (b *Before) Hooks(port sluice.PortID) kit.Hooks {
	return kit.HooksOf(b.Machine, port)
}

// WaitsFor implements kit.Machine: no packet of a forwarder's own makes it pause.
func (b *Before) WaitsFor(
	sluice.PortID, sluice.QueueID, *sluice.Packet, sluice.QueueID, bool,
) bool {
	return false
}

func (b *Before) WaitsBehind(
	port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID,
) bool {
	return behind == q && by != b.Back[port]
}
