package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"pgregory.net/rapid"
)

// With IQs enough the suite passes on rings too, where buffers depend on one another in a circle
// (section VII).
func TestConformance(t *testing.T) {
	depth.Fewer(t, 15)
	conformance.Run(t, spec())
}

// With few IQs roots share them, which costs isolation, and on a ring the freedom from deadlock.
// Elsewhere nothing else.
func TestConformanceWithFewIQs(t *testing.T) {
	depth.Fewer(t, 15)
	s := spec()
	s.Network = &conformance.Network{
		New: drawFabric(fewIQs, 0), Lossy: drawFabric(fewIQs, 20*sluice.Microsecond),
	}
	conformance.RunNetworks(t, s)
}

// TestEqualStates: switches that append the same state behave alike, in either organisation.
func TestEqualStates(t *testing.T) {
	depth.Fewer(t, 8)
	for name, change := range map[string]func(*Config){
		"hierarchical":          func(c *Config) { c.Organisation, c.Speedup = Hierarchical, 1 },
		"hierarchical, speedup": func(c *Config) { c.Organisation, c.Speedup = Hierarchical, 2 },
		"single tier":           func(c *Config) { c.Organisation = SingleTier },
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			s.New = func(t *rapid.T) func() kit.Machine {
				config := drawConfig(t)
				change(&config)
				config.IQs = fewIQs(t, &config)
				return conformance.Machines(config, New)
			}
			s.Flow, s.Frame = drawConcerned, drawPauseOfOne
			conformance.RunStates(t, s)
		})
	}
}

// near is the root that drawConcerned and drawPauseOfOne are about, one hop away.
var near = sluice.Hop{Switch: conformance.Self + 1}

// drawConcerned draws flows that mostly pass one root.
func drawConcerned(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
	p := drawFlow(t, m, port)
	if rapid.IntRange(0, 3).Draw(t, "passes no root") > 0 {
		p.Class = 3
		p.Path, _ = sluice.MakePath(sluice.Hop{Switch: conformance.Self, Port: port}, near, smallHop(t))
	}
	return p
}

// drawPauseOfOne draws frames that mostly pause and resume one root.
func drawPauseOfOne(t *rapid.T, m kit.Machine, port sluice.PortID) []byte {
	if rapid.IntRange(0, 3).Draw(t, "of any root") == 0 {
		return drawFrame(t, m, port)
	}
	f := Frame{
		Type: rapid.SampledFrom([]FrameType{Pause, Resume, Resume}).Draw(t, "type"), Root: near, Hop: 1,
	}
	return f.AppendTo(nil)
}

func spec() conformance.Spec {
	return conformance.Spec{
		Name: "pyrrha",
		New: func(t *rapid.T) func() kit.Machine {
			return conformance.Machines(drawConfig(t), New)
		},
		Flow:      drawFlow,
		Frame:     drawFrame,
		Malformed: drawMalformed,
		Describe:  conformance.Describe[Frame],
		MayDrop:   func(_ *sluice.Packet, r sluice.Reason) bool { return r == sluice.BufferFull },
		Network: &conformance.Network{
			New:   drawFabric(enoughIQs, 0),
			Ring:  true,
			Lossy: drawFabric(enoughIQs, 20*sluice.Microsecond),
		},
	}
}

// drawOptions draws everything but the ports.
func drawOptions(t *rapid.T) Config {
	c := Config{
		Organisation: rapid.SampledFrom([]Organisation{
			Hierarchical, Hierarchical, SingleTier,
		}).Draw(t, "organisation"),
		Child:      rapid.SampledFrom([]ChildRule{ByIngress, ByQueue}).Draw(t, "child rule"),
		UpPorts:    rapid.SampledFrom([]UpRule{UpImbalanced, UpAlways, UpNever}).Draw(t, "up rule"),
		AbdicateUp: rapid.Bool().Draw(t, "up-ports abdicate"),
		FreeMerged: rapid.Bool().Draw(t, "merged IQs are not waited for"),
		KeepPaused: rapid.Bool().Draw(t, "resumed roots keep who is paused"),
		Merge: rapid.SampledFrom([]MergeRule{
			MergeAlways, MergeAlways, MergeIfCalm, MergeNever,
		}).Draw(t, "merge rule"),
		Scheduler: rapid.SampledFrom([]hiq.Scheduler{
			hiq.RoundRobin, hiq.DeficitRoundRobin,
		}).Draw(t, "scheduler"),
		Roots:   rapid.SampledFrom([]int{0, 1, 2, 8}).Draw(t, "roots"),
		Speedup: rapid.SampledFrom([]int{0, 2}).Draw(t, "speedup"),
		MTU:     conformance.MTU,
	}
	return c
}

