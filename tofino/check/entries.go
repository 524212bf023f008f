package check

import (
	"fmt"
	"math/big"
	"strings"
)

// entry is an element of a list of entries.
type entry struct {
	file             string
	offset           int64
	table            *table
	tableName, op    string
	pipe             int
	actionName       string
	key, data, kinds []member
	values           map[string]matched // of keys that are right
}

// matched is what an entry says of a key: from low to high of a range, value and mask, or value and
// the mask of a prefix.
type matched struct{ value, mask, high *big.Int }

// allPipes is the pipe of an entry of all.
const allPipes = 0xFFFF

// String returns the keys of an entry as a message names them.
func (e *entry) String() string {
	parts := make([]string, 0, len(e.key))
	for _, key := range e.key {
		parts = append(parts, key.name+"="+spoken(key.value))
	}
	if len(parts) == 0 {
		return e.op
	}
	return strings.Join(parts, " ")
}

// spoken returns a value as a message has it.
func spoken(n *node) string {
	if n.kind == '[' {
		parts := make([]string, len(n.list))
		for at, one := range n.list {
			parts[at] = spoken(one)
		}
		return strings.Join(parts, "/")
	}
	return fmt.Sprint(n.value)
}

// readEntries reads a list of entries. Those of a single table have no operation: they are added.
func readEntries(file string, text []byte) ([]*entry, []*Fault) {
	var f faults
	root, err := readJSON(text)
	if err != nil {
		f.add(file, 0, "", "", "is not JSON: %v", err)
		return nil, f.list
	}
	if root.kind != '[' {
		f.add(file, root.offset, "", "", "must be a list of entries")
		return nil, f.list
	}
	var entries []*entry
	for at, n := range root.list {
		e := &entry{file: file, offset: n.offset, tableName: n.get("table_name").text(), op: "add",
			pipe: allPipes, actionName: n.get("action").text(), values: map[string]matched{}}
		if op := n.get("op"); op != nil {
			e.op = op.text()
		}
		if pipe := n.get("pipe"); pipe != nil {
			e.pipe = pipe.whole()
		}
		for name, to := range map[string]*[]member{"key": &e.key, "data": &e.data, "kinds": &e.kinds} {
			if part := n.get(name); part != nil {
				*to = part.members
			}
		}
		if e.tableName == "" {
			f.add(file, n.offset, "", fmt.Sprintf("entry %d", at), "names no table")
			continue
		}
		entries = append(entries, e)
	}
	return entries, f.list
}

// hold notes what the schema does not allow of an entry.
func (e *entry) hold(f *faults) {
	fault := func(key, rule string, values ...any) {
		f.add(e.file, e.offset, e.tableName, key, rule, values...)
	}
	t := e.table
	switch e.op {
	case "add", "modify", "default", "delete", "expect":
	default:
		fault(e.String(), "no operation %q", e.op)
		return
	}
	if e.pipe != allPipes && (e.pipe < 0 || e.pipe > 3) {
		fault(e.String(), "pipe %d: must be 0 to 3, or %d for all", e.pipe, allPipes)
	}
	if e.pipe != allPipes && !t.byPipe && !t.register() {
		fault(e.String(), "pipe %d: the entries of this table go to all pipes", e.pipe)
	}
	if t.there && e.op == "add" || t.register() && e.op != "modify" {
		fault(e.String(), "its entries are there: they are modified, not %q", e.op)
	}
	if e.op == "default" {
		e.holdDefault(fault)
	} else {
		e.holdKeys(fault)
	}
	if e.op != "delete" {
		e.holdData(fault)
	}
}

// holdDefault checks the default entry of a table.
func (e *entry) holdDefault(fault func(string, string, ...any)) {
	if len(e.key) > 0 {
		fault(e.String(), "a default has no keys")
	}
	if e.table.constant {
		fault(e.String(), "the default of this table cannot be set")
	}
	if e.table.fixed && len(e.table.keys) > 0 {
		fault(e.String(), "this table has no default")
	}
}

// holdKeys checks the keys of an entry.
func (e *entry) holdKeys(fault func(string, string, ...any)) {
	for _, key := range e.key {
		known := find(e.table.keys, key.name)
		if known == nil {
			fault(e.String(), "no key %s", key.name)
			continue
		}
		if value, rule := known.matches(key.value); rule != "" {
			fault(e.String(), "key %s: %s", key.name, rule)
		} else {
			e.values[key.name] = value
		}
		e.holdKind(known, fault)
	}
	for _, key := range e.table.keys {
		if named(e.key, key.name) == nil {
			fault(e.String(), "key %s is missing", key.name)
		}
	}
}

// holdKind checks that the list says of a key how it matches, where it says that.
func (e *entry) holdKind(key *field, fault func(string, string, ...any)) {
	kinds := map[string]string{"Ternary": "ternary", "LPM": "lpm", "Range": "range"}
	if e.kinds == nil || kinds[key.match] == "" {
		return
	}
	if said := named(e.kinds, key.name).text(); said != kinds[key.match] {
		fault(e.String(), "key %s: matches as %q, not %q", key.name, kinds[key.match], said)
	}
}

