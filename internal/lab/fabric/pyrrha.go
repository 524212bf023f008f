package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

func checkedPyrrha(c *pyrrha.Config, fields ...params.Field) []params.Field {
	check := alone(c, pyrrha.New, &c.Ports, pyrrha.PortConfig{Link: anyLink})
	return params.Checked(c, check, fields...)
}

// levelsParameter is read where it is set: the levels are computed otherwise.
func levelsParameter(c *pyrrha.Config) []params.Field {
	return checkedPyrrha(c, params.Bind("pyrrha.levels", &c.Levels, "",
		"distance of the farthest congestion root that a port isolates; unset: the distance of the "+
			"farthest root that there can be, from the port's place in the network").Range("1", ""))
}

func pyrrhaParameters(c *pyrrha.Config) []params.Field {
	return checkedPyrrha(c,
		params.Bind("pyrrha.pause", &c.Pause, "2", "K_pause in one-hop bandwidth-delay products"),
		params.Bind("pyrrha.resume", &c.Resume, "1", "K_resume in one-hop bandwidth-delay products"),
		params.Bind("pyrrha.iqs", &c.IQs, "100", "isolation queues of a port").Range("1", ""),
		params.Bind("pyrrha.roots", &c.Roots, "1024",
			"congestion roots of other switches that a switch can know at once").Range("1", ""),
		params.Bind("pyrrha.order", &params.Opposite{Not: &c.Unordered}, "true",
			"in a single tier, a new set of roots waits until packets that waited for its subsets have "+
				"left; off: it does not wait, as in the paper, and flows can be reordered"),
		params.Bind("pyrrha.abdicate", &c.AbdicateUp, "false",
			"ports towards the core give way to a root farther downstream too, as the paper's text "+
				"has it"),
		params.Bind("pyrrha.merge", &c.Merge, "always",
			"when a root gives way to a new one downstream: always, as in the paper; only while its "+
				"OQ is below K_resume; or never"),
		params.Bind("pyrrha.up", &c.UpPorts, "if-imbalanced",
			"when a port towards the core claims to be a root: if its OQ is also above twice the "+
				"mean of its fellows, like any port, or never"),
		params.Bind("pyrrha.child", &c.Child, "by-ingress",
			"what a child compares with K_pause: what came in by one port and waits for the root, or "+
				"the length of the IQ"),
		params.Bind("pyrrha.speedup", &c.Speedup, "1",
			"rate of moves between levels of isolation queues, in line rates").Range("1", ""),
		params.Bind("pyrrha.refresh", &c.Refresh, "0",
			"period in which the state of paused upstreams is sent again; 0: never, as in the paper"),
		params.Bind("pyrrha.expiry", &c.Expiry, "",
			"time after which a pause that was not refreshed is not obeyed any more; unset: four "+
				"refreshes"),
	)
}

type pyrrhaFleet struct {
	*plan
	config   pyrrha.Config // what all nodes have in common
	guarded  bool          // something beneath guards the buffer
	levels   map[sluice.Hop]int
	legacy   map[sluice.SwitchID]bool // switches that do not speak Pyrrha
	switches []*pyrrha.Switch
	first    sluice.SwitchID // the host that parameter drain is about
	slow     *pyrrha.Switch  // its card
}

func buildPyrrha(organisation pyrrha.Organisation) func(*plan) (fleet, error) {
	return func(p *plan) (fleet, error) { return newPyrrhaFleet(p, organisation, false) }
}

func newPyrrhaFleet(
	p *plan, organisation pyrrha.Organisation, guarded bool,
) (f *pyrrhaFleet, err error) {
	f = &pyrrhaFleet{plan: p, guarded: guarded}
	if hosts := p.graph.Hosts(); len(hosts) > 0 {
		f.first = hosts[0]
	}
	f.config.Organisation, f.config.Classes = organisation, sluice.AllClasses&^p.apart
	f.config.MTU = p.packet()
	p.fill(pyrrhaParameters(&f.config))
	if p.values.IsSet("pyrrha.levels") {
		p.fill(levelsParameter(&f.config))
	} else {
		f.levels, err = p.levels()
	}
	return f, err
}

func (f *pyrrhaFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return kit.WrapNew(f.newSwitch(node))
}

func (f *pyrrhaFleet) newSwitch(node sluice.SwitchID) (*pyrrha.Switch, error) {
	if f.isCard(node) {
		port := pyrrha.HostConfig(f.graph.Nodes[node].Ports[0].Link).Ports[0]
		if f.legacy[f.graph.Nodes[node].Ports[0].Peer] {
			port.Role = pyrrha.Legacy
		}
		s, err := pyrrha.New(f.configWith(node, port))
		if node == f.first {
			f.slow = s
		}
		return s, err
	}
	return kept(&f.switches, pyrrha.New, f.configOf(node))
}

// configOf returns the configuration of a node that is no host's card.
func (f *pyrrhaFleet) configOf(node sluice.SwitchID) pyrrha.Config {
	var ports []pyrrha.PortConfig
	for i, end := range f.graph.Nodes[node].Ports {
		ports = append(ports, pyrrha.PortConfig{Link: end.Link, Role: f.role(node, sluice.PortID(i))})
	}
	c := f.configWith(node, ports...)
	if !f.guarded {
		c.Buffer = f.buffer(node)
	}
	return c
}

// configWith returns the configuration of any node, without its buffer.
func (f *pyrrhaFleet) configWith(node sluice.SwitchID, ports ...pyrrha.PortConfig) pyrrha.Config {
	c := f.config
	c.Switch, c.MAC, c.Ports = node, MAC(node), ports
	for i := range c.Ports {
		c.Ports[i].Levels = f.level(sluice.Hop{Switch: node, Port: sluice.PortID(i)})
	}
	return c
}

// level returns how far a congestion root can be from a port, its number of levels, which depends
// on its place in the network (section IV-C). A port that no hop follows has one.
func (f *pyrrhaFleet) level(port sluice.Hop) int {
	if f.levels == nil {
		return f.config.Levels
	}
	return max(f.levels[port], 1)
}

// role returns what is at the other end of a port. Where hosts forward there is no core, and no
// port leads up.
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
	sum := summed(f.switches)
	r.Figure("congestion roots known to a switch at once", int64(sum.RootsPeak))
	r.Figure(isolationQueues, int64(sum.Queues.InUsePeak))
	if sum.Sent == [len(sum.Sent)]uint64{} {
		r.Note("pyrrha never paused: no output queue grew past K_pause, %v one-hop bandwidth-delay "+
			"products", f.config.Pause)
	}
	if sum.Queues.Overtakes > 0 {
		r.Note("%d packets overtook others that may be of their flow, for sets of roots did not wait "+
			"for their subsets", sum.Queues.Overtakes)
	}
	if sum.Queues.Shared > 0 {
		r.Note("pyrrha ran out of isolation queues %d times: roots shared one", sum.Queues.Shared)
	}
}

const isolationQueues = "isolation queues in use at a port"
