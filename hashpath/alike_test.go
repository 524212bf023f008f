package hashpath

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// Snapshots are compared of one network: they may differ in the state and the weights of links and
// in what follows from these, and in nothing else.
func TestCompareRefusesAnotherNetwork(t *testing.T) {
	net := buildFatTree(t, 4, Config{Hash: Hash{Kind: KindCRC32C, Fields: []Field{FieldSrcPort}}})
	node := func(change func(x *SnapshotNode)) func(*Snapshot) {
		return func(s *Snapshot) { change(&s.Nodes[3]) }
	}
	hash := func(change func(h *Hash)) func(*Snapshot) {
		return func(s *Snapshot) { change(&s.Nodes[3].Hash) }
	}
	for name, change := range map[string]func(*Snapshot){
		"a prefix": func(s *Snapshot) {
			s.Prefixes[2].Prefix = netip.MustParsePrefix("1.2.3.4/32")
		},
		"a prefix less":         func(s *Snapshot) { s.Prefixes = s.Prefixes[1:] },
		"a node less":           func(s *Snapshot) { s.Nodes = s.Nodes[1:] },
		"a name":                node(func(x *SnapshotNode) { x.Name++ }),
		"a host":                node(func(x *SnapshotNode) { x.Host = !x.Host }),
		"who forwards":          node(func(x *SnapshotNode) { x.Forwards = !x.Forwards }),
		"a node's destination":  node(func(x *SnapshotNode) { x.Destination++ }),
		"a function":            node(func(x *SnapshotNode) { x.Function++ }),
		"a constant":            node(func(x *SnapshotNode) { x.Constants[1]++ }),
		"a kind of hash":        hash(func(h *Hash) { h.Kind++ }),
		"a CRC":                 hash(func(h *Hash) { h.CRC.Polynomial++ }),
		"a key":                 hash(func(h *Hash) { h.Key = []byte{1} }),
		"a field":               hash(func(h *Hash) { h.Fields = []Field{FieldDstPort} }),
		"a seed":                hash(func(h *Hash) { h.Seed++ }),
		"an offset":             hash(func(h *Hash) { h.Offset++ }),
		"a width":               hash(func(h *Hash) { h.Width-- }),
		"a selection":           hash(func(h *Hash) { h.Select++ }),
		"buckets":               hash(func(h *Hash) { h.Buckets++ }),
		"a link less":           node(func(x *SnapshotNode) { x.Links = x.Links[1:] }),
		"a port":                node(func(x *SnapshotNode) { x.Links[1].Port++ }),
		"a peer":                node(func(x *SnapshotNode) { x.Links[1].Peer++ }),
		"a peer's port":         node(func(x *SnapshotNode) { x.Links[1].PeerPort++ }),
		"a destination's node":  func(s *Snapshot) { s.Destinations[1].Node++ },
		"a destination's block": func(s *Snapshot) { s.Destinations[1].Block++ },
		"a destination's place": func(s *Snapshot) { s.Destinations[1].Offset++ },
		"an exit's port":        func(s *Snapshot) { s.Destinations[1].Exits[1].Port++ },
		"an exit's host":        func(s *Snapshot) { s.Destinations[1].Exits[1].Host++ },
		"an exit's name":        func(s *Snapshot) { s.Destinations[1].Exits[1].Named = false },
		"an exit less":          func(s *Snapshot) { s.Destinations[1].Exits = nil },
	} {
		other := net.Snapshot()
		change(other)
		_, err := Compare(net.Snapshot(), other)
		require.ErrorContains(t, err, "must be snapshots of the same network", name)
	}
	for name, change := range map[string]func(*Snapshot){
		"a weight":       node(func(x *SnapshotNode) { x.Links[1].Weight = 7 }),
		"a link's state": node(func(x *SnapshotNode) { x.Links[1].Up = false }),
		"an exit's":      func(s *Snapshot) { s.Destinations[1].Exits[1].Up = false },
	} {
		other := net.Snapshot()
		change(other)
		_, err := Compare(net.Snapshot(), other)
		require.NoError(t, err, name)
	}
}

// An IPv6 address is not the address of the host whose IPv4 address it begins with.
func TestFamiliesAreApart(t *testing.T) {
	net := buildFatTree(t, 4, Config{})
	four := FlowBetween(0, 9, 1, 2, 17)
	_, status := net.Path(0, 0, &four)
	require.Equal(t, OK, status)
	six := four
	six.Is6 = true
	_, status = net.Path(0, 0, &six)
	require.Equal(t, NoRoute, status)
}
