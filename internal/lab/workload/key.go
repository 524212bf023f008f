package workload

import "github.com/sluicefc/sluice/hashpath"

// udp is the protocol of RoCEv2.
const udp = 17

// Key returns the five-tuple of the flow of an index. One without a source port gets one of its
// own, so that ECMP spreads flows between the same hosts.
func Key(f *Flow, index int) hashpath.Flow {
	source := f.SrcPort
	if source == 0 {
		source = uint16(1024 + index%(1<<16-1024))
	}
	return hashpath.FlowBetween(f.Src, f.Dst, source, f.DstPort, udp)
}
