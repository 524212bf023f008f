package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// Traffic is generated beside a scenario's own: parameters of section "scenario" that are for it
// alone, hosts that it is between, and the group of its flows.
type Traffic struct {
	Set      string // assignments of parameters
	From, To string // groups of hosts of the topology file; "" for all hosts
	Group    string // "" for what the generators say
	text     string // as it was given
}

// ParseTraffic reads "from=GROUP,to=GROUP,group=NAME,NAME=VALUE,...".
func ParseTraffic(text string) (t Traffic, err error) {
	t.text = text
	var set []string
	for _, assignment := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(assignment, "=")
		name = strings.TrimSpace(name)
		own := map[string]*string{"from": &t.From, "to": &t.To, "group": &t.Group}[name]
		switch value = strings.TrimSpace(value); {
		case own == nil:
			set = append(set, assignment)
		case *own != "":
			return t, fmt.Errorf("%s is given twice", name)
		case value == "":
			return t, fmt.Errorf("%s is empty", name)
		default:
			*own = value
		}
	}
	if t.Group != "" {
		if _, err := workload.NamedGroup(t.Group); err != nil {
			return t, fmt.Errorf("group %q %w", t.Group, err)
		}
	}
	t.Set = strings.Join(set, ",")
	return t, nil
}

// noTraffic is what traffic has of each kind unless it says so.
const noTraffic = "load=0,incast.degree=0,permutations=0,alltoall.bytes=0"

// addTraffic adds the traffic that the request asks for beside the scenario's own. It returns the
// values of each, which know what was read.
func (s *Scenario) addTraffic(
	parameters *params.Registry, r *Request, graph *topo.Graph, flows []workload.Flow,
) ([]workload.Flow, []*params.Values, error) {
	if len(r.Traffic) == 0 {
		return flows, nil, nil
	}
	class := sluice.Class(0)
	if len(flows) > 0 {
		class = flows[0].Class
	}
	lists, all := [][]workload.Flow{flows}, []*params.Values(nil)
	for i := range r.Traffic {
		t := &r.Traffic[i]
		settings := append([]string{s.Set, s.chosen}, r.Set...)
		values, err := parameters.Parse(append(settings, noTraffic, t.Set)...)
		if err == nil {
			flows, err = t.generate(graph, prng.Mix(r.Seed+uint64(i)+1), values)
		}
		if err == nil {
			err = t.checkUnread(parameters, values)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("-traffic %s: %w", t.text, err)
		}
		for k := range flows {
			flows[k].Class = class
		}
		lists, all = append(lists, flows), append(all, values)
	}
	return workload.Merge(lists...), all, nil
}

func (t *Traffic) generate(
	graph *topo.Graph, seed uint64, values *params.Values,
) ([]workload.Flow, error) {
	from, err := hostsOf(graph, "from", t.From)
	if err != nil {
		return nil, err
	}
	to, err := hostsOf(graph, "to", t.To)
	if err != nil {
		return nil, err
	}
	flows, err := generate.Between(generate.Ends{Graph: graph, From: from, To: to}, seed, values)
	if err == nil && len(flows) == 0 {
		err = errors.New("it has no flows: it needs load, permutations, alltoall.bytes or " +
			"incast.degree, and a duration in which flows start")
	}
	if t.Group != "" && err == nil {
		group, _ := workload.NamedGroup(t.Group) // ParseTraffic has read it
		for i := range flows {
			flows[i].Group = group
		}
	}
	return flows, err
}

func hostsOf(graph *topo.Graph, end, name string) ([]sluice.SwitchID, error) {
	if name == "" {
		return graph.Hosts(), nil
	}
	hosts, found := graph.Group(name)
	if found {
		return hosts, nil
	}
	if len(graph.Groups) == 0 {
		return nil, fmt.Errorf("%s=%s: the network names no group of hosts; lines \"group %s 0-3\" "+
			"behind the links of a topology file do", end, name, name)
	}
	var names []string
	for i := range graph.Groups {
		names = append(names, graph.Groups[i].Name)
	}
	return nil, fmt.Errorf("%s=%s: the groups of hosts are %s%s", end, name,
		strings.Join(names, ", "), params.DidYouMean(name, names))
}

// checkUnread refuses a parameter that is set for this traffic and that it does not read.
func (t *Traffic) checkUnread(parameters *params.Registry, values *params.Values) error {
	own, err := parameters.Parse(t.Set)
	if err != nil {
		return err
	}
	var unread []string
	for name := range own.Set() {
		if !values.WasRead(name) {
			unread = append(unread, name)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	slices.Sort(unread)
	return fmt.Errorf("%s has no effect on what is generated", strings.Join(unread, ", "))
}
