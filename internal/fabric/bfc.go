package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/hol"
	"github.com/sluicefc/sluice/internal/params"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/kit"
)

var bfcParameters = []params.Definition{
	{Name: "bfc.queues", Kind: params.Int, Default: "", Min: "2", Max: "4095", Section: "bfc",
		Doc: "data queues of a switch port; unset: 32, 128 under bfc-128, 1024 under bfc-ideal"},
	{Name: "bfc.nic.queues", Kind: params.Int, Default: "1023", Min: "2", Max: "4095", Section: "bfc",
		Doc: "queues of a host's network card, one a flow"},
	{Name: "bfc.vfids", Kind: params.Int, Default: "", Min: "1", Max: "16777216", Section: "bfc",
		Doc: "entries of the flow table of a switch port; unset: 100 a queue"},
	{Name: "bfc.factor", Kind: params.Rational, Default: "1", Min: "1/100", Max: "100", Section: "bfc",
		Doc: "F of the pause threshold F x HRTT x rate / N_active"},
	{Name: "bfc.sticky", Kind: params.Time, Default: "", Section: "bfc",
		Doc: "time an idle flow keeps its queue; unset: two HRTT"},
	{Name: "bfc.tau", Kind: params.Time, Default: "1us", Min: "1ns", Section: "bfc",
		Doc: "period of the bitmap"},
	{Name: "bfc.signalling", Kind: params.Choice, Default: "both", Choices: []string{"both", "transitions", "bitmap"}, Section: "bfc",
		Doc: "pauses as frames on transitions, as periodic bitmaps, or both"},
	{Name: "bfc.assignment", Kind: params.Choice, Default: "random", Choices: []string{"random", "lowest", "hash"}, Section: "bfc",
		Doc: "queue of a new flow: a free one by random scan, the lowest free one, or the one its VFID hashes to, free or not"},
	{Name: "bfc.resumes", Kind: params.Int, Default: "0", Section: "bfc",
		Doc: "upstream queues that one queue may resume in an HRTT; 0: no limit"},
}

// bfcFleet is a network of bfc switches and cards.
type bfcFleet struct {
	*plan
	queues   int
	ideal    bool
	switches []*bfc.Switch
}

// buildBFC returns the builder of a variant by its queues; ideal excludes VFID collisions.
func buildBFC(queues int, ideal bool) func(*plan) fleet {
	return func(p *plan) fleet {
		return &bfcFleet{plan: p, queues: bfcQueues(p.values, queues), ideal: ideal}
	}
}

// modelBFC returns the model of a variant.
func modelBFC(queues int) func(*params.Values) hol.Strategy {
	return func(v *params.Values) hol.Strategy { return hol.BFCDynamic(sluice.QueueID(bfcQueues(v, queues))) }
}

// bfcQueues returns the data queues of a port, which a variant has unless they are set.
func bfcQueues(v *params.Values, variant int) int {
	if v.IsSet("bfc.queues") {
		return int(v.Int("bfc.queues"))
	}
	return variant
}

func (f *bfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	s, err := bfc.New(f.config(node))
	if err != nil {
		return nil, err
	}
	f.switches = append(f.switches, s)
	return kit.Wrap(s), nil
}

func (f *bfcFleet) config(node sluice.SwitchID) bfc.Config {
	v := f.values
	card := int(v.Int("bfc.nic.queues"))
	if f.graph.IsHost(node) {
		c := bfc.HostConfig(f.graph.Nodes[node].Ports[0].Link)
		c.Queues = card
		c.Ports[0].UpstreamQueues = f.queues
		c.Ideal = true
		c.VFIDs = 4 * card
		f.common(&c, node)
		return c
	}
	c := bfc.Config{Queues: f.queues, Buffer: v.Bytes("buffer"), Ideal: f.ideal, Sticky: v.Time("bfc.sticky")}
	if v.IsSet("bfc.sticky") && c.Sticky == 0 {
		c.Sticky = bfc.NoSticky
	}
	c.Factor = ratio(v, "bfc.factor")
	c.VFIDs = int(v.Int("bfc.vfids"))
	c.ResumeLimit = int(v.Int("bfc.resumes"))
	switch v.String("bfc.assignment") {
	case "lowest":
		c.Assignment = bfc.LowestFree
	case "hash":
		c.Assignment = bfc.StaticHash
	}
	f.common(&c, node)
	for _, end := range f.graph.Nodes[node].Ports {
		upstream := f.queues
		if f.graph.IsHost(end.Peer) {
			upstream = card
		}
		c.Ports = append(c.Ports, bfc.PortConfig{Link: end.Link, UpstreamQueues: upstream})
	}
	return c
}

// common sets what switches and cards share.
func (f *bfcFleet) common(c *bfc.Config, node sluice.SwitchID) {
	c.Seed = f.seed + uint64(node)<<20
	c.MAC = macOf(node)
	c.Quantum = f.values.Bytes("payload") + f.values.Bytes("header")
	c.Period = f.values.Time("bfc.tau")
	switch f.values.String("bfc.signalling") {
	case "transitions":
		c.Signalling = bfc.Transitions
	case "bitmap":
		c.Signalling = bfc.PeriodicBitmap
	}
}

func (f *bfcFleet) report(r *sim.Result) {
	var pauses, collisions, vfids uint64
	for _, s := range f.switches {
		c := s.Counters()
		pauses += c.Pauses
		collisions += c.QueueCollisions
		vfids += c.VFIDCollisions
	}
	r.Figure("flows that took a queue in use", int64(collisions))
	r.Figure("packets that met another flow's VFID entry", int64(vfids))
	if pauses == 0 {
		r.Note("bfc never paused: no queue was over its threshold with a second packet of a flow in it")
	}
}
