package replay

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// PortFC returns the comparison of a program of a PortFC switch: a machine of the configuration
// that the program realises, wrapped, and the wiring. The caller may change it before [New].
//
// A packet's address is the address of the node in which its path ends. Control packets are the
// machine's [portfc.Config.High] classes, in the first three bits of the DSCP.
func PortFC(made *tofino.PortFC) (Config, error) {
	s, err := portfc.New(made.Machine)
	if err != nil {
		return Config{}, err
	}
	w := &portfcWiring{made: made, machine: s, network: made.Machine.Network,
		wiring: newWiring(&made.Made)}
	return beside(kit.Wrap[*portfc.Switch, *portfc.Port, portfc.Frame](s), &made.Made,
		Wiring{Packet: w.packet, Left: w.left, Frame: w.frame, Control: w.late.control,
			State: w.state}), nil
}

// portfcWiring is the wiring of one switch.
type portfcWiring struct {
	wiring
	made    *tofino.PortFC
	machine *portfc.Switch
	network portfc.NDC
}

func (w *portfcWiring) packet(dst []byte, _ sluice.PortID, p *sluice.Packet) ([]byte, string) {
	length, reason := ipLength(p, tofino.FrameOverhead, 20)
	hops := p.Path.Hops()
	switch {
	case reason != "":
		return dst, reason
	case len(hops) == 0:
		return dst, "without a path"
	}
	end, there := w.network.Peer(hops[len(hops)-1])
	to, isNode := w.made.Address(end.Switch)
	if !there || !isNode {
		return dst, "whose path ends at no node"
	}
	address := to.As4()
	dst = appendIP(append(dst, addresses...), p, length, 17,
		[]byte{10, 0, 0, 1, address[0], address[1], address[2], address[3]})
	return binary.BigEndian.AppendUint64(dst, p.Flow), ""
}

// left checks that the packet leaves as it came in.
func (w *portfcWiring) left(octets []byte, _ sluice.QueueID, p *sluice.Packet,
	_ sluice.Verdict) string {
	want, reason := w.packet(nil, 0, p)
	if reason == "" && string(want) != string(octets) {
		return fmt.Sprintf("not what came in: %x", octets)
	}
	return ""
}

// frame leaves out frames that the program is documented not to obey.
func (w *portfcWiring) frame(id sluice.PortID, octets []byte) string {
	var f portfc.Frame
	switch {
	case f.Parse(octets) != nil:
		return unread(octets)
	case f.Queue == w.network.RelayQueue():
		return "about a relay queue"
	}
	w.late.hear(id, f.Sequence)
	return ""
}

// state compares registers with the machine: sums in cells, and flags.
func (w *portfcWiring) state(m *ir.Machine) *Difference {
	direct := int(w.network.DDQ())
	for at := range w.machine.Ports() {
		port := w.machine.Port(sluice.PortID(at)).Snapshot()
		var relayed sluice.Bytes
		for q := range direct {
			relayed += port.Queues[q].Bytes
		}
		for _, one := range []struct {
			register, detector string
			bytes              sluice.Bytes
		}{{"ihfq", "IHFQ", relayed}, {"ddq", "DDQ", port.Queues[direct].Bytes}} {
			want := [2]uint32{uint32(one.bytes / chip.CellBytes)}
			for _, pausing := range port.Pauses {
				if strings.HasPrefix(pausing, one.detector) {
					want[1] = 1
				}
			}
			if got := w.element(m, one.register, at); got != want {
				return unlike(one.register, at, want, got)
			}
		}
	}
	return nil
}
