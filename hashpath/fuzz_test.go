package hashpath

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// script decodes actions from bytes.
type script struct {
	data []byte
}

func (s *script) more() bool { return len(s.data) > 0 }

func (s *script) next() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

// node is one of 16 names, far apart if the byte's upper bit says so.
func (s *script) node() sluice.SwitchID {
	b := s.next()
	return sluice.SwitchID(b&15) | sluice.SwitchID(b&0x80)<<24
}

func (s *script) port() sluice.PortID {
	if b := s.next(); b < 250 {
		return sluice.PortID(b & 7)
	}
	return sluice.PortID(s.next()) << 8
}

func (s *script) hash() Hash {
	h := Hash{
		Kind: Kind(s.next() % (byte(numKinds) + 1)), Select: Selection(s.next() % 3),
		Offset: s.next() % 70, Width: s.next() % 40, Seed: uint64(s.next()), Buckets: int(s.next()),
	}
	for range s.next() % 8 {
		h.Fields = append(h.Fields, Field(s.next()%(byte(numFields)+1)))
	}
	if h.Kind == KindCRC {
		h.CRC = CRCParameters{
			s.next() % 40, uint32(s.next()) | 1, uint32(s.next()), s.next()&1 != 0, s.next()&1 != 0,
			uint32(s.next()),
		}
	}
	return h
}

// FuzzBuilder declares a network with calls that may be wrong: the builder refuses or builds a
// sound network.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte{
		0, 1, 0, 2, 1, 3, 1, 4, 2, 1, 0, 2, 0, 2, 1, 1, 3, 0, 2, 2, 1, 4, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		1, 0, 5, 3, 4,
	})
	f.Add([]byte{
		0, 1, 0, 2, 0, 3, 1, 8, 1, 9, 2, 1, 0, 2, 0, 2, 2, 1, 3, 0, 2, 3, 1, 1, 1, 2, 8, 0, 1, 4, 2, 9, 0,
		2, 5, 3, 1, 5, 8, 3, 2, 6, 16, 9, 1, 1, 0, 0, 0, 0, 20, 0, 1, 1, 0, 1, 2, 0, 4, 1, 3, 8, 2, 8, 9,
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &script{data}
		b := NewBuilder()
		peers := map[sluice.Hop]sluice.Hop{}
		declareNetwork(s, b, peers)
		net, err := b.Build(Config{
			Hash: s.hash(), Seed: uint64(s.next()), OneSeed: s.next()&1 != 0, TierOffset: s.next() % 8,
		})
		if err != nil {
			if net != nil || err.Error() == "" {
				t.Fatal("a network with an error")
			}
			return
		}
		changeAndCheck(t, s, net, peers)
	})
}

// FuzzNetwork declares a network with calls that are right, builds it, changes it, and calculates
// paths: every path is what Egress says hop by hop over the links declared.
func FuzzNetwork(f *testing.F) {
	source := prng.New(1)
	for range 50 { // long enough for changes after the network
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(source.Uint64())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &script{data}
		b := NewBuilder()
		peers := map[sluice.Hop]sluice.Hop{}
		declareSound(s, b, peers)
		h := s.soundHash()
		net, err := b.Build(Config{Hash: h, Seed: uint64(s.next())})
		if err != nil {
			t.Fatalf("%v: %+v", err, h)
		}
		changeAndCheck(t, s, net, peers)
	})
}

// declareSound declares switches 0 to 7, hosts 8 to 15 on one switch at least each, and links; no
// call is wrong.
func declareSound(s *script, b *Builder, peers map[sluice.Hop]sluice.Hop) {
	used := map[sluice.SwitchID]sluice.PortID{}
	connect := func(x, z sluice.SwitchID) {
		if x == z || used[x] > 30 || used[z] > 30 {
			return
		}
		a, c := sluice.Hop{Switch: x, Port: used[x]}, sluice.Hop{Switch: z, Port: used[z]}
		used[x]++
		used[z]++
		b.Connect(a, c)
		peers[a], peers[c] = c, a
	}
	for id := range sluice.SwitchID(16) {
		if id < 8 {
			b.AddSwitch(id)
			continue
		}
		switch {
		case id == 10 || id == 12:
			b.AddForwardingHost(id)
		case id%2 == 0:
			b.AddHost(id)
		default:
			b.AddHost(id, netip.AddrFrom16([16]byte{0: 0xfd, 15: byte(id)}))
		}
		connect(id, sluice.SwitchID(s.next()&7))
	}
	for range s.next() & 31 {
		ends := s.next()
		connect(sluice.SwitchID(ends>>4&7), sluice.SwitchID(ends&15))
	}
	for id := range sluice.SwitchID(8) {
		if s.next()&1 != 0 {
			b.SetHash(id, s.soundHash())
		}
		if used[id] > 0 && s.next()&1 != 0 {
			b.SetWeight(hop(id, sluice.PortID(s.next())%used[id]), 1+int(s.next())%MaxWeight)
		}
	}
	for _, x := range []sluice.SwitchID{0, 1} {
		if n := s.next(); used[x] > 0 && n&7 == 0 {
			port := sluice.PortID(s.next()) % used[x]
			if peers[sluice.Hop{Switch: x, Port: port}].Switch < 8 {
				b.SetRoute(x, 8+sluice.SwitchID(n>>3&7), port)
			}
		}
	}
}

