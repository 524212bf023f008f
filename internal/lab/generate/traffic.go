// Package generate makes networks and traffic from parameters.
package generate

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Builder makes a network and its traffic.
type Builder = func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error)

// On makes the network that the parameters name, and flows on it.
func On(flows func(*topo.Graph, uint64, *params.Values) ([]workload.Flow, error)) Builder {
	return func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
		graph, err := byname.Build(v)
		if err != nil {
			return nil, nil, err
		}
		list, err := flows(graph, seed, v)
		return graph, list, err
	}
}

var (
	// Build makes the traffic of the parameters of section "scenario".
	Build = On(Traffic)

	// Network makes no traffic.
	Network = On(func(*topo.Graph, uint64, *params.Values) ([]workload.Flow, error) {
		return nil, nil
	})

	// Permutation makes a flow from every host to another.
	Permutation = On(func(g *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
		return workload.Permutation(g, seed, v.Bytes("flow.bytes"))
	})
)

// Traffic makes the traffic of the parameters of section "scenario" on a network: Poisson flows,
// incasts, permutations and an exchange of all with all, each if its parameter asks for it. Beside
// others the last two have groups of their own, permutation and alltoall.
func Traffic(graph *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
	return Between(Ends{graph, graph.Hosts(), graph.Hosts()}, seed, v)
}

// Ends are the hosts of a network that traffic goes between.
type Ends struct {
	Graph    *topo.Graph
	From, To []sluice.SwitchID
}

// Between is Traffic between some of the hosts.
func Between(e Ends, seed uint64, v *params.Values) ([]workload.Flow, error) {
	lists, err := e.generateIncasts(seed, v)
	if err != nil {
		return nil, err
	}
	patterns := 0
	for _, pattern := range []struct {
		group    string // where there are several
		generate func(uint64, *params.Values) ([]workload.Flow, error)
	}{
		{"", e.generatePoisson}, {"permutation", e.generatePermutations},
		{"alltoall", e.generateAllToAll},
	} {
		flows, err := pattern.generate(seed, v)
		if err != nil {
			return nil, err
		}
		if len(flows) > 0 {
			patterns++
		}
		if patterns > 1 && pattern.group != "" {
			if err := name(flows, pattern.group); err != nil {
				return nil, err
			}
		}
		lists = append(lists, flows)
	}
	all := workload.Merge(lists...)
	for i := range all {
		all[i].Class = 0 // of all traffic that parameters make
	}
	return all, nil
}

// name gives flows a group of a name, so that results tell them from other traffic.
func name(flows []workload.Flow, group string) error {
	g, err := workload.NamedGroup(group)
	for i := range flows {
		flows[i].Group = g
	}
	return err
}

// all reports whether the traffic is between all hosts.
func (e *Ends) all() bool {
	return slices.Equal(e.From, e.To) && len(e.From) == len(e.Graph.Hosts())
}

// Victim is the destination of incasts, the first if there are several. No other flow starts or
// ends there, so that the load of its link is the incast's alone.
const Victim sluice.SwitchID = 0

// victims returns the destinations of incasts: the first hosts of racks, then the second, and so
// on.
func (e *Ends) victims(v *params.Values) []sluice.SwitchID {
	place, taken := map[sluice.SwitchID]int{}, map[int32]int{}
	hosts := slices.Clone(e.To)
	for _, h := range hosts {
		rack := e.Graph.Nodes[h].Rack
		place[h] = taken[rack]
		taken[rack]++
	}
	slices.SortStableFunc(hosts, func(a, b sluice.SwitchID) int { return place[a] - place[b] })
	return hosts[:min(int(v.Int("incast.roots")), len(hosts))]
}

func (e *Ends) generatePoisson(seed uint64, v *params.Values) ([]workload.Flow, error) {
	load, err := PerMille(v, "load")
	if load == 0 || err != nil {
		return nil, err
	}
	sizes, err := distribution(v.String("workload"))
	if err != nil {
		return nil, err
	}
	config := workload.TrafficConfig{
		Seed: seed, Sizes: sizes, LoadPerMille: load, Duration: v.Time("duration"),
		Racks: localities[v.String("locality")],
	}
	if !e.all() {
		config.Sources, config.Destinations = e.From, e.To
	}
	if v.Int("incast.degree") > 0 {
		config.Exclude = e.victims(v)
	} else {
		config.Group = workload.Background // no host is a victim
	}
	return workload.Poisson(e.Graph, config)
}

// distribution returns a distribution by its name, or of a file.
func distribution(name string) (*workload.Distribution, error) {
	path, is := strings.CutPrefix(name, params.FilePrefix)
	if !is {
		return workload.DistributionByName(name)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("parameter workload=%s: %w", name, err)
	}
	defer file.Close()
	return workload.ReadDistribution(file, path)
}

