package check

import (
	"fmt"
	"math/big"
	"sort"
)

// holdTables notes what is wrong with the entries of each table together.
func (s *state) holdTables() {
	seen := map[*table]bool{}
	for _, e := range s.entries {
		if e.op == "delete" || e.op == "default" || e.op == "expect" || seen[e.table] {
			continue
		}
		seen[e.table] = true
		var list []*entry
		for _, one := range s.of[e.tableName] {
			if one.op != "expect" {
				list = append(list, one)
			}
		}
		e.table.holdSize(list)
		e.table.holdOnce(list)
		e.table.holdSeen(list)
	}
}

// holdSize checks that a table has room for its entries, and a register their indexes.
func (t *table) holdSize(list []*entry) {
	switch {
	case t.fixed:
	case t.register():
		for _, e := range list {
			if at := e.values[indexKey].value; at != nil && at.Cmp(big.NewInt(int64(t.size))) >= 0 {
				e.fault("the register has %d elements", t.size)
			}
		}
	case len(list) > t.size:
		list[t.size].fault("%d entries: the table has room for %d", len(list), t.size)
	}
}

// holdOnce checks that no two entries have the same keys.
func (t *table) holdOnce(list []*entry) {
	seen := map[string]*entry{}
	for _, e := range list {
		for pipe := range pipes {
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
				e.fault("has the keys of the entry at octet %d", other.offset)
				break
			}
			seen[name] = e
		}
	}
}

// mostCompared bounds the comparisons of one table with ternary keys or ranges.
const mostCompared = 4096

// holdSeen checks that no entry hides behind another with a better priority that matches every
// packet that it matches.
func (t *table) holdSeen(list []*entry) {
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
				e.fault("never matches: the entry at octet %d comes first", before.offset)
				break
			}
		}
	}
}

// covers reports whether an entry matches every packet that another matches.
func (e *entry) covers(other *entry, t *table) bool {
	for _, key := range t.keys {
		if key.name == priorityKey {
			continue
		}
		mine, its := e.values[key.name], other.values[key.name]
		if mine.value == nil || its.value == nil {
			return false
		}
		is := false
		switch {
		case mine.high != nil:
			is = mine.value.Cmp(its.value) <= 0 && mine.high.Cmp(its.high) >= 0
		case mine.mask != nil:
			is = new(big.Int).AndNot(mine.mask, its.mask).Sign() == 0 &&
				new(big.Int).And(its.value, mine.mask).Cmp(mine.value) == 0
		default:
			is = mine.value.Cmp(its.value) == 0
		}
		if !is {
			return false
		}
	}
	return true
}