// named returns a member by its name, nil if there is none.
func named(members []member, name string) *node {
	for _, one := range members {
		if one.name == name {
			return one.value
		}
	}
	return nil
}

// matches reads what an entry says of a key, or returns the rule that it breaks.
func (f *field) matches(n *node) (matched, string) {
	if f.kind == "string" {
		if n.text() == "" {
			return matched{}, "must be a text"
		}
		return matched{value: new(big.Int).SetBytes([]byte(n.text()))}, ""
	}
	parts := []*node{n}
	if f.match != "Exact" {
		if parts = n.list; len(parts) != 2 {
			return matched{}, "must be a pair, as the key matches " + f.match
		}
	}
	value := parts[0].number()
	if value == nil {
		return matched{}, "must be a number"
	}
	if value.BitLen() > f.width {
		return matched{}, fmt.Sprintf("value %v has more than %d bits", value, f.width)
	}
	if f.match == "Exact" {
		return matched{value: value}, ""
	}
	return f.second(value, parts[1].number())
}

// second reads the mask, the length or the upper end of a key.
func (f *field) second(value, second *big.Int) (matched, string) {
	if second == nil {
		return matched{}, "its second part must be a number"
	}
	switch f.match {
	case "LPM":
		if second.BitLen() > 16 || int(second.Int64()) > f.width {
			return matched{}, fmt.Sprintf("a prefix of %v bits: the key has %d", second, f.width)
		}
		mask := ones(int(second.Int64()))
		mask.Lsh(mask, uint(f.width)-uint(second.Int64()))
		if new(big.Int).AndNot(value, mask).Sign() != 0 {
			return matched{}, fmt.Sprintf("value %v has ones after its first %v bits", value, second)
		}
		return matched{value: value, mask: mask}, ""
	case "Range":
		if second.BitLen() > f.width {
			return matched{}, fmt.Sprintf("end %v has more than %d bits", second, f.width)
		}
		if value.Cmp(second) > 0 {
			return matched{}, fmt.Sprintf("a range from %v down to %v", value, second)
		}
		return matched{value: value, high: second}, ""
	default:
		if second.BitLen() > f.width {
			return matched{}, fmt.Sprintf("mask %v has more than %d bits", second, f.width)
		}
		if new(big.Int).AndNot(value, second).Sign() != 0 {
			return matched{}, fmt.Sprintf("value %v has ones outside its mask %v", value, second)
		}
		return matched{value: value, mask: second}, ""
	}
}

// ones returns the number of so many ones.
func ones(bits int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
}

// holdData checks the action and the data of an entry.
func (e *entry) holdData(fault func(string, string, ...any)) {
	fields := e.table.data
	switch {
	case len(e.table.actions) == 0 && e.actionName != "":
		fault(e.String(), "no action %s: the table has none", e.actionName)
		return
	case len(e.table.actions) > 0:
		a := e.table.action(e.actionName)
		if a == nil {
			fault(e.String(), "no action %q of this table", e.actionName)
			return
		}
		if e.op == "default" && a.scope == "TableOnly" || e.op != "default" && a.scope == "DefaultOnly" {
			fault(e.String(), "action %s is %s", a.name, a.scope)
		}
		if !e.table.fixed {
			fields = a.data
		}
	}
	for _, datum := range e.data {
		known := find(fields, datum.name)
		if known == nil {
			fault(e.String(), "no datum %s", datum.name)
			continue
		}
		if known.readOnly && e.op != "expect" {
			fault(e.String(), "datum %s can only be read", datum.name)
		}
		if rule := known.holds(datum.value, e.table.register()); rule != "" {
			fault(e.String(), "datum %s: %s", datum.name, rule)
		}
	}
	for _, one := range fields {
		if (one.mandatory || e.table.register()) && named(e.data, one.name) == nil {
			fault(e.String(), "datum %s is missing", one.name)
		}
	}
}

// holds returns the rule that a value of a datum breaks, nothing if it is right.
func (f *field) holds(n *node, register bool) string {
	if f.repeated && !register {
		if n.kind != '[' {
			return "must be a list"
		}
		for _, one := range n.list {
			if rule := f.single(one); rule != "" {
				return rule
			}
		}
		return ""
	}
	return f.single(n)
}

// single is holds of one value.
func (f *field) single(n *node) string {
	switch f.kind {
	case "bool":
		if _, is := n.value.(bool); !is {
			return "must be true or false"
		}
	case "string":
		text, is := n.value.(string)
		if !is {
			return "must be a text"
		}
		for _, choice := range f.choices {
			if choice == text {
				return ""
			}
		}
		if len(f.choices) > 0 {
			return fmt.Sprintf("%q is none of %q", text, f.choices)
		}
	default:
		value := n.number()
		if value == nil {
			return "must be a number"
		}
		if value.BitLen() > f.width {
			return fmt.Sprintf("value %v has more than %d bits", value, f.width)
		}
	}
	return ""
}
