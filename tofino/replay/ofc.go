package replay

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// OFC returns the comparison of a program of OFC: a machine of the configuration that the program
// realises, with tables as the chip has them, and the wiring. The caller may change it before
// [New]. The machine does as an [ofc.Switch] of the configuration, in all but this:
//
//   - A table of a class has two rows of cells. Bits of the lower half of Packet.Flow choose a
//     flow's cell in the first row, bits of the upper half that in the second. A flow is not known
//     if both are others': a chip moves no flow from one cell to another.
//   - A PAUSE at X^c_OFF names all flows of an egress queue once after each resume, in the order of
//     their cells, and then the flow of each packet that comes. So a flow that waits and was not
//     named when its queue was is named when its next packet comes: downstream did not pause it
//     then, or it came while no threshold was exceeded, or a RESUME of it was still to be sent.
//   - A RESUME names flows in the order of their cells. A refresh is not obeyed.
//
// A packet's flow is taken for two CRCs of its five-tuple, which the chip computes: the tap makes
// up a source address and ports that give these CRCs. routes are, for each port, an address whose
// packets the program sends by the port.
func OFC(made *tofino.OFC, routes []netip.Addr) (Config, error) {
	s := newCellSwitch(made.Machine)
	w := &ofcWiring{made: made, machine: s, routes: routes, bases: map[sluice.PortID]uint64{},
		wiring: newWiring(&made.Made), solve: newSolver(64, tailFlow)}
	return beside(s, &made.Made, Wiring{Packet: w.packet,
		Left: w.left, Frame: w.frame, Control: w.late.control, State: w.state, Start: w.start,
		Queue: made.Queue}), nil
}

// ofcWiring is the wiring of one switch.
type ofcWiring struct {
	wiring
	made    *tofino.OFC
	machine *cellSwitch
	routes  []netip.Addr
	solve   *solver
	bases   map[sluice.PortID]uint64 // flows of packets from address 0 and ports 0, by egress
}

// start makes the packets that hold all backup queues.
func (w *ofcWiring) start(generate func(pipe, app, batch, packet int)) {
	for port := range w.made.Ports {
		for packet := range 2 * sluice.Classes {
			generate(w.pipe, tofino.StartApp, port, packet)
		}
	}
}

// The offset of IP in a packet, behind Ethernet, and the length of a five-tuple.
const (
	plainIPAt   = 14
	ofcTupleLen = 13
)

// packet makes UDP over IP over Ethernet of a packet, with its flow.
func (w *ofcWiring) packet(dst []byte, egress sluice.PortID, p *sluice.Packet) ([]byte, string) {
	length, reason := ipLength(p, tofino.FrameOverhead, 28)
	switch {
	case int(egress) >= len(w.routes):
		return dst, "no route leads there"
	case reason != "":
		return dst, reason
	case p.Flow == 0:
		return dst, "of flow 0, which a free cell has"
	}
	tuple := w.tuple(egress, p.Flow)
	var between [8]byte // source and destination
	copy(between[:], tuple[5:9])
	copy(between[4:], tuple[:4])
	dst = appendIP(append(dst, addresses...), p, length, tuple[4], between[:])
	return appendUDP(dst, tuple[9:], length), ""
}

// tuple returns destination, protocol, source and ports of a packet of a flow.
func (w *ofcWiring) tuple(egress sluice.PortID, flow uint64) (tuple [ofcTupleLen]byte) {
	to := w.routes[egress].As4()
	copy(tuple[:], to[:])
	tuple[4] = 17
	base, known := w.bases[egress]
	if !known {
		base = flowOf(tuple[:])
		w.bases[egress] = base
	}
	binary.BigEndian.PutUint64(tuple[5:], w.solve.input(base^flow))
	return tuple
}

