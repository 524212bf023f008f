package workload

import (
	"cmp"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
)

// Merge returns the flows of several lists as one, in order of start; flows that start together
// keep the order of the lists. Source ports are assigned anew, as lists may have used the same.
func Merge(lists ...[]Flow) []Flow {
	flows := slices.Concat(lists...)
	SortByStart(flows)
	AssignPorts(flows)
	return flows
}

// SortByStart puts flows in order of start; flows that start together keep their order.
func SortByStart(flows []Flow) {
	slices.SortStableFunc(flows, func(a, b Flow) int { return cmp.Compare(a.Start, b.Start) })
}

// firstPort is the source port of the first flow between two hosts, as in HPCC's ns-3.
const firstPort = 10_000

// AssignPorts gives the flows from one host to another consecutive source ports from 10,000 on, in
// the order of the list, so that their five-tuples differ; after 65,535 they begin again.
func AssignPorts(flows []Flow) {
	type pair struct{ src, dst sluice.SwitchID }
	used := make(map[pair]uint32)
	for i := range flows {
		p := pair{flows[i].Src, flows[i].Dst}
		flows[i].SrcPort = uint16(firstPort + used[p]%(math.MaxUint16+1-firstPort))
		used[p]++
	}
}
