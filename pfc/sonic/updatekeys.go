package sonic

import (
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
)

// portNumber is a queue or a group of a port.
type portNumber struct {
	port   string
	number int
}

// assign writes the profiles of slots into a table whose keys are of ports and numbers; "" is none.
// A key of which a part changes is split.
func (u *updater) assign(b *binding, assigned map[slot]string) {
	final := map[portNumber]string{}
	for s, name := range assigned {
		if s.table == b.table && s.field == b.field {
			final[portNumber{u.ports[s.port], int(s.number)}] = name
		}
	}
	if len(final) == 0 {
		return
	}
	system := u.was.system
	if system == "||" || !u.hasSystemKeys(b.table) {
		system = ""
	}
	e := editor{u, b, final, map[portNumber]string{}, map[string]fields{}}
	for _, key := range sortedKeys(u.db.parsed[b.table]) {
		e.own(key, system)
	}
	for _, key := range sortedKeys(u.db.parsed[b.table]) {
		e.edit(key, system)
	}
	e.addMissing(system)
	for _, key := range sortedKeys(e.added) {
		u.db.entry(b.table, key)
		for _, field := range sortedKeys(e.added[key]) {
			u.db.set(b.table, key, field, e.added[key][field])
		}
	}
}

func (u *updater) hasSystemKeys(table string) bool {
	for key := range u.db.parsed[table] {
		if strings.Count(key, "|") == 3 {
			return true
		}
	}
	return false
}

// editor edits the keys of a table.
type editor struct {
	u     *updater
	b     *binding
	final map[portNumber]string // the profiles of those that change
	owner map[portNumber]string // the keys that have them
	added map[string]fields     // new entries
}

// own makes a key, which comes behind those before, the owner of its field: Import takes the last
// key that has the field.
func (e *editor) own(key, system string) {
	k, ok := parseKey(key)
	if !ok || !strings.EqualFold(k.system, system) {
		return
	}
	entries := e.u.db.parsed[e.b.table]
	_, has := entries[key][e.b.field]
	for n := range k.each {
		if _, changes := e.final[n]; !changes {
			continue
		}
		_, owned := entries[e.owner[n]][e.b.field]
		if has || !owned {
			e.owner[n] = key
		}
	}
}

// each yields the members of a key.
func (k *memberKey) each(yield func(portNumber) bool) {
	for _, port := range k.ports {
		for n := range mostNumber + 1 {
			if k.numbers>>n&1 == 1 && !yield(portNumber{port, n}) {
				return
			}
		}
	}
}

// edit changes an entry, or takes it apart if its members do not all change alike.
func (e *editor) edit(key, system string) {
	k, ok := parseKey(key)
	if !ok || !strings.EqualFold(k.system, system) {
		return
	}
	db, table, field := e.u.db, e.b.table, e.b.field
	was := maps.Clone(db.parsed[table][key])
	names, touched := map[string]uint64{}, false
	parts := map[string]map[string]uint64{} // of ports, the numbers by profile
	for n := range k.each {
		name := was[field]
		if final, changes := e.final[n]; changes {
			if touched = true; e.owner[n] == key {
				name = final
			} else {
				name = "" // another key has it
			}
		}
		if parts[n.port] == nil {
			parts[n.port] = map[string]uint64{}
		}
		parts[n.port][name] |= 1 << n.number
		names[name] |= 1 << n.number
	}
	if !touched {
		return
	}
	if len(names) == 1 {
		name := slices.Collect(maps.Keys(names))[0]
		e.put(db, key, name)
		return
	}
	db.unset(table, key, "")
	for ports, of := range alikePorts(k.ports, parts) {
		for name, set := range of {
			f := maps.Clone(was)
			if delete(f, field); name != "" {
				f[field] = name
			}
			for _, run := range runs(set) {
				if len(f) > 0 {
					e.add(k.system+ports+"|"+numbers(run), f)
				}
			}
		}
	}
}

// put gives all members of a key one profile, or none.
func (e *editor) put(db *DB, key, name string) {
	table, field := e.b.table, e.b.field
	if name != "" {
		db.set(table, key, field, name)
		return
	}
	db.unset(table, key, field)
	if len(db.parsed[table][key]) == 0 {
		db.unset(table, key, "")
	}
}

