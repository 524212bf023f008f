package ir

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/chip"
)

// mirror is a kind of mirrored copy, with the places of the session and the header that it names.
type mirror struct {
	session  int // position among the values of a pass
	original bool
	before   *layout // nil for none
}

// mirrorTypes is how many mirror types a gress has, with type 0, which mirrors nothing.
const mirrorTypes = 16

// session is an entry of [MirrorSession].
type session struct {
	enabled bool
	port    chip.DevPort
	valid   bool // the port is valid
	queue   int
	length  int // at most, 0 for no bound
}

// replica is a node of a multicast group.
type replica struct {
	id    int
	ports []chip.DevPort
}

// chip reads the fixed tables of mirrors, multicast and ports by which packets go round. Tables of
// queues and buffers are for the traffic manager, which is not a part of the machine.
func (m *Machine) chip(entries []FixedEntry) {
	m.sessions, m.groups = map[uint64]session{}, map[uint64][]replica{}
	m.pruned, m.rounds = map[uint64][]chip.DevPort{}, [allPorts]bool{}
	nodes := map[uint64]replica{}
	number := func(e *FixedEntry, field string) uint64 { return said[uint64](e, field) }
	for at := range entries {
		e := &entries[at]
		switch e.Table {
		case MirrorSession:
			m.sessions[number(e, "$sid")] = session{
				enabled: said[bool](e, "$session_enable"), port: chip.DevPort(number(e, "$ucast_egress_port")),
				valid: said[bool](e, "$ucast_egress_port_valid"), queue: int(number(e, "$egress_port_queue")),
				length: int(number(e, "$max_pkt_len")),
			}
		case MulticastNodes:
			nodes[number(e, "$MULTICAST_NODE_ID")] = replica{int(number(e, "$MULTICAST_RID")),
				ports(e, "$DEV_PORT")}
		case MulticastPrune:
			m.pruned[number(e, "$MULTICAST_L2_XID")] = ports(e, "$DEV_PORT")
		case GeneratorPort:
			if port := number(e, "dev_port"); port < allPorts {
				m.rounds[port] = said[bool](e, "recirculation_enable")
			}
		}
	}
	for at := range entries {
		if e := &entries[at]; e.Table == MulticastGroups {
			for _, id := range said[[]uint64](e, "$MULTICAST_NODE_ID") {
				m.groups[number(e, "$MGID")] = append(m.groups[number(e, "$MGID")], nodes[id])
			}
		}
	}
}

// ports returns the ports that a field lists.
func ports(e *FixedEntry, field string) (list []chip.DevPort) {
	for _, number := range said[[]uint64](e, field) {
		list = append(list, chip.DevPort(number))
	}
	return list
}

// replicate gives the traffic manager a copy for the unicast port and a copy for each port of the
// multicast group that is not excluded.
func (m *Machine) replicate(p *pass, octets []byte) {
	queue, sent := int(p.values[QueueSpec.slot].Lo), false
	if spec := p.values[EgressSpec.slot]; spec != nowhere {
		m.queue(Copy{Port: chip.DevPort(spec.Lo), Queue: queue, Octets: octets})
		sent = true
	}
	if group := p.values[MulticastGroup.slot].Lo; group != 0 {
		excluded := m.pruned[p.values[ExcludedPort.slot].Lo]
		for _, node := range m.groups[group] {
			for _, port := range node.ports {
				if !slices.Contains(excluded, port) {
					m.queue(Copy{Port: port, Queue: queue, Replica: node.id, Octets: octets})
				}
			}
		}
		sent = true
	}
	if !sent {
		m.counts.Dropped++
	}
}

// queue gives the traffic manager a copy. A copy for a port by which packets go round passes egress
// at once.
func (m *Machine) queue(c Copy) {
	if !m.has(c.Port) {
		m.counts.Lost++
		return
	}
	if m.rounds[c.Port] {
		m.pending = append(m.pending, arrival{copy: c, egress: true})
		return
	}
	m.outcome.Copies = append(m.outcome.Copies, c)
}

// mirror makes the copy that a gress asked for by its mirror type.
func (m *Machine) mirror(p *pass, came, leaves []byte) {
	asked, to, qid := IngressMirror, IngressMirrorPort, IngressMirrorQID
	if p.gress == Egress {
		asked, to, qid = EgressMirror, EgressMirrorPort, EgressMirrorQID
	}
	number := p.values[asked.slot].Lo
	if number == 0 {
		return
	}
	kind := m.mirrors[p.gress][number%mirrorTypes]
	if kind == nil {
		m.counts.Lost++
		return
	}
	s := m.sessions[p.values[kind.session].Lo]
	if port := p.values[to.slot].Lo; port != 0 {
		s.port, s.valid, s.queue = chip.DevPort(port), true, int(p.values[qid.slot].Lo)
	}
	if !s.enabled || !s.valid {
		m.counts.Lost++
		return
	}
	m.counts.Mirrored++
	m.queue(Copy{Port: s.port, Queue: s.queue, Mirrored: true,
		Octets: m.truncated(p, kind, s.length, came, leaves)})
}

// truncated returns a mirrored copy in the machine's own octets.
func (m *Machine) truncated(p *pass, kind *mirror, length int, came, leaves []byte) []byte {
	source := leaves
	if kind.original {
		source = came
	}
	if length > 0 {
		source = source[:min(len(source), length)]
	}
	start := len(m.octets)
	if kind.before != nil {
		m.octets = kind.before.emit(p, m.octets)
	}
	m.octets = append(m.octets, source...)
	return m.octets[start:len(m.octets):len(m.octets)]
}
