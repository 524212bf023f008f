package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// edgePort has thresholds of a few packets.
var edgePort = PortConfig{Link: link40, XOff: 4000, XOffCongested: 2500, XOn: 1000}

// busy returns a switch with a rotation, a deferred resume, announced flows and flows to announce.
func busy(t *testing.T) (*Switch, []*sluice.Packet) {
	s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}, MaxFlowsPerFrame: 2})
	out := s.Port(0)
	var packets []*sluice.Packet
	for flow := range uint64(3) {
		p := &sluice.Packet{Flow: flow, Size: 900, Ingress: 1}
		out.Enqueue(0, p)
		packets = append(packets, p)
	}
	var f Frame
	require.True(t, s.Port(1).PollFrame(0, &f))
	out.Receive(0, &Frame{Type: Pause, Sequence: 1, Count: 2, Keys: [MaxListed]uint64{0, 1}})
	require.Equal(t, sluice.Append, out.Dequeue(0, 0, packets[0]).Action())
	out.Receive(0, &Frame{Type: Resume, Sequence: 2, Count: 1, Keys: [MaxListed]uint64{0}})
	out.Receive(0, &Frame{Type: Resume, Sequence: 3, Count: 1, Keys: [MaxListed]uint64{1}})
	require.NoError(t, s.Audit())
	return s, packets
}

// Audit names what is wrong, whatever that is.
func TestAuditFinds(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch, p *Port, k *egress, a *account){
		"invariant 1: class 0": func(_ *Switch, _ *Port, _ *egress, a *account) { a.bytes++ },
		"invariant 1: ingress": func(_ *Switch, _ *Port, _ *egress, a *account) { a.bytes = -1 },
		"at most 3":            func(_ *Switch, _ *Port, _ *egress, a *account) { a.limit = 3 },
		"port 0 class 0 queue": func(_ *Switch, _ *Port, k *egress, _ *account) { k.packets[0] = 0 },
		"the switch counts":    func(s *Switch, _ *Port, _ *egress, _ *account) { s.room-- },
		"unknown flows":        func(_ *Switch, _ *Port, k *egress, _ *account) { k.untracked++ },
		"is the paused queue":  func(_ *Switch, _ *Port, k *egress, _ *account) { k.paused = k.serving },
		"backup queue": func(_ *Switch, _ *Port, k *egress, _ *account) {
			k.paused, k.serving = 1, 2
		},
		"resumes are deferred": func(_ *Switch, p *Port, k *egress, _ *account) {
			k.paused = 1
			p.serve(0, normal)
		},
		"the class is ready": func(_ *Switch, p *Port, _ *egress, _ *account) { p.ready = 0 },
		"send: false, the":   func(_ *Switch, p *Port, _ *egress, _ *account) { p.ready |= 1 << 5 },
		"Next answers 2":     func(_ *Switch, p *Port, _ *egress, _ *account) { p.heads[0]++ },
		"1 ready, not 0":     func(_ *Switch, p *Port, _ *egress, _ *account) { p.gates[0] = 1 },
		"0 ready, not 10":    func(_ *Switch, p *Port, _ *egress, _ *account) { p.gates[1] = 0 },
		"blocked: true":      func(_ *Switch, p *Port, _ *egress, _ *account) { p.blocked = 1 },
		"blocked: false":     func(_ *Switch, _ *Port, k *egress, _ *account) { k.all = true },
		"flows have":         func(s *Switch, _ *Port, _ *egress, _ *account) { s.entries[1].packets++ },
		"flows paused (1": func(_ *Switch, _ *Port, k *egress, _ *account) {
			k.congested, k.presentCongested = 5, 1
		},
		"counted 1 (0)": func(_ *Switch, _ *Port, k *egress, _ *account) { k.deferred = 0 },
		"3 present (1":  func(_ *Switch, _ *Port, k *egress, _ *account) { k.present = 9 },
		"flags": func(s *Switch, _ *Port, _ *egress, _ *account) {
			s.entries[1].flags |= named
		},
		"is not found":    func(s *Switch, _ *Port, _ *egress, _ *account) { s.entries[1].flow++ },
		"flows are known": func(_ *Switch, p *Port, _ *egress, _ *account) { p.known++ },
		"flows told, the": func(_ *Switch, _ *Port, _ *egress, a *account) { a.count-- },
		"is among those told": func(s *Switch, _ *Port, _ *egress, a *account) {
			s.entries[a.toldList.head].flags &^= told
		},
		"to be announced": func(_ *Switch, _ *Port, _ *egress, a *account) { a.wanted.Add(1) },
		"a frame is owed": func(s *Switch, _ *Port, _ *egress, _ *account) { s.ports[1].owed = 0 },
		"and nothing is":  func(s *Switch, _ *Port, _ *egress, a *account) { a.active = false },
		"link is down": func(s *Switch, _ *Port, _ *egress, a *account) {
			a.allTold, s.ports[1].state.Down, s.ports[1].owed, s.ports[1].urgent = true, true, 0, 0
		},
		"ends at": func(s *Switch, _ *Port, _ *egress, _ *account) { s.group(0, 1, 0).plain.tail = 0 },
	} {
		s, _ := busy(t)
		spoil(s, s.Port(0), &s.Port(0).classes[0], s.account(1, 0))
		require.ErrorContains(t, s.Audit(), want)
	}
}

