package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Groups returns the role of every flow: what the flow says, else incast for flows to a victim,
// vulnerable for flows to other hosts of a victim's rack, background for the others. Victims are
// the destinations of flows that say incast; if none does, as in flow lists that were read from a
// file, the destination of most bytes (the lowest of equals).
func Groups(graph *topo.Graph, flows []workload.Flow) []workload.Group {
	victims := victims(graph, flows)
	racks := make(map[int32]bool)
	for node, victim := range victims {
		if rack := graph.Nodes[node].Rack; victim && rack >= 0 {
			racks[rack] = true
		}
	}
	groups := make([]workload.Group, len(flows))
	for i := range flows {
		dst := flows[i].Dst
		switch {
		case flows[i].Group != workload.GroupAuto:
			groups[i] = flows[i].Group
		case victims[dst]:
			groups[i] = workload.Incast
		case racks[graph.Nodes[dst].Rack]:
			groups[i] = workload.Vulnerable
		default:
			groups[i] = workload.Background
		}
	}
	return groups
}

// victims says of each node whether it is one.
func victims(graph *topo.Graph, flows []workload.Flow) []bool {
	victims := make([]bool, len(graph.Nodes))
	bytes := make([]sluice.Bytes, len(graph.Nodes))
	for i := range flows {
		bytes[flows[i].Dst] += flows[i].Bytes
		if flows[i].Group == workload.Incast {
			victims[flows[i].Dst] = true
		}
	}
	if !slices.Contains(victims, true) {
		victims[slices.Index(bytes, slices.Max(bytes))] = true
	}
	return victims
}

// sampled is the group as which samples count a flow: all groups with names of one's own are one.
func sampled(g workload.Group) workload.Group {
	if g.IsOwn() {
		return workload.GroupAuto
	}
	return g
}