// add adds an entry, or fields to one that was added.
func (e *editor) add(key string, f fields) {
	if e.added[key] == nil {
		e.added[key] = fields{}
	}
	maps.Copy(e.added[key], f)
}

// alikePorts returns the parts of ports by the names of the ports that have the same.
func alikePorts(
	ports []string, parts map[string]map[string]uint64,
) map[string]map[string]uint64 {
	joined := map[string]map[string]uint64{}
	var names []string
	for _, port := range ports {
		at := slices.IndexFunc(names, func(name string) bool {
			return maps.Equal(joined[name], parts[port])
		})
		if at < 0 {
			names = append(names, port)
			joined[port] = parts[port]
			continue
		}
		longer := names[at] + "," + port
		joined[longer] = joined[names[at]]
		delete(joined, names[at])
		names[at] = longer
	}
	return joined
}

// addMissing adds entries of those that no key has.
func (e *editor) addMissing(system string) {
	sets := map[[2]string]uint64{} // of port and profile
	for n, name := range e.final {
		if e.owner[n] == "" && name != "" {
			sets[[2]string{n.port, name}] |= 1 << n.number
		}
	}
	for of, set := range sets {
		for _, run := range runs(set) {
			e.add(system+of[0]+"|"+numbers(run), fields{e.b.field: of[1]})
		}
	}
}

// assignPorts writes the profiles of slots into a table whose keys are of ports: a name, or a list.
func (u *updater) assignPorts(b *binding, assigned map[slot]string) {
	of := map[int]bool{}
	for s := range assigned {
		if s.table == b.table && s.field == b.field {
			of[s.port] = true
		}
	}
	for _, port := range slices.Sorted(maps.Keys(of)) {
		value := u.listOf(b, port, assigned)
		u.setPort(b.table, u.ports[port], b.field, value)
	}
}

// listOf returns the names of the profiles of a port, those that stay in their order.
func (u *updater) listOf(b *binding, port int, assigned map[slot]string) string {
	key := u.portKey(b.table, u.ports[port], b.field)
	var names []string
	for name := range strings.SplitSeq(u.db.parsed[b.table][key][b.field], ",") {
		names = append(names, strings.TrimSpace(name))
	}
	for number := range max(b.numbers(&u.c), b.numbers(&u.old)) {
		name, changes := assigned[slot{b.table, b.field, port, sluice.Class(number)}]
		if !changes {
			continue
		}
		before, has := "", false
		if at := u.before[port]; at >= 0 {
			before, has = u.was.uses[slot{b.table, b.field, at, sluice.Class(number)}]
		}
		at := slices.IndexFunc(names, func(s string) bool { return has && reference(s) == before })
		switch {
		case at < 0:
			names = append(names, name)
		default:
			names[at] = name
		}
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	return strings.Join(names, ",")
}

// portKey returns the key of a table that has a port and, if one has, a field; "" for none.
func (u *updater) portKey(table, port, field string) (key string) {
	t := u.db.parsed[table]
	if _, is := t[port][field]; is && table == "PORT_QOS_MAP" {
		return port
	}
	for _, other := range sortedKeys(t) {
		if !slices.Contains(parsePorts(other), port) {
			continue
		}
		_, has := t[other][field]
		if _, before := t[key][field]; has || !before {
			key = other
		}
	}
	return key
}

// setPort writes a field of a port, "" for none, in a table whose keys may be of several ports.
func (u *updater) setPort(table, port, field, value string) {
	key := u.portKey(table, port, field)
	was := u.db.parsed[table][key]
	if before, has := was[field]; has == (value != "") && before == value {
		return
	}
	if key != "" && key != port {
		was = maps.Clone(was)
		rest := slices.DeleteFunc(parsePorts(key), func(s string) bool { return s == port })
		u.db.unset(table, key, "")
		u.write(table, strings.Join(rest, ","), was)
		for name, text := range was {
			u.db.set(table, port, name, text)
		}
	}
	if value != "" {
		u.db.set(table, port, field, value)
		return
	}
	u.db.unset(table, port, field)
	if len(u.db.parsed[table][port]) == 0 && table != "PORT_QOS_MAP" {
		u.db.unset(table, port, "")
	}
}
