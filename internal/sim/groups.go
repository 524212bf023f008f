package sim

import (
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/internal/workload"
)

// Groups returns the role of every flow: what the flow says, else incast for flows to the destination
// of most flows (the lowest of equals), vulnerable for flows to other hosts of its rack, background
// for the others.
func Groups(graph *topo.Graph, flows []workload.Flow) []workload.Group {
	counts := make([]int, len(graph.Nodes))
	for i := range flows {
		counts[flows[i].Dst]++
	}
	victim := 0
	for node, count := range counts {
		if count > counts[victim] {
			victim = node
		}
	}
	groups := make([]workload.Group, len(flows))
	for i := range flows {
		dst := flows[i].Dst
		switch {
		case flows[i].Group != workload.GroupAuto:
			groups[i] = flows[i].Group
		case int(dst) == victim:
			groups[i] = workload.Incast
		case graph.Nodes[dst].Rack >= 0 && graph.Nodes[dst].Rack == graph.Nodes[victim].Rack:
			groups[i] = workload.Vulnerable
		default:
			groups[i] = workload.Background
		}
	}
	return groups
}
