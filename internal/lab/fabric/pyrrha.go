package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

var pyrrhaParameters = []params.Definition{
	{Name: "pyrrha.pause", Kind: params.Rational, Default: "2", Max: "1024", Section: "pyrrha",
		Doc: "K_pause in one-hop bandwidth-delay products"},
	{Name: "pyrrha.resume", Kind: params.Rational, Default: "1", Max: "1024", Section: "pyrrha",
		Doc: "K_resume in one-hop bandwidth-delay products"},
	{Name: "pyrrha.iqs", Kind: params.Int, Default: "100", Min: "1", Max: "4000", Section: "pyrrha",
		Doc: "isolation queues of a port"},
	{Name: "pyrrha.roots", Kind: params.Int, Default: "1024", Min: "1", Max: "2048", Section: "pyrrha",
		Doc: "congestion roots of other switches that a switch can know at once"},
	{Name: "pyrrha.levels", Kind: params.Int, Default: "", Min: "1", Max: "7", Section: "pyrrha",
		Doc: "distance of the farthest congestion root that a port isolates; unset: of the farthest " +
			"that there can be, from its place in the network"},
	{Name: "pyrrha.order", Kind: params.Bool, Default: "true", Section: "pyrrha",
		Doc: "in a single tier, a new set of roots waits until what waited for its subsets has left; " +
			"off: as on a chip that cannot, and flows can be reordered"},
	{Name: "drain", Kind: params.Rational, Default: "", Max: "1", Section: "pyrrha",
		Doc: "share of its link's rate at which the first host takes what it receives; pyrrha's card " +
			"then is a congestion root (section IV-D); unset: all hosts take all at once"},
	{Name: "legacy", Kind: params.List, Default: "none",
		Choices: []string{"none", "tors", "spines", "cores"}, Section: "pyrrha",
		Doc: "switches that speak PFC only, beside those of pyrrha+pfc: of tiers, counted from the " +
			"hosts, and by number, as spines+160"},
	{Name: "legacy.count", Kind: params.Int, Default: "", Min: "1", Max: "1000000", Section: "pyrrha",
		Doc: "how many of each tier, those with the lowest numbers; unset: all"},
	{Name: "pyrrha.abdicate", Kind: params.Bool, Default: "false", Section: "pyrrha",
		Doc: "ports towards the core give way to a root farther downstream too, as the paper's text " +
			"has it"},
	{Name: "pyrrha.merge", Kind: params.Choice, Default: "always",
		Choices: []string{"always", "calm", "never"}, Section: "pyrrha",
		Doc: "when a root gives way to a new one downstream: always, as in the paper; only while its " +
			"OQ is below K_resume; or never"},
	{Name: "pyrrha.up", Kind: params.Choice, Default: "imbalanced",
		Choices: []string{"imbalanced", "always", "never"}, Section: "pyrrha",
		Doc: "when a port towards the core claims to be a root: if its OQ is also above twice the " +
			"mean of its fellows, like any port, or never"},
	{Name: "pyrrha.child", Kind: params.Choice, Default: "ingress",
		Choices: []string{"ingress", "queue"}, Section: "pyrrha",
		Doc: "what a child compares with K_pause: what came in by one port and waits for the root, or " +
			"the length of the IQ"},
	{Name: "pyrrha.speedup", Kind: params.Int, Default: "1", Min: "1", Max: "64", Section: "pyrrha",
		Doc: "rate of moves between levels of isolation queues, in line rates"},
	{Name: "pyrrha.refresh", Kind: params.Time, Default: "0", Section: "pyrrha",
		Doc: "period in which the state of paused upstreams is sent again; 0: never, as in the paper"},
	{Name: "pyrrha.expiry", Kind: params.Time, Default: "", Section: "pyrrha",
		Doc: "time after which a pause that was not refreshed is not obeyed any more; unset: four " +
			"refreshes"},
}

var mergeRules = map[string]pyrrha.MergeRule{
	"always": pyrrha.MergeAlways, "calm": pyrrha.MergeIfCalm, "never": pyrrha.MergeNever,
}

// pyrrhaFleet is a network of pyrrha switches and cards.
type pyrrhaFleet struct {
	*plan
	organisation pyrrha.Organisation
	guarded      bool // something beneath guards the buffer
	levels       map[sluice.Hop]int
	err          error                    // of the levels
	legacy       map[sluice.SwitchID]bool // switches that do not speak Pyrrha
	switches     []*pyrrha.Switch
	slow         *pyrrha.Switch // the card of the host that parameter drain is about
}

// buildPyrrha returns the builder of a variant.
func buildPyrrha(organisation pyrrha.Organisation) func(*plan) fleet {
	return func(p *plan) fleet { return newPyrrhaFleet(p, organisation, false) }
}

func newPyrrhaFleet(p *plan, organisation pyrrha.Organisation, guarded bool) *pyrrhaFleet {
	f := &pyrrhaFleet{plan: p, organisation: organisation, guarded: guarded}
	if !p.values.IsSet("pyrrha.levels") {
		f.levels, f.err = p.levels()
	}
	return f
}