// flowOf returns the flow of a tuple.
func flowOf(tuple []byte) uint64 {
	return uint64(crc32.Checksum(tuple, castagnoli))<<32 | uint64(crc32.ChecksumIEEE(tuple))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// left checks that the packet which leaves came in, by its length and flow.
func (w *ofcWiring) left(octets []byte, _ sluice.QueueID, p *sluice.Packet,
	_ sluice.Verdict) string {
	if len(octets) < plainIPAt+24 {
		return "no packet"
	}
	ip := octets[plainIPAt:]
	tuple := [ofcTupleLen]byte{4: ip[9]}
	copy(tuple[:], ip[16:20])
	copy(tuple[5:], ip[12:16])
	copy(tuple[9:], ip[20:24])
	length := int(binary.BigEndian.Uint16(ip[2:]))
	if length != int(p.Size)-tofino.FrameOverhead || flowOf(tuple[:]) != p.Flow ||
		ip[1]>>5 != byte(p.Class) {
		return fmt.Sprintf("not what came in: %x", octets)
	}
	return ""
}

// frame leaves out frames that the program is documented not to obey.
func (w *ofcWiring) frame(id sluice.PortID, octets []byte) string {
	var f ofc.Frame
	switch {
	case f.Parse(octets) != nil:
		return unread(octets)
	case f.Type == ofc.Refresh:
		return "refresh"
	case f.Count > 1:
		return "frame of several flows"
	}
	w.late.hear(id, f.Sequence)
	return ""
}

// state compares registers with the machine, port by port and class by class.
func (w *ofcWiring) state(m *ir.Machine) *Difference {
	for id := range sluice.PortID(w.machine.Ports()) {
		for class := range sluice.Class(sluice.Classes) {
			snapshot := w.machine.snapshot(id, class)
			for _, one := range w.wanted(&snapshot) {
				at := int(id)*sluice.Classes + int(class)
				if got := one.of(m, at); got != one.want {
					return unlike(one.register, at, one.want, got)
				}
			}
		}
	}
	return nil
}

// wanted is the number that a register should hold for a class of a port, and how it is read.
type wanted struct {
	register string
	want     uint64
	of       func(m *ir.Machine, at int) uint64
}

// wanted lists the numbers that registers should hold for a class of a port.
func (w *ofcWiring) wanted(c *ofc.ClassSnapshot) []wanted {
	low := func(name string, want uint64) wanted {
		return wanted{name, want, func(m *ir.Machine, at int) uint64 { return w.value(m, name, at) }}
	}
	sum := func(name string, want uint64) wanted {
		return wanted{name, want, func(m *ir.Machine, at int) uint64 {
			e := w.element(m, name, at)
			return uint64(e[0]) + uint64(e[1])
		}}
	}
	some := func(name string, half int, bytes sluice.Bytes) wanted {
		return wanted{name, truth(bytes > 0), func(m *ir.Machine, at int) uint64 {
			return truth(w.element(m, name, at)[half] > 0)
		}}
	}
	cells := func(bytes sluice.Bytes) uint64 { return uint64(bytes / chip.CellBytes) }
	return []wanted{
		low("q_in", cells(c.Ingress)), low("q_out", cells(c.Queues[0]+c.Queues[1]+c.Queues[2])),
		some("backup", 0, c.Queues[c.Paused]), some("backup", 1, c.Queues[3-c.Paused]),
		low("side", uint64(c.Paused)), sum("paused_flows", uint64(c.Congested)),
		low("pause_frames", uint64(c.Told)), low("all_held", truth(c.AllPaused)),
		{"held", truth(c.Held), func(m *ir.Machine, at int) uint64 {
			return truth(w.element(m, "held", at) != [2]uint32{})
		}},
		w.taken("flow", "flow", c.Flows, func(e, _ [2]uint32) bool { return e[1] > 0 }),
		w.taken("congested", "ended", c.Congested, func(e, ended [2]uint32) bool {
			return e[1] > ended[0]
		}),
		w.taken("congested_out", "ended_out", c.Congested,
			func(e, ended [2]uint32) bool { return e[1] > ended[0] }),
		w.taken("pause_frame", "pause_frame", c.Told,
			func(e, _ [2]uint32) bool { return e != [2]uint32{} }),
	}
}

// taken counts the cells of a table that have a flow. Whether a cell has a flow may depend on an
// element of another register.
func (w *ofcWiring) taken(table, by string, want int, has func(cell, by [2]uint32) bool) wanted {
	return wanted{table + "_a and _b", uint64(want), func(m *ir.Machine, at int) (n uint64) {
		other := [2]uint32{}
		if by != table {
			other = w.element(m, by, at)
		}
		for _, row := range [...]string{"_a", "_b"} {
			r := w.registers[table+row]
			each := r.Size / w.registers["q_in"].Size
			for i := range each {
				n += truth(has(m.Register(r, w.pipe, at*each+i), other))
			}
		}
		return n
	}}
}

func truth(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// tailFlow is the flow of a tuple of zeros before its last eight octets: two CRCs whose polynomials
// have no common factor are, as a function of 64 bits in a row, one-to-one.
func tailFlow(tail uint64) uint64 {
	var tuple [ofcTupleLen]byte
	binary.BigEndian.PutUint64(tuple[5:], tail)
	return flowOf(tuple[:])
}
