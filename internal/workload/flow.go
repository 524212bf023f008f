// Package workload makes and reads lists of flows.
package workload

import "github.com/sluicefc/sluice"

// Flow is one transfer between two hosts.
type Flow struct {
	Src, Dst         sluice.SwitchID
	SrcPort, DstPort uint16
	Class            sluice.Class
	Bytes            sluice.Bytes // payload; positive
	Start            sluice.Time
	// Group is set by generators that know what the flow is for; GroupAuto lets the report
	// decide by destination.
	Group Group
}

// Group is the role of a flow in a report.
type Group uint8

// Groups, as the Pyrrha paper (section II-B) names them.
const (
	GroupAuto  Group = iota
	Incast           // to the destination of most flows
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
