package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/floodgate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

// floodgateSettings are the parameters of Floodgate.
type floodgateSettings struct {
	config floodgate.Config // of every node, but for its own
}

func (f *floodgateSettings) parameters() []params.Field {
	c := &f.config
	check := func() error {
		alone := *c
		alone.Ports = []floodgate.PortConfig{{Link: anyLink}}
		_, err := floodgate.New(alone)
		return err
	}
	return params.Checked(c, check,
		params.Bind("floodgate.destinations", &c.Destinations, "1024",
			"destinations that a switch can know; others have no window").Range("1", ""),
		params.Bind("floodgate.window", &c.Window, "3/2",
			"m, the window of a destination in bandwidth-delay products of the next hop; "+
				"floodgate.credit is added"),
		params.Bind("floodgate.delay", &c.Delay, "3/2",
			"what may wait in the VOQs of a destination before its credit is withheld, in the same; "+
				"0: credit is never withheld").Zero(sluice.Ratio{Num: 0, Den: 1}),
		params.Bind("floodgate.credit", &c.Threshold, "10240B",
			"K, the credit for an upstream that makes a frame").Range("1B", "").As("Threshold"),
		params.Bind("floodgate.interval", &c.Interval, "10us",
			"T, after which less makes one").Range("1ns", ""),
		params.Bind("floodgate.timeout", &c.Timeout, "1ms",
			"time without credit after which a SYN asks for it").Range("1ns", ""),
	)
}

// floodgateFleet is a network of Floodgate's switches and of cards that take no part.
type floodgateFleet struct {
	*plan
	floodgateSettings
	switches []*floodgate.Switch
}

func buildFloodgate(p *plan) fleet {
	f := &floodgateFleet{plan: p}
	p.fill(f.parameters())
	return f
}

func (f *floodgateFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	c := f.config
	c.MAC, c.Seed, c.MTU = MAC(node), f.seed+uint64(node), f.packet()
	c.Classes = sluice.AllClasses &^ f.apart
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, floodgate.PortConfig{
			Link: end.Link, Edge: f.isCard(node) || f.isCard(end.Peer),
		})
	}
	if f.isCard(node) {
		c.Destinations = 1
	} else {
		c.Buffer = f.buffer(node)
	}
	s, err := floodgate.New(c)
	if err != nil {
		return nil, err
	}
	if !f.isCard(node) {
		f.switches = append(f.switches, s)
	}
	return kit.Wrap(s), nil
}

// report tells how many queues and states destinations needed, and how often the means against loss
// were.
func (f *floodgateFleet) report(r *sim.Result) {
	var sum floodgate.PortCounters
	known, destinations, withheld := 0, 0, uint64(0)
	for _, s := range f.switches {
		c := s.Counters()
		known, destinations = max(known, c.Known), max(destinations, c.DestinationsPeak)
		sum.VOQsPeak = max(sum.VOQsPeak, c.VOQsPeak)
		sum.Isolated += c.Isolated
		withheld += c.Withheld
		sum.Uncontrolled += c.Uncontrolled
	}
	r.Figure(queuesNeeded, int64(destinations))
	r.Figure("queues of destinations in use at a port", int64(sum.VOQsPeak))
	r.Figure("destinations that a switch had a state of", int64(known))
	r.Figure("packets that waited in a VOQ", int64(sum.Isolated))
	r.Figure("times the credit of a destination was withheld", int64(withheld))
	if sum.Uncontrolled > 0 {
		r.Note("floodgate: %d packets were for destinations that a switch had no room for "+
			"(floodgate.destinations)", sum.Uncontrolled)
	}
	if sum.Isolated == 0 {
		r.Note("floodgate never held anything: no destination met its window")
	}
}
