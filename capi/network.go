package main

// #include "cgo.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// network is what a handle of a network names: first what was declared, then what was built of it.
type network struct {
	graph  topo.Graph
	routes []fabric.Route
	parts  *sim.Config       // nil until it is built
	paths  *hashpath.Network // the same
}

var (
	errBuilt    = &fault{C.SLUICE_E_ARGUMENT, "the network is built already"}
	errNotBuilt = &fault{C.SLUICE_E_ARGUMENT, "the network is not built yet"}
	errNode     = &fault{C.SLUICE_E_ARGUMENT, "the network has no such node, or too many"}
)

//export go_network_new
func go_network_new() C.sluice_network {
	return C.sluice_network(networks.add(&network{graph: topo.Graph{Name: "declared"}}))
}

//export go_network_free
func go_network_free(n C.sluice_network) C.int32_t { return freed(&networks, n) }

//export go_network_host
func go_network_host(handle C.sluice_network) C.int32_t { return declare(handle, 0) }

//export go_network_switch
func go_network_switch(handle C.sluice_network, tier C.int32_t) C.int32_t {
	if tier < 1 || tier > 127 {
		return C.SLUICE_E_ARGUMENT
	}
	return declare(handle, topo.Tier(tier))
}

func declare(handle C.sluice_network, tier topo.Tier) C.int32_t {
	n, failure := declaring(handle)
	switch {
	case failure != nil:
		return failure.code
	case len(n.graph.Nodes) >= topo.MaxNodes:
		return errNode.code
	}
	n.graph.Nodes = append(n.graph.Nodes, topo.Node{Tier: tier, Rack: -1})
	return C.int32_t(len(n.graph.Nodes) - 1)
}

// declaring returns a network that is not built yet and has the nodes.
func declaring(handle C.sluice_network, nodes ...C.uint32_t) (*network, *fault) {
	n := networks.get(uint64(handle))
	switch {
	case n == nil:
		return nil, errHandle
	case n.parts != nil:
		return nil, errBuilt
	}
	for _, node := range nodes {
		if int64(node) >= int64(len(n.graph.Nodes)) {
			return nil, errNode
		}
	}
	return n, nil
}

//export go_network_connect
func go_network_connect(
	handle C.sluice_network, a, b C.uint32_t, rate C.int64_t, delay C.sluice_time,
	atA, atB *C.uint16_t,
) C.int32_t {
	n, failure := declaring(handle, a, b)
	if failure != nil {
		return failure.code
	}
	if a == b || rate <= 0 || delay < 0 {
		return C.SLUICE_E_ARGUMENT
	}
	link := sluice.Link{Rate: sluice.Rate(rate), Delay: sluice.Time(delay)}
	portA, portB := n.graph.Connect(sluice.SwitchID(a), sluice.SwitchID(b), link)
	if atA != nil {
		*atA = C.uint16_t(portA)
	}
	if atB != nil {
		*atB = C.uint16_t(portB)
	}
	return C.SLUICE_OK
}

//export go_network_route
func go_network_route(
	handle C.sluice_network, at, host C.uint32_t, ports *C.sluice_numbers_in, count C.size_t,
) C.int32_t {
	n, failure := declaring(handle, at, host)
	if failure != nil {
		return failure.code
	}
	if ports == nil || count == 0 || count > C.size_t(topo.MaxPorts) {
		return C.SLUICE_E_ARGUMENT
	}
	route := fabric.Route{At: sluice.SwitchID(at), Host: sluice.SwitchID(host)}
	for _, port := range unsafe.Slice(ports, int(count)) {
		if int(port) >= len(n.graph.Nodes[at].Ports) {
			return errPort.code
		}
		route.Ports = append(route.Ports, sluice.PortID(port))
	}
	n.routes = append(n.routes, route)
	return C.SLUICE_OK
}

//export go_network_build
func go_network_build(
	handle C.sluice_network, protocol, set *C.sluice_text, classes C.uint8_t, seed C.uint64_t,
	traffic *C.sluice_traffic, failure *C.sluice_error,
) C.int32_t {
	return report(failure, guard(func() error {
		n, wrong := declaring(handle)
		if wrong != nil {
			return wrong
		}
		return n.build(text(protocol), text(set), uint8(max(classes, 1)), uint64(seed), traffic)
	}), C.SLUICE_E_CONFIG)
}

