package portfc

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/pfc"
)

// kindOfMachine makes the machine of a device of a network, for tests that compare protocols and
// mutants.
type kindOfMachine func(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine

const testPacket = 1000 // bytes: the size of packets, and of a bandwidth-delay product

// onePacket is PortFC whose detectors pause for one packet.
func onePacket(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	c := smallConfig(network, device)
	c.HopClasses = network.K > 1
	c.XOff, c.XOn = sluice.Ratio{Num: 1, Den: 1}, sluice.Ratio{Num: 0, Den: 1}
	return conformance.Machines(c, New)()
}

// plainPFC is IEEE 802.1Qbb at nodes and switches, which pauses an ingress for one packet.
func plainPFC(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	return someMachineOfPFC(t, network, device, pfc.Config{Buffer: sluice.GiB})
}

// starPFC is PFC whose class rises at every queue that a packet passes: PFC* of section V-A.
func starPFC(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	c := pfc.Config{Buffer: sluice.GiB}
	for class := range sluice.Class(2*network.Layers() - 1) {
		c.Retag = append(c.Retag, pfc.Retag{
			Ingress: pfc.AnyPort, Class: class, Egress: pfc.AnyPort, To: class + 1,
		})
	}
	return someMachineOfPFC(t, network, device, c)
}

func someMachineOfPFC(
	t testing.TB, network NDC, device sluice.SwitchID, c pfc.Config,
) kit.Machine {
	for range network.Ports(device) {
		c.Ports = append(c.Ports, pfc.PortConfig{
			Link:    smallConfig(network, 0).Ports[0].Link,
			Profile: pfc.Profile{XOff: testPacket, XOn: 1, Headroom: 100 * testPacket},
		})
	}
	s, err := pfc.New(c)
	require.NoError(t, err)
	return kit.Wrap[*pfc.Switch, *pfc.Port, pfc.Frame](s)
}

// merged is PortFC with A and B in one: the IHFQs are counted by the detector of the DDQ, so that
// what they tell is relayed.
func merged(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	m := onePacket(t, network, device)
	s := kit.Unwrap(m).(*Switch)
	for i := range s.ports {
		for q := range s.network.DDQ() {
			if !s.node {
				s.ports[i].queue(int(q)).class = 0
			}
		}
	}
	return m
}

// blind is PortFC with nodes that pass on every frame of a downstream switch, also the frames of
// IHFQs (one reading of Figure 5).
func blind(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	m := onePacket(t, network, device)
	if !network.IsNode(device) {
		return m
	}
	return rewrite(m, rewriter{receive: func(_ *rewriter, _ sluice.PortID, f *Frame) []Frame {
		both := []Frame{*f, *f}
		both[0].Sequence, both[1].Sequence = 2*f.Sequence, 2*f.Sequence+1
		both[1].Queue = network.DDQ()
		return both
	}})
}

// oneFlag is PortFC whose switches have one upstreamIsPaused for both detectors of a port: a node
// hears no Pause after a Pause, nor a Resume after a Resume.
func oneFlag(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	m := onePacket(t, network, device)
	if !network.IsNode(device) {
		return m
	}
	return rewrite(m, rewriter{receive: func(r *rewriter, port sluice.PortID, f *Frame) []Frame {
		flag := uint64(1) << (8*port + f.Port)
		if (r.paused&flag != 0) == (f.Type == Pause) {
			return nil
		}
		r.paused ^= flag
		return []Frame{*f}
	}})
}

// noRelay is PortFC whose nodes pass nothing on.
func noRelay(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	m := onePacket(t, network, device)
	if !network.IsNode(device) {
		return m
	}
	return rewrite(m, rewriter{send: func(*Switch, sluice.PortID, *Frame) bool { return false }})
}

// lostResume is PortFC whose nodes forget a Resume if the switch of another layer pauses them.
func lostResume(t testing.TB, network NDC, device sluice.SwitchID) kit.Machine {
	m := onePacket(t, network, device)
	if !network.IsNode(device) {
		return m
	}
	return rewrite(m, rewriter{send: func(s *Switch, port sluice.PortID, f *Frame) bool {
		return f.Type == Pause || s.ports[port].heldQueues() == 0
	}})
}

// rewriter is a mutant: a machine whose frames are changed on the way in, or kept back on the way
// out.
type rewriter struct {
	kit.Machine
	kit.Stateful                                                         // of Machine
	receive      func(r *rewriter, port sluice.PortID, f *Frame) []Frame // nil: as they are
	send         func(s *Switch, port sluice.PortID, f *Frame) bool      // nil: all
	paused       uint64                                                  // what oneFlag remembers
}

func rewrite(m kit.Machine, r rewriter) kit.Machine {
	r.Machine = m
	r.Stateful, _ = kit.StatefulOf(m)
	return &r
}

func (r *rewriter) Unwrap() kit.Machine { return r.Machine }

func (r *rewriter) Clone() kit.Machine { return rewrite(r.Stateful.Clone(), *r) }

func (r *rewriter) AppendState(dst []byte, now sluice.Time) []byte {
	return binary.AppendUvarint(r.Stateful.AppendState(dst, now), r.paused)
}

func (r *rewriter) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	var f Frame
	if err := f.Parse(frame); err != nil {
		return 0, err
	}
	frames := []Frame{f}
	if r.receive != nil {
		frames = r.receive(r, port, &f)
	}
	var wake sluice.Wake
	for _, f := range frames {
		w, err := r.Machine.Receive(now, port, f.AppendTo(nil))
		if err != nil {
			return 0, err
		}
		wake = wake.Merge(w)
	}
	return wake, nil
}

func (r *rewriter) PollFrame(
	now sluice.Time, port sluice.PortID, buf []byte,
) ([]byte, string, bool) {
	for {
		out, kind, ok := r.Machine.PollFrame(now, port, buf)
		if !ok || r.send == nil {
			return out, kind, ok
		}
		var f Frame
		if f.Parse(out[len(buf):]) != nil {
			panic("a frame of our own is refused")
		}
		if r.send(kit.Unwrap(r.Machine).(*Switch), port, &f) {
			return out, kind, ok
		}
		r.Renumber(port, 1, 0) // the next frame takes the number of the frame that is kept back
	}
}
