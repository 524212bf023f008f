package hashpath

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// A model is a network as a list of links, with the obvious rules and no tables: distances are
// searched for at every hop, and hashes are functions of bytes.
type model struct {
	links   []modelLink
	host    map[sluice.SwitchID]bool // hosts that do not forward
	hash    map[sluice.SwitchID]Hash
	weight  map[sluice.Hop]int
	flows   []Flow
	address map[string]sluice.SwitchID // host by Flow.Dst
	hops    bool                       // paths end with the host's own hop
}

type modelLink struct {
	a, z sluice.Hop
	down bool
}

// neighbours calls visit for each link of a node that routes may use, with its own port and the
// other end: links that are up, and links to hosts of one link, which are reached by the route to
// their switch.
func (m *model) neighbours(at sluice.SwitchID, visit func(port sluice.PortID, far sluice.Hop)) {
	for _, l := range m.links {
		for _, end := range [][2]sluice.Hop{{l.a, l.z}, {l.z, l.a}} {
			near, far := end[0], end[1]
			if near.Switch == at && (!l.down || !m.host[at] && m.single(far.Switch)) {
				visit(near.Port, far)
			}
		}
	}
}

// single reports whether a node is a host with one link, to a switch.
func (m *model) single(id sluice.SwitchID) bool {
	n := 0
	for _, l := range m.links {
		if l.a.Switch == id || l.z.Switch == id {
			n++
			if m.host[l.a.Switch] && m.host[l.z.Switch] {
				n++
			}
		}
	}
	return m.host[id] && n == 1
}

// distance returns the hops from a node to a host, -1 if there is no way. Hosts do not forward.
func (m *model) distance(from, to sluice.SwitchID) int {
	seen := map[sluice.SwitchID]bool{from: true}
	frontier := []sluice.SwitchID{from}
	for hops := 0; len(frontier) > 0; hops++ {
		var next []sluice.SwitchID
		for _, at := range frontier {
			if at == to {
				return hops
			}
			if m.host[at] && at != from {
				continue
			}
			m.neighbours(at, func(_ sluice.PortID, far sluice.Hop) {
				if !seen[far.Switch] {
					seen[far.Switch] = true
					next = append(next, far.Switch)
				}
			})
		}
		frontier = next
	}
	return -1
}

// members returns the ports of a node that are on shortest paths to a host, ascending.
func (m *model) members(at, to sluice.SwitchID) []sluice.PortID {
	var members []sluice.PortID
	d := m.distance(at, to)
	m.neighbours(at, func(port sluice.PortID, far sluice.Hop) {
		if m.single(at) { // sends everything by its one port
			members = append(members, port)
			return
		}
		if m.host[far.Switch] && far.Switch != to {
			return
		}
		if b := m.distance(far.Switch, to); b >= 0 && b == d-1 {
			members = append(members, port)
		}
	})
	slices.Sort(members)
	return members
}

// value returns the selected bits of a switch's hash, from the bytes of its input.
func (m *model) value(at sluice.SwitchID, ingress sluice.PortID, f *Flow) uint64 {
	h, err := resolved(m.hash[at])
	if err != nil {
		panic(err)
	}
	return sumOf(&h, h.Seed, h.appendInput(nil, ingress, f)) >> h.Offset & (1<<h.Width - 1)
}

