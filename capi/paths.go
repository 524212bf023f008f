package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

//export go_flow_between
func go_flow_between(
	src, dst C.uint32_t, srcPort, dstPort C.uint16_t, protocol C.uint8_t, f *C.sluice_flow,
) C.int32_t {
	if f == nil {
		return errNull.code
	}
	*(*hashpath.Flow)(unsafe.Pointer(f)) = hashpath.FlowBetween(
		sluice.SwitchID(src), sluice.SwitchID(dst), uint16(srcPort), uint16(dstPort), uint8(protocol))
	return C.SLUICE_OK
}

//export go_flow_hash
func go_flow_hash(f *C.sluice_flow_in) C.uint64_t {
	flow := goFlow(f)
	if flow == nil {
		return 0
	}
	return C.uint64_t(flow.Hash())
}

//export go_network_path
func go_network_path(
	handle C.sluice_network, at C.uint32_t, ingress C.uint16_t, f *C.sluice_flow_in,
	path *C.sluice_path,
) C.int32_t {
	n, failure := built(handle, at)
	if failure == errNode {
		return C.SLUICE_PATH_UNKNOWN
	}
	if failure != nil {
		return failure.code
	}
	flow := goFlow(f)
	if flow == nil || path == nil {
		return errNull.code
	}
	way, status := n.paths.Path(sluice.SwitchID(at), sluice.PortID(ingress), flow)
	*goPath(path) = way
	return statuses[status]
}

// statuses are the statuses of paths in C.
var statuses = [...]C.int32_t{
	hashpath.OK: C.SLUICE_PATH_OK, hashpath.UnknownNode: C.SLUICE_PATH_UNKNOWN,
	hashpath.NoRoute: C.SLUICE_PATH_NO_ROUTE, hashpath.Unreachable: C.SLUICE_PATH_UNREACHABLE,
	hashpath.TooLong: C.SLUICE_PATH_TOO_LONG,
}

//export go_network_egress
func go_network_egress(
	handle C.sluice_network, at C.uint32_t, ingress C.uint16_t, f *C.sluice_flow_in,
) C.int32_t {
	n, failure := built(handle, at)
	if failure != nil {
		return failure.code
	}
	flow := goFlow(f)
	if flow == nil {
		return errNull.code
	}
	port, ok := n.paths.Egress(sluice.SwitchID(at), sluice.PortID(ingress), flow)
	if !ok {
		return C.SLUICE_NONE
	}
	return C.int32_t(port)
}

//export go_network_fail_link
func go_network_fail_link(handle C.sluice_network, node C.uint32_t, port C.uint16_t) C.int32_t {
	return changeLink(handle, node, port, (*hashpath.Network).FailLink)
}

//export go_network_restore_link
func go_network_restore_link(handle C.sluice_network, node C.uint32_t,
	port C.uint16_t) C.int32_t {
	return changeLink(handle, node, port, (*hashpath.Network).RestoreLink)
}

func changeLink(
	handle C.sluice_network, node C.uint32_t, port C.uint16_t,
	change func(*hashpath.Network, sluice.Hop) error,
) C.int32_t {
	n, failure := built(handle, node)
	if failure != nil {
		return failure.code
	}
	err := guard(func() error {
		return change(n.paths, sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(port)})
	})
	return codeOf(err, C.SLUICE_E_ARGUMENT)
}