func TestQuiescentSaysWhatIsLeft(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch, a *account){
		"bytes held":    func(s *Switch, _ *account) { s.room-- },
		"is pending":    func(s *Switch, _ *account) { s.ports[1].owed = 1 },
		"are paused":    func(s *Switch, _ *account) { s.ports[0].known = 1 },
		"upstream is":   func(_ *Switch, a *account) { a.active = true },
		"is paused in":  func(_ *Switch, a *account) { a.allTold = true },
		"class 0 is he": func(s *Switch, _ *account) { s.ports[1].classes[0].spilled = true },
	} {
		s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}})
		require.NoError(t, s.Quiescent())
		spoil(s, s.account(1, 0))
		require.ErrorContains(t, s.Quiescent(), want)
	}
}

// The largest and the smallest value of every field are taken.
func TestEdgesOfAConfiguration(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Flows = 1 },
		func(c *Config) { c.MaxFlowsPerFrame = 1 },
		func(c *Config) { c.MaxFlowsPerFrame = 184 },
		func(c *Config) { c.Refresh, c.IdleRefreshes = sluice.Second, 1 },
		func(c *Config) { c.IdleRefreshes = 1 << 30 },
		func(c *Config) { c.Speedup = 64 },
		func(c *Config) { c.MTU = 1 },
		func(c *Config) { c.MTU = 1 << 24 },
		func(c *Config) { c.Quantum = 64 },
		func(c *Config) { c.Quantum = 1 << 30 },
		func(c *Config) { c.Buffer = MaxBuffer },
		func(c *Config) { c.Classes = sluice.NoClasses },
		func(c *Config) { c.Ports[0] = PortConfig{Link: link40, XOff: 2} },
		func(c *Config) { c.Ports[0] = PortConfig{Link: link40, XOff: MaxBuffer, Headroom: MaxBuffer} },
		func(c *Config) { c.Ports[0].Link.Delay, c.Ports[0].Reaction = sluice.Second, sluice.Second },
		func(c *Config) { c.Ports[0].XOffCongested = c.Ports[0].XOff },
	} {
		c := Config{Ports: []PortConfig{edgePort}}
		change(&c)
		_, err := New(c)
		require.NoError(t, err)
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.Quantum = 1<<30 + 1 },
		func(c *Config) { c.MTU = 1<<24 + 1 },
		func(c *Config) { c.Buffer = MaxBuffer + 1 },
		func(c *Config) { c.IdleRefreshes = 1<<30 + 1 },
		func(c *Config) { c.Refresh = sluice.Second + 1 },
		func(c *Config) { c.MaxFlowsPerFrame = -1 },
		func(c *Config) { c.Flows = -1 },
		func(c *Config) { c.Speedup = -1 },
		func(c *Config) { c.Ports = make([]PortConfig, MaxPorts+1) },
		func(c *Config) { c.Ports[0].XOff = MaxBuffer + 1 },
		func(c *Config) { c.Ports[0].Headroom = MaxBuffer + 1 },
		func(c *Config) { c.Ports[0].XOn = -1 },
	} {
		c := Config{Ports: []PortConfig{edgePort}}
		change(&c)
		_, err := New(c)
		require.Error(t, err)
	}
	c := Config{Ports: []PortConfig{edgePort}}
	most := c.HeadroomFor(0, 64)
	c.MaxFlowsPerFrame = 1000
	require.Equal(t, most, c.HeadroomFor(0, 64), "more than a frame can name counts as all")
	c.MaxFlowsPerFrame = 1
	require.Less(t, c.HeadroomFor(0, 64), most)
	require.Zero(t, c.HeadroomFor(1, 64))
}

