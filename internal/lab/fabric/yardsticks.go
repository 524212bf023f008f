package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/floodgate"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/internal/lab/fabric/voq"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

// idealFleet has a queue for every flow at every port.
type idealFleet struct{ *plan }

func buildIdeal(p *plan) (fleet, error) { return idealFleet{p}, nil }

func (f idealFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return ideal.New(len(f.graph.Nodes[node].Ports), f.packet()), nil
}

func (f idealFleet) report(*sim.Result) {}

func voqParameters(c *voq.Config) []params.Field {
	return params.Checked(c, alone(c, voq.New, &c.Ports, voq.PortConfig{Link: anyLink}),
		params.Bind("voq.queues", &c.Queues, "1024",
			"destinations that have a queue at once; others share one").Range("1", ""),
		params.Bind("voq.pause", &c.Pause, "2",
			"K_pause, what a switch holds for a destination, in one-hop bandwidth-delay products"),
		params.Bind("voq.resume", &c.Resume, "1", "K_resume in one-hop bandwidth-delay products"),
	)
}

// voqFleet is a network with a queue for every destination, at switches and cards.
type voqFleet struct {
	*plan
	config   voq.Config // what all nodes have in common
	switches []*voq.Switch
}

func buildVOQ(p *plan) (fleet, error) {
	f := &voqFleet{plan: p}
	p.fill(voqParameters(&f.config))
	return f, nil
}

func (f *voqFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	c := f.config
	c.MAC, c.Seed, c.Quantum = MAC(node), f.seed+uint64(node), f.packet()
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, voq.PortConfig{Link: end.Link})
	}
	if f.isCard(node) {
		return kit.WrapNew(voq.New(c))
	}
	c.Buffer = f.buffer(node)
	return kit.WrapNew(kept(&f.switches, voq.New, c))
}

// queuesNeeded is the name of a figure of systems with queues of destinations.
const queuesNeeded = "destinations that needed a queue of a switch at once"

func (f *voqFleet) report(r *sim.Result) {
	sum := summed(f.switches)
	r.Figure(queuesNeeded, int64(sum.DestinationsPeak))
	r.Figure("queues of destinations in use at a port", int64(sum.QueuesPeak))
	r.Figure("pauses of a destination sent upstream", int64(sum.Pauses))
	if sum.Unqueued > 0 {
		r.Note("voq ran out of queues: %d packets were for destinations that found none (voq.queues)",
			sum.Unqueued)
	}
	if sum.Pauses == 0 {
		r.Note("voq never paused: no switch held K_pause for a destination, %v one-hop "+
			"bandwidth-delay products", f.config.Pause)
	}
}

func floodgateParameters(c *floodgate.Config) []params.Field {
	check := alone(c, floodgate.New, &c.Ports, floodgate.PortConfig{Link: anyLink})
	return params.Checked(c, check,
		params.Bind("floodgate.destinations", &c.Destinations, "1024",
			"destinations that a switch can know; others have no window").Range("1", ""),
		params.Bind("floodgate.window", &c.Window, "3/2",
			"m, the window of a destination in bandwidth-delay products of the next hop; "+
				"floodgate.credit is added"),
		params.Bind("floodgate.delay", &c.Delay, "3/2",
			"what may wait in the VOQs of a destination before its credit is withheld, in "+
				"bandwidth-delay products of the next hop; 0: credit is never withheld").
			Zero(sluice.Ratio{Num: 0, Den: 1}),
		params.Bind("floodgate.credit", &c.Threshold, "10240B",
			"K, the credit for an upstream that makes a frame").Range("1B", "").As("Threshold"),
		params.Bind("floodgate.interval", &c.Interval, "10us",
			"T, the time after which less credit makes a frame").Range("1ns", ""),
		params.Bind("floodgate.timeout", &c.Timeout, "1ms",
			"time without credit after which a SYN asks for it").Range("1ns", ""),
	)
}

// floodgateFleet is a network of Floodgate's switches and of cards that take no part.
type floodgateFleet struct {
	*plan
	config   floodgate.Config // what all nodes have in common
	switches []*floodgate.Switch
}

func buildFloodgate(p *plan) (fleet, error) {
	f := &floodgateFleet{plan: p}
	p.fill(floodgateParameters(&f.config))
	return f, nil
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
		return kit.WrapNew(floodgate.New(c))
	}
	c.Buffer = f.buffer(node)
	return kit.WrapNew(kept(&f.switches, floodgate.New, c))
}

// report tells how many queues and states destinations needed, and how often credit was withheld.
func (f *floodgateFleet) report(r *sim.Result) {
	sum := summed(f.switches)
	r.Figure(queuesNeeded, int64(sum.DestinationsPeak))
	r.Figure("queues of destinations in use at a port", int64(sum.VOQsPeak))
	r.Figure("destinations tracked by a switch", int64(sum.Known))
	r.Figure("packets that waited in a VOQ", int64(sum.Isolated))
	r.Figure("times the credit of a destination was withheld", int64(sum.Withheld))
	if sum.Uncontrolled > 0 {
		r.Note("floodgate: %d packets were for destinations that a switch had no room for "+
			"(floodgate.destinations)", sum.Uncontrolled)
	}
	if sum.Isolated == 0 {
		r.Note("floodgate never held anything: no destination met its window")
	}
}
