package check

import (
	"io/fs"

	"google.golang.org/protobuf/encoding/protowire"
)

// compiledFile is the compiler's schema that requests were made with.
const compiledFile = "requests/bf-rt.json"

// holdRequests notes the numbers in requests/*.bin that the compiler's schema beside them does not
// have: such a schema is of another program, or of another compilation.
func (s *state) holdRequests(files fs.FS) {
	names, _ := fs.Glob(files, "requests/*.bin")
	if len(names) == 0 {
		return
	}
	text, err := fs.ReadFile(files, compiledFile)
	if err != nil {
		s.add(compiledFile, 0, "", "", "cannot be read: %v", err)
		return
	}
	var other faults // of tables that the requests do not fill: the compiler answers for them
	compiled := readSchema(&other, compiledFile, text)
	if len(compiled.byName) == 0 {
		s.add(compiledFile, 0, "", "", "has no table")
		return
	}
	r := requests{faults: &s.faults, tables: map[uint64]*table{}, said: map[missing]bool{}}
	for _, t := range compiled.byName {
		r.tables[t.id] = t
	}
	for _, name := range names {
		if r.octets, err = fs.ReadFile(files, name); err != nil {
			s.add(name, 0, "", "", "cannot be read: %v", err)
			continue
		}
		r.file = name
		r.request()
	}
}

// requests reads requests of the run-time interface (bfruntime.proto).
type requests struct {
	*faults
	tables map[uint64]*table // of the compiler's schema, by number
	file   string
	octets []byte
	said   map[missing]bool
}

// missing is a number that a schema does not have. It is a fault once.
type missing struct {
	table, what string
	number      uint64
}

// part is a field of a message: a number, or the place of octets in the file.
type part struct {
	field    protowire.Number
	number   uint64
	from, to int
}

// parts returns the fields of the message between two places.
func (r *requests) parts(from, to int) (all []part, ok bool) {
	for at := from; at < to; {
		rest := r.octets[at:to]
		field, kind, tag := protowire.ConsumeTag(rest)
		size := protowire.ConsumeFieldValue(field, kind, rest[max(tag, 0):])
		if tag < 0 || size < 0 {
			r.add(r.file, int64(at), "", "", "is no message of protocol buffers")
			return nil, false
		}
		p := part{field: field, to: at + tag + size}
		switch kind {
		case protowire.VarintType:
			p.number, _ = protowire.ConsumeVarint(rest[tag:])
		case protowire.BytesType:
			inside, _ := protowire.ConsumeBytes(rest[tag:])
			p.from = p.to - len(inside)
		}
		all = append(all, p)
		at = p.to
	}
	return all, true
}

// inside returns the fields of the messages that stand in field number path[0] of a message, then
// in field number path[1] of these, and so on.
func (r *requests) inside(p part, path ...protowire.Number) []part {
	all, _ := r.parts(p.from, p.to)
	if len(path) == 0 {
		return all
	}
	var found []part
	for _, one := range all {
		if one.field == path[0] && one.from > 0 {
			found = append(found, r.inside(one, path[1:]...)...)
		}
	}
	return found
}

// request holds each update of a request: field 3 of it, whose entity is field 2, whose table entry
// is field 1.
func (r *requests) request() {
	updates, ok := r.parts(0, len(r.octets))
	if !ok {
		return
	}
	for _, update := range updates {
		if update.field == 3 {
			r.entry(update, r.inside(update, 2, 1))
		}
	}
}

// entry holds a table entry: its table is field 1, its keys are in field 2, its action in field 3.
func (r *requests) entry(update part, fields []part) {
	fault := func(t, what string, number uint64) {
		if one := (missing{t, what, number}); !r.said[one] {
			r.said[one] = true
			r.add(r.file, int64(update.from), t, "", "%s with number %d is not in %s", what, number,
				compiledFile)
		}
	}
	var t *table
	for _, f := range fields {
		if f.field == 1 {
			if t = r.tables[f.number]; t == nil {
				fault("", "the table", f.number)
				return
			}
		}
	}
	if t == nil {
		r.add(r.file, int64(update.from), "", "", "the update names no table")
		return
	}
	for _, f := range fields {
		switch f.field {
		case 2:
			for _, id := range r.numbers(f, 1) {
				if !has(t.keys, id) {
					fault(t.name, "a key", id)
				}
			}
		case 3:
			r.data(t, f, fault)
		}
	}
}

// data holds the action, field 1, and the data, field 2, of an entry.
func (r *requests) data(t *table, f part, fault func(t, what string, number uint64)) {
	known := t.data
	for _, one := range r.inside(f) {
		if one.field != 1 {
			continue
		}
		a := t.actionOf(one.number)
		if a == nil {
			fault(t.name, "the action", one.number)
			return
		}
		known = append(known[:len(known):len(known)], a.data...)
	}
	for _, id := range r.numbers(f, 2) {
		if !has(known, id) {
			fault(t.name, "a datum", id)
		}
	}
}

// numbers returns field 1, the number, of each message that stands in a field of a message.
func (r *requests) numbers(p part, field protowire.Number) (ids []uint64) {
	for _, one := range r.inside(p, field) {
		if one.field == 1 {
			ids = append(ids, one.number)
		}
	}
	return ids
}

func has(fields []*field, id uint64) bool {
	for _, f := range fields {
		if f.id == id {
			return true
		}
	}
	return false
}

// actionOf returns the action with a number; nil if the table has none of it.
func (t *table) actionOf(id uint64) *action {
	for _, a := range t.actions {
		if a.id == id {
			return a
		}
	}
	return nil
}
