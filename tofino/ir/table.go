package ir

import "slices"

// Match is how a table compares a key with an entry.
type Match uint8

// Kinds of match.
const (
	Exact   Match = iota // equal
	Ternary              // equal where the entry's mask has ones
	Prefix               // equal in the entry's first bits: lpm
	Range                // between two ends, both included; at most 20 bits
	matches
)

// String returns the name in P4: "exact", "ternary", "lpm" or "range".
func (m Match) String() string {
	if m >= matches {
		return "no match"
	}
	return matchNames[m]
}

var matchNames = [...]string{"exact", "ternary", "lpm", "range"}

// MaxRangeBits is the width that a range key may have: five nibbles.
const MaxRangeBits = 20

// Key is one of the values by which a table is searched: a field or a slice of one.
type Key struct {
	Name string // the name that the control plane knows it by
	X    Expr
	Kind Match
}

// Table chooses an action by keys. A packet may be given to it once in a pass.
type Table struct {
	Name    string
	Keys    []Key
	Actions []*Action
	Default Call // what runs where no entry matches
	Size    int  // how many entries it has room for
}

// Prioritised reports whether entries have a priority: several entries may match and no prefix
// decides among them.
func (t *Table) Prioritised() bool {
	return slices.ContainsFunc(t.Keys, func(key Key) bool {
		return key.Kind == Ternary || key.Kind == Range
	})
}

// action returns the position of an action among the table's actions, -1 if it is not there.
func (t *Table) action(a *Action) int { return slices.Index(t.Actions, a) }
