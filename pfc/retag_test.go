package pfc

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// retagging is a switch of three ports, X_off 3,000 bytes, by which class 1 leaves in class 2, but
// by port 2 in class 5; the host's own packets of class 1 leave in class 4.
func retagging() Config {
	port := PortConfig{
		Link:    sluice.Link{Rate: g100},
		Profile: Profile{XOff: 3000, XOn: 1500, Headroom: 3000},
	}
	return Config{
		Ports: []PortConfig{port, port, port},
		Retag: []Retag{
			{Ingress: AnyPort, Class: 1, Egress: 2, To: 5},
			{Ingress: AnyPort, Class: 1, Egress: AnyPort, To: 2},
			{Ingress: AnyPort, Class: 1, Egress: AnyPort, To: 7}, // the first that fits decides
			{Ingress: sluice.Local, Class: 1, Egress: 0, To: 4},
		},
	}
}

// A retagged packet is accounted at its ingress in the old class, so that the pause reaches the
// class that the upstream used. It waits at its egress in the queue of the new class (queue
// cut-over of Tagger).
func TestRetagPausesTheOldClass(t *testing.T) {
	s, err := New(retagging())
	require.NoError(t, err)
	packet := sluice.Packet{Size: 1500, Class: 1, Ingress: 1}
	out, in := s.Port(0), s.Port(1)

	require.Equal(t, sluice.AppendToQueue(2), out.Enqueue(0, &packet))
	v := out.Enqueue(0, &packet)
	require.Equal(t, sluice.QueueID(2), v.Queue())
	require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, v.Wake())
	require.Equal(t, sluice.Bytes(3000), in.IngressBytes(1))
	require.Zero(t, in.IngressBytes(2))
	require.Equal(t, sluice.Bytes(3000), out.Backlog(2))
	require.Zero(t, out.Backlog(1))
	var f Frame
	require.True(t, in.PollFrame(0, &f))
	require.Equal(t, sluice.MakeClassSet(1), f.Enabled)
	require.NoError(t, s.Audit())

	// The peer downstream pauses the class in which packets leave.
	pause := pauseOf(1000, 1)
	out.Receive(0, &pause)
	q, ok := out.Next(0)
	require.True(t, ok, "a pause of class 1 does not hold what leaves in class 2")
	require.Equal(t, sluice.QueueID(2), q)
	pause = pauseOf(1000, 2)
	out.Receive(0, &pause)
	_, ok = out.Next(0)
	require.False(t, ok)
	release := pauseOf(0, 2)
	out.Receive(0, &release)

	v = out.Dequeue(0, 2, &packet)
	require.Equal(t, sluice.Transmit, v.Action())
	class, changes := v.Class()
	require.True(t, changes)
	require.Equal(t, sluice.Class(2), class)
	require.True(t, v.Wake().Has(sluice.WakePort(1)), "X_on")
	require.True(t, in.PollFrame(0, &f))
	require.Equal(t, "resume", f.Kind())
	require.Equal(t, sluice.MakeClassSet(1), f.Enabled)
	out.Dequeue(0, 2, &packet)
	require.NoError(t, s.Audit())
	require.Zero(t, s.Buffered())
}

