package replay

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// BFC returns the comparison of a program of BFC: a machine of the configuration that the program
// realises, wrapped, and the wiring. The caller may change it before [New].
//
// A packet's flow is taken for the CRC-32 of its five-tuple, which the chip computes and whose low
// bits find an entry: the tap makes up a source address that gives this CRC. routes are, for each
// port, an address whose packets the program sends by the port.
func BFC(made *tofino.BFC, routes []netip.Addr) (Config, error) {
	s, err := bfc.New(made.Machine)
	if err != nil {
		return Config{}, err
	}
	w := &bfcWiring{made: made, machine: s, routes: routes, solve: newSolver(32, sourceHash),
		bases: map[sluice.PortID]uint32{}, wiring: newWiring(&made.Made)}
	return beside(kit.Wrap[*bfc.Switch, *bfc.Port, bfc.Frame](s), &made.Made, Wiring{Packet: w.packet,
		Left: w.left, Frame: w.frame, Control: w.late.control, State: w.state}), nil
}

// bfcWiring is the wiring of one switch.
type bfcWiring struct {
	wiring
	made    *tofino.BFC
	machine *bfc.Switch
	routes  []netip.Addr
	solve   *solver
	bases   map[sluice.PortID]uint32 // hashes of packets from address 0, by egress
}

// Offsets in a packet: Ethernet, shim, EtherType, IP, ports.
const (
	shimAt   = 12
	ipAt     = shimAt + bfc.ShimLength + 2
	tupleLen = 13
)

// packet makes UDP over IP over Ethernet of a packet, with the flow as its hash.
func (w *bfcWiring) packet(dst []byte, egress sluice.PortID, p *sluice.Packet) ([]byte, string) {
	if int(egress) >= len(w.routes) {
		return dst, "no route leads there"
	}
	length, reason := ipLength(p, tofino.Overhead, 28)
	if reason != "" {
		return dst, reason
	}
	tuple := w.tuple(egress, uint32(p.Flow))
	dst = bfc.AppendShim(append(dst, addresses...), p.UpstreamQueue)
	return appendUDP(appendIP(dst, p, length, tuple[8], tuple[:8]), tuple[9:], length), ""
}

// tuple returns source, destination, protocol and ports of a packet that has a hash.
func (w *bfcWiring) tuple(egress sluice.PortID, hash uint32) (tuple [tupleLen]byte) {
	to := w.routes[egress].As4()
	copy(tuple[4:], to[:])
	tuple[8] = 17
	binary.BigEndian.PutUint16(tuple[9:], 1000)
	binary.BigEndian.PutUint16(tuple[11:], 4791)
	base, known := w.bases[egress]
	if !known {
		base = crc32.ChecksumIEEE(tuple[:])
		w.bases[egress] = base
	}
	binary.BigEndian.PutUint32(tuple[:], uint32(w.solve.input(uint64(base^hash))))
	return tuple
}

// left checks the shim of a packet that leaves, which the next device reads.
func (w *bfcWiring) left(octets []byte, q sluice.QueueID, p *sluice.Packet,
	_ sluice.Verdict) string {
	if len(octets) < ipAt {
		return "no packet"
	}
	stamped, rest, err := bfc.ParseShim(octets[shimAt:])
	switch {
	case err != nil:
		return err.Error()
	case stamped != q:
		return fmt.Sprintf("the shim says queue %d, it left by %d", stamped, q)
	case len(rest) < 22 || rest[0] != 8 || rest[1] != 0 ||
		int(binary.BigEndian.Uint16(rest[4:])) != int(p.Size)-tofino.Overhead:
		return "another packet"
	}
	return ""
}

// frame leaves out frames that the program is documented not to obey.
func (w *bfcWiring) frame(id sluice.PortID, octets []byte) string {
	var f bfc.Frame
	switch {
	case f.Parse(octets) != nil:
		return unread(octets)
	case f.Type == bfc.Bitmap:
		return "bitmap"
	case f.Count != 1:
		return "frame of several queues"
	}
	w.late.hear(id, f.Sequence)
	return ""
}

// state compares registers with the machine.
func (w *bfcWiring) state(m *ir.Machine) *Difference {
	for id := range sluice.PortID(w.machine.Ports()) {
		port := w.machine.Port(id)
		snapshot := port.Snapshot()
		if d := w.same(m, "active", int(id), 0, uint64(port.Active())); d != nil {
			return d
		}
		for q := range w.made.Machine.Queues {
			state := snapshot.Queues[q]
			at := w.place("packets", int(id), q)
			var length *Difference
			if w.made.Depth == tofino.Notices {
				length = w.same(m, "length", at, 0, uint64(state.Bytes)/chip.CellBytes)
			}
			if d := cmp.Or(w.same(m, "packets", at, 0, uint64(state.Packets)), length,
				w.same(m, "paused", at, 0, truth(state.Paused))); d != nil {
				return d
			}
		}
		for q := range w.made.Machine.Ports[id].UpstreamQueues {
			at := w.place("counter", int(id), q)
			if d := w.same(m, "counter", at, 0, uint64(port.Counter(sluice.QueueID(q)))); d != nil {
				return d
			}
		}
		if d := w.stack(m, int(id), snapshot.Queues); d != nil {
			return d
		}
	}
	return nil
}

// place returns the place of a port's queue in a register.
func (w *bfcWiring) place(name string, port, index int) int {
	return port<<w.bits(name) | index
}

// stack checks that every queue that is empty is on the stack of a port once, and none twice.
func (w *bfcWiring) stack(m *ir.Machine, port int, queues []bfc.QueueSnapshot) *Difference {
	on := make([]int, w.made.Machine.Queues)
	top := int(w.value(m, "free_top", port))
	if top > len(on) {
		return unlike("free_top", port, fmt.Sprint("at most ", len(on)), top)
	}
	for at := range top {
		place := w.place("free_id", port, at)
		q := int(w.value(m, "free_id", place))
		if q >= len(on) || on[q] > 0 {
			return unlike("free_id", place, "each queue once at most", fmt.Sprintf("queue %d", q))
		}
		on[q]++
	}
	for q := range on {
		listed := w.value(m, "listed", w.place("listed", port, q))
		if on[q] != int(listed) || queues[q].Packets == 0 && on[q] == 0 {
			return unlike("listed", w.place("listed", port, q), fmt.Sprintf("queue %d has %d packets", q,
				queues[q].Packets), fmt.Sprintf("%d, and it is on the stack %d times", listed, on[q]))
		}
	}
	return nil
}

// sourceHash is the hash of a packet of zeros with a source address: a CRC is affine, and as a
// function of 32 bits in a row it is one-to-one.
func sourceHash(source uint64) uint64 {
	var tuple [tupleLen]byte
	binary.BigEndian.PutUint32(tuple[:], uint32(source))
	return uint64(crc32.ChecksumIEEE(tuple[:]))
}