// egress returns the port of a packet at a node with Modulo, and the other end of its link.
func (m *model) egress(
	at, to sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (sluice.PortID, sluice.Hop, bool) {
	members := m.members(at, to)
	if len(members) == 0 {
		return 0, sluice.Hop{}, false
	}
	var slots []sluice.PortID
	divisor := 0
	for _, port := range members {
		divisor = gcd(m.weightOf(at, port), divisor)
	}
	for _, port := range members {
		for range m.weightOf(at, port) / divisor {
			slots = append(slots, port)
		}
	}
	port := slots[0]
	if len(slots) > 1 {
		port = slots[m.value(at, ingress, f)%uint64(len(slots))]
	}
	far, up := m.far(at, port)
	return port, far, up
}

func (m *model) weightOf(at sluice.SwitchID, port sluice.PortID) int {
	return max(1, m.weight[sluice.Hop{Switch: at, Port: port}])
}

// far returns the other end of a port's link and whether it is up.
func (m *model) far(at sluice.SwitchID, port sluice.PortID) (sluice.Hop, bool) {
	hop := sluice.Hop{Switch: at, Port: port}
	for _, l := range m.links {
		switch hop {
		case l.a:
			return l.z, !l.down
		case l.z:
			return l.a, !l.down
		}
	}
	panic("no link")
}

// path walks hop by hop.
func (m *model) path(
	at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (path sluice.Path, s Status) {
	to, ok := m.address[string(f.Dst[:])]
	if !ok {
		return path, NoRoute
	}
	for at != to {
		port, far, ok := m.egress(at, to, ingress, f)
		if !ok {
			return path, Unreachable
		}
		if !path.Append(sluice.Hop{Switch: at, Port: port}) {
			return path, TooLong
		}
		at, ingress = far.Switch, far.Port
	}
	if m.single(to) {
		ingress = 0
	}
	if m.hops && ingress != sluice.Local && !path.Append(sluice.Hop{Switch: to, Port: ingress}) {
		return path, TooLong
	}
	return path, OK
}

// drawHash draws a valid hash.
func drawHash(t *rapid.T, selection Selection) Hash {
	h := Hash{
		Kind:   Kind(rapid.IntRange(0, int(numKinds)-1).Draw(t, "kind")),
		Seed:   rapid.Uint64().Draw(t, "seed"),
		Select: selection, Buckets: rapid.SampledFrom([]int{0, 64, 97}).Draw(t, "buckets"),
	}
	if h.Kind == KindCRC {
		h.CRC = drawCRC(t)
	}
	if h.Kind != KindToeplitz && rapid.Bool().Draw(t, "own fields") {
		h.Fields = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Field {
			return Field(rapid.IntRange(0, int(numFields)-1).Draw(t, "field"))
		}), 1, 5).Draw(t, "fields")
	}
	if _, err := resolved(Hash{Fields: h.Fields}); err != nil {
		h.Fields = nil
	}
	h.Offset = uint8(rapid.IntRange(0, h.bits()-1).Draw(t, "offset"))
	h.Width = uint8(rapid.IntRange(0, min(32, h.bits()-int(h.Offset))).Draw(t, "width"))
	return h
}

func drawCRC(t *rapid.T) CRCParameters {
	p := CRCParameters{
		Width:     uint8(rapid.IntRange(8, 32).Draw(t, "width")),
		ReflectIn: rapid.Bool().Draw(t, "reflect in"), ReflectOut: rapid.Bool().Draw(t, "reflect out"),
	}
	word := func(name string) uint32 { return rapid.Uint32().Draw(t, name) >> (32 - p.Width) }
	p.Polynomial, p.Init, p.XorOut = word("polynomial"), word("init"), word("xor out")
	return p
}

