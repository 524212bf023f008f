package check

import (
	"fmt"
	"math/big"
	"sort"
)

// holdTables notes what is wrong with the entries of each table beside each other. The entries are
// those that are right by themselves.
func holdTables(f *faults, file string, entries []*entry) {
	byTable := map[*table][]*entry{}
	var order []*table
	for _, e := range entries {
		if e.op == "delete" || e.op == "default" || e.op == "expect" {
			continue
		}
		if byTable[e.table] == nil {
			order = append(order, e.table)
		}
		byTable[e.table] = append(byTable[e.table], e)
	}
	for _, t := range order {
		list := byTable[t]
		holdSize(f, file, t, list)
		holdOnce(f, t, list)
		holdSeen(f, t, list)
	}
}

// holdSize checks that a table has room for its entries, and a register their indexes.
func holdSize(f *faults, file string, t *table, list []*entry) {
	if t.fixed {
		return
	}
	if t.register() {
		for _, e := range list {
			if at := e.values[indexKey].value; at != nil && at.Cmp(big.NewInt(int64(t.size))) >= 0 {
				f.add(file, e.offset, t.name, e.String(), "the register has %d elements", t.size)
			}
		}
		return
	}
	if len(list) > t.size {
		f.add(file, list[t.size].offset, t.name, list[t.size].String(),
			"%d entries: the table has room for %d",
			len(list), t.size)
	}
}

// indexKey is the key of a register.
const indexKey = "$REGISTER_INDEX"

// holdOnce checks that no two entries have the same keys.
func holdOnce(f *faults, t *table, list []*entry) {
	seen := map[string]*entry{}
	for _, e := range list {
		for pipe := range 4 {
			if e.pipe != allPipes && e.pipe != pipe {
				continue
			}
			name := fmt.Sprint(pipe)
			for _, key := range t.keys {
				if key.name == priorityKey {
					continue // entries with the same keys and another priority are the same entry
				}
				value := e.values[key.name]
				name += fmt.Sprintf(" %v/%v/%v", value.value, value.mask, value.high)
			}
			if other := seen[name]; other != nil && other != e {
				f.add(
					e.file, e.offset, t.name, e.String(), "has the keys of the entry at octet %d", other.offset,
				)
				break
			}
			seen[name] = e
		}
	}
}

// mostCompared bounds the comparisons of one table with ternary keys or ranges.
const mostCompared = 4096

// holdSeen checks that no entry hides behind another with a better priority that matches all that
// it does.
func holdSeen(f *faults, t *table, list []*entry) {
	if find(t.keys, priorityKey) == nil || len(list) > mostCompared {
		return
	}
	ordered := append([]*entry{}, list...)
	sort.SliceStable(ordered, func(a, b int) bool {
		first, second := ordered[a].values[priorityKey].value, ordered[b].values[priorityKey].value
		return first != nil && second != nil && first.Cmp(second) < 0
	})
	for at, e := range ordered {
		for _, before := range ordered[:at] {
			if before.covers(e, t) {
				f.add(e.file, e.offset, t.name, e.String(), "never matches: the entry at octet %d comes first",
					before.offset)
				break
			}
		}
	}
}

// covers reports whether an entry matches all that another does.
func (e *entry) covers(other *entry, t *table) bool {
	for _, key := range t.keys {
		if key.name == priorityKey {
			continue
		}
		mine, its := e.values[key.name], other.values[key.name]
		if mine.value == nil || its.value == nil {
			return false
		}
		switch {
		case mine.high != nil:
			if mine.value.Cmp(its.value) > 0 || mine.high.Cmp(its.high) < 0 {
				return false
			}
		case mine.mask != nil:
			if new(big.Int).AndNot(mine.mask, its.mask).Sign() != 0 ||
				new(big.Int).And(its.value, mine.mask).Cmp(mine.value) != 0 {
				return false
			}
		case mine.value.Cmp(its.value) != 0:
			return false
		}
	}
	return true
}
