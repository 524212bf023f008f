package main

import (
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// protocol is a protocol with which a switch can be loaded.
type protocol struct {
	name, doc string
	set       string // parameters by default
	make      func(*made) error
}

// hashes is a hash of the network's switches that the chip computes.
const hashes = "hash=crc32,hash.width=9"

var protocols = []protocol{
	{"paths", "path tables: which ports a packet will pass", hashes, makePaths},
	{"pfc", "priority flow control: tables of the traffic manager and the ports", hashes, makePFC},
	{"bfc", "backpressure flow control: a queue for each flow, pauses queue by queue", hashes,
		makeBFC},
	{"ofc", "original-congestion-based flow control: three queues for each class", hashes, makeOFC},
	{"pyrrha", "congestion-root-based flow control, with single-tier queues", hashes, makePyrrha},
	{"portfc", "per-port flow control: a switch of NDC(n,1), topology=ndc", "topology=ndc",
		makePortFC},
}

func findProtocol(name string) (protocol, error) {
	for _, p := range protocols {
		if p.name == name {
			return p, nil
		}
	}
	return protocol{}, fmt.Errorf("-protocol %q: must be one of %s", name, protocolNames())
}

func protocolNames() string {
	var list []string
	for _, p := range protocols {
		list = append(list, p.name)
	}
	return strings.Join(list, ", ")
}

// makePaths makes the path tables and a program that forwards by them.
func makePaths(m *made) error {
	config := tofino.PathConfig{Network: m.network.Snapshot(), Switch: m.node, Ports: m.ports.ports,
		IPv6: m.values.Bool("tofino.ipv6"), Failures: m.values.Bool("tofino.failures")}
	if m.values.IsSet("tofino.hops") {
		config.Hops = int(m.values.Int("tofino.hops"))
	}
	forwarding, err := tofino.NewForwarding(config)
	if err != nil {
		return err
	}
	m.program, m.config = forwarding.Program, forwarding.Config
	if config.Failures {
		m.after = func(s *hashpath.Snapshot) ([]ir.TableConfig, error) {
			return forwarding.Paths.Update(s)
		}
	}
	m.published = []string{"Pyrrha, section V-A: path calculation 0.44 MB, which is 28 blocks, of " +
		"an edge switch of a fat-tree with k = 36"}
	return nil
}

func (m *made) site() tofino.Site { return tofino.Site{Ports: m.ports.ports} }

// program realises the configuration of the switch and makes a program of it.
func program[C, P any](
	m *made, realise func(C) (C, []tofino.Change, error), make func(C) (P, error), ask ...func(*C),
) (made P, err error) {
	config, err := m.run().Configuration(m.node)
	if err != nil {
		return made, err
	}
	asked := config.(C)
	for _, one := range ask {
		one(&asked)
	}
	realised, changes, err := realise(asked)
	if err != nil {
		return made, err
	}
	m.changes = changes
	return make(realised)
}

// oneWay says which of several equal ways a program of BFC or OFC takes.
const oneWay = "of equal ways each address has one: the program does not hash flows to ways"

// takes takes a program, and notes what goes round while it runs.
func (m *made) takes(program *tofino.Made, notices func(sluice.Bytes) sluice.Rate) {
	m.program, m.config = program.Program, program.Config
	m.notes = append(m.notes, recirculation(notices))
}

// makePFC makes the entries of the traffic manager.
func makePFC(m *made) error {
	made, err := program(m, tofino.RealisePFC, func(c pfc.Config) (*tofino.PFC, error) {
		return tofino.NewPFC(tofino.PFCConfig{Machine: c, Ports: m.ports.ports})
	}, func(c *pfc.Config) { c.Classes, c.ReservedClasses = m.classes(), 0 })
	if err != nil {
		return err
	}
	m.program, m.config = &ir.Program{Name: "sluice_pfc"}, made.Config
	for _, omitted := range made.Omitted {
		m.notes = append(m.notes, "left as the driver has it: "+omitted)
	}
	return nil
}

// makeBFC makes the program of backpressure flow control.
func makeBFC(m *made) error {
	made, err := program(m, tofino.RealiseBFC, func(c bfc.Config) (*tofino.BFC, error) {
		routes, err := m.routes()
		if err != nil {
			return nil, err
		}
		return tofino.NewBFC(tofino.BFCConfig{Machine: c, Site: m.site(), Routes: routes})
	})
	if err != nil {
		return err
	}
	m.takes(&made.Made, made.Recirculation)
	m.hold(made.Carving, made.Machine.Queues, "signals")
	m.notes = append(m.notes, oneWay)
	return nil
}

// makeOFC makes the program of original-congestion-based flow control.
func makeOFC(m *made) error {
	made, err := program(m, tofino.RealiseOFC, func(c ofc.Config) (*tofino.OFC, error) {
		routes, err := m.routes()
		if err != nil {
			return nil, err
		}
		return tofino.NewOFC(tofino.OFCConfig{Machine: c, Site: m.site(), Routes: routes})
	})
	if err != nil {
		return err
	}
	m.takes(&made.Made, made.Recirculation)
	m.hold(made.Carving, made.Signals(), "signals")
	// A round takes about as long on the public switches that were measured.
	const round, port = sluice.Microsecond, 100 * sluice.Gbps
	held := made.Machine.Ports[0].XOff
	needed, most := tofino.Circulating(held, round, port)
	m.notes = append(m.notes,
		fmt.Sprintf("packets of paused flows go round once, at up to %v if all flows are paused",
			made.Moves()), oneWay,
		fmt.Sprintf("a Tofino 1 has no words of flow control, and this is no program for it: if paused "+
			"packets circulated there, %v at a port would take %v with rounds of %v, and a port of %v "+
			"holds %v", held, needed, round, port, most))
	var beside strings.Builder
	err = fit.Of(m.program, m.config).WriteCells(&beside, fit.OFCFigures(), len(made.Ports))
	m.published = strings.Split(strings.TrimSpace(beside.String()), "\n")
	return err
}

// makePyrrha makes the program of congestion-root-based flow control. A port has as many isolation
// queues as the ports of its group leave it.
func makePyrrha(m *made) error {
	carving, most := tofino.PyrrhaCarving(m.ports.ports)
	made, err := program(m, tofino.RealisePyrrha, func(c pyrrha.Config) (*tofino.Pyrrha, error) {
		return tofino.NewPyrrha(tofino.PyrrhaConfig{Machine: c, Network: m.network.Snapshot(),
			Site:   tofino.Site{Ports: m.ports.ports, Carving: carving},
			Stages: int(m.values.Int("tofino.stages"))})
	}, func(c *pyrrha.Config) {
		if !m.values.IsSet("pyrrha.iqs") {
			c.IQs = most
		}
	})
	if err != nil {
		return err
	}
	m.takes(&made.Made, made.Recirculation)
	iqs := made.Machine.IQs
	m.hold(carving, 0, "OQ: nothing pauses it")
	m.hold(carving, iqs, "for sets that find no queue free")
	m.hold(carving, iqs+1, "signals")
	m.notes = append(m.notes, fmt.Sprintf("a port has %d isolation queues; flows whose set of roots "+
		"grows can be reordered", iqs))
	var beside strings.Builder
	err = fit.Of(m.program, m.config).WriteBeside(&beside, fit.PyrrhaFigures())
	m.published = strings.Split(strings.TrimSpace(beside.String()), "\n")
	return err
}

// makePortFC makes the program of a switch of PortFC.
func makePortFC(m *made) error {
	made, err := program(m, tofino.RealisePortFC, func(c portfc.Config) (*tofino.PortFC, error) {
		return tofino.NewPortFC(tofino.PortFCConfig{Machine: c, Site: m.site(),
			Addresses: digits(c.Network)})
	})
	if err != nil {
		return err
	}
	m.takes(&made.Made, made.Recirculation)
	network := made.Machine.Network
	m.hold(made.Carving, int(network.DDQ()), "DDQ: nothing pauses it")
	m.hold(made.Carving, int(network.HQ(made.Machine.Switch)), "HQ, and signals")
	m.notes = append(m.notes, "nodes run in software: nothing is made for them; addresses are "+
		"10.0.0.0 and the digits of a node's number, each in bits of its own")
	m.published = []string{"PortFC, Table II: shares of the resources of switch.p4, which are not " +
		"given, so that no shares of the chip follow; our shares of the chip are above"}
	return nil
}

// routes sends what is for each address by one port of the switch: a program of BFC or OFC hashes
// flows to queues and cells, not to ways. Of several equal ways destinations take each in turn.
func (m *made) routes() ([]tofino.Route, error) {
	s := m.network.Snapshot()
	at := slices.IndexFunc(s.Nodes, func(n hashpath.SnapshotNode) bool {
		return n.Forwards && n.Name == m.node
	})
	if at < 0 {
		return nil, fmt.Errorf("switch %d forwards nothing", m.node)
	}
	node := &s.Nodes[at]
	var routes []tofino.Route
	for _, prefix := range s.Prefixes {
		if !prefix.Prefix.Addr().Is4() {
			continue
		}
		if s.Destinations[prefix.Destination].Node == at {
			routes = append(routes, tofino.Route{To: prefix.Prefix, Port: prefix.Port})
			continue
		}
		if link, ok := way(s, s.Replicas[node.Replica][prefix.Destination], prefix.Destination); ok {
			routes = append(routes, tofino.Route{To: prefix.Prefix, Port: node.Links[link].Port})
		}
	}
	return routes, nil
}

// way returns the link by which an entry sends packets for a destination: the links of a group take
// destinations in turn.
func way(s *hashpath.Snapshot, e hashpath.Entry, destination int) (int, bool) {
	switch e.Kind {
	case hashpath.ToLink:
		return e.Index, true
	case hashpath.ToGroup:
		group := s.Groups[e.Index]
		return group[destination%len(group)], true
	}
	return 0, false
}

// neverHeld is a queue that no word of flow control may hold, in the form that the checker reads.
type neverHeld struct {
	Pipe  int    `json:"pipe"`
	Group int    `json:"pg_id"`
	Queue int    `json:"pg_queue"`
	Why   string `json:"why"`
}

// hold notes that a queue of each port is never to be held.
func (m *made) hold(carving chip.Carving, qid int, why string) {
	for _, port := range m.ports.ports {
		if queue, err := carving.Queue(port, qid); err == nil {
			m.never = append(m.never, neverHeld{queue.Pipe(), queue.Group(), queue.Number(), why})
		}
	}
}

// recirculation says which rate notices of departures need of the port by which they go round.
func recirculation(rateFor func(sluice.Bytes) sluice.Rate) string {
	const large, small = 1518, 64
	rate := func(size sluice.Bytes) sluice.Rate { return rateFor(size) / sluice.Mbps * sluice.Mbps }
	return fmt.Sprintf("notices go round at up to %v with packets of %d bytes, %v with %d; the port "+
		"is to have as much", rate(large), large, rate(small), small)
}

// digits gives each digit of a node's number as many bits as it needs, the digit of layer 0 the
// lowest bits.
func digits(network portfc.NDC) tofino.DigitLayout {
	layout := tofino.DigitLayout{Base: netip.AddrFrom4([4]byte{10})}
	size := bits.Len(uint(network.N - 1))
	for layer := range network.Layers() {
		layout.Digits = append(layout.Digits, tofino.AddressBits{Low: layer * size, Bits: size})
	}
	return layout
}

// classes returns the lossless classes of pfc.
func (m *made) classes() sluice.ClassSet {
	names, numbers := m.values.List("tofino.classes")
	if len(names) > 0 {
		return sluice.AllClasses
	}
	var set sluice.ClassSet
	for _, number := range numbers {
		set |= sluice.MakeClassSet(sluice.Class(min(number, sluice.Classes)))
	}
	if set == 0 {
		return sluice.NoClasses
	}
	return set
}
