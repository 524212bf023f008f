package hashpath

import "slices"

// Difference is the changes between two snapshots of a network, and so the changes to tables made
// of the first. All numbers are numbers of To.
type Difference struct {
	// To is the second snapshot, under the numbers of the first: replicas and groups that both have
	// keep their number; new ones take numbers that have become free, and a replica, if it can, the
	// number that its nodes had.
	To *Snapshot
	// Nodes have another Replica now; ascending.
	Nodes []int
	// Links and Exits came up or went down, or have another weight.
	Links []LinkChange
	Exits []ExitChange
	// Entries were added, changed or removed, by replica and destination.
	Entries []EntryChange
	// Slots were added, changed or removed, by group and slot.
	Slots []SlotChange
}

// LinkChange names a link of a node by its number.
type LinkChange struct{ Node, Link int }

// ExitChange names an exit of a destination by its number.
type ExitChange struct{ Destination, Exit int }

// EntryChange is an entry of a replica before and after; its Kind is NoEntry if there is none.
type EntryChange struct {
	Replica, Destination int
	Old, New             Entry
}

// SlotChange is a slot of a group before and after, the number of a link; -1 if there is none.
type SlotChange struct {
	Group, Slot int
	Old, New    int
}

// Compare returns what changed from one snapshot to another of the same network. It returns a
// *sluice.ConfigError if they are of networks that differ in more than the state of links and
// weights. To follow a network through several changes, compare with the To of the difference
// before, so that the numbers stay.
func Compare(from, to *Snapshot) (*Difference, error) {
	d := &Difference{}
	alike := slices.Equal(from.Prefixes, to.Prefixes) && len(from.Nodes) == len(to.Nodes) &&
		len(from.Destinations) == len(to.Destinations)
	for i := 0; alike && i < len(to.Nodes); i++ {
		x, y := &from.Nodes[i], &to.Nodes[i]
		alike = x.isAlike(y)
		for k := 0; alike && k < len(y.Links); k++ {
			old, now := x.Links[k], y.Links[k]
			if old != now {
				d.Links = append(d.Links, LinkChange{i, k})
			}
			old.Weight, old.Up = now.Weight, now.Up
			alike = old == now
		}
	}
	for i := 0; alike && i < len(to.Destinations); i++ {
		x, y := &from.Destinations[i], &to.Destinations[i]
		alike = x.Node == y.Node && x.Block == y.Block && x.Offset == y.Offset &&
			len(x.Exits) == len(y.Exits)
		for k := 0; alike && k < len(y.Exits); k++ {
			old, now := x.Exits[k], y.Exits[k]
			if old != now {
				d.Exits = append(d.Exits, ExitChange{i, k})
			}
			old.Up = now.Up
			alike = old == now
		}
	}
	if !alike {
		return nil, refuse("Compare", len(to.Nodes), "must be snapshots of the same network")
	}
	d.To = to.renumbered(from)
	for i := range to.Nodes {
		if from.Nodes[i].Replica != d.To.Nodes[i].Replica {
			d.Nodes = append(d.Nodes, i)
		}
	}
	none := Entry{Kind: NoEntry}
	eachChange(from.Replicas, d.To.Replicas, none, func(replica, where int, x, y Entry) {
		d.Entries = append(d.Entries, EntryChange{replica, where, x, y})
	})
	eachChange(from.Groups, d.To.Groups, -1, func(group, slot, x, y int) {
		d.Slots = append(d.Slots, SlotChange{group, slot, x, y})
	})
	return d, nil
}

// isAlike reports whether two nodes differ in Replica and the contents of Links at most.
func (x *SnapshotNode) isAlike(y *SnapshotNode) bool {
	return x.Name == y.Name && x.Host == y.Host && x.Forwards == y.Forwards &&
		x.Destination == y.Destination && x.Function == y.Function && x.Constants == y.Constants &&
		x.Hash.isEqual(&y.Hash) && len(x.Links) == len(y.Links)
}

func (h *Hash) isEqual(other *Hash) bool {
	return h.isFunctionOf(other) && h.Seed == other.Seed && h.Offset == other.Offset &&
		h.Width == other.Width && h.Select == other.Select && h.Buckets == other.Buckets
}

// eachChange calls visit for the elements in which two tables differ.
func eachChange[T comparable](from, to [][]T, none T, visit func(i, j int, x, y T)) {
	at := func(rows [][]T, i, j int) T {
		if i >= len(rows) || j >= len(rows[i]) {
			return none
		}
		return rows[i][j]
	}
	for i := range max(len(from), len(to)) {
		for j := 0; ; j++ {
			x, y := at(from, i, j), at(to, i, j)
			if x == none && y == none {
				break
			}
			if x != y {
				visit(i, j, x, y)
			}
		}
	}
}

// renumbered returns a copy with the numbers of groups and replicas of another snapshot.
func (s *Snapshot) renumbered(old *Snapshot) *Snapshot {
	to := *s
	groups := assign(old.Groups, s.Groups, nil)
	to.Groups = move(s.Groups, groups)

	replicas := make([][]Entry, len(s.Replicas))
	for r, entries := range s.Replicas {
		replicas[r] = slices.Clone(entries)
		for i, e := range entries {
			if e.Kind == ToGroup {
				replicas[r][i].Index = groups[e.Index]
			}
		}
	}
	preferred := make([]int, len(replicas)) // by replica, what its first node had before
	for i := len(s.Nodes) - 1; i >= 0; i-- {
		if r := s.Nodes[i].Replica; r < len(preferred) {
			preferred[r] = old.Nodes[i].Replica
		}
	}
	numbers := assign(old.Replicas, replicas, preferred)
	to.Replicas = move(replicas, numbers)
	to.Nodes = slices.Clone(s.Nodes)
	for i := range to.Nodes {
		if r := &to.Nodes[i].Replica; *r < len(numbers) {
			*r = numbers[*r]
		}
	}
	return &to
}

// assign returns numbers for rows: the number of an equal row of old, else the preferred number,
// else the lowest; none twice, and -1 for rows that are nil.
func assign[T comparable](old, rows [][]T, preferred []int) []int {
	numbers, taken := slices.Repeat([]int{-1}, len(rows)), make([]bool, len(old)+len(rows))
	take := func(i, number int) {
		if rows[i] != nil && numbers[i] < 0 && number >= 0 && !taken[number] {
			numbers[i], taken[number] = number, true
		}
	}
	for i, row := range rows {
		take(i, slices.IndexFunc(old, func(o []T) bool { return o != nil && slices.Equal(o, row) }))
	}
	for i, number := range preferred {
		take(i, number)
	}
	for i := range rows {
		take(i, slices.Index(taken, false))
	}
	return numbers
}

// move returns the rows under their numbers.
func move[T any](rows [][]T, numbers []int) [][]T {
	var moved [][]T
	for i, number := range numbers {
		if number >= 0 {
			moved = append(moved, make([][]T, max(0, number+1-len(moved)))...)
			moved[number] = rows[i]
		}
	}
	return moved
}
