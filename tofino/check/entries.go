package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// entry is an element of a list of entries.
type entry struct {
	faults           *faults
	file             string
	offset           int64
	table            *table
	tableName, op    string
	pipe             int
	actionName       string
	key, data, kinds []member
	values           map[string]matched // of keys that are right
}

// matched is the value of a key in an entry: the two ends of a range, value and mask, or value and
// the mask of a prefix.
type matched struct{ value, mask, high *big.Int }

// allPipes is the pipe of an entry of all pipes.
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

// fault notes a rule that the entry breaks.
func (e *entry) fault(rule string, values ...any) {
	e.faults.add(e.file, e.offset, e.tableName, e.String(), rule, values...)
}

// keyed and says return a key and a datum as numbers, -1 for a value that is no number.
func (e *entry) keyed(name string) int { return named(e.key, name).whole() }
func (e *entry) says(name string) int  { return named(e.data, name).whole() }

// listed returns the numbers of a datum, which may be a list.
func (e *entry) listed(name string) []int {
	n := named(e.data, name)
	if n == nil {
		return nil
	}
	if n.kind != '[' {
		return []int{n.whole()}
	}
	numbers := make([]int, len(n.list))
	for at, one := range n.list {
		numbers[at] = one.whole()
	}
	return numbers
}

func (e *entry) each(visit func(pipe int)) {
	for pipe := range pipes {
		if e.pipe == allPipes || e.pipe == pipe {
			visit(pipe)
		}
	}
}

// readEntries reads a list of entries. Entries in the list of a single table have no operation:
// they are added.
func readEntries(f *faults, file string, text []byte) (entries []*entry) {
	for at, n := range f.elements(file, text, "entries") {
		e := &entry{faults: f, file: file, offset: n.offset, tableName: n.get("table_name").text(),
			op: "add", pipe: allPipes, actionName: n.get("action").text(), values: map[string]matched{}}
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
	return entries
}

// hold notes how an entry breaks its schema.
func (e *entry) hold() {
	t := e.table
	switch e.op {
	case "add", "modify", "default", "delete", "expect":
	default:
		e.fault("no operation %q", e.op)
		return
	}
	if e.pipe != allPipes && (e.pipe < 0 || e.pipe > 3) {
		e.fault("pipe %d: must be 0 to 3, or %d for all", e.pipe, allPipes)
	}
	if e.pipe != allPipes && !t.byPipe && !t.register() {
		e.fault("pipe %d: the entries of this table go to all pipes", e.pipe)
	}
	if t.there && e.op == "add" || t.register() && e.op != "modify" {
		e.fault("its entries are there: they are modified, not %q", e.op)
	}
	if e.op == "default" {
		e.holdDefault()
	} else {
		e.holdKeys()
	}
	if e.op != "delete" {
		e.holdData()
	}
}

func (e *entry) holdDefault() {
	if len(e.key) > 0 {
		e.fault("a default has no keys")
	}
	if e.table.fixed && len(e.table.keys) > 0 {
		e.fault("this table has no default")
	}
}

func (e *entry) holdKeys() {
	for _, key := range e.key {
		known := find(e.table.keys, key.name)
		if known == nil {
			e.fault("no key %s", key.name)
			continue
		}
		if value, rule := known.matches(key.value); rule != "" {
			e.fault("key %s: %s", key.name, rule)
		} else {
			e.values[key.name] = value
		}
		e.holdKind(known)
	}
	for _, key := range e.table.keys {
		if named(e.key, key.name) == nil {
			e.fault("key %s is missing", key.name)
		}
	}
}

// kinds are the names of kinds of match in lists of entries.
var kinds = map[string]string{"Ternary": "ternary", "LPM": "lpm", "Range": "range"}

// holdKind checks the kind of match that the list gives a key, if it gives kinds.
func (e *entry) holdKind(key *field) {
	want := kinds[key.match]
	if said := named(e.kinds, key.name).text(); e.kinds != nil && want != "" && said != want {
		e.fault("key %s: matches as %q, not %q", key.name, want, said)
	}
}

// matches reads the value of a key in an entry, or returns the rule that the value breaks.
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
	if rule := f.number(parts[0]); rule != "" {
		return matched{}, rule
	}
	value := parts[0].number()
	if f.match == "Exact" {
		return matched{value: value}, ""
	}
	return f.second(value, parts[1].number())
}

// number returns the rule that a number breaks, "" for none.
func (f *field) number(n *node) string {
	value := n.number()
	if value == nil {
		return "must be a number"
	}
	if value.BitLen() > f.width {
		return fmt.Sprintf("value %v has more than %d bits", value, f.width)
	}
	return ""
}

// second reads the mask, the length or the upper end of a key.
func (f *field) second(value, second *big.Int) (m matched, rule string) {
	m.value = value
	wide := second != nil && second.BitLen() > f.width
	switch {
	case second == nil:
		rule = "its second part must be a number"
	case f.match == "LPM":
		if second.BitLen() > 16 || int(second.Int64()) > f.width {
			return m, fmt.Sprintf("a prefix of %v bits: the key has %d", second, f.width)
		}
		length := uint(second.Int64())
		m.mask = new(big.Int).Lsh(ones(int(length)), uint(f.width)-length)
		if new(big.Int).AndNot(value, m.mask).Sign() != 0 {
			rule = fmt.Sprintf("value %v has ones after its first %v bits", value, second)
		}
	case f.match == "Range" && wide:
		rule = fmt.Sprintf("end %v has more than %d bits", second, f.width)
	case f.match == "Range" && value.Cmp(second) > 0:
		rule = fmt.Sprintf("a range from %v down to %v", value, second)
	case f.match == "Range":
		m.high = second
	case wide:
		rule = fmt.Sprintf("mask %v has more than %d bits", second, f.width)
	case new(big.Int).AndNot(value, second).Sign() != 0:
		rule = fmt.Sprintf("value %v has ones outside its mask %v", value, second)
	default:
		m.mask = second
	}
	return m, rule
}

// ones returns 2^bits - 1.
func ones(bits int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
}

// holdData checks the action and the data of an entry.
func (e *entry) holdData() {
	fields := e.table.data
	switch {
	case len(e.table.actions) == 0 && e.actionName != "":
		e.fault("no action %s: the table has none", e.actionName)
		return
	case len(e.table.actions) > 0:
		a := e.table.action(e.actionName)
		if a == nil {
			e.fault("no action %q of this table", e.actionName)
			return
		}
		if !e.table.fixed {
			fields = a.data
		}
	}
	for _, datum := range e.data {
		known := find(fields, datum.name)
		if known == nil {
			e.fault("no datum %s", datum.name)
			continue
		}
		if known.readOnly && e.op != "expect" {
			e.fault("datum %s can only be read", datum.name)
		}
		if rule := known.holds(datum.value, e.table.register()); rule != "" {
			e.fault("datum %s: %s", datum.name, rule)
		}
	}
	for _, one := range fields {
		if (one.mandatory || e.table.register()) && named(e.data, one.name) == nil {
			e.fault("datum %s is missing", one.name)
		}
	}
}

// holds returns the rule that a value of a datum breaks, "" for none.
func (f *field) holds(n *node, register bool) string {
	if !f.repeated || register {
		return f.single(n)
	}
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

// single is holds for one value.
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
		if len(f.choices) > 0 && !slices.Contains(f.choices, text) {
			return fmt.Sprintf("%q is none of %q", text, f.choices)
		}
	default:
		return f.number(n)
	}
	return ""
}
