package run

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Library is a set of scenarios, and the parameters that they have beside the parameters of
// protocols, networks and generated traffic.
type Library struct {
	Scenarios  []Scenario
	Parameters []params.Definition
	// Notes are, by scenario, what a reader of the results has to know beside them.
	Notes map[string][]Note
	// Panels are, by scenario, those that show what its figure shows, as -panel names them.
	Panels map[string][]string
	// Messages are, by paper, the main things that it says.
	Messages map[string][]Message
	// Untested are, by paper, statements for which nothing here is run; their Note says why.
	Untested map[string][]Claim
}

// Join returns the scenarios, parameters and notes of several libraries, in their order.
func Join(libraries ...*Library) *Library {
	all := &Library{
		Notes: map[string][]Note{}, Messages: map[string][]Message{}, Untested: map[string][]Claim{},
		Panels: map[string][]string{},
	}
	for _, l := range libraries {
		for scenario, notes := range l.Notes {
			all.Notes[scenario] = append(slices.Clip(all.Notes[scenario]), notes...)
		}
		maps.Copy(all.Panels, l.Panels)
		maps.Copy(all.Messages, l.Messages)
		maps.Copy(all.Untested, l.Untested)
		all.Scenarios = append(all.Scenarios, l.Scenarios...)
		all.Parameters = append(all.Parameters, l.Parameters...)
	}
	return all
}

// Registry returns every parameter that -set accepts.
func (l *Library) Registry() (*params.Registry, error) {
	scenario := slices.Concat(generate.Parameters, l.Parameters)
	for i := range scenario {
		scenario[i].Section = "scenario"
	}
	return params.NewRegistry(fabric.Definitions(), byname.Definitions(), scenario)
}

func (l *Library) Find(name string) (*Scenario, error) {
	var names []string
	for i := range l.Scenarios {
		if l.Scenarios[i].Name == name {
			return &l.Scenarios[i], nil
		}
		names = append(names, l.Scenarios[i].Name)
	}
	return nil, fmt.Errorf("unknown scenario %q; \"go run ./bench list scenarios\" has all%s",
		name, params.DidYouMean(name, names))
}

// Prepare builds a scenario for a request.
func (l *Library) Prepare(s *Scenario, r Request) (*Subject, error) {
	parameters, err := l.Registry()
	if err != nil {
		return nil, err
	}
	return s.prepare(parameters, &r)
}

func ProtocolNames() (names []string) {
	for _, p := range fabric.Protocols() {
		names = append(names, p.Name)
	}
	return names
}

// FileScenario is a topology of the user's and a flow list, or, with flows empty, the traffic of
// the parameters of section "scenario" without an incast, or, if there is other traffic beside it,
// without any that is not asked for. In the path of a flow list "{seed}" is the seed.
func FileScenario(topology, flows string, beside bool) *Scenario {
	s := &Scenario{
		Name: flows, Doc: "flows of a file on the network of " + topology,
		SampleEvery: 5 * sluice.Microsecond, ofFiles: true, flowFile: flows,
		Build: func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
			var graph *topo.Graph
			err := readFile(topology, func(r io.Reader) (err error) {
				graph, err = topo.Read(r, topology)
				return err
			})
			if err != nil {
				return nil, nil, err
			}
			if flows == "" {
				list, err := generate.Traffic(graph, seed, v)
				return graph, list, err
			}
			path := strings.ReplaceAll(flows, seedMark, strconv.FormatUint(seed, 10))
			var list []workload.Flow
			err = readFile(path, func(r io.Reader) (err error) {
				list, err = workload.ReadFlows(r, path, graph)
				return err
			})
			return graph, list, err
		},
	}
	if flows == "" {
		s.Name, s.Doc = topology, "generated traffic on the network of a file"
		s.Set = "incast.degree=0"
		if beside {
			s.Set = noTraffic
		}
	}
	return s
}

// OfFiles reports whether the network, and the flows if they are not generated, are read from
// files.
func (s *Scenario) OfFiles() bool { return s.ofFiles }

// seedMark stands for the seed in the path of a flow list.
const seedMark = "{seed}"

// FlowsOfSeeds says of a scenario whose flows are read from files that all seeds have one file, or
// that each has its own; of another scenario neither.
func (s *Scenario) FlowsOfSeeds() (one, each bool) {
	each = strings.Contains(s.flowFile, seedMark)
	return s.flowFile != "" && !each, each
}

func readFile(path string, read func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read: %w", err)
	}
	defer file.Close()
	return read(file)
}

func ReadNetwork(
	topologyName string, topology []byte, flowsName string, flowText []byte,
) (*topo.Graph, []workload.Flow, error) {
	graph, err := topo.Read(bytes.NewReader(topology), topologyName)
	if err != nil {
		return nil, nil, err
	}
	flows, err := workload.ReadFlows(bytes.NewReader(flowText), flowsName, graph)
	return graph, flows, err
}

// PaperOf returns the first part of a scenario's name; what follows no paper's figure is general.
func PaperOf(scenario string) string {
	paper, _, found := strings.Cut(scenario, "/")
	if !found || paper == "hosts" {
		return "general"
	}
	return paper
}
