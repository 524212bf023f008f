package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestInspection(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].PeerBuffer = 20_000
	s := newSwitch(t, c)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	s.Port(0).Enqueue(us, &p)
	snapshot := s.Snapshot()
	require.Equal(t, us, snapshot.Now)
	require.EqualValues(t, 1500, snapshot.Buffered)
	require.Equal(t, VLSnapshot{Backlog: 1500, Credit: 312, Limit: 312, Capacity: 2048, FCCL: 2048},
		snapshot.Ports[0].VL[3])
	require.Nil(t, s.Port(1))
	require.Equal(t, sluice.PortID(0), s.Port(0).ID())
	require.Zero(t, s.Port(0).Backlog(8))
	require.Zero(t, s.Port(0).Credit(8))
	require.Zero(t, s.Port(0).IngressBlocks(8))
	require.False(t, s.Port(0).Sendable(8))
	require.Equal(t, DefaultMTU, s.Config().MTU)
	require.Equal(t, 13_107_200*sluice.Picosecond, s.Config().Ports[0].Period)
	s.Port(0).LinkDown(us)
	require.True(t, s.Port(0).Snapshot().Down)
}

// TestCountersAddUp over ports.
func TestCountersAddUp(t *testing.T) {
	port := PortConfig{Link: sluice.Link{Rate: g}, PeerBuffer: 3000}
	s := newSwitch(t, Config{MTU: 1500, Ports: []PortConfig{port, port}})
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	for id := range sluice.PortID(2) {
		s.Port(id).Enqueue(us, &p)
		s.Port(id).Dequeue(us, 3, &p)
		s.Port(id).Consume(us, &p)
		s.Port(id).Receive(3*us, &Frame{VL: 9})
		s.Port(id).Consume(3*us, &sluice.Packet{})
	}
	total := s.Counters()
	require.EqualValues(t, 2, total.Enqueued)
	require.EqualValues(t, 2, total.Transmitted)
	require.EqualValues(t, 2, total.Ignored)
	require.EqualValues(t, 2, total.Misuse)
	v := total.VL[3]
	require.Equal(t, VLCounters{
		Enqueued: 2, Transmitted: 2, TransmittedBytes: 3000, Holds: 2, HeldTime: v.HeldTime, Consumed: 2,
	}, v)
	require.Equal(t, 2*us, v.HeldTime, "port 0 since 1 us, port 1 since 3 us, which is now")
	require.EqualValues(t, 1500, total.BufferPeak)
}

// TestHeldTime: a hold counts until it ends. A hold from before the first input has no beginning,
// and is not counted.
func TestHeldTime(t *testing.T) {
	s := newSwitch(t, HostConfig(sluice.Link{Rate: 40 * g}))
	p := s.Port(0)
	requireHeld := func(now sluice.Time, times uint64, held sluice.Time) {
		t.Helper()
		s.Expire(now)
		v := p.Counters().VL[3]
		require.Equal(t, times, v.Holds)
		require.Equal(t, held, v.HeldTime)
	}
	requireHeld(us, 0, 0)
	p.Receive(2*us, &Frame{VL: 3, FCCL: 2048})
	requireHeld(3*us, 0, 0)
	p.Receive(4*us, &Frame{VL: 3, FCCL: 1})
	requireHeld(5*us, 1, us)
	p.Receive(7*us, &Frame{VL: 3, FCCL: 2048})
	requireHeld(10*us, 1, 3*us)
}

// TestQuiescent names the rest.
func TestQuiescent(t *testing.T) {
	settled := func() *Switch {
		s := twoPorts(t, func(c *Config) { c.Classes = sluice.MakeClassSet(3) })
		s.Expire(20 * us)
		var f Frame
		for id := range sluice.PortID(2) {
			for s.Port(id).PollFrame(20*us, &f) {
			}
		}
		require.NoError(t, s.Quiescent())
		return s
	}
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}

	s := settled()
	s.Port(0).Enqueue(20*us, &packet)
	require.ErrorContains(t, s.Quiescent(), "port 0: VLs {3} hold packets")
	s.Port(0).Dequeue(20*us, 3, &packet)
	require.ErrorContains(t, s.Quiescent(), "port 1: limits of VLs {3} are not announced")

	s = settled()
	s.Port(1).Receive(20*us, &Frame{VL: 3, FCCL: 23})
	require.ErrorContains(t, s.Quiescent(), "port 1: VLs {3} have no credit")
	s.Port(1).LinkDown(20 * us)
	require.NoError(t, s.Quiescent(), "a link that is down owes nothing")

	s = settled()
	s.buffered = 1
	require.ErrorContains(t, s.Quiescent(), "1 bytes buffered")
}

// TestAuditFindsIt: each invariant, broken, is named.
func TestAuditFindsIt(t *testing.T) {
	for _, test := range []struct {
		spoil func(s *Switch, p *Port)
		want  string
	}{
		{func(s *Switch, p *Port) { p.vls[3].blocks++ }, "invariant 1"},
		{func(s *Switch, p *Port) { s.local[3] -= 48; s.ports[1].vls[3].used += 48 }, "invariant 1"},
		{func(s *Switch, p *Port) { s.buffered++ }, "invariant 1"},
		{func(s *Switch, p *Port) { s.ports[1].vls[3].size = 10 }, "invariant 2"},
		{func(s *Switch, p *Port) { p.vls[2].bytes--; s.buffered-- }, "VL 2: -1 bytes and 0 blocks"},
		{func(s *Switch, p *Port) { p.vls[2].bytes++; s.buffered++ }, "VL 2: 1 bytes and 0 blocks"},
		{
			func(s *Switch, p *Port) { s.ports[1].vls[3].used = -24; s.local[3] += 48 },
			"VL 3: 0 bytes and 0 blocks queued, -24 of 960 blocks used",
		},
		{
			func(s *Switch, p *Port) { p.vls[4].blocks, s.local[4] = -1, 0; s.ports[1].vls[4].used = -1 },
			"VL 4: 0 bytes and -1 blocks",
		},
		{func(s *Switch, p *Port) { p.backlog = 0 }, "invariant 2"},
		{func(s *Switch, p *Port) { p.backlog |= 1 }, "invariant 2"},
		{func(s *Switch, p *Port) { p.vls[3].credit++ }, "invariant 3"},
		{func(s *Switch, p *Port) { p.blocked = 1 << 3 }, "invariant 3"},
		{func(s *Switch, p *Port) { p.heard = 0 }, "invariant 3"},
		{
			func(s *Switch, p *Port) { p.changed, p.pending = 0, 0; p.state.tickAt = sluice.Never },
			"invariant 4",
		},
		{func(s *Switch, p *Port) { p.state.tickAt = sluice.Never }, "invariant 4"},
		{
			func(s *Switch, p *Port) { p.LinkDown(0); p.pending, p.changed = 1, 2 },
			"the link is down, and {0 1} are owed",
		},
		{func(s *Switch, p *Port) { s.woken.Port(0) }, "did not answer its wake"},
		{func(s *Switch, p *Port) { p.state.tickAt = -1 }, "invariant 5"},
	} {
		s := twoPorts(t, nil)
		p := s.Port(0)
		p.Enqueue(0, &sluice.Packet{Size: 1500, Class: 3, Ingress: 1})
		p.Enqueue(0, &sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local})
		require.NoError(t, s.Audit())
		test.spoil(s, p)
		require.ErrorContains(t, s.Audit(), test.want)
	}
}
