package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/params"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/internal/workload"
)

// scenario is a network and traffic that can be run under any protocol.
type scenario struct {
	name   string
	doc    string // one line for people
	figure string // the figure of the paper that it follows, "" if none
	// set overrides defaults of parameters, in the syntax of -set; the user's -set comes after it.
	set string
	// generated: the network and the traffic are made from the parameters of section "scenario".
	// Without it, to set one of those is an error, because it would have no effect.
	generated bool
	// reads are the parameters of section "scenario" that it has without being generated.
	reads []string
	// anyTopology: the user may choose the topology too.
	anyTopology bool
	// protocols are compared when the user names none; nil means all.
	protocols   []string
	sampleEvery sluice.Time // of pictures
	until       sluice.Time // 0: until nothing is left to do
	build       func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error)
	// routes are detours from the shortest paths; nil for none.
	routes func(*topo.Graph) []fabric.Route
	// claims sets numbers of the paper beside ours; nil for none.
	claims func(*subject, []*outcome) []claim
	// published reads what others measured; nil if there is nothing to compare with.
	published func(flows []workload.Flow) (*published, error)
}

// subject is a scenario that was built, with everything a run needs but the protocol.
type subject struct {
	name, doc          string
	seed               uint64
	graph              *topo.Graph
	routes             []fabric.Route
	claims             func(*subject, []*outcome) []claim // nil for none
	flows              []workload.Flow
	groups             []workload.Group // of each flow
	values             *params.Values
	published          *published // nil if there is nothing to compare with
	until, sampleEvery sluice.Time
}

// registry returns every parameter that -set accepts.
func registry() (*params.Registry, error) {
	return params.NewRegistry(fabric.Definitions(), scenarioParameters)
}

// prepare builds the scenario.
func (s *scenario) prepare(seed uint64, set string) (*subject, error) {
	parameters, err := registry()
	if err != nil {
		return nil, err
	}
	values, err := parameters.Parse(s.set, set)
	if err != nil {
		return nil, usageError{err}
	}
	if err := s.checkUnused(parameters, set); err != nil {
		return nil, err
	}
	graph, flows, err := s.build(seed, values)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.name, err)
	}
	if len(flows) == 0 {
		return nil, fmt.Errorf("scenario %s has no flows", s.name)
	}
	subject := &subject{
		name: s.name, doc: s.describe(), seed: seed, graph: graph, flows: flows, groups: sim.Groups(graph, flows),
		values: values, until: s.until, sampleEvery: s.sampleEvery, claims: s.claims,
	}
	if s.routes != nil {
		subject.routes = s.routes(graph)
	}
	if s.published != nil {
		if subject.published, err = s.published(flows); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.name, err)
		}
	}
	return subject, nil
}

func (s *scenario) describe() string {
	if s.figure == "" {
		return s.doc
	}
	return s.doc + " (" + s.figure + ")"
}

// checkUnused refuses parameters that the scenario does not read.
func (s *scenario) checkUnused(parameters *params.Registry, set string) error {
	all, err := parameters.Parse(s.set, set)
	if err != nil {
		return usageError{err}
	}
	byUser, err := parameters.Parse(set)
	if err != nil {
		return usageError{err}
	}
	uses := slices.Clone(s.reads)
	if s.generated {
		uses = slices.Concat(uses, topologyParameters[all.String(paramTopology)], trafficParameters)
	}
	if s.anyTopology {
		uses = append(uses, paramTopology)
	}
	for _, d := range scenarioParameters {
		if byUser.IsSet(d.Name) && !slices.Contains(uses, d.Name) {
			known := "it has none of its own"
			if len(uses) > 0 {
				known = "it has " + strings.Join(uses, ", ")
			}
			return usagef("parameter %s has no effect on scenario %s: %s", d.Name, s.name, known)
		}
	}
	return nil
}

// findScenario returns the scenario of a name.
func findScenario(name string) (*scenario, error) {
	var names []string
	for i := range scenarios {
		if scenarios[i].name == name {
			return &scenarios[i], nil
		}
		names = append(names, scenarios[i].name)
	}
	return nil, usagef("unknown scenario %q; known: %s", name, strings.Join(names, ", "))
}
