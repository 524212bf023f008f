package zdiff

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/sluicefc/sluice"
	n "github.com/sluicefc/sluice/hashpath"
	o "github.com/sluicefc/sluice/internal/zold"
)

func TestDiff(t *testing.T) {
	total := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		bo, bn := o.NewBuilder(), n.NewBuilder()
		nsw, nh := 1+r.IntN(9), 1+r.IntN(9)
		spread := []int{1, 1000}[r.IntN(2)]
		id := func(i int) sluice.SwitchID { return sluice.SwitchID(i * spread) }
		for i := range nsw {
			bo.AddSwitch(id(i))
			bn.AddSwitch(id(i))
		}
		v6 := r.IntN(2) == 0
		var addr []netip.Addr
		for i := range nh {
			a := n.HostAddress(id(nsw + i))
			if v6 {
				a = netip.AddrFrom16([16]byte{0xfd, 7: byte(i / 2), 15: byte(i)})
			}
			addr = append(addr, a)
			bo.AddHost(id(nsw+i), a)
			bn.AddHost(id(nsw+i), a)
		}
		next := map[int]int{}
		port := func(i int) sluice.PortID {
			next[i]++
			if i >= nsw {
				return sluice.PortID(next[i] - 1)
			}
			return sluice.PortID(next[i] * 7 % 64)
		}
		var hops []sluice.Hop
		conn := func(x, y int) {
			if x == y || next[x] > 60 || next[y] > 60 {
				return
			}
			a, z := sluice.Hop{Switch: id(x), Port: port(x)}, sluice.Hop{Switch: id(y), Port: port(y)}
			bo.Connect(a, z)
			bn.Connect(a, z)
			hops = append(hops, a, z)
		}
		for i := range nh {
			conn(r.IntN(nsw), nsw+i)
		}
		for range r.IntN(30) {
			conn(r.IntN(nsw), r.IntN(nsw+nh))
		}
		if r.IntN(3) == 0 {
			for k := range 1 + r.IntN(3) {
				h := sluice.Hop{Switch: id(r.IntN(nsw)), Port: sluice.PortID(100 + k)}
				pf, _ := addr[0].Prefix(r.IntN(33))
				bo.AddPrefix(pf, h)
				bn.AddPrefix(pf, h)
				hops = append(hops, h)
			}
		}
		ho := o.Hash{Kind: o.Kind(r.IntN(9)), Seed: r.Uint64(), Select: o.Selection(r.IntN(2)), Buckets: []int{0, 64, 97}[r.IntN(3)]}
		if ho.Kind == o.KindCRC {
			ho.CRC = o.CRCParameters{Width: 24, Polynomial: 0x864CFB, Init: 5, ReflectIn: r.IntN(2) == 0, ReflectOut: r.IntN(2) == 0, XorOut: 9}
		}
		if ho.Kind != o.KindToeplitz && r.IntN(2) == 0 {
			ho.Fields = []o.Field{o.FieldSrcPort, o.FieldIngressPort, o.FieldDstAddress, o.FieldFlowLabel}
		}
		hn := n.Hash{Kind: n.Kind(ho.Kind), Seed: ho.Seed, Select: n.Selection(ho.Select), Buckets: ho.Buckets, CRC: n.CRCParameters(ho.CRC)}
		for _, f := range ho.Fields {
			hn.Fields = append(hn.Fields, n.Field(f))
		}
		for range r.IntN(6) {
			h := hops[r.IntN(len(hops))]
			w := 1 + r.IntN(5)
			bo.SetWeight(h, w)
			bn.SetWeight(h, w)
		}
		if r.IntN(4) == 0 {
			for range 2 {
				x := r.IntN(nsw)
				var ps []sluice.PortID
				for i, h := range hops {
					if h.Switch == id(x) && h.Port < 100 && hops[i^1].Switch < id(nsw) && r.IntN(2) == 0 {
						ps = append(ps, h.Port)
					}
				}
				d := nsw + r.IntN(nh)
				bo.SetRoute(id(x), id(d), ps...)
				bn.SetRoute(id(x), id(d), ps...)
			}
		}
		s := r.Uint64()
		no, e1 := bo.Build(o.Config{Hash: ho, Seed: s, TierOffset: uint8(r.IntN(3))})
		r = rand.New(rand.NewPCG(seed, 1))
		_ = r
		no, e1 = bo.Build(o.Config{Hash: ho, Seed: s, TierOffset: 2})
		nn, e2 := bn.Build(n.Config{Hash: hn, Seed: s, TierOffset: 2})
		if (e1 == nil) != (e2 == nil) || e1 != nil && e1.Error() != e2.Error() {
			t.Fatal(seed, e1, e2)
		}
		if e1 != nil {
			continue
		}
		r = rand.New(rand.NewPCG(seed, 2))
		for step := range 14 {
			for x := range nsw + nh {
				for _, a := range addr {
					src := addr[r.IntN(nh)]
					in := sluice.PortID(r.Uint32())
					fo := o.MakeFlow(netip.AddrPortFrom(src, uint16(r.Uint32())), netip.AddrPortFrom(a, 4791), 17)
					fo.FlowLabel = r.Uint32()
					fn := n.Flow(fo)
					p1, s1 := no.Path(id(x), in, &fo)
					p2, s2 := nn.Path(id(x), in, &fn)
					if p1 != p2 || uint8(s1) != uint8(s2) {
						t.Fatal(seed, step, p1.String(), s1, p2.String(), s2)
					}
					q1, k1 := no.Egress(id(x), in, &fo)
					q2, k2 := nn.Egress(id(x), in, &fn)
					if q1 != q2 || k1 != k2 {
						t.Fatal(seed, step, q1, k1, q2, k2)
					}
					var ps []sluice.PortID
					for _, h := range p1.Hops() {
						ps = append(ps, h.Port)
					}
					if r.IntN(4) == 0 && len(ps) > 0 {
						ps[r.IntN(len(ps))] = hops[r.IntN(len(hops))].Port
					}
					w1, u1 := no.Follow(id(x), ps)
					w2, u2 := nn.Follow(id(x), ps)
					if w1 != w2 || uint8(u1) != uint8(u2) {
						t.Fatal(seed, "follow", w1.String(), u1, w2.String(), u2)
					}
					total++
				}
			}
			m1, m2 := no.Memory(), nn.Memory()
			if m1.Replicas != m2.Replicas || m1.Groups != m2.Groups || m1.Nodes != m2.Nodes || m1.Tables != m2.Tables {
				t.Log(seed, step, m1, m2)
			}
			h := hops[r.IntN(len(hops))]
			switch r.IntN(7) {
			case 0, 1, 2:
				no.FailLink(h)
				nn.FailLink(h)
			case 3, 4:
				no.RestoreLink(h)
				nn.RestoreLink(h)
			case 5:
				if r.IntN(2) == 0 {
					no.FailNode(h.Switch)
					nn.FailNode(h.Switch)
				} else {
					no.RestoreNode(h.Switch)
					nn.RestoreNode(h.Switch)
				}
			case 6:
				w := 1 + r.IntN(4)
				no.SetWeight(h, w)
				nn.SetWeight(h, w)
			}
			for _, h := range hops {
				if no.IsUp(h) != nn.IsUp(h) {
					t.Fatal("up", seed, h)
				}
			}
		}
	}
	t.Log(total, "paths")
}
