package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
)

// library is a set of scenarios, and the parameters that they have beside those of protocols,
// networks and generated traffic.
type library struct {
	scenarios  []scenario
	parameters []params.Definition
}

// joined returns the scenarios and parameters of several libraries, in their order.
func joined(libraries ...*library) *library {
	all := &library{}
	for _, l := range libraries {
		all.scenarios = append(all.scenarios, l.scenarios...)
		all.parameters = append(all.parameters, l.parameters...)
	}
	return all
}

// registry returns every parameter that -set accepts.
func (l *library) registry() (*params.Registry, error) {
	scenario := slices.Concat(scenarioParameters, l.parameters)
	for i := range scenario {
		scenario[i].Section = "scenario"
	}
	return params.NewRegistry(fabric.Definitions(), byname.Definitions(), scenario)
}

// find returns the scenario of a name.
func (l *library) find(name string) (*scenario, error) {
	var names []string
	for i := range l.scenarios {
		if l.scenarios[i].name == name {
			return &l.scenarios[i], nil
		}
		names = append(names, l.scenarios[i].name)
	}
	return nil, fmt.Errorf("unknown scenario %q; known: %s", name, strings.Join(names, ", "))
}

// prepare builds a scenario as somebody asks for it.
func (l *library) prepare(s *scenario, r request) (*subject, error) {
	parameters, err := l.registry()
	if err != nil {
		return nil, err
	}
	return s.prepare(parameters, &r)
}

// protocolNames are the names of all protocols.
func protocolNames() (names []string) {
	for _, p := range fabric.Protocols() {
		names = append(names, p.Name)
	}
	return names
}
