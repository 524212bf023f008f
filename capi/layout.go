package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// Structs of C that are used as their Go twins must be laid out alike: an index out of range here
// is a difference. The unexported fields of a path are in TestLayout.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(sluice.Packet{})-C.sizeof_sluice_packet]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Flow)-unsafe.Offsetof(C.sluice_packet{}.flow)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Note)-unsafe.Offsetof(C.sluice_packet{}.note)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Size)-unsafe.Offsetof(C.sluice_packet{}.size)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Ingress)-
		unsafe.Offsetof(C.sluice_packet{}.ingress)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.UpstreamQueue)-
		unsafe.Offsetof(C.sluice_packet{}.upstream_queue)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Class)-unsafe.Offsetof(C.sluice_packet{}.klass)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.ECN)-unsafe.Offsetof(C.sluice_packet{}.ecn)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Stamped)-
		unsafe.Offsetof(C.sluice_packet{}.stamped)]
	_ = [1]struct{}{}[unsafe.Offsetof(sluice.Packet{}.Path)-unsafe.Offsetof(C.sluice_packet{}.path)]
	_ = [1]struct{}{}[unsafe.Sizeof(sluice.Path{})-C.sizeof_sluice_path]
	_ = [1]struct{}{}[unsafe.Sizeof(sluice.Hop{})-C.sizeof_sluice_hop]
	_ = [1]struct{}{}[unsafe.Sizeof(hashpath.Flow{})-C.sizeof_sluice_flow]
	_ = [1]struct{}{}[unsafe.Offsetof(hashpath.Flow{}.SrcPort)-
		unsafe.Offsetof(C.sluice_flow{}.src_port)]
	_ = [1]struct{}{}[unsafe.Offsetof(hashpath.Flow{}.FlowLabel)-
		unsafe.Offsetof(C.sluice_flow{}.flow_label)]
	_ = [1]struct{}{}[unsafe.Offsetof(hashpath.Flow{}.Protocol)-
		unsafe.Offsetof(C.sluice_flow{}.protocol)]
	_ = [1]struct{}{}[unsafe.Offsetof(hashpath.Flow{}.Is6)-unsafe.Offsetof(C.sluice_flow{}.is6)]
	_ = [1]struct{}{}[unsafe.Sizeof(sluice.Counters{})-C.sizeof_sluice_counters]
	_ = [1]struct{}{}[sluice.NumReasons-C.SLUICE_REASONS]
	_ = [1]struct{}{}[sluice.MaxHops-C.SLUICE_MAX_HOPS]
)

// goPacket returns a packet of C as one of Go; nil if there is none, or if its path or its stamp
// is out of range. It is C's memory: Go keeps no pointer to it.
func goPacket(p *C.sluice_packet) *sluice.Packet {
	if p == nil || !sound(&p.path) || p.stamped > 1 {
		return nil
	}
	return (*sluice.Packet)(unsafe.Pointer(p))
}

// sound reports whether a path can be one of Go.
func sound(p *C.sluice_path) bool { return p.ends&15+p.ends>>4 <= sluice.MaxHops }

// goPath returns a path of C that is sound as one of Go.
func goPath(p *C.sluice_path) *sluice.Path { return (*sluice.Path)(unsafe.Pointer(p)) }

// goFlow returns a flow of C as one of Go; nil if there is none, or if is6 is no truth value.
func goFlow(f *C.sluice_flow_in) *hashpath.Flow {
	if f == nil || f.is6 > 1 {
		return nil
	}
	return (*hashpath.Flow)(unsafe.Pointer(f))
}