func (s *script) soundHash() Hash {
	h := s.hash()
	h.Kind %= numKinds
	h.Select %= numSelections
	h.Buckets += 31
	for i := range h.Fields {
		h.Fields[i] %= numFields
	}
	if _, err := resolved(Hash{Fields: h.Fields}); err != nil || h.Kind == KindToeplitz {
		h.Fields = nil
	}
	h.CRC.Width = 8 + h.CRC.Width%25
	h.CRC.Polynomial &= 1<<h.CRC.Width - 1
	h.Offset %= uint8(h.bits())
	h.Width = min(h.Width, 32, uint8(h.bits())-h.Offset)
	return h
}

func changeAndCheck(t *testing.T, s *script, net *Network, peers map[sluice.Hop]sluice.Hop) {
	before := net.Snapshot()
	for range 40 {
		checkPaths(t, net, peers)
		if !s.more() {
			break
		}
		switch s.next() % 5 {
		case 0:
			_ = net.FailLink(hop(s.node(), s.port()))
		case 1:
			_ = net.RestoreLink(hop(s.node(), s.port()))
		case 2:
			_ = net.FailNode(s.node())
		case 3:
			_ = net.RestoreNode(s.node())
		case 4:
			_ = net.SetWeight(hop(s.node(), s.port()), int(s.next()))
		}
	}
	for hop, hops := range net.Levels() {
		if hops < 1 || hops >= sluice.MaxHops {
			t.Fatalf("%d hops after %v", hops, hop)
		}
	}
	d, err := Compare(before, net.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Nodes) == 0 && len(d.Links) == 0 {
		for _, e := range d.Entries {
			if !resilient(d.To, e.Replica) {
				t.Fatalf("%+v changed, and no link has another state or weight: %+v", e, d)
			}
		}
	}
	if m := net.Memory(); m.Paths() < 0 || m.Total() < m.Paths() {
		t.Fatalf("%+v", m)
	}
}

// resilient reports whether a node of a replica remembers: with Resilient a group is another one
// after a link failed and came back, or had another weight for a while.
func resilient(s *Snapshot, replica int) bool {
	return slices.ContainsFunc(s.Nodes, func(n SnapshotNode) bool {
		return n.Replica == replica && n.Hash.Select == Resilient
	})
}

func declareNetwork(s *script, b *Builder, peers map[sluice.Hop]sluice.Hop) {
	for range 200 {
		switch s.next() % 10 {
		case 0, 1:
			b.AddSwitch(s.node())
		case 2:
			if id := s.node(); s.next()&1 == 0 {
				b.AddHost(id)
			} else {
				b.AddForwardingHost(id)
			}
		case 3:
			b.AddHost(s.node(), netip.AddrFrom16([16]byte{0: 0xfd, 15: s.next()}))
		case 4, 5, 6:
			x, z := sluice.Hop{
				Switch: s.node(), Port: s.port(),
			}, sluice.Hop{Switch: s.node(), Port: s.port()}
			b.Connect(x, z)
			peers[x], peers[z] = z, x
		case 7:
			switch s.next() % 3 {
			case 0:
				p, _ := netip.AddrFrom4([4]byte{10, 0, 0, s.next()}).Prefix(int(s.next()) % 33)
				b.AddPrefix(p, hop(s.node(), s.port()))
			case 1:
				p, _ := netip.AddrFrom16([16]byte{0xfd, s.next()}).Prefix(int(s.next()) % 129)
				b.AddPrefix(p, hop(s.node(), s.port()))
			case 2:
				b.SetRoute(s.node(), s.node(), s.port(), s.port())
			}
		case 8:
			b.SetWeight(hop(s.node(), s.port()), int(s.next()))
		case 9:
			if s.next()&1 == 0 {
				b.SetHash(s.node(), s.hash())
				continue
			}
			return
		}
		if !s.more() {
			return
		}
	}
}

// checkPaths follows each path by Egress, with the ingress that the links declared give.
func checkPaths(t *testing.T, net *Network, peers map[sluice.Hop]sluice.Hop) {
	for at := range sluice.SwitchID(16) {
		for to := range sluice.SwitchID(16) {
			f := FlowBetween(at, to, 7, 9, 17)
			if at%2 == 1 {
				f = MakeFlow(
					addrPort("[fd00::1]:1"),
					netip.AddrPortFrom(netip.AddrFrom16([16]byte{0: 0xfd, 15: byte(to)}), 4), 6,
				)
			}
			path, status := net.Path(at, 3, &f)
			if status == NoRoute || status == UnknownNode {
				if path.Len() != 0 {
					t.Fatalf("%v with %v", path.String(), status)
				}
				continue
			}
			here, ingress := at, sluice.PortID(3)
			for i := range path.Len() {
				port, ok := net.Egress(here, ingress, &f)
				if hop := (sluice.Hop{Switch: here, Port: port}); !ok || hop != path.At(i) {
					t.Fatalf("from %d to %d: hop %d of %v is %v by Egress", at, to, i, path.String(), hop)
				}
				far, linked := peers[path.At(i)]
				if !linked && i < path.Len()-1 {
					t.Fatalf("%v over no link", path.String())
				}
				here, ingress = far.Switch, far.Port
			}
			if _, ok := net.Egress(here, ingress, &f); path.Len() < sluice.MaxHops &&
				status == Unreachable && ok {
				t.Fatalf("%v is not the end", path.String())
			}
		}
	}
}