func (f *pyrrhaFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return kit.WrapNew(f.newSwitch(node))
}

func (f *pyrrhaFleet) newSwitch(node sluice.SwitchID) (*pyrrha.Switch, error) {
	if f.err != nil {
		return nil, f.err
	}
	if f.isCard(node) {
		c := pyrrha.HostConfig(f.graph.Nodes[node].Ports[0].Link)
		c.Switch = node
		if f.legacy[f.graph.Nodes[node].Ports[0].Peer] {
			c.Ports[0].Role = pyrrha.Legacy
		}
		f.common(&c)
		s, err := pyrrha.New(c)
		if node == f.graph.Hosts()[0] {
			f.slow = s
		}
		return s, err
	}
	s, err := pyrrha.New(f.switchConfig(node))
	if err == nil {
		f.switches = append(f.switches, s)
	}
	return s, err
}

// switchConfig returns the configuration of a node that is no host's card.
func (f *pyrrhaFleet) switchConfig(node sluice.SwitchID) pyrrha.Config {
	c := pyrrha.Config{Switch: node}
	if !f.guarded {
		c.Buffer = f.buffer(node)
	}
	for i, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, pyrrha.PortConfig{Link: end.Link, Role: f.role(node, sluice.PortID(i))})
	}
	f.common(&c)
	return c
}

// common sets what switches and cards share.
func (f *pyrrhaFleet) common(c *pyrrha.Config) {
	v := f.values
	c.MAC = MAC(c.Switch)
	c.Organisation = f.organisation
	c.Classes = sluice.AllClasses &^ f.apart
	c.Pause, c.Resume = ratio(v, "pyrrha.pause"), ratio(v, "pyrrha.resume")
	c.IQs, c.Roots = int(v.Int("pyrrha.iqs")), int(v.Int("pyrrha.roots"))
	c.Speedup = int(v.Int("pyrrha.speedup"))
	c.AbdicateUp = v.Bool("pyrrha.abdicate")
	c.Merge = mergeRules[v.String("pyrrha.merge")]
	c.Unordered = !v.Bool("pyrrha.order")
	for i := range c.Ports {
		c.Ports[i].Levels = f.level(sluice.Hop{Switch: c.Switch, Port: sluice.PortID(i)})
	}
	c.MTU = f.packet()
	c.Refresh, c.Expiry = v.Time("pyrrha.refresh"), v.Time("pyrrha.expiry")
	switch v.String("pyrrha.up") {
	case "always":
		c.UpPorts = pyrrha.UpAlways
	case "never":
		c.UpPorts = pyrrha.UpNever
	}
	if v.String("pyrrha.child") == "queue" {
		c.Child = pyrrha.ByQueue
	}
}

// level returns how far a congestion root can be from a port: "the number of layers of the HIQ is
// determined by its location in the network" (section IV-C). A port that no hop follows has one.
func (f *pyrrhaFleet) level(port sluice.Hop) int {
	if f.levels == nil {
		return int(f.values.Int("pyrrha.levels"))
	}
	return max(f.levels[port], 1)
}

// role returns what is at the other end of a port. Where hosts forward there is no core, and
// nothing is up.
func (f *pyrrhaFleet) role(node sluice.SwitchID, port sluice.PortID) pyrrha.Role {
	switch {
	case f.legacy[f.graph.Nodes[node].Ports[port].Peer]:
		return pyrrha.Legacy
	case f.isCard(f.graph.Nodes[node].Ports[port].Peer):
		return pyrrha.Host
	case !f.graph.HostsForward && f.graph.IsUp(node, port):
		return pyrrha.Up
	}
	return pyrrha.Down
}

// report tells how many roots and isolation queues there were, or that there never were any and
// why.
func (f *pyrrhaFleet) report(r *sim.Result) {
	var frames, shared, overtakes uint64
	var roots, queues int
	for _, s := range f.switches {
		c := s.Counters()
		for _, n := range c.Sent {
			frames += n
		}
		roots = max(roots, c.RootsPeak)
		queues = max(queues, c.Queues.InUsePeak)
		shared += c.Queues.Shared
		overtakes += c.Queues.Overtakes
	}
	r.Figure("congestion roots known to a switch at once", int64(roots))
	r.Figure(isolationQueues, int64(queues))
	if frames == 0 {
		r.Note(
			"pyrrha never paused: no output queue grew past K_pause, %v one-hop bandwidth-delay products",
			ratio(f.values, "pyrrha.pause"),
		)
	}
	if overtakes > 0 {
		r.Note(
			"%d packets overtook others that may be of their flow, for sets of roots did not wait for "+
				"their subsets",
			overtakes,
		)
	}
	if shared > 0 {
		r.Note("pyrrha ran out of isolation queues %d times: roots shared one", shared)
	}
}

const isolationQueues = "isolation queues in use at a port"
