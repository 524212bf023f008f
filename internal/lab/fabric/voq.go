package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric/voq"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

// voqSettings are the parameters of per-destination VOQs.
type voqSettings struct {
	config voq.Config // of every node, but for its own
}

func (v *voqSettings) parameters() []params.Field {
	c := &v.config
	check := func() error {
		alone := *c
		alone.Ports = []voq.PortConfig{{Link: anyLink}}
		_, err := voq.New(alone)
		return err
	}
	return params.Checked(c, check,
		params.Bind("voq.queues", &c.Queues, "1024",
			"destinations that have a queue at once; others share one").Range("1", ""),
		params.Bind("voq.pause", &c.Pause, "2",
			"K_pause, what a switch holds for a destination, in one-hop bandwidth-delay products"),
		params.Bind("voq.resume", &c.Resume, "1", "K_resume, in the same"),
	)
}

// voqFleet is a network with a queue for every destination, at switches and cards.
type voqFleet struct {
	*plan
	voqSettings
	switches []*voq.Switch
}

func buildVOQ(p *plan) fleet {
	f := &voqFleet{plan: p}
	p.fill(f.parameters())
	return f
}

func (f *voqFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	c := f.config
	c.MAC, c.Seed, c.Quantum = MAC(node), f.seed+uint64(node), f.packet()
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, voq.PortConfig{Link: end.Link})
	}
	if !f.isCard(node) {
		c.Buffer = f.buffer(node)
	}
	s, err := voq.New(c)
	if err != nil {
		return nil, err
	}
	if !f.isCard(node) {
		f.switches = append(f.switches, s)
	}
	return kit.Wrap(s), nil
}

// queuesNeeded is how a figure is called that systems with queues of destinations have in common.
const queuesNeeded = "destinations that needed a queue of a switch at once"

// report tells how many queues destinations needed, and how many found none.
func (f *voqFleet) report(r *sim.Result) {
	var sum voq.PortCounters
	destinations := 0
	for _, s := range f.switches {
		c := s.Counters()
		destinations = max(destinations, c.DestinationsPeak)
		sum.QueuesPeak = max(sum.QueuesPeak, c.QueuesPeak)
		sum.Unqueued += c.Unqueued
		sum.Pauses += c.Pauses
	}
	r.Figure(queuesNeeded, int64(destinations))
	r.Figure("queues of destinations in use at a port", int64(sum.QueuesPeak))
	r.Figure("times an upstream was told to hold a destination", int64(sum.Pauses))
	if sum.Unqueued > 0 {
		r.Note("voq ran out of queues: %d packets were for destinations that found none (voq.queues)",
			sum.Unqueued)
	}
	if sum.Pauses == 0 {
		r.Note("voq never paused: no switch held K_pause for a destination, %v one-hop "+
			"bandwidth-delay products", f.config.Pause)
	}
}
