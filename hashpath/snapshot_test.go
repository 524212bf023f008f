package hashpath

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// path calculates a path from a snapshot as a generator's tables would: nothing else of the network
// is known to it.
func (s *Snapshot) path(
	at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (path sluice.Path, status Status) {
	to := SnapshotPrefix{Destination: -1}
	address := netip.AddrFrom16(f.Dst)
	if !f.Is6 {
		address = netip.AddrFrom4([4]byte(f.Dst[:]))
	}
	for _, p := range s.Prefixes {
		if p.Prefix.Contains(address) && (to.Destination < 0 || p.Prefix.Bits() > to.Prefix.Bits()) {
			to = p
		}
	}
	if to.Destination < 0 {
		return path, NoRoute
	}
	node := slices.IndexFunc(s.Nodes, func(n SnapshotNode) bool {
		return n.Name == at && (n.Host || n.Forwards)
	})
	for i := range s.Destinations {
		for _, e := range s.Destinations[i].Exits {
			if !e.Named || e.Host != at {
				continue
			}
			if i == to.Destination && !to.Node && e.Port == to.Port {
				return path, OK
			}
			if !e.Up {
				return path, Unreachable
			}
			path.Append(sluice.Hop{Switch: at})
			node, ingress = s.Destinations[i].Node, e.Port
		}
	}
	for {
		x := &s.Nodes[node]
		if x.Destination == to.Destination {
			return s.arrive(x, to, path)
		}
		e := s.Replicas[x.Replica][to.Destination]
		link := e.Index
		switch e.Kind {
		case ToNothing:
			return path, Unreachable
		case ToGroup:
			hasher, err := NewHasher(x.Hash)
			if err != nil {
				panic(err)
			}
			group := s.Groups[e.Index]
			link = int(group[hasher.Sum(ingress, f)%uint32(len(group))])
		}
		l := x.Links[link]
		if !path.Append(sluice.Hop{Switch: x.Name, Port: l.Port}) {
			return path, TooLong
		}
		node, ingress = l.Peer, l.PeerPort
	}
}

func (s *Snapshot) arrive(
	x *SnapshotNode, to SnapshotPrefix, path sluice.Path,
) (sluice.Path, Status) {
	if to.Node {
		return path, OK
	}
	exits := s.Destinations[to.Destination].Exits
	i := slices.IndexFunc(exits, func(e SnapshotExit) bool { return e.Port == to.Port })
	if !exits[i].Up {
		return path, Unreachable
	}
	if !path.Append(sluice.Hop{Switch: x.Name, Port: to.Port}) {
		return path, TooLong
	}
	return path, OK
}

// apply applies a difference to a snapshot. The difference holds all that apply reads, except the
// states of links and exits.
func (s *Snapshot) apply(d *Difference) *Snapshot {
	after := *s
	after.Nodes = slices.Clone(s.Nodes)
	for _, i := range d.Nodes {
		after.Nodes[i].Replica = d.To.Nodes[i].Replica
	}
	for _, l := range d.Links {
		links := slices.Clone(after.Nodes[l.Node].Links)
		links[l.Link] = d.To.Nodes[l.Node].Links[l.Link]
		after.Nodes[l.Node].Links = links
	}
	after.Destinations = slices.Clone(s.Destinations)
	for _, e := range d.Exits {
		exits := slices.Clone(after.Destinations[e.Destination].Exits)
		exits[e.Exit] = d.To.Destinations[e.Destination].Exits[e.Exit]
		after.Destinations[e.Destination].Exits = exits
	}
	after.Replicas = make([][]Entry, max(len(s.Replicas), len(d.To.Replicas)))
	for i := range s.Replicas {
		after.Replicas[i] = slices.Clone(s.Replicas[i])
	}
	for _, e := range d.Entries {
		row := &after.Replicas[e.Replica]
		switch {
		case e.New.Kind == NoEntry:
			*row = nil
		case e.Old.Kind == NoEntry:
			*row = append(*row, e.New)
		default:
			(*row)[e.Destination] = e.New
		}
	}
	after.Groups = make([][]int, max(len(s.Groups), len(d.To.Groups)))
	for i := range s.Groups {
		after.Groups[i] = slices.Clone(s.Groups[i])
	}
	for _, c := range d.Slots {
		row := &after.Groups[c.Group]
		switch {
		case c.New < 0:
			*row = (*row)[:min(len(*row), c.Slot)]
			if c.Slot == 0 {
				*row = nil
			}
		case c.Old < 0:
			*row = append(*row, c.New)
		default:
			(*row)[c.Slot] = c.New
		}
	}
	for len(after.Groups) > 0 && after.Groups[len(after.Groups)-1] == nil {
		after.Groups = after.Groups[:len(after.Groups)-1]
	}
	for len(after.Replicas) > 0 && after.Replicas[len(after.Replicas)-1] == nil {
		after.Replicas = after.Replicas[:len(after.Replicas)-1]
	}
	if len(after.Groups) == 0 {
		after.Groups = nil
	}
	return &after
}

// TestSnapshotIsTheNetwork calculates paths from snapshots of random networks, over failures,
// repairs and weight changes, from nothing but the differences after the first.
func TestSnapshotIsTheNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, net := drawNetwork(t, rapid.SampledFrom([]Selection{Modulo, Resilient}).Draw(t, "selection"))
		s := net.Snapshot()
		first := net.Snapshot()
		require.Equal(t, first, s, "two of one state are equal")
		require.True(t, slices.IsSortedFunc(s.Prefixes, func(p, q SnapshotPrefix) int {
			return p.Prefix.Addr().Compare(q.Prefix.Addr())
		}))
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			for range 3 {
				f := m.drawFlow(t)
				ingress := sluice.PortID(rapid.IntRange(0, 9).Draw(t, "ingress"))
				for id := range m.hash {
					want, wantStatus := net.Path(id, ingress, &f)
					if last := want.Len() - 1; m.hops && wantStatus == OK && last >= 0 &&
						want.At(last).Switch == m.address[string(f.Dst[:])] {
						want, _ = sluice.MakePath(want.Hops()[:last]...) // the host's own hop is not of tables
					}
					if m.hops && wantStatus == TooLong {
						continue // perhaps by that hop
					}
					got, status := s.path(id, ingress, &f)
					require.Equal(t, wantStatus, status, "%d", id)
					require.Equal(t, want.Hops(), got.Hops(), "%d", id)
				}
			}
			change(t, m, net)
			now := net.Snapshot()
			d, err := Compare(s, now)
			require.NoError(t, err)
			require.Equal(t, net.Snapshot(), now, "it is not changed by being compared")
			after := s.apply(d)
			require.Equal(t, d.To, after)
			keptNumbers(t, s.Groups, after.Groups)
			keptNumbers(t, s.Replicas, after.Replicas)
			s = after
		}
		back, err := Compare(s, first)
		require.NoError(t, err)
		require.Equal(t, back.To, s.apply(back))
		same, err := Compare(first, first)
		require.NoError(t, err)
		require.Equal(t, &Difference{To: first}, same)
	})
}