// drawNetwork draws a network of any shape, with hosts of several links and links between the same
// pair, and flows to its hosts.
func drawNetwork(t *rapid.T, selection Selection) (*model, *Network) {
	m := &model{
		host: map[sluice.SwitchID]bool{}, hash: map[sluice.SwitchID]Hash{}, weight: map[sluice.Hop]int{},
		address: map[string]sluice.SwitchID{},
	}
	b := NewBuilder()
	spread := sluice.SwitchID(rapid.SampledFrom([]int{1, 1000}).Draw(t, "spread of names"))
	var switches, hosts, all []sluice.SwitchID
	for i := range rapid.IntRange(1, 8).Draw(t, "switches") {
		id := sluice.SwitchID(i) * spread
		switches = append(switches, id)
		b.AddSwitch(id)
		m.hash[id] = drawHash(t, selection)
		b.SetHash(id, m.hash[id])
	}
	is6 := rapid.Bool().Draw(t, "IPv6")
	for i := range rapid.IntRange(1, 6).Draw(t, "hosts") {
		id := sluice.SwitchID(len(m.hash)+i) * spread
		hosts = append(hosts, id)
		m.host[id] = rapid.IntRange(0, 3).Draw(t, "forwards") > 0
		f := FlowBetween(0, id, 0, 0, 0)
		address := HostAddress(id)
		if is6 {
			f = MakeFlow(addrPort("[fd00::]:0"), addrPort(fmt.Sprintf("[fd00::%x]:0", id+1)), 0)
			address = addrPort(fmt.Sprintf("[fd00::%x]:0", id+1)).Addr()
		}
		if m.host[id] {
			b.AddHost(id, address)
		} else {
			b.AddForwardingHost(id, address)
		}
		m.address[string(f.Dst[:])] = id
		m.flows = append(m.flows, f)
	}
	all = append(slices.Clone(switches), hosts...)
	next := map[sluice.SwitchID]int{}
	port := func(id sluice.SwitchID) sluice.PortID {
		next[id]++
		if m.host[id] {
			return sluice.PortID(next[id] - 1)
		}
		return sluice.PortID(next[id] * 7 % 64) // out of order
	}
	link := func(x, y sluice.SwitchID) {
		if x != y && next[x] < 60 && next[y] < 60 {
			l := modelLink{a: sluice.Hop{Switch: x, Port: port(x)}, z: sluice.Hop{Switch: y, Port: port(y)}}
			m.links = append(m.links, l)
			b.Connect(l.a, l.z)
		}
	}
	for _, h := range hosts {
		link(rapid.SampledFrom(switches).Draw(t, "switch of host"), h)
	}
	for _, h := range hosts {
		if !m.host[h] {
			switches = append(switches, h)
		}
	}
	for range rapid.IntRange(0, 24).Draw(t, "links") {
		x, y := rapid.SampledFrom(switches).Draw(t, "a"), rapid.SampledFrom(all).Draw(t, "z")
		link(x, y)
	}
	if rapid.IntRange(0, 9).Draw(t, "link hosts") == 0 {
		link(hosts[0], hosts[len(hosts)-1])
	}
	for _, l := range m.links {
		if w := rapid.IntRange(0, 6).Draw(t, "weight"); w > 0 && w < 4 {
			m.weight[l.a] = w
			b.SetWeight(l.a, w)
		}
	}
	m.hops = selection == Modulo && rapid.Bool().Draw(t, "host hops")
	net, err := b.Build(Config{Hash: Hash{Select: selection}, HostHops: m.hops})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts { // their hash is the network's, with a seed derived from the name
		x := Hash{Select: selection}
		if p := net.now.Load().placeOf(h); !p.isFlagged() {
			c := net.now.Load().nodes[p.index()].tweak.constant
			x.Seed = uint64(c[1])<<32 | uint64(c[0])
		}
		m.hash[h] = x
	}
	return m, net
}

// drawFlow draws a flow to one of the hosts.
func (m *model) drawFlow(t *rapid.T) Flow {
	f := rapid.SampledFrom(m.flows).Draw(t, "destination")
	f.Src[0], f.Src[3] = rapid.Byte().Draw(t, "source"), rapid.Byte().Draw(t, "source")
	f.SrcPort, f.DstPort = rapid.Uint16().Draw(
		t, "source port",
	), rapid.Uint16().Draw(t, "destination port")
	f.Protocol, f.FlowLabel = rapid.Byte().Draw(t, "protocol"), rapid.Uint32().Draw(t, "flow label")
	return f
}

// resolved returns a hash with its defaults, or the first rule that it breaks.
func resolved(h Hash) (Hash, error) {
	c := check.Of("hashpath", "")
	h = h.resolve(c)
	return h, c.Err()
}
