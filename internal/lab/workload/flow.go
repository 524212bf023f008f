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
// the load is less than the number asked for. Apart from the load the two are alike for a Poisson
// process, but not for log-normal gaps, where we follow BFC.
//
// A load counts payload. Headers and acknowledgements come on top, as in both simulators.
package workload

import (
	"cmp"
	"math"
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

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
	// Group is set by generators, which know what the flow is for, and by files. GroupAuto lets the
	// report decide by destination, beside flows of an incast.
	Group Group
}

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
		flows[i].SrcPort = SourcePort(used[p])
		used[p]++
	}
}

// SourcePort returns the source port of a flow, given how many flows went from its source to its
// destination before.
func SourcePort(before uint32) uint16 {
	return uint16(firstPort + before%(math.MaxUint16+1-firstPort))
}

const udp = 17

// Key returns the five-tuple of the flow of an index. A flow without a source port gets a port by
// its index, so that ECMP spreads flows between the same hosts.
func Key(f *Flow, index int) hashpath.Flow {
	source := f.SrcPort
	if source == 0 {
		source = uint16(1024 + index%(1<<16-1024))
	}
	return hashpath.FlowBetween(f.Src, f.Dst, source, f.DstPort, udp)
}

// Key6 returns the five-tuple of Key with the hosts' addresses of IPv6, and a flow label.
func Key6(f *Flow, index int, label uint32) hashpath.Flow {
	k := Key(f, index)
	k.Src, k.Dst = Address6(f.Src).As16(), Address6(f.Dst).As16()
	k.FlowLabel, k.Is6 = label, true
	return k
}

// Address6 returns the IPv6 address of a host: fd00:: with hashpath.HostAddress at its end.
func Address6(id sluice.SwitchID) netip.Addr {
	four := hashpath.HostAddress(id).As4()
	six := [16]byte{0: 0xfd}
	copy(six[12:], four[:])
	return netip.AddrFrom16(six)
}
