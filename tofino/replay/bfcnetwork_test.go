package replay_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/tofino"
)

// drawBFC draws a configuration and returns what the chip can run of it.
func drawBFC(t *rapid.T, ports []bfc.PortConfig) bfc.Config {
	c := bfc.Config{
		Ports:  ports,
		Queues: rapid.SampledFrom([]int{2, 3, 4, 8}).Draw(t, "queues"),
		VFIDs:  rapid.SampledFrom([]int{0, 4, 16, 1000}).Draw(t, "VFIDs"),
		Sticky: rapid.SampledFrom([]sluice.Time{
			0, bfc.NoSticky, 10 * sluice.Microsecond, 1234,
		}).Draw(t, "sticky"),
		Factor: rapid.SampledFrom([]sluice.Ratio{
			{}, {Num: 3, Den: 2}, {Num: 1, Den: 10}, {Num: 1, Den: 3},
		}).Draw(t, "factor"),
		CountLonePackets: rapid.Bool().Draw(t, "count lone packets"),
		MAC:              sluice.MAC{2, 0, 0, 0, 0, 1},
	}
	for range rapid.IntRange(0, 2).Draw(t, "withheld") {
		port := rapid.IntRange(0, len(ports)-1)
		c.Withhold = append(c.Withhold, bfc.Pair{Ingress: sluice.PortID(port.Draw(t, "ingress")),
			Egress: sluice.PortID(port.Draw(t, "egress"))})
	}
	c, _, err := tofino.RealiseBFC(c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustTap(t *rapid.T, c bfc.Config) kit.Machine {
	tap, err := tapOf(c, tofino.Notices)
	if err != nil {
		t.Fatal(err)
	}
	return tap
}

// Random configurations under hostile inputs, and random networks of switches each of which has its
// program beside it: whatever they decide, the program decides. Audit returns the difference if
// there is one, and the suite shrinks the inputs that lead to it.
func TestBFCIsItsProgram(t *testing.T) {
	depth.Fewer(t, 8)
	links := []sluice.Link{{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond},
		{Rate: 10 * sluice.Gbps, Delay: 300 * sluice.Nanosecond}}
	conformance.RunDecisions(t, conformance.Spec{
		Name: "bfc",
		New: func(t *rapid.T) func() kit.Machine {
			var ports []bfc.PortConfig
			for range rapid.IntRange(1, 4).Draw(t, "ports") {
				ports = append(ports, bfc.PortConfig{
					Link:           rapid.SampledFrom(links).Draw(t, "link"),
					UpstreamQueues: rapid.SampledFrom([]int{0, 1, 5, 100}).Draw(t, "upstream queues")})
			}
			config := drawBFC(t, ports)
			return func() kit.Machine { return mustTap(t, config) }
		},
		Flow: func(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
			p := conformance.DrawFlow(t, m, port)
			if p.Ingress == sluice.Local {
				p.Ingress = 0 // the chip has no packets of its own
			}
			return p
		},
		Packet: func(t *rapid.T, m kit.Machine, p *sluice.Packet) {
			conformance.DrawPacket(t, m, p)
			p.UpstreamQueue = sluice.QueueID(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 3),
				rapid.IntRange(0, m.Queues()), rapid.IntRange(0, math.MaxUint16)).Draw(t, "upstream queue"))
		},
		Frame: func(t *rapid.T, m kit.Machine, _ sluice.PortID) []byte {
			f := bfc.Frame{Type: bfc.Type(rapid.IntRange(1, 2).Draw(t, "type")), Count: 1,
				Sequence: rapid.OneOf(rapid.Uint32Range(0, 100), rapid.Uint32()).Draw(t, "sequence")}
			f.Queues[0] = sluice.QueueID(rapid.OneOf(rapid.IntRange(0, m.Queues()),
				rapid.IntRange(0, math.MaxUint16)).Draw(t, "queue"))
			return f.AppendTo(nil)
		},
		MayDrop: func(p *sluice.Packet, r sluice.Reason) bool { return false },
		Network: &conformance.Network{New: drawBFCFabric},
	})
}

// drawBFCFabric draws networks whose switches have their programs beside them.
func drawBFCFabric(t *rapid.T) conformance.Fabric {
	options := drawBFC(t, []bfc.PortConfig{{Link: sluice.Link{Rate: 100 * sluice.Gbps}}})
	options.Withhold = nil
	const hostQueues = 100
	return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
		c := options
		c.Ports = nil
		for _, p := range n.Ports {
			port := bfc.PortConfig{Link: p.Link, UpstreamQueues: options.Queues}
			if p.PeerTier == 0 {
				port.UpstreamQueues = hostQueues
			}
			c.Ports = append(c.Ports, port)
		}
		if n.Host() {
			host := bfc.HostConfig(n.Ports[0].Link)
			host.Queues, host.Ports, host.Signalling = hostQueues, c.Ports, bfc.Transitions
			s, err := bfc.New(host)
			if err != nil {
				t.Fatal(err)
			}
			return kit.Wrap[*bfc.Switch, *bfc.Port, bfc.Frame](s)
		}
		c, _, err := tofino.RealiseBFC(c)
		if err != nil {
			t.Fatal(err)
		}
		return mustTap(t, c)
	}}
}
