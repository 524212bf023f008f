package main

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// scenario is a network and traffic that can be run under any protocol.
type scenario struct {
	name   string
	doc    string // one line for people
	figure string // the figure of the paper that it follows, "" if none
	// set overrides defaults of parameters, in the syntax of -set; the user's -set comes after it.
	set string
	// variants are what the scenario compares beside protocols, unless the user sets one of their
	// parameters: each protocol runs with each of them.
	variants []variant
	chosen   string // what the variant at hand sets
	// protocols are compared when the user names none; nil means all.
	protocols   []string
	sampleEvery sluice.Time // of pictures
	until       sluice.Time // 0: until nothing is left to do
	build       func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error)
	// routes are detours from the shortest paths; nil for none.
	routes func(*topo.Graph, *params.Values) []fabric.Route
	// claims sets numbers of the paper beside ours; nil for none.
	claims func(*subject, []*outcome) []claim
	// watch adds ports and flows of which samples are kept; nil for none. warmUp is how long nothing
	// is counted of them, nor flows that start.
	watch  func(*subject, *probe.Config)
	warmUp sluice.Time
	// published reads what others measured; nil if there is nothing to compare with.
	published func(flows []workload.Flow) (*published, error)
}

// subject is a scenario that was built: everything that a run needs.
type subject struct {
	*scenario
	parameters         *params.Registry
	seed               uint64
	graph              *topo.Graph
	routes             []fabric.Route
	flows              []workload.Flow
	groups             []workload.Group // of each flow
	values             *params.Values
	asked              []string // the user's part of the values
	protocols          []string
	published          *published // nil if there is nothing to compare with
	until, sampleEvery sluice.Time
	failures           failures
	warmUp             sluice.Time
	probes             *probe.Config // nil if nothing is
	captured           bool          // into a file of frames, with packets of the ports headers
	headers            []sluice.Hop
	variants           []*variantSubject // empty: the subject itself is run
}

// prepare builds the scenario.
func (s *scenario) prepare(parameters *params.Registry, r *request) (*subject, error) {
	values, err := parameters.Parse(append([]string{s.set, s.chosen}, r.set...)...)
	if err != nil {
		return nil, err
	}
	graph, flows, err := s.build(r.seed, values)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.name, err)
	}
	if len(flows) == 0 {
		return nil, fmt.Errorf("scenario %s has no flows", s.name)
	}
	if err := nameIncast(graph, flows, r.incast); err != nil {
		return nil, err
	}
	subject := &subject{
		scenario: s, parameters: parameters, seed: r.seed, graph: graph, flows: flows, groups: sim.Groups(graph, flows),
		values: values,
		asked:  r.set, protocols: r.protocols, until: s.until, sampleEvery: s.sampleEvery,
	}
	if err := subject.checkFailures(r.failures); err != nil {
		return nil, err
	}
	subject.failures = r.failures
	if r.until != 0 {
		subject.until = r.until
	}
	if len(subject.protocols) == 0 {
		subject.protocols = s.defaultProtocols()
	}
	if s.routes != nil {
		subject.routes = s.routes(graph, values)
	}
	if s.published != nil {
		if subject.published, err = s.published(flows); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.name, err)
		}
	}
	if subject.variants, err = s.prepareVariants(parameters, r); err != nil {
		return nil, err
	}
	return subject, subject.watchFor(&r.watch)
}

func (s *subject) flowBytes() (sum sluice.Bytes) {
	for i := range s.flows {
		sum += s.flows[i].Bytes
	}
	return sum
}

// firstStart is when the first flow starts.
func (s *subject) firstStart() sluice.Time {
	first := s.flows[0].Start
	for i := range s.flows {
		first = min(first, s.flows[i].Start)
	}
	return first
}

// lastStart is when the last flow starts.
func (s *subject) lastStart() sluice.Time {
	last := s.flows[0].Start
	for i := range s.flows {
		last = max(last, s.flows[i].Start)
	}
	return last
}

// nameIncast makes flows to the given hosts the incast, and leaves the groups of the others to the
// rule.
func nameIncast(graph *topo.Graph, flows []workload.Flow, hosts []sluice.SwitchID) error {
	if len(hosts) == 0 {
		return nil
	}
	for i := range flows {
		flows[i].Group = workload.GroupAuto
	}
	for _, host := range hosts {
		found := false
		for i := range flows {
			if flows[i].Dst == host {
				flows[i].Group, found = workload.Incast, true
			}
		}
		if !found {
			return fmt.Errorf("-incast %d: no flow goes to node %d of %s", host, host, graph.Name)
		}
	}
	return nil
}

// check refuses what no protocol can run, before any runs: configurations that a protocol refuses,
// and parameters of the user that nobody has read when all networks are built, of which there are
// as many at a time as there may be jobs.
func (s *subject) check(jobs int) error {
	trials := s.trials()
	err := inParallel(len(trials), jobs, func(i int) error {
		t := &trials[i]
		run := t.subject.fabricRun(t.fc)
		if err := run.Check(); err != nil {
			return fmt.Errorf("%s under %s: %w", s.name, t.label, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.checkUnread()
}

func (s *subject) checkUnread() error {
	asked, err := s.parameters.Parse(s.asked...)
	if err != nil {
		return err
	}
	set := asked.Set()
	for _, d := range s.parameters.Definitions() {
		text, isSet := set[d.Name]
		if !isSet || s.wasRead(d.Name) {
			continue
		}
		read := "nothing of that section is read"
		var names []string
		for _, other := range s.parameters.Definitions() {
			if other.Section == d.Section && s.wasRead(other.Name) {
				names = append(names, other.Name)
			}
		}
		if len(names) > 0 {
			read = "read are " + strings.Join(names, ", ")
		}
		return fmt.Errorf(
			"parameter %s=%s has no effect on %s under %s: %s", d.Name, text, s.name,
			strings.Join(s.protocols, ", "), read,
		)
	}
	return nil
}

// wasRead reports whether a run has read a parameter.
func (s *subject) wasRead(name string) bool {
	for _, v := range s.variants {
		if v.subject.values.WasRead(name) {
			return true
		}
	}
	return s.values.WasRead(name)
}

func (s *scenario) defaultProtocols() []string {
	if s.protocols != nil {
		return s.protocols
	}
	return protocolNames()
}

func (s *scenario) describe() string {
	if s.figure == "" {
		return s.doc
	}
	return s.doc + " (" + s.figure + ")"
}
