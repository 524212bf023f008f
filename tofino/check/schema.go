package check

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// The schema of a program or of the driver, as far as entries are held to it.
type (
	schema struct{ byName map[string]*table }
	table  struct {
		name, kind string
		offset     int64
		id         uint64
		size       int
		keys       []*field
		actions    []*action // nil if the table has none
		data       []*field  // of tables without actions, and of the driver's tables
		fixed      bool      // the driver's
		byPipe     bool      // of the driver's: entries are of a pipe
		there      bool      // of the driver's: entries are modified, not added
	}
	action struct {
		name string
		id   uint64
		data []*field
	}
	field struct {
		name, match, kind   string // of match: "Exact"; of value: "bytes", "uint32", "string", "bool"
		id                  uint64
		width               int
		mandatory, readOnly bool
		repeated            bool
		choices             []string
	}
)

//go:embed fixed.json
var fixedText []byte

// fixedSchema returns the schema of the tables that the driver has for every program. It is read
// only.
var fixedSchema = sync.OnceValue(func() *schema {
	var f faults
	s := readSchema(&f, "fixed.json", fixedText)
	if len(f.list) > 0 {
		panic(f.list[0].Error())
	}
	return s
})

// readSchema reads a bf-rt.json, or the tables of the driver, which do not say their size.
func readSchema(f *faults, file string, text []byte) *schema {
	s := &schema{byName: map[string]*table{}}
	root, err := readJSON(text)
	if err != nil {
		f.add(file, 0, "", "", "is not JSON: %v", err)
		return s
	}
	tables := root.get("tables")
	if tables == nil || tables.kind != '[' {
		f.add(file, root.offset, "", "tables", "there must be a list of tables")
		return s
	}
	for _, n := range tables.list {
		t := readTable(n)
		t.fixed = true
		if t.name == "" {
			f.add(file, n.offset, "", "", "a table without a name")
			continue
		}
		if s.byName[t.name] != nil {
			f.add(file, n.offset, t.name, "", "the table is there twice")
		}
		s.byName[t.name] = t
		t.hold(f, file)
	}
	return s
}

func readTable(n *node) *table {
	t := &table{name: n.get("name").text(), kind: n.get("table_type").text(), offset: n.offset,
		id: n.get("id").id(), size: n.get("size").whole(), byPipe: n.get("by_pipe").yes(),
		there: n.get("there").yes(),
		keys:  readFields(n.get("key"))}
	for _, spec := range n.get("action_specs").elements() {
		t.actions = append(t.actions, &action{name: spec.get("name").text(),
			id: spec.get("id").id(), data: readFields(spec.get("data"))})
	}
	for _, datum := range n.get("data").elements() {
		if inner := datum.get("singleton"); inner != nil {
			t.data = append(t.data, readField(datum, inner))
		}
	}
	return t
}

func readFields(list *node) (fields []*field) {
	for _, one := range list.elements() {
		fields = append(fields, readField(one, one))
	}
	return fields
}

// readField reads a key or a datum: its use stands in the outer object, its type in the inner one.
func readField(outer, inner *node) *field {
	kind := inner.get("type")
	f := &field{name: inner.get("name").text(), match: outer.get("match_type").text(),
		id: inner.get("id").id(), kind: kind.get("type").text(), width: kind.get("width").whole(),
		mandatory: outer.get("mandatory").yes(), readOnly: outer.get("read_only").yes(),
		repeated: inner.get("repeated").yes()}
	if bits, is := strings.CutPrefix(strings.TrimPrefix(f.kind, "u"), "int"); is {
		f.width, _ = strconv.Atoi(bits)
	}
	for _, choice := range kind.get("choices").elements() {
		f.choices = append(f.choices, choice.text())
	}
	return f
}

// The most bits of a key: a range is five nibbles.
const (
	mostKeyBits   = 128
	mostRangeBits = 20
)

// hold notes what the chip cannot do of a table.
func (t *table) hold(f *faults, file string) {
	fault := func(key, rule string, values ...any) {
		f.add(file, t.offset, t.name, key, rule, values...)
	}
	prioritised, priority := false, false
	names := map[string]bool{}
	for _, key := range t.keys {
		if names[key.name] {
			fault(key.name, "the key is there twice")
		}
		names[key.name] = true
		switch key.match {
		case "Exact", "LPM":
		case "Ternary":
			prioritised = true
		case "Range":
			prioritised = true
			if key.width > mostRangeBits {
				fault(key.name, "a range of %d bits: at most %d", key.width, mostRangeBits)
			}
		default:
			fault(key.name, "no kind of match %q", key.match)
		}
		if key.kind != "string" && (key.width < 1 || key.width > mostKeyBits) {
			fault(key.name, "has %d bits: must be 1 to %d", key.width, mostKeyBits)
			key.width = min(max(key.width, 1), mostKeyBits) // entries are held to it: a mask is made of it
		}
		priority = priority || key.name == priorityKey
	}
	if prioritised != priority {
		fault(priorityKey, "must be a key if and only if another is ternary or a range")
	}
}

// Names of the keys by which a table decides between entries that match, and of a register.
const (
	priorityKey = "$MATCH_PRIORITY"
	indexKey    = "$REGISTER_INDEX"
)

// register reports whether the table is the array of a register.
func (t *table) register() bool { return t.kind == "Register" }

// action returns an action of the table by its name, nil if there is none.
func (t *table) action(name string) *action {
	for _, a := range t.actions {
		if a.name == name {
			return a
		}
	}
	return nil
}

// find returns a field by its name, nil if there is none.
func find(fields []*field, name string) *field {
	for _, f := range fields {
		if f.name == name {
			return f
		}
	}
	return nil
}
