// Package workload makes, reads and writes lists of flows.
//
// Generated lists are functions of their configuration, seed and network: arithmetic on the way is
// integer, no map is walked, and the generator of random numbers is the project's own, so that a
// list is the same on every platform and with every Go version. Golden hashes in the tests hold it
// to that.
//
// # Deviations
//
// The simulators of Pyrrha and of BFC differ in how gaps are drawn. BFC's has one process for the
// whole network, as we have. Pyrrha's has one for every pair of hosts on a list of pairs, and
// computes the rate of each as though the list had all pairs between racks; where it is shorter,
// the load is less than the number asked for. For a Poisson process the two are alike but for that;
// for log-normal gaps they are not, and we follow BFC.
//
// A load counts payload. Headers and acknowledgements come on top, as in both simulators.
package workload

import "github.com/sluicefc/sluice"

// Flow is one transfer between two hosts.
type Flow struct {
	Src, Dst         sluice.SwitchID
	SrcPort, DstPort uint16
	Class            sluice.Class
	Bytes            sluice.Bytes // payload; positive
	Start            sluice.Time
	// Rate, if positive, is what the flow sends at, headers included, whatever congestion control
	// says.
	Rate sluice.Rate
	// Stage orders flows that depend on one another, as the steps of a collective operation do: Start
	// of flows of the lowest stage is an instant, that of later ones is counted from when all flows of
	// the stages before have arrived. It must not be negative.
	Stage int32
	// Group is set by generators, which know what the flow is for. GroupAuto lets the report decide
	// by destination, beside flows of an incast; flows of files have nothing else.
	Group Group
}

// Group is the role of a flow in a report.
type Group uint8

// Groups, as the Pyrrha paper (section II-B) names them.
const (
	GroupAuto  Group = iota
	Incast           // to the destination of most bytes
	Vulnerable       // to other hosts of that destination's rack
	Background       // the others
)

// String names the group.
func (g Group) String() string {
	if int(g) < len(groupNames) {
		return groupNames[g]
	}
	return "unknown"
}

var groupNames = [...]string{"auto", "incast", "vulnerable", "background"}