// keptNumbers checks that an element of both has the same number in both.
func keptNumbers[T comparable](t *rapid.T, before, after [][]T) {
	for i, row := range before {
		same := slices.IndexFunc(after, func(other []T) bool {
			return other != nil && slices.Equal(row, other)
		})
		require.True(t, row == nil || same < 0 || same == i, "%d became %d", i, same)
	}
}

// A snapshot has no pointer into the network: an update leaves it as it was, and a change of it
// does not reach the network.
func TestSnapshotIsACopy(t *testing.T) {
	net := buildFatTree(t, 4, Config{Hash: Hash{Kind: KindToeplitz}})
	s := net.Snapshot()
	before, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, net.FailNode(20))
	require.NoError(t, net.SetWeight(hop(16, 2), 5))
	after, err := json.Marshal(s)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))

	require.NoError(t, net.RestoreNode(20))
	require.NoError(t, net.SetWeight(hop(16, 2), 1))
	for i := range s.Nodes {
		x := &s.Nodes[i]
		x.Links[0], x.Hash.Fields[0], x.Hash.Key[0] = SnapshotLink{}, numFields, 0
	}
	for i := range s.Groups {
		clear(s.Groups[i])
	}
	again, err := json.Marshal(net.Snapshot())
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, again))
}

// A generator needs the hash of a node with its defaults, and the constants by which hashes of one
// function differ.
func TestSnapshotHashes(t *testing.T) {
	tree := fatTree{4}
	b := tree.declare(nil)
	own := Hash{
		Kind: KindCRC16ARC, Seed: 9, Width: 3, Offset: 2, Select: Resilient,
		Fields: []Field{FieldSrcPort},
	}
	b.SetHash(tree.core(1, 1), own)
	b.AddHost(999, netip.MustParseAddr("fd00::1"))
	b.Connect(hop(999, 0), hop(tree.core(1, 1), 9))
	net, err := b.Build(Config{Hash: Hash{Kind: KindCRC32C, Seed: 1}, TierOffset: 4, Seed: 5})
	require.NoError(t, err)
	s := net.Snapshot()
	require.Equal(t, "10.0.0.0/32", s.Prefixes[0].Prefix.String())
	require.Equal(t, "fd00::1/128", s.Prefixes[16].Prefix.String(), "IPv6 comes last")
	plain, err := NewHasher(Hash{Kind: KindCRC32C})
	require.NoError(t, err)
	f, zero := FlowBetween(3, 4, 5, 6, 7), Flow{}
	seeds := map[uint64]bool{}
	for _, x := range s.Nodes {
		if x.Name == tree.core(1, 1) {
			own.Buckets = 512
			require.Equal(t, own, x.Hash)
			require.Equal(t, 1, x.Function)
			continue
		}
		seeds[x.Hash.Seed] = true
		require.Equal(t, 0, x.Function)
		require.Equal(t, fiveTuple, x.Hash.Fields)
		require.Equal(t, uint8(4*x.Tier), x.Hash.Offset)
		require.Equal(t, uint8(32-4*x.Tier), x.Hash.Width)
		// Snapshot.Hash has no seed: seed 0 and a constant give the switch's function.
		hasher, err := NewHasher(x.Hash)
		require.NoError(t, err)
		whole := plain.Sum(0, &f) ^ plain.Sum(0, &zero) ^ x.Constants[0]
		require.Equal(t, hasher.Sum(0, &f), whole>>x.Hash.Offset)
		six := zero
		six.Is6 = true
		require.Equal(t, hasher.Sum(0, &six), x.Constants[1]>>x.Hash.Offset)
	}
	require.Len(t, seeds, 19)
}