func (n *network) build(protocol, set string, classes uint8, seed uint64,
	traffic *C.sluice_traffic) error {
	if err := n.graph.Validate(); err != nil {
		return err
	}
	registry, err := params.NewRegistry(fabric.Definitions())
	if err != nil {
		return err
	}
	values, err := registry.Parse(set)
	if err != nil {
		return err
	}
	run := fabric.Run{Protocol: protocol, Topology: &n.graph, Routes: n.routes, Values: values,
		Seed: seed}
	for ; classes != 0; classes &= classes - 1 {
		run.Flows = append(run.Flows, workload.Flow{Class: sluice.Class(bits.TrailingZeros8(classes))})
	}
	if protocol == "portfc" {
		return errors.New("flow control portfc: it is about hosts that forward, and hosts of a " +
			"sluice_network do not: make its devices by sluice_machine_new")
	}
	parts, err := run.Embedding()
	if err != nil {
		return err
	}
	if err := tryMachines(&n.graph, parts); err != nil {
		return err
	}
	if err := checkRead(values, protocol); err != nil {
		return err
	}
	paths, ok := parts.Network.(*hashpath.Network)
	if !ok {
		return errors.New("the network has no tables of its own")
	}
	n.parts, n.paths = parts, paths
	if traffic != nil {
		*traffic = C.sluice_traffic{
			window:  C.int64_t(cmp.Or(parts.Window, sim.DefaultWindow(&n.graph, parts.Payload))),
			payload: C.int64_t(parts.Payload), header: C.int64_t(parts.Header),
			ack_size: C.int64_t(parts.AckSize), ack_class: C.uint8_t(parts.AckClass),
			ecn: C.uint8_t(parts.ECN),
		}
	}
	return nil
}

//export go_network_parameters
func go_network_parameters(to *C.char, size C.size_t) C.int64_t {
	var s strings.Builder
	for _, d := range fabric.Definitions() {
		fmt.Fprintf(&s, "%s=%s\t%s\t%s\n", d.Name, d.Default, d.Values(), d.Doc)
	}
	return write(to, size, s.String())
}

//export go_network_machine
func go_network_machine(
	handle C.sluice_network, node C.uint32_t, failure *C.sluice_error,
) C.sluice_machine {
	return C.sluice_machine(granted(&machines, failure, func() (*machine, error) {
		n, wrong := built(handle, node)
		if wrong != nil {
			return nil, wrong
		}
		return known(n.parts.NewMachine(sluice.SwitchID(node)))
	}))
}

// built returns a network that is built and has a node.
func built(handle C.sluice_network, node C.uint32_t) (*network, *fault) {
	n := networks.get(uint64(handle))
	switch {
	case n == nil:
		return nil, errHandle
	case n.parts == nil:
		return nil, errNotBuilt
	case int64(node) >= int64(len(n.graph.Nodes)):
		return nil, errNode
	}
	return n, nil
}

// tryMachines makes a machine of each kind of node, so that a configuration that breaks a rule is
// found when a network is built. Nodes of one tier with the same links are of one kind.
func tryMachines(g *topo.Graph, parts *sim.Config) error {
	tried := map[string]bool{}
	for id := range g.Nodes {
		node := &g.Nodes[id]
		kind := fmt.Sprint(node.Tier)
		for i := range node.Ports {
			kind += fmt.Sprint(node.Ports[i].Link)
		}
		if tried[kind] {
			continue
		}
		tried[kind] = true
		if _, err := parts.NewMachine(sluice.SwitchID(id)); err != nil {
			return fmt.Errorf("node %d: %w", id, err)
		}
	}
	return nil
}

// ofTheSimulator are parameters of the simulator's hosts and links, beside the parameters of
// transports and congestion controls: an embedder has hosts and links of its own.
var ofTheSimulator = []string{
	"transport", "cc", "cc.pace", "cc.queue", "rto", "notice.class", "window.variable",
	"answer.loss", "answer.duplicate", "answer.reorder", "loss",
	"control.loss", "control.duplicate", "control.reorder",
}

// checkRead refuses parameters that were set and that change nothing here. Parameters of section
// network may change nothing: a program that changes the flow control by a word keeps its buffer.
func checkRead(values *params.Values, protocol string) error {
	simulated := slices.Clone(ofTheSimulator)
	for _, d := range slices.Concat(cc.Definitions(), transport.Definitions()) {
		simulated = append(simulated, d.Name)
	}
	set := values.Set()
	for _, d := range fabric.Definitions() {
		text, is := set[d.Name]
		switch {
		case !is:
		case slices.Contains(simulated, d.Name):
			return fmt.Errorf("parameter %s=%s: it is about hosts and links of the simulator, and you "+
				"have your own; detect chooses what switches mark by", d.Name, text)
		case d.Section != "network" && !values.WasRead(d.Name):
			return fmt.Errorf("parameter %s=%s has no effect under %s", d.Name, text, protocol)
		}
	}
	return nil
}
