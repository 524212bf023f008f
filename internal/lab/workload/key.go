package workload

import (
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

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

// Key6 returns the same with the hosts' addresses of IPv6 and a flow label.
func Key6(f *Flow, index int, label uint32) hashpath.Flow {
	k := Key(f, index)
	k.Src, k.Dst = Address6(f.Src).As16(), Address6(f.Dst).As16()
	k.FlowLabel, k.Is6 = label, true
	return k
}

// Address6 returns the IPv6 address of a host: fd00:: with that of hashpath.HostAddress at its end.
func Address6(id sluice.SwitchID) netip.Addr {
	four := hashpath.HostAddress(id).As4()
	six := [16]byte{0: 0xfd}
	copy(six[12:], four[:])
	return netip.AddrFrom16(six)
}
