package replay

import (
	"encoding/binary"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Pyrrha returns the comparison of a program of Pyrrha: a machine of the configuration that the
// program realises, wrapped, and the wiring. The caller may change it before [New]. The program's
// snapshot is a snapshot of network.
//
// A packet's path is to be one of the network's: the tap makes up addresses and ports from which
// the network's switches, and so the program, find it.
func Pyrrha(made *tofino.Pyrrha, network *hashpath.Network) (Config, error) {
	s, err := pyrrha.New(made.Machine)
	if err != nil {
		return Config{}, err
	}
	w := &pyrrhaWiring{made: made, machine: s, network: network, wiring: newWiring(&made.Made),
		flows: map[pathKey]hashpath.Flow{}, hosts: map[sluice.Hop][4]byte{},
		newest: make([]sequence, len(made.Machine.Ports))}
	w.find(network.Snapshot())
	c := beside(kit.Wrap[*pyrrha.Switch, *pyrrha.Port, pyrrha.Frame](s), &made.Made,
		Wiring{Packet: w.packet, Left: w.left, Frame: w.frame, State: w.state, Shared: w.shared})
	c.Renamed, c.Turned = true, true
	return c, nil
}

// pyrrhaWiring is the wiring of one switch.
type pyrrhaWiring struct {
	wiring
	made    *tofino.Pyrrha
	machine *pyrrha.Switch
	network *hashpath.Network
	flows   map[pathKey]hashpath.Flow
	hosts   map[sluice.Hop][4]byte // addresses, by the port that leads there

	newest  []sequence // by port, of frames that came in
	ignored uint64     // frames that the machine had no room for
}

// pathKey is a path for which a flow is made up.
type pathKey struct {
	path    sluice.Path // whole, no hop has been taken off
	ingress sluice.PortID
}

// pathKeyOf returns the key of a path: paths of the same hops have the same key.
func pathKeyOf(ingress sluice.PortID, path *sluice.Path) pathKey {
	same, _ := sluice.MakePath(path.Hops()...)
	return pathKey{same, ingress}
}

// sequence is the last sequence number that was heard.
type sequence struct {
	number uint32
	heard  bool
}

// find finds the hosts' addresses.
func (w *pyrrhaWiring) find(s *hashpath.Snapshot) {
	for _, prefix := range s.Prefixes {
		if address := prefix.Prefix.Addr(); !prefix.Node && address.Is4() {
			node := s.Nodes[s.Destinations[prefix.Destination].Node].Name
			w.hosts[sluice.Hop{Switch: node, Port: prefix.Port}] = address.As4()
		}
	}
}

// flow returns a flow that takes a path.
func (w *pyrrhaWiring) flow(ingress sluice.PortID, path *sluice.Path) (hashpath.Flow, string) {
	hops := path.Hops()
	if len(hops) == 0 {
		return hashpath.Flow{}, "without a path"
	}
	key := pathKeyOf(ingress, path)
	if flow, known := w.flows[key]; known {
		return flow, ""
	}
	to, known := w.hosts[hops[len(hops)-1]]
	if !known {
		return hashpath.Flow{}, "whose path ends at no host"
	}
	flow := hashpath.Flow{DstPort: 4791, Protocol: 17}
	copy(flow.Src[:], []byte{10, 0, 0, 1})
	copy(flow.Dst[:], to[:])
	for port := range 1 << 16 {
		flow.SrcPort = uint16(port)
		taken, _ := w.network.Path(w.made.Machine.Switch, ingress, &flow)
		if pathKeyOf(ingress, &taken) == key {
			w.flows[key] = flow
			return flow, ""
		}
	}
	return flow, "on a path that no flow takes"
}

// packet makes UDP over IP over Ethernet of a packet.
func (w *pyrrhaWiring) packet(dst []byte, _ sluice.PortID, p *sluice.Packet) ([]byte, string) {
	length, reason := ipLength(p, tofino.FrameOverhead, 28)
	if reason != "" {
		return dst, reason
	}
	flow, reason := w.flow(p.Ingress, &p.Path)
	if reason != "" {
		return dst, reason
	}
	var between [8]byte
	copy(between[:], flow.Src[:4])
	copy(between[4:], flow.Dst[:4])
	ports := [4]byte{byte(flow.SrcPort >> 8), byte(flow.SrcPort), byte(flow.DstPort >> 8),
		byte(flow.DstPort)}
	dst = appendIP(append(dst, addresses...), p, length, flow.Protocol, between[:])
	dst = appendUDP(dst, ports[:], length)
	return binary.BigEndian.AppendUint64(dst, p.Flow), ""
}

// left checks that the packet leaves as it came in.
func (w *pyrrhaWiring) left(octets []byte, _ sluice.QueueID, p *sluice.Packet,
	_ sluice.Verdict) string {
	const header = 14 + 20 + 8
	if len(octets) != header+8 || binary.BigEndian.Uint64(octets[header:]) != p.Flow ||
		int(binary.BigEndian.Uint16(octets[16:])) != int(p.Size)-tofino.FrameOverhead {
		return fmt.Sprintf("not what came in: %x", octets)
	}
	return ""
}

// frame leaves out frames that the program is documented not to obey.
func (w *pyrrhaWiring) frame(id sluice.PortID, octets []byte) string {
	var f pyrrha.Frame
	if f.Parse(octets) != nil {
		return unread(octets)
	}
	counts := w.machine.Counters()
	full := counts.TableFull + counts.TooFar + counts.Unanswered
	room := full == w.ignored
	w.ignored = full
	last := &w.newest[id]
	late := last.heard && last.number-f.Sequence < 1<<16
	if !late {
		*last = sequence{f.Sequence, true}
	}
	level, _, known := w.made.Root(f.Root)
	own := f.Root.Switch == w.made.Machine.Switch
	names := f.Type == pyrrha.Pause || f.Type == pyrrha.Merge
	switch {
	case w.made.Machine.Ports[id].Role == pyrrha.Legacy:
		return ""
	case late:
		return "not newer than the port's last"
	case names && own && (f.Type == pyrrha.Merge || f.Root.Port != id):
		return "about another port of the switch"
	case names && !own && !known:
		return "about a port that no path passes"
	case names && !own && level != int(f.Hop):
		return "about a port at another distance"
	case !room:
		return "about more roots than there is room for"
	case f.Type == pyrrha.Merge:
		if old, _, _ := w.made.Root(f.Old); old >= level {
			return "merge into a root that is no farther"
		}
	}
	return ""
}

// shared returns how many packets of a port share a queue with packets of another set.
func (w *pyrrhaWiring) shared(m *ir.Machine, id sluice.PortID) uint64 {
	return w.value(m, "shared", int(id))
}