// generatePermutations makes permutations that start together.
func (e *Ends) generatePermutations(
	seed uint64, v *params.Values,
) (flows []workload.Flow, err error) {
	if v.Int("permutations") > 0 && !slices.Equal(e.From, e.To) {
		return nil, errors.New("a permutation is among the hosts of one group")
	}
	for i := range uint64(v.Int("permutations")) {
		list, err := workload.PermutationOf(e.From, seed+i, v.Bytes("flow.bytes"))
		if err != nil {
			return nil, err
		}
		flows = append(flows, list...)
	}
	return flows, nil
}

// generateAllToAll makes a flow from every host to every other, all at once: what an all-to-all
// collective sends if nothing orders it.
func (e *Ends) generateAllToAll(
	_ uint64, v *params.Values,
) (flows []workload.Flow, err error) {
	size := v.Bytes("alltoall.bytes")
	if size == 0 {
		return nil, nil
	}
	return workload.Exchange(e.Graph, e.From, e.To, size)
}

func (e *Ends) generateIncasts(
	seed uint64, v *params.Values,
) (lists [][]workload.Flow, err error) {
	if v.Int("incast.degree") == 0 {
		return nil, nil
	}
	for i, victim := range e.victims(v) {
		start := sluice.Time(0)
		if i > 0 {
			start = sluice.Time(i) * v.Time("incast.shift")
		}
		flows, err := e.generateIncast(seed+uint64(i), v, victim, start)
		if err != nil {
			return nil, err
		}
		lists = append(lists, flows)
	}
	return lists, nil
}

func (e *Ends) generateIncast(
	seed uint64, v *params.Values, victim sluice.SwitchID, start sluice.Time,
) ([]workload.Flow, error) {
	config := workload.IncastConfig{
		Seed: seed, Destination: victim, Start: start, Degree: int(v.Int("incast.degree")),
		MinPackets: int(v.Int("incast.min")), MaxPackets: int(v.Int("incast.max")),
		PacketBytes: v.Bytes("payload"),
	}
	if !e.all() {
		config.Senders = e.From
	} else if racks(e.Graph) > 1 {
		config.Racks = workload.OtherRacks
	}
	load, err := PerMille(v, "incast.load")
	if err != nil {
		return nil, err
	}
	if load == 0 {
		return workload.IncastBurst(e.Graph, config)
	}
	return workload.PeriodicIncast(e.Graph, workload.PeriodicIncastConfig{
		Incast: config, LoadPerMille: load, Duration: v.Time("duration"),
	})
}

func racks(graph *topo.Graph) int {
	last := int32(0)
	for _, h := range graph.Hosts() {
		last = max(last, graph.Nodes[h].Rack)
	}
	return int(last) + 1
}

// PerMille returns a rational parameter in thousandths: it must be a whole number of them.
func PerMille(v *params.Values, name string) (int, error) {
	num, den := v.Rational(name)
	if 1000%den != 0 {
		return 0, fmt.Errorf("parameter %s=%d/%d must be a whole number of thousandths", name, num, den)
	}
	return int(num * (1000 / den)), nil
}

var localities = map[string]workload.RackRule{
	"any": workload.AnyRack, "other-racks": workload.OtherRacks, "same-rack": workload.SameRack,
}

func WorkloadNames() []string {
	var names []string
	for _, d := range workload.Distributions() {
		names = append(names, d.Name())
	}
	return names
}

// NeverSent is more than a flow can send in any run.
const NeverSent = 10 * sluice.GB

// Flow is a flow of class 3.
func Flow(
	src, dst sluice.SwitchID, n sluice.Bytes, start sluice.Time, group workload.Group,
) workload.Flow {
	return workload.Flow{
		Src: src, Dst: dst, Class: 3, DstPort: 100, Bytes: n, Start: start, Group: group,
	}
}

// Endless is a flow that outlives every run.
func Endless(src, dst sluice.SwitchID, start sluice.Time, rate sluice.Rate) workload.Flow {
	f := Flow(src, dst, NeverSent, start, workload.Vulnerable)
	f.Rate = rate
	return f
}

// Bursts are some flows of 64 KB from each of n hosts, all at once.
func Bursts(
	first sluice.SwitchID, n int, dst sluice.SwitchID, each int, at sluice.Time,
) (flows []workload.Flow) {
	for range each {
		for i := range sluice.SwitchID(n) {
			flows = append(flows, Flow(first+i, dst, 64*sluice.KB, at, workload.Incast))
		}
	}
	return flows
}