// Packets of a flow by two ingresses have an entry each, and both are paused and resumed with it;
// an entry that is left over serves the next ingress.
func TestAFlowOfTwoIngresses(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort, edgePort}})
	out := s.Port(0)
	out.Receive(0, &Frame{Type: Pause, Sequence: 1, Count: 1, Keys: [MaxListed]uint64{7}})
	require.EqualValues(t, 1, out.known)
	packets := []sluice.Packet{{Flow: 7, Size: 100, Ingress: 1}, {Flow: 7, Size: 100, Ingress: 2}}
	out.Enqueue(0, &packets[0])
	require.EqualValues(t, 1, out.known, "the entry that the PAUSE made")
	out.Enqueue(0, &packets[1])
	require.EqualValues(t, 2, out.known)
	other := sluice.Packet{Flow: 7, Size: 100, Ingress: 1, Class: 2}
	out.Enqueue(0, &other)
	require.EqualValues(t, 3, out.known, "another class is another flow")
	require.NoError(t, s.Audit())
	for i := range packets {
		require.Equal(t, sluice.AppendToQueue(1), out.Dequeue(0, 0, &packets[i]), "both are paused")
	}
	require.Equal(t, sluice.Transmit, out.Dequeue(0, 6, &other).Action())
	out.Receive(0, &Frame{Type: Resume, Sequence: 2, Count: 1, Keys: [MaxListed]uint64{7}})
	for i := range packets {
		require.Equal(t, sluice.Transmit, out.Dequeue(0, 1, &packets[i]).Action(), "both are resumed")
	}
	require.NoError(t, s.Quiescent())
	require.NoError(t, s.Audit())
}

// A Dequeue of what cannot be there changes nothing.
func TestMisuse(t *testing.T) {
	s, packets := busy(t)
	before, counted := s.Snapshot(), s.Port(0).Counters()
	for _, change := range []func(p *sluice.Packet, q *sluice.QueueID){
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Class = 8 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Class = 1 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Size = 0 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Size = 901 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Ingress = 2 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Ingress = 0 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Ingress = sluice.Local },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Flow = 99 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note = 0 },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note |= 0xfffff },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note -= noteTag },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note = noteTag | uint64(len(s.entries)) },
		func(p *sluice.Packet, _ *sluice.QueueID) { p.Note = noteTag },
		func(_ *sluice.Packet, q *sluice.QueueID) { *q = 0 },
		func(_ *sluice.Packet, q *sluice.QueueID) { *q = 2 },
		func(_ *sluice.Packet, q *sluice.QueueID) { *q = 4 },
	} {
		p, q := *packets[0], sluice.QueueID(1)
		change(&p, &q)
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), s.Port(0).Dequeue(0, q, &p))
	}
	counted.Misuse += 16
	require.Equal(t, counted, s.Port(0).Counters())
	require.Equal(t, before, s.Snapshot())
	require.Equal(t, sluice.Transmit, s.Port(0).Dequeue(0, 1, packets[0]).Action())
}