// "(tag, InPort, OutPort) -> newTag": the first rule that fits; a host's own packets have rules of
// their own; other classes stay.
func TestRetagRules(t *testing.T) {
	s, err := New(retagging())
	require.NoError(t, err)
	for _, test := range []struct {
		ingress sluice.PortID
		class   sluice.Class
		egress  sluice.PortID
		leaves  sluice.Class
	}{
		{0, 1, 0, 2}, {0, 1, 1, 2}, {1, 1, 2, 5}, {2, 1, 2, 5}, {0, 2, 1, 2}, {0, 5, 2, 5},
		{sluice.Local, 1, 0, 4}, {sluice.Local, 1, 1, 1}, {sluice.Local, 1, 2, 1},
		{sluice.Local, 4, 0, 4},
	} {
		p := s.Port(test.egress)
		require.Equal(t, test.leaves, p.Leaving(test.ingress, test.class), "%+v", test)
		packet := sluice.Packet{Size: 100, Class: test.class, Ingress: test.ingress}
		q := sluice.QueueID(test.leaves)
		require.Equal(t, sluice.AppendToQueue(q), p.Enqueue(0, &packet), "%+v", test)
		require.NoError(t, s.Audit())
		v := p.Dequeue(0, q, &packet)
		class, changes := v.Class()
		require.Equal(t, test.class != test.leaves, changes, "%+v", test)
		if changes {
			require.Equal(t, test.leaves, class)
		}
		require.NoError(t, s.Quiescent())
	}
	p := s.Port(0)
	require.Equal(t, sluice.Class(9), p.Leaving(0, 9))
	c := retagging()
	c.Retag = []Retag{{Ingress: 1, Class: 0, Egress: 0, To: 6}}
	require.Equal(t, sluice.Class(8), newBench(t, c).s.Port(0).Leaving(0, 8), "no class of port 1")
	require.Equal(t, sluice.Class(1), p.Leaving(7, 1), "no such port")
	require.Equal(t, sluice.Class(1), p.Leaving(AnyPort, 1), "no such port")
}

// A Dequeue that names the queue of the class in which the packet came, or any other, is misuse.
func TestRetagMisuse(t *testing.T) {
	s, err := New(retagging())
	require.NoError(t, err)
	p := s.Port(0)
	elsewhere := sluice.Packet{Size: 300, Class: 1, Ingress: 1} // in queue 2 of another port
	s.Port(1).Enqueue(0, &elsewhere)
	for _, ingress := range []sluice.PortID{1, sluice.Local} {
		right := sluice.Packet{Size: 100, Class: 1, Ingress: ingress}
		q := p.Enqueue(0, &right).Queue()
		same := sluice.Packet{Size: 100, Class: 1, Ingress: 2} // has bytes in the queue of class 1
		s.Port(0).Enqueue(0, &same)
		for _, wrong := range []struct {
			q sluice.QueueID
			p sluice.Packet
		}{
			{1, right}, {q + 1, right}, {9, right}, {9000, right},
			{q, sluice.Packet{Size: 201, Class: 1, Ingress: ingress}},
			{q, sluice.Packet{Size: 0, Class: 1, Ingress: ingress}},
			{q, sluice.Packet{Size: -1, Class: 1, Ingress: ingress}},
			{q, sluice.Packet{Size: 100, Class: 9, Ingress: ingress}},
			{q, sluice.Packet{Size: 100, Class: 1, Ingress: 9}},
			{q, sluice.Packet{Size: 100, Class: 1, Ingress: 3}},               // one more than there are
			{q, sluice.Packet{Size: 100, Class: sluice.Class(q), Ingress: 1}}, // has no bytes
		} {
			misuse := s.Counters().Misuse
			require.Equal(t, sluice.Drop, p.Dequeue(0, wrong.q, &wrong.p).Action(), "%+v", wrong)
			require.Equal(t, misuse+1, s.Counters().Misuse)
			require.NoError(t, s.Audit())
		}
		require.Equal(t, sluice.Transmit, p.Dequeue(0, q, &right).Action())
		require.Equal(t, sluice.Transmit, p.Dequeue(0, 2, &same).Action())
		require.Equal(t, elsewhere.Size, s.Buffered())
	}
}

// TestRetaggedPacketIsFlushed: a verdict that drops names the reason and no class to leave in.
func TestRetaggedPacketIsFlushed(t *testing.T) {
	k := newBench(t, retagging())
	k.enqueue(0, 1, 1, 100)
	k.enqueue(0, sluice.Local, 1, 100)
	k.s.Port(0).LinkDown(0)
	for range 2 {
		_, v, _ := k.send(0)
		require.Equal(t, sluice.DropBecause(sluice.LinkDown), v)
	}
	require.NoError(t, k.s.Quiescent())
}

