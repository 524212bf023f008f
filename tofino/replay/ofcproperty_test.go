package replay_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/replay"
)

// drawOFC draws a configuration and returns what the chip can run of it.
func drawOFC(t *rapid.T, links []sluice.Link) ofc.Config {
	c := ofc.Config{
		Flows:           rapid.SampledFrom([]int{0, 32, 64, 33}).Draw(t, "flows"),
		Undistinguished: rapid.Bool().Draw(t, "undistinguished"),
		Classes:         sluice.ClassSet(rapid.SampledFrom([]int{0, 0x0a, 0x28}).Draw(t, "classes")),
		MAC:             sluice.MAC{2, 0, 0, 0, 0, 1},
	}
	for _, link := range links {
		p := ofc.PortConfig{Link: link, XOff: sluice.Bytes(rapid.IntRange(200, 9000).Draw(t, "X_OFF"))}
		p.XOffCongested = sluice.Bytes(rapid.IntRange(2, int(p.XOff)).Draw(t, "X^c_OFF"))
		p.XOn = sluice.Bytes(rapid.IntRange(1, int(p.XOffCongested)-1).Draw(t, "X_ON"))
		c.Ports = append(c.Ports, p)
	}
	c, _, err := tofino.RealiseOFC(c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustTapOFC(t *rapid.T, c ofc.Config) kit.Machine {
	_, config, err := ofcProgram(c)
	if err != nil {
		t.Fatal(err)
	}
	config.Every = 20
	tap, err := replay.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return tap
}

// Random configurations under hostile inputs, and random networks of switches each of which has its
// program beside it.
func TestOFCIsItsProgram(t *testing.T) {
	depth.Fewer(t, 5)
	conformance.RunDecisions(t, conformance.Spec{
		Name: "ofc",
		New: func(t *rapid.T) func() kit.Machine {
			links := make([]sluice.Link, rapid.IntRange(1, 4).Draw(t, "ports"))
			for at := range links {
				links[at] = link40
			}
			config := drawOFC(t, links)
			return func() kit.Machine { return spreading{mustTapOFC(t, config)} }
		},
		Flow: func(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
			p := conformance.DrawFlow(t, m, port)
			if p.Ingress == sluice.Local {
				p.Ingress = 0 // the chip has no packets of its own
			}
			p.Class = sluice.Class(rapid.SampledFrom([]int{1, 3, 1, 3, 5}).Draw(t, "class"))
			return p
		},
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			f := ofc.Frame{Type: ofc.Type(rapid.IntRange(1, 2).Draw(t, "type")), Count: 1,
				Class:    sluice.Class(rapid.SampledFrom([]int{1, 3, 1, 3, 7}).Draw(t, "class")),
				Sequence: rapid.OneOf(rapid.Uint32Range(0, 100), rapid.Uint32()).Draw(t, "sequence")}
			f.Keys[0] = spread(rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64()).Draw(t, "flow"))
			if rapid.IntRange(0, 7).Draw(t, "all") == 0 {
				f.All, f.Count = true, 0
			} else {
				f.Last = f.Type == ofc.Resume && rapid.Bool().Draw(t, "last")
			}
			return f.AppendTo(nil)
		},
		MayDrop: func(*sluice.Packet, sluice.Reason) bool { return false },
		Network: &conformance.Network{New: drawOFCFabric},
	})
}

// drawOFCFabric draws networks whose switches have their programs beside them.
func drawOFCFabric(t *rapid.T) conformance.Fabric {
	options := drawOFC(t, []sluice.Link{link40})
	return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
		c := options
		c.Ports = nil
		for _, p := range n.Ports {
			port := options.Ports[0]
			port.Link = sluice.Link{Rate: 40 * sluice.Gbps, Delay: p.Link.Delay}
			c.Ports = append(c.Ports, port)
		}
		if n.Host() {
			host := ofc.HostConfig(n.Ports[0].Link)
			host.Classes = options.Classes
			s, err := ofc.New(host)
			if err != nil {
				t.Fatal(err)
			}
			return spreading{kit.Wrap[*ofc.Switch, *ofc.Port, ofc.Frame](s)}
		}
		return spreading{mustTapOFC(t, c)}
	}}
}

// spreading makes hashes of the flows that a machine is given.
type spreading struct{ kit.Machine }

func (m spreading) Enqueue(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Verdict {
	flow := p.Flow
	p.Flow = spread(flow)
	v := m.Machine.Enqueue(now, port, p)
	p.Flow = flow
	return v
}

func (m spreading) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	flow := p.Flow
	p.Flow = spread(flow)
	v := m.Machine.Dequeue(now, port, q, p)
	p.Flow = flow
	return v
}

func (m spreading) Unwrap() kit.Machine { return m.Machine }