// enoughIQs is as many as the suite's networks have roots at a port, at the most.
func enoughIQs(*rapid.T, *Config) int { return 60 }

func fewIQs(t *rapid.T, c *Config) int {
	if c.Organisation == SingleTier {
		return rapid.SampledFrom([]int{2, 3, 20}).Draw(t, "IQs of a single tier")
	}
	return rapid.SampledFrom([]int{7, 8, 20}).Draw(t, "IQs")
}

func drawConfig(t *rapid.T) Config {
	c := drawOptions(t)
	c.IQs = fewIQs(t, &c)
	c.Switch = conformance.Self
	c.Levels = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "levels")
	c.Classes = rapid.SampledFrom([]sluice.ClassSet{0, 0, 0x01, 0x3c}).Draw(t, "classes")
	c.Buffer = rapid.SampledFrom([]sluice.Bytes{0, 0, 20_000}).Draw(t, "buffer")
	if rapid.Bool().Draw(t, "refresh") {
		c.Refresh = 20 * sluice.Microsecond
	}
	for range rapid.IntRange(1, 5).Draw(t, "ports") {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{
				Rate:  rapid.SampledFrom([]sluice.Rate{10 * sluice.Gbps, 100 * sluice.Gbps}).Draw(t, "rate"),
				Delay: sluice.Time(rapid.SampledFrom([]int{0, 100, 1000}).Draw(t, "delay")) * sluice.Nanosecond,
			},
			Role: Role(rapid.IntRange(0, 4).Draw(t, "role")),
		})
	}
	return c
}

func drawFlow(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
	p := conformance.DrawFlow(t, m, port)
	p.Path = sluice.Path{}
	if rapid.IntRange(0, 9).Draw(t, "path is known") == 0 {
		return p
	}
	p.Path.Append(sluice.Hop{Switch: conformance.Self, Port: port})
	for range rapid.IntRange(0, 7).Draw(t, "hops beyond") {
		p.Path.Append(smallHop(t))
	}
	return p
}

func drawFrame(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
	f := Frame{
		Type:     FrameType(rapid.IntRange(1, 4).Draw(t, "type")),
		Root:     smallHop(t),
		Old:      smallHop(t),
		Hop:      uint8(rapid.IntRange(0, 8).Draw(t, "hop")),
		Sequence: conformance.DrawSequence(t),
	}
	if f.Type != Merge {
		f.Old = sluice.Hop{}
	}
	return f.AppendTo(nil)
}

func drawMalformed(t *rapid.T, m kit.Machine, port sluice.PortID) (sluice.Packet, sluice.Reason) {
	p := conformance.DrawFlow(t, m, port)
	p.Size = 1000
	p.Path = sluice.Path{}
	p.Path.Append(sluice.Hop{Switch: conformance.Self, Port: port + 1})
	return p, sluice.BadPath
}

// drawFabric draws networks; without a refresh they rely on every frame to arrive, as the paper
// does.
func drawFabric(
	iqs func(*rapid.T, *Config) int, refresh sluice.Time,
) func(t *rapid.T) conformance.Fabric {
	return func(t *rapid.T) conformance.Fabric {
		base := drawOptions(t)
		base.IQs = iqs(t, &base)
		base.Refresh = refresh
		return conformance.Fabric{
			Node:    func(n conformance.Node) kit.Machine { return nodeMachine(base, n) },
			Operate: hostCongested, HostRoots: true,
		}
	}
}

// hostCongested lets a host be a root for a while: it cannot take what arrives (section IV.C.5).
func hostCongested(m kit.Machine, now sluice.Time, salt uint64) (kit.Machine, sluice.Wake) {
	s := kit.Unwrap(m).(*Switch)
	if s.Port(0).role != NIC {
		return m, 0
	}
	return m, s.Port(0).Congested(now, salt > 0)
}

// nodeMachine is the switch or network card of a node, its ports as the topology has them.
func nodeMachine(c Config, n conformance.Node) kit.Machine {
	c.Switch = n.ID
	c.Ports = nil
	for _, p := range n.Ports {
		role := Down
		switch {
		case n.Host():
			role = NIC
		case p.PeerTier == 0:
			role = Host
		case p.PeerTier > n.Tier:
			role = Up
		}
		c.Ports = append(c.Ports, PortConfig{Link: p.Link, Role: role})
	}
	return conformance.Machines(c, New)()
}
