package hashpath

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

func addrPort(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// checkAgainst compares a network with the model from every node to every host.
func checkAgainst(t *rapid.T, m *model, net *Network) {
	for range 3 {
		f := m.drawFlow(t)
		ingress := rapid.OneOf(rapid.Just(sluice.Local), rapid.Custom(func(t *rapid.T) sluice.PortID {
			return sluice.PortID(rapid.Uint16().Draw(t, "port"))
		})).Draw(t, "ingress")
		for id := range m.hash {
			want, wantStatus := m.path(id, ingress, &f)
			got, status := net.Path(id, ingress, &f)
			require.Equal(
				t, wantStatus, status, "from %d to %v: %v, not %v", id, f.Dst, got.String(), want.String(),
			)
			require.Equal(t, want.Hops(), got.Hops(), "from %d to %v", id, f.Dst)
			port, ok := net.Egress(id, ingress, &f)
			require.Equal(t, want.Len() > 0 && id != m.address[string(f.Dst[:])], ok)
			if ok {
				require.Equal(t, want.At(0), sluice.Hop{Switch: id, Port: port})
			}
			checkChoice(t, m, net, id, ingress, &f)
		}
	}
}

// checkChoice compares a node's choices with the model, and the certain hops with its hops up to
// the first choice and the last one.
func checkChoice(
	t *rapid.T, m *model, net *Network, at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) {
	choice := net.Choice(at, f)
	to, known := m.address[string(f.Dst[:])]
	if !known {
		require.Zero(t, choice.Len())
		return
	}
	var ports []sluice.PortID
	for i := range choice.Len() {
		require.True(t, choice.Has(choice.Port(i)))
		ports = append(ports, choice.Port(i))
	}
	slices.Sort(ports)
	ports = slices.Compact(ports)
	if members := m.members(at, to); at != to && len(members) > 1 {
		require.Equal(t, members, ports)
	} else {
		require.Empty(t, ports)
	}
	way, wayStatus := m.path(at, ingress, f)
	if wayStatus != OK {
		return
	}
	certain, status := net.Certain(at, ingress, f)
	require.Equal(t, OK, status)
	var want []sluice.Hop
	chosen := false
	for i, hop := range way.Hops() {
		last := m.single(to) && i >= way.Len()-1
		if m.hops && m.single(to) {
			last = i >= way.Len()-2
		}
		atEnd := hop.Switch == to // the host's own hop
		chosen = chosen || !atEnd && len(m.members(hop.Switch, to)) > 1
		if !chosen || last {
			want = append(want, hop)
		}
	}
	require.Equal(t, want, append([]sluice.Hop(nil), certain.Hops()...), "from %d to %d", at, to)
}

// TestPathIsTheModels compares with the model over random networks, and again after each of a row
// of failures, repairs and weight changes.
func TestPathIsTheModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, net := drawNetwork(t, Modulo)
		checkAgainst(t, m, net)
		checkLevels(t, m, net)
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			change(t, m, net)
			checkAgainst(t, m, net)
			checkLevels(t, m, net)
		}
	})
}

// change fails or repairs a link or a node, or changes a weight, in both.
func change(t *rapid.T, m *model, net *Network) {
	i := rapid.IntRange(0, len(m.links)-1).Draw(t, "link")
	l := &m.links[i]
	end := rapid.SampledFrom([]sluice.Hop{l.a, l.z}).Draw(t, "end")
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0, 1:
		l.down = true
		require.NoError(t, net.FailLink(end))
		require.False(t, net.IsUp(end))
	case 2, 3:
		l.down = false
		require.NoError(t, net.RestoreLink(end))
		require.True(t, net.IsUp(end))
	case 4:
		down := rapid.Bool().Draw(t, "down")
		for i := range m.links {
			if m.links[i].a.Switch == end.Switch || m.links[i].z.Switch == end.Switch {
				m.links[i].down = down
			}
		}
		if down {
			require.NoError(t, net.FailNode(end.Switch))
		} else {
			require.NoError(t, net.RestoreNode(end.Switch))
		}
	case 5:
		w := rapid.IntRange(1, 5).Draw(t, "weight")
		m.weight[end] = w
		require.NoError(t, net.SetWeight(end, w))
	}
}

// TestResilientPathsAreShortest checks, with Resilient and over failures, that each hop is on a
// shortest path over the links that are up, and that a path ends where and as the model's does.
func TestResilientPathsAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, net := drawNetwork(t, Resilient)
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			f := m.drawFlow(t)
			to := m.address[string(f.Dst[:])]
			for id := range m.hash {
				path, status := net.Path(id, 1, &f)
				at := id
				for _, h := range path.Hops() {
					require.Equal(t, at, h.Switch)
					require.Contains(t, m.members(at, to), h.Port)
					far, up := m.far(at, h.Port)
					require.True(t, up)
					at = far.Switch
				}
				switch status {
				case OK:
					require.Equal(t, to, at)
				case Unreachable:
					members := m.members(at, to)
					if len(members) > 0 { // only the last link, to a host of one link, may be down
						_, up := m.far(at, members[0])
						require.False(t, up)
					}
				default:
					require.Equal(t, TooLong, status)
					require.Equal(t, sluice.MaxHops, path.Len())
				}
			}
			change(t, m, net)
		}
	})
}

// checkLevels compares with the levels of the model: it follows every choice that a hash could
// make, from every node to every host, and notes for each port how many hops come after it.
func checkLevels(t *rapid.T, m *model, net *Network) {
	want := map[sluice.Hop]int{}
	for _, to := range m.address {
		for from := range m.hash {
			m.explore(from, to, sluice.Local, want)
		}
	}
	require.Equal(t, want, net.Levels())
}

func (m *model) explore(
	at, to sluice.SwitchID, ingress sluice.PortID, levels map[sluice.Hop]int,
) int {
	if at == to {
		if m.hops && ingress != sluice.Local {
			return 1
		}
		return 0
	}
	most := 0
	for _, port := range m.members(at, to) {
		if far, up := m.far(at, port); up {
			after := min(m.explore(far.Switch, to, far.Port, levels), sluice.MaxHops-1)
			if after > 0 {
				hop := sluice.Hop{Switch: at, Port: port}
				levels[hop] = max(levels[hop], after)
			}
			most = max(most, after+1)
		}
	}
	return most
}