func TestEntryNames(t *testing.T) {
	for want, e := range map[string]Entry{
		"nothing": {}, "link 3": {ToLink, 3}, "group 0": {ToGroup, 0}, "none": {Kind: NoEntry},
	} {
		require.Equal(t, want, e.String())
	}
}

// The paper's fat-tree has 38 different tables of 1,620 switches; a link that fails changes few
// entries.
func TestDifferenceOfThePapersFatTree(t *testing.T) {
	tree := fatTree{36}
	net := buildFatTree(t, 36, Config{Hash: Hash{Kind: KindCRC32C}})
	s := net.Snapshot()
	require.Len(t, s.Nodes, 1620)
	require.Len(t, s.Replicas, 38)
	require.Len(t, s.Groups, 2)
	require.Len(t, s.Destinations, 648)
	require.Len(t, s.Prefixes, 11664)
	require.Equal(t, 36, 1+slices.MaxFunc(s.Destinations, func(a, b SnapshotDestination) int {
		return a.Block - b.Block
	}).Block)

	// The aggregation switches of that group in other pods no longer use the core for that pod.
	// They shared tables with the others of their pods, and get one of their own; the core gets
	// another, and the switch that lost the link as well.
	down := hop(tree.agg(3, 4), 20)
	require.NoError(t, net.FailLink(down))
	d, err := Compare(s, net.Snapshot())
	require.NoError(t, err)
	require.Len(t, d.Links, 2)
	require.Empty(t, d.Exits)
	require.Len(t, d.Nodes, 35+1+1)
	for _, e := range d.Entries {
		require.Contains(t, []EntryKind{NoEntry, e.New.Kind}, e.Old.Kind)
	}
	t.Logf("%d nodes, %d entries, %d slots change", len(d.Nodes), len(d.Entries), len(d.Slots))
	back := d.To
	require.NoError(t, net.RestoreLink(down))
	d, err = Compare(back, net.Snapshot())
	require.NoError(t, err)
	again, err := Compare(s, d.To)
	require.NoError(t, err)
	require.Empty(t, again.Links)
	require.Empty(t, again.Entries, "what came back has its numbers again")

	// A host's link is no entry's business.
	require.NoError(t, net.FailLink(hop(0, 0)))
	d, err = Compare(s, net.Snapshot())
	require.NoError(t, err)
	require.Equal(t, []ExitChange{{0, 0}}, d.Exits)
	require.Empty(t, d.Entries)
	require.Empty(t, d.Nodes)

	other := buildFatTree(t, 4, Config{})
	_, err = Compare(s, other.Snapshot())
	var refusal *sluice.ConfigError
	require.ErrorAs(t, err, &refusal)
}

// Several prefixes that leave by one port share its exit.
func TestPrefixesByOnePortAreOneExit(t *testing.T) {
	b := NewBuilder()
	b.AddSwitch(1)
	b.AddHost(2)
	b.Connect(sluice.Hop{Switch: 2}, sluice.Hop{Switch: 1, Port: 3})
	b.AddPrefix(netip.MustParsePrefix("192.0.2.0/24"), sluice.Hop{Switch: 1, Port: 5})
	b.AddPrefix(netip.MustParsePrefix("198.51.100.0/24"), sluice.Hop{Switch: 1, Port: 5})
	net, err := b.Build(Config{})
	require.NoError(t, err)
	exits := map[sluice.PortID]int{}
	for _, d := range net.Snapshot().Destinations {
		for _, e := range d.Exits {
			exits[e.Port]++
		}
	}
	require.Equal(t, map[sluice.PortID]int{3: 1, 5: 1}, exits)
}
