package tcd

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

var creditParameters = []params.Definition{
	{Name: "credit.links", Kind: params.Int, Default: "2", Min: "2", Max: "64",
		Doc: "scenario tcd/credit: links in a row between the two hosts, with a switch between any two"},
}

// creditScenario asks what a buffer and a T_c leave of a link: InfiniBand, volume 1, section 7.9.
var creditScenario = run.Scenario{
	Name: "tcd/credit", SampleEvery: 10 * sluice.Microsecond, Until: 12 * sluice.Millisecond,
	Doc: "one flow that never ends over credit.links in a row, of host.rate and link.delay: its " +
		"rate by cbfc.period and cbfc.buffer",
	Set:       "payload=1000B,header=30B,window=1GB,ack.class=7,host.rate=40Gbps,link.delay=4us,cbfc.period=13107200ps",
	Protocols: []string{"cbfc"}, Build: buildCredit, Claims: claimCredit,
	Watch: func(_ *run.Subject, c *probe.Config) { c.Flows = []int32{0} },
}

func buildCredit(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: v.Rate("host.rate"), Delay: v.Time("link.delay")}
	links := sluice.SwitchID(v.Int("credit.links"))
	g := &topo.Graph{Name: fmt.Sprintf("%d links in a row", links), Nodes: make([]topo.Node, links+1)}
	const src, dst = 0, 1
	last := sluice.SwitchID(src)
	for next := sluice.SwitchID(2); next <= links; next++ {
		g.Nodes[next].Tier = 1
		g.Connect(last, next, link)
		last = next
	}
	g.Connect(last, dst, link)
	return g, []workload.Flow{generate.Endless(src, dst, 0, 0)}, nil
}

// creditRate is the rate of the flow, in Gb/s.
func creditRate(o *run.Outcome) float64 {
	until := o.Subject.Until
	return o.OnWire(0, until/6, until)
}

// creditBounds are the rates of one link and of many in a row, by cbfc.RateFor, in Gb/s.
func creditBounds(s *run.Subject) (alone, inARow float64, err error) {
	v := s.Values
	link := sluice.Link{Rate: v.Rate("host.rate"), Delay: v.Time("link.delay")}
	packet := v.Bytes("payload") + v.Bytes("header")
	most, least, err := cbfc.RateFor(link, v.Time("cbfc.period"), packet, v.Bytes("cbfc.buffer"))
	return float64(most) / 1e9, float64(least) / 1e9, err
}

func claimCredit(s *run.Subject) []run.Claim {
	rate := run.Measurement{
		What: "rate of the flow, headers too", Unit: "Gb/s", Figure: "cbfc.RateFor",
		Of: []string{"cbfc"}, Value: run.Value(creditRate),
	}
	alone, inARow, err := creditBounds(s)
	if err != nil {
		return []run.Claim{run.Beside(rate)}
	}
	rate.Published = run.Always(run.Between(inARow, alone))
	if inARow == alone {
		rate.Published = run.Always(run.Exactly(alone))
	}
	return []run.Claim{{
		Statement: "a flow has at most the rate that credit for the buffer allows on one link, and at " +
			"least the rate that it allows where every link waits for the next", Source: run.Formula,
		Place:    "InfiniBand Architecture Specification, volume 1, section 7.9",
		Measures: []run.Measurement{rate},
		Note:     "the rates follow from the definition of the limit; cbfc.RateFor computes them",
	}}
}