// The number after the last port is no ingress, of whatever class.
func TestIngressBeyondTheLast(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}})
	for class := range sluice.Class(sluice.Classes) {
		p := sluice.Packet{Size: 100, Class: class, Ingress: 2}
		require.Equal(t, sluice.DropBecause(sluice.BadIngress), s.Port(0).Enqueue(0, &p))
	}
}

// LinkUp announces the paused flows again: as PAUSE, or with a refresh as its parts.
func TestLinkUpTellsAgain(t *testing.T) {
	for _, period := range []sluice.Time{0, sluice.Microsecond} {
		s := mustNew(
			t, Config{Ports: []PortConfig{edgePort, edgePort}, MaxFlowsPerFrame: 2, Refresh: period},
		)
		for flow := range uint64(3) {
			s.Port(0).Enqueue(0, &sluice.Packet{Flow: flow, Size: 900, Ingress: 1})
		}
		in := s.Port(1)
		var f Frame
		told := func() (frames []string) {
			for in.PollFrame(0, &f) {
				frames = append(frames, f.String())
				f = Frame{} // a frame owes nothing to the one before
			}
			return frames
		}
		require.Equal(t, []string{"pause class 0 [0 1]", "pause class 0 [2]"}, told())
		in.LinkDown(0)
		require.Empty(t, told())
		in.LinkUp(0)
		want := []string{"pause class 0 [0 1]", "pause class 0 [2]"}
		if period > 0 {
			want = []string{"refresh 0 class 0 part 1 of 2 [0 1]", "refresh 0 class 0 part 2 of 2 [2]"}
		}
		require.Equal(t, want, told())
		c := in.Counters()
		require.EqualValues(t, 4, c.PausesSent+c.RefreshesSent, "both times")
		require.NoError(t, s.Audit())
	}
}

// No frame names a pause that is taken back before the poll.
func TestAResumeTakesBackUnsentPauses(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}})
	var packets []*sluice.Packet
	for flow := range uint64(3) {
		p := &sluice.Packet{Flow: flow, Size: 900, Ingress: 1}
		s.Port(0).Enqueue(0, p)
		packets = append(packets, p)
	}
	for _, p := range packets[:2] {
		s.Port(0).Dequeue(0, 0, p)
	}
	var f Frame
	require.False(t, s.Port(1).PollFrame(0, &f), "%v", &f)
	require.NoError(t, s.Audit())
}

// Every frame received is counted by its kind.
func TestFramesAreCounted(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{edgePort}, Classes: sluice.MakeClassSet(0)})
	p := s.Port(0)
	for i, f := range []Frame{
		{Type: Pause, All: true}, {Type: Resume, All: true}, {Type: Resume, All: true},
		{Type: Refresh, Parts: 1}, {Type: Refresh, Parts: 1}, {Type: Refresh, Parts: 1},
		{Type: Pause, All: true, Class: 1},
		{Type: 9}, {Type: 4, All: true}, {Type: 0, All: true}, {Type: Resume, All: true, Last: true},
		{Type: Pause, All: true, Part: 1}, {Type: Pause, All: true}, {Type: Pause, All: true},
	} {
		f.Sequence = uint32(i)
		wake := p.Receive(0, &f)
		require.Equal(t, i == 1, wake != 0, "the first RESUME lets a class go, and nothing else does")
		require.Zero(t, p.Receive(0, &f), "a stale frame wakes no port")
	}
	p.LinkDown(0)
	p.Receive(0, &Frame{Type: Pause, All: true, Sequence: 100})
	c := p.Counters()
	require.Equal(t, []uint64{29, 3, 2, 3, 1, 5, 15, 2}, []uint64{
		c.FramesReceived, c.PausesReceived, c.ResumesReceived, c.RefreshesReceived, c.Ignored,
		c.Malformed,
		c.Stale, c.Holds,
	})
}