func TestRetagErrors(t *testing.T) {
	for _, test := range []struct {
		field string
		rule  Retag
	}{
		{"Retag[0].Ingress", Retag{Ingress: 3}},
		{"Retag[0].Egress", Retag{Egress: 3}},
		{"Retag[0].Egress", Retag{Egress: sluice.Local}},
		{"Retag[0].Class", Retag{Class: 8}},
		{"Retag[0].To", Retag{To: 8}},
	} {
		c := retagging()
		c.Retag = []Retag{test.rule}
		_, err := New(c)
		var configError *sluice.ConfigError
		require.True(t, errors.As(err, &configError), "%v", err)
		require.Equal(t, test.field, configError.Field)
	}
	c := retagging()
	c.Trigger = trigger.GFC
	_, err := New(c)
	require.ErrorContains(t, err, "Retag")

	s, err := New(retagging())
	require.NoError(t, err)
	c = s.Config()
	c.Retag[0].To = 6
	require.Equal(t, sluice.Class(5), s.Port(2).Leaving(0, 1), "the configuration is a copy")
	_, err = s.Reconfigure(0, c)
	require.ErrorContains(t, err, "cannot change while the switch runs")
	_, err = s.Reconfigure(0, retagging())
	require.NoError(t, err)
}

func TestZeroAllocRetag(t *testing.T) {
	s, err := New(retagging())
	require.NoError(t, err)
	packet := sluice.Packet{Size: 1500, Class: 1, Ingress: 1}
	var f Frame
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for range 2 {
			s.Port(0).Enqueue(0, &packet)
		}
		s.Port(1).PollFrame(0, &f)
		for range 2 {
			q, _ := s.Port(0).Next(0)
			s.Port(0).Dequeue(0, q, &packet)
		}
		s.Port(1).PollFrame(0, &f)
	}))
}

// BenchmarkRetag is a packet that leaves in another class than it came in.
func BenchmarkRetag(b *testing.B) {
	s := benchSwitch(b, 32, func(c *Config) {
		for class := range sluice.Class(sluice.Classes) {
			c.Retag = append(c.Retag, Retag{AnyPort, class, AnyPort, (class + 1) % sluice.Classes})
		}
	})
	passThrough(b, s, benchPackets(32))
}

// Networks in which every switch raises the class by one, as PFC* does, lose nothing, keep the
// order and come to rest: with the headroom of each class on every ingress.
func TestConformanceRetag(t *testing.T) {
	depth.Fewer(t, 30)
	conformance.RunNetworks(t, conformance.Spec{
		Name:  "pfc",
		Frame: drawHostileFrame,
		Network: &conformance.Network{
			New:   func(t *rapid.T) conformance.Fabric { return drawRetaggingFabric(t) },
			Lossy: func(t *rapid.T) conformance.Fabric { return drawRetaggingFabric(t) },
		},
	})
}

func drawRetaggingFabric(t *rapid.T) conformance.Fabric {
	groups := drawGroups(t)
	node := func(n conformance.Node) kit.Machine {
		if n.Host() {
			card := HostConfig(n.Ports[0].Link)
			card.Groups = groups
			return conformance.Machines(card, New)()
		}
		c := Config{Groups: groups}
		for class := range sluice.Class(sluice.Classes - 1) {
			c.Retag = append(c.Retag, Retag{Ingress: AnyPort, Class: class, Egress: AnyPort, To: class + 1})
		}
		for _, port := range n.Ports {
			c.Ports = append(c.Ports, PortConfig{Link: port.Link, Profile: Profile{
				XOff: 6000, XOn: 3000,
				Headroom: ofBytes(port.Link.Rate, port.Link.Delay, conformance.MTU, 0),
			}})
		}
		return conformance.Machines(c, New)()
	}
	return conformance.Fabric{Node: node, Classes: []sluice.Class{0, 1, 3}}
}
