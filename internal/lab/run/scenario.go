// Package run runs experiments: a scenario, built for a user's request, with its variants; what a
// flow control did on it; and statistics of what it did.
package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/pfc/sonic"
)

func (s *Subject) AllFlows() []int32 {
	flows := make([]int32, len(s.Flows))
	for i := range flows {
		flows[i] = int32(i)
	}
	return flows
}

// Scenario is a network and traffic that can be run under any protocol.
type Scenario struct {
	Name   string
	Doc    string // one line for people
	Figure string // the figure of the paper that it follows, "" if none
	// Set overrides defaults of parameters, in the syntax of -set; the user's -set comes after it.
	Set string
	// Variants are what the scenario compares beside protocols: each protocol runs with each variant,
	// unless the user sets a parameter of a variant.
	Variants []Variant
	chosen   string // what the variant at hand sets
	ofFiles  bool   // it is read from files, which errors name
	flowFile string // from which flows are read, "" if they are generated
	// Protocols are compared when the user names none; nil means all.
	Protocols   []string
	SampleEvery sluice.Time // of pictures
	Until       sluice.Time // 0: until nothing is left to do
	Build       generate.Builder
	// Jobs are schedules that run beside the flows of Build; nil for none.
	Jobs func(*topo.Graph, uint64, *params.Values) ([]schedule.Job, error)
	// Failures are links that fail, unless the user names some.
	Failures Failures
	// Routes are detours from the shortest paths; nil for none.
	Routes func(*topo.Graph, *params.Values) []fabric.Route
	// Claims sets numbers of the paper beside ours; nil for none.
	Claims func(*Subject) []Claim
	// Watch adds ports and flows whose samples are kept; nil for none. Before WarmUp nothing is
	// counted of ports, nor of flows that start.
	Watch  func(*Subject, *probe.Config)
	WarmUp sluice.Time
	// Published reads what others measured; nil if there is nothing to compare with.
	Published func(flows []workload.Flow) (*Published, error)
}

// Subject is a scenario that was built: everything that a run needs.
type Subject struct {
	*Scenario
	parameters         *params.Registry
	Seed               uint64
	Graph              *topo.Graph
	Routes             []fabric.Route
	Flows              []workload.Flow
	Jobs               []schedule.Job   // whose messages are the last flows
	Groups             []workload.Group // of each flow
	Values             *params.Values
	traffic            []*params.Values // of each traffic beside the scenario's
	asked              []string         // the user's part of the values
	Changes            []string         // what the user changed of the scenario, as flags
	Protocols          []string
	Published          *Published // nil if there is nothing to compare with
	Until, SampleEvery sluice.Time
	Failures           Failures
	SONiC              *sonic.Switch // nil: none was asked for
	WarmUp             sluice.Time
	Probes             *probe.Config // nil if nothing is watched
	captured           bool          // frames go to a file, with packets of the ports headers
	headers            []sluice.Hop
	Variants           []*variantSubject // empty: the subject itself is run
	RatesOnly          bool              // the probes are for a picture alone: see DrawRates
	Threads            int               // of a run; they change no result
	watcher            sim.Watcher       // of one run; nil for none
}

