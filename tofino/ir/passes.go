package ir

import "github.com/sluicefc/sluice/tofino/chip"

// arrival is a packet that waits for a pass.
type arrival struct {
	copy   Copy
	egress bool
	depth  int
}

// Receive gives the chip a packet that came in by a port, at a time in the program's units. The
// packet runs through ingress; a packet that goes round runs on until it waits in the traffic
// manager, leaves or is dropped. The outcome of the input before is gone.
func (m *Machine) Receive(now uint64, port chip.DevPort, octets []byte) *Outcome {
	return m.take(now, arrival{copy: Copy{Port: port, Octets: octets}})
}

// Depart gives egress a packet that waited in the traffic manager, a [Copy] of an outcome before.
// depth is the depth of the queue when the packet leaves, in cells.
func (m *Machine) Depart(now uint64, c Copy, depth int) *Outcome {
	return m.take(now, arrival{copy: c, egress: true, depth: depth})
}

// take runs a packet until it waits, has left or is dropped; a packet of a port that the chip does
// not have is lost.
func (m *Machine) take(now uint64, a arrival) *Outcome {
	m.begin()
	if !m.has(a.copy.Port) {
		m.counts.Lost++
		return &m.outcome
	}
	m.pending = append(m.pending, a)
	return m.runAll(now)
}

func (m *Machine) has(port chip.DevPort) bool {
	_, err := chip.ParseDevPort(int(port))
	return err == nil
}

// Ghost tells every pipe's ghost thread the depth of a queue, in the units of qlength.
func (m *Machine) Ghost(queue chip.Queue, qlength uint64) *Outcome {
	m.begin()
	for pipe := range chip.Pipes {
		p := m.clean(Ghost, pipe)
		p.values[GhostDepth.slot] = Uint(qlength)
		p.values[GhostQueue.slot] = Uint(uint64(queue.Ghost()))
		p.values[GhostPipe.slot] = Uint(uint64(queue.Pipe()))
		m.run(m.control[Ghost], p)
		m.counts.Updates++
	}
	return &m.outcome
}

// Timer gives a pipe a packet of its generator: six octets that name pipe, application, batch and
// packet, then the template.
func (m *Machine) Timer(now uint64, pipe, app, batch, packet int, template []byte) *Outcome {
	port, err := chip.Recirculation(pipe)
	if err != nil {
		m.begin()
		m.counts.Lost++
		return &m.outcome
	}
	octets := append([]byte{byte(pipe&3<<4 | app&15), 0, byte(batch >> 8), byte(batch),
		byte(packet >> 8), byte(packet)}, template...)
	return m.Receive(now, port, octets)
}

// begin forgets the outcome of the input before.
func (m *Machine) begin() {
	m.outcome.Copies, m.outcome.Sent = m.outcome.Copies[:0], m.outcome.Sent[:0]
	m.outcome.Words = m.outcome.Words[:0]
	m.pending, m.octets = m.pending[:0], m.octets[:0]
}

// runAll runs passes until no packet goes round.
func (m *Machine) runAll(now uint64) *Outcome {
	for at := 0; at < len(m.pending); at++ {
		if at >= MaxRounds {
			m.counts.Endless++
			break
		}
		if next := m.pending[at]; next.egress {
			m.egress(now, next)
		} else {
			m.ingress(now, next)
		}
	}
	return &m.outcome
}

// clean returns the pass, with nothing of the pass before.
func (m *Machine) clean(gress Gress, pipe int) *pass {
	metadata := m.common
	if gress > 0 {
		metadata = m.metadata[gress-1]
	}
	clear(m.pass.values[:m.common])
	clear(m.pass.values[metadata:m.metadata[gress]])
	m.pass.gress, m.pass.pipe, m.pass.hasWord = gress, pipe, false
	return &m.pass
}

// ingress runs a packet through ingress, and gives the traffic manager its copies.
func (m *Machine) ingress(now uint64, a arrival) {
	p := m.clean(Ingress, a.copy.Port.Pipe())
	p.values[IngressPort.slot] = Uint(uint64(a.copy.Port))
	p.values[IngressTime.slot] = Uint(now).low(IngressTime.Bits)
	p.values[EgressSpec.slot] = nowhere
	if octets, leaves := m.through(p, a.copy.Octets, IngressDrop); leaves {
		m.replicate(p, octets)
	}
}

// egress runs a packet through egress and sends it, unless it goes round.
func (m *Machine) egress(now uint64, a arrival) {
	p := m.clean(Egress, a.copy.Port.Pipe())
	p.values[EgressPort.slot] = Uint(uint64(a.copy.Port))
	p.values[EgressQueue.slot] = Uint(uint64(a.copy.Queue)).low(EgressQueue.Bits)
	p.values[ReplicaID.slot] = Uint(uint64(a.copy.Replica)).low(ReplicaID.Bits)
	p.values[QueueDepth.slot] = Uint(uint64(a.depth)).low(QueueDepth.Bits)
	p.values[PacketBytes.slot] = Uint(uint64(len(a.copy.Octets))).low(PacketBytes.Bits)
	p.values[EgressTime.slot] = Uint(now).low(EgressTime.Bits)
	octets, leaves := m.through(p, a.copy.Octets, EgressDrop)
	switch {
	case !leaves:
	case m.rounds[a.copy.Port]:
		m.counts.Rounds++
		m.pending = append(m.pending, arrival{copy: Copy{Port: a.copy.Port, Octets: octets}})
	default:
		m.outcome.Sent = append(m.outcome.Sent, Sent{a.copy.Port, octets})
	}
}

// through runs a packet through parser, control and deparser, and its mirror. It returns the packet
// in the machine's own octets, and false if the parser refuses or the program drops it.
func (m *Machine) through(p *pass, came []byte, drop *Field) ([]byte, bool) {
	m.counts.Passes++
	taken, accepted := m.parse(p, m.starts[p.gress], came)
	if !accepted {
		m.counts.Refused++
		return nil, false
	}
	m.run(m.control[p.gress], p)
	if p.hasWord {
		m.outcome.Words = append(m.outcome.Words, Word{p.gress, p.pipe, chip.Word(p.word)})
	}
	start := len(m.octets)
	m.octets = m.deparse(p, m.octets, came[taken:])
	octets := m.octets[start:len(m.octets):len(m.octets)]
	dropped := p.values[drop.slot].Lo
	if p.gress == Ingress || dropped&dropMirror == 0 {
		m.mirror(p, came, octets)
	}
	if dropped&dropPacket != 0 {
		m.counts.Dropped++
	}
	return octets, dropped&dropPacket == 0
}

// What drop_ctl drops: bit 0 the packet, bit 2 the mirror of egress.
const (
	dropPacket = 1
	dropMirror = 4
)

// nowhere is a port that no pipe has: the port of a packet to which the program gave no port.
var nowhere = Uint(0x1FF)
