package main

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

const paramLinks = "credit.links"

var creditParameters = []params.Definition{
	{Name: paramLinks, Kind: params.Int, Default: "2", Min: "2", Max: "64",
		Doc: "scenario tcd/credit: links in a row between the two hosts, with a switch between any two"},
}

// creditScenario asks what a buffer and a T_c leave of a link: InfiniBand, volume 1, section 7.9.
var creditScenario = scenario{
	name: "tcd/credit", sampleEvery: 10 * sluice.Microsecond, until: 12 * sluice.Millisecond,
	doc: "one flow that never ends over credit.links in a row, of host.rate and link.delay: its " +
		"rate by cbfc.period and cbfc.buffer",
	set:       "payload=1000B,header=30B,window=1GB,ack.class=7,host.rate=40Gbps,link.delay=4us,cbfc.period=13107200ps",
	protocols: []string{"cbfc"}, build: buildCredit, claims: claimCredit,
	watch: func(_ *subject, c *probe.Config) { c.Flows = []int32{0} },
}

func buildCredit(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: v.Rate(byname.HostRate), Delay: v.Time(byname.Delay)}
	links := sluice.SwitchID(v.Int(paramLinks))
	g := &topo.Graph{Name: fmt.Sprintf("%d links in a row", links), Nodes: make([]topo.Node, links+1)}
	const src, dst = 0, 1
	last := sluice.SwitchID(src)
	for next := sluice.SwitchID(2); next <= links; next++ {
		g.Nodes[next].Tier = 1
		g.Connect(last, next, link)
		last = next
	}
	g.Connect(last, dst, link)
	return g, []workload.Flow{endless(src, dst, 0, 0)}, nil
}

// creditRates are the rate of the flow and, by cbfc.RateFor, those of one link and of many in a
// row, in Gb/s.
func creditRates(o *outcome) (got, alone, inARow float64, err error) {
	v, until := o.subject.values, o.subject.until
	link := sluice.Link{Rate: v.Rate(byname.HostRate), Delay: v.Time(byname.Delay)}
	packet := v.Bytes("payload") + v.Bytes("header")
	most, least, err := cbfc.RateFor(link, v.Time("cbfc.period"), packet, v.Bytes("cbfc.buffer"))
	return o.onWire(0, until/6, until), float64(most) / 1e9, float64(least) / 1e9, err
}

func claimCredit(_ *subject, outcomes []*outcome) (claims []claim) {
	for _, o := range outcomes {
		if !strings.HasPrefix(o.run, "cbfc") {
			continue
		}
		got, alone, inARow, err := creditRates(o)
		if err != nil {
			continue // the run had the same configuration
		}
		claims = append(claims,
			claim{what: "rate of the flow, headers too, Gb/s", fc: o.fc,
				published: fmt.Sprintf("%.2f to %.2f by cbfc.RateFor", inARow, alone),
				ours:      fmt.Sprintf("%.2f", got)})
	}
	return claims
}