func (s *Scenario) prepare(parameters *params.Registry, r *Request) (*Subject, error) {
	if slices.ContainsFunc(r.Set, isBlank) {
		return nil, fmt.Errorf("a setting of scenario %s is empty: it must be written name=value", s.Name)
	}
	values, err := parameters.Parse(append([]string{s.Set, s.chosen}, r.Set...)...)
	if err != nil {
		return nil, err
	}
	graph, flows, err := s.Build(r.Seed, values)
	switch {
	case err != nil && s.ofFiles: // which the error names
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	flows, trafficValues, err := s.addTraffic(parameters, r, graph, flows)
	if err != nil {
		return nil, err
	}
	jobs, flows, err := s.makeJobs(r, graph, values, flows)
	if err != nil {
		return nil, err
	}
	if len(sim.Traffic(flows, jobs)) == 0 {
		return nil, fmt.Errorf("scenario %s has no flows", s.Name)
	}
	if err := NameIncast(graph, flows, r.Incast); err != nil {
		return nil, err
	}
	subject := &Subject{
		Scenario: s, parameters: parameters, Seed: r.Seed, Graph: graph, Flows: flows,
		Jobs:   jobs,
		Groups: sim.Groups(graph, sim.Traffic(flows, jobs))[:len(flows)],
		Values: values, traffic: trafficValues,
		asked: r.Set, Changes: r.Changes(), Protocols: r.Protocols, Until: s.Until,
		SampleEvery: s.SampleEvery,
	}
	if subject.Failures = r.Failures; len(r.Failures) == 0 {
		subject.Failures = s.Failures
	}
	if err := subject.checkFailures(subject.Failures); err != nil {
		return nil, err
	}
	if r.Until != 0 {
		subject.Until = r.Until
	}
	if err := subject.takeSONiC(r); err != nil {
		return nil, err
	}
	if len(subject.Protocols) == 0 {
		subject.Protocols = s.DefaultProtocols()
	}
	if s.Routes != nil {
		subject.Routes = s.Routes(graph, values)
	}
	if s.Published != nil {
		if subject.Published, err = s.Published(flows); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	if subject.Variants, err = s.prepareVariants(parameters, r); err != nil {
		return nil, err
	}
	return subject, subject.watchFor(&r.Watch)
}

func isBlank(list string) bool { return strings.TrimSpace(list) == "" }

func (s *Subject) FlowBytes() (sum sluice.Bytes) {
	s.eachTraffic(func(f *workload.Flow) { sum += f.Bytes })
	return sum
}

// eachTraffic visits the flows, and what goes from host to host in jobs whose messages are not in
// Flows.
func (s *Subject) eachTraffic(visit func(*workload.Flow)) {
	for i := range s.Flows {
		visit(&s.Flows[i])
	}
	s.eachWindowed(func(j *schedule.Job) {
		for _, f := range j.Traffic() {
			visit(&f)
		}
	})
}

func (s *Subject) FirstStart() sluice.Time {
	first := sluice.Never
	s.eachTraffic(func(f *workload.Flow) { first = min(first, f.Start) })
	return first
}

func (s *Subject) lastStart() (last sluice.Time) {
	s.eachTraffic(func(f *workload.Flow) { last = max(last, f.Start) })
	return last
}

// Classes returns which classes flows have.
func (s *Subject) Classes() (classes sluice.ClassSet) {
	s.eachTraffic(func(f *workload.Flow) { classes |= sluice.MakeClassSet(f.Class) })
	return classes
}

// class returns the class of the first flow.
func (s *Subject) class() sluice.Class {
	if len(s.Flows) == 0 {
		return s.Jobs[0].Class
	}
	return s.Flows[0].Class
}

// NameIncast makes flows to the given hosts the incast, and leaves the groups of other flows to the
// rule of reports.
func NameIncast(graph *topo.Graph, flows []workload.Flow, hosts []sluice.SwitchID) error {
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

// Check refuses what no protocol can run, before any runs: configurations that a protocol refuses,
// and parameters of the user that were not read until then. It checks as many protocols at a time
// as there may be jobs.
func (s *Subject) Check(jobs int) error {
	trials := s.Trials()
	err := InParallel(len(trials), jobs, func(i int) error {
		t := &trials[i]
		run := t.Subject.FabricRun(t.FC)
		if err := run.Check(); err != nil {
			return fmt.Errorf("%s under %s: %w", s.Name, t.Label, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.CheckUnread()
}

func (s *Subject) CheckUnread() error {
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
		read := "no parameter of section " + d.Section + " is used"
		var names []string
		for _, other := range s.parameters.Definitions() {
			if other.Section == d.Section && s.wasRead(other.Name) {
				names = append(names, other.Name)
			}
		}
		if len(names) > 0 {
			read = "used are " + strings.Join(names, ", ")
		}
		return fmt.Errorf(
			"parameter %s=%s has no effect on %s under %s: %s", d.Name, text, s.Name,
			strings.Join(s.Protocols, ", "), read,
		)
	}
	return nil
}

func (s *Subject) wasRead(name string) bool {
	for _, v := range s.Variants {
		if v.subject.Values.WasRead(name) {
			return true
		}
	}
	for _, v := range s.traffic {
		if v.WasRead(name) {
			return true
		}
	}
	return s.Values.WasRead(name)
}

func (s *Scenario) DefaultProtocols() []string {
	if s.Protocols != nil {
		return s.Protocols
	}
	return ProtocolNames()
}

func (s *Scenario) Describe() string {
	if s.Figure == "" {
		return s.Doc
	}
	return s.Doc + " (" + s.Figure + ")"
}
