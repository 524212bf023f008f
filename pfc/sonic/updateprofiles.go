package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// binding is how entries of a table get their profiles from another table.
type binding struct {
	table, field, profiles string
	// numbers are how many there are at a port.
	numbers func(*pfc.Config) int
	// value returns the value of a slot, nil for nothing. It is comparable.
	value func(u *updater, c *pfc.Config, p *pfc.PortConfig, number sluice.Class) any
	// path is the field of a port that a value comes from, a format for the number.
	path string
}

func eight(*pfc.Config) int { return sluice.Classes }

var bindings = []*binding{
	{"BUFFER_PG", "profile", "BUFFER_PROFILE", eight, (*updater).groupOf, "Profiles[%d]"},
	{"BUFFER_QUEUE", "profile", "BUFFER_PROFILE", eight, (*updater).queueOf, "QoS.Queues[%d]"},
	{
		"BUFFER_PORT_INGRESS_PROFILE_LIST", "profile_list", "BUFFER_PROFILE",
		func(c *pfc.Config) int { return len(c.Pools) + 1 }, (*updater).ingressOf, "QoS.Ingress[%d]",
	},
	{
		"BUFFER_PORT_EGRESS_PROFILE_LIST", "profile_list", "BUFFER_PROFILE",
		func(c *pfc.Config) int { return len(c.EgressPools) }, (*updater).egressOf, "QoS.Egress[%d]",
	},
	{"QUEUE", "wred_profile", "WRED_PROFILE", eight, (*updater).wredOf, "QoS.WRED[%d]"},
	{"QUEUE", "scheduler", "SCHEDULER", eight, (*updater).schedulerOf, "QoS.Shapers[%d]"},
	{
		"PORT_QOS_MAP", "scheduler", "SCHEDULER", func(*pfc.Config) int { return 1 },
		(*updater).shaperOf, "QoS.Shaper",
	},
}

// change is a slot of a new configuration.
type change struct {
	slot
	name    string // of the profile that it has
	f       fields // that its profile is to have; nil: none
	changed bool
	value   any
}

// profiles writes the changes of profiles, table by table, and of the keys that name them.
func (u *updater) profiles() {
	byTable := map[string][]*change{}
	for _, b := range bindings {
		for i := range u.c.Ports {
			byTable[b.profiles] = append(byTable[b.profiles], u.changes(b, i)...)
		}
	}
	assigned := map[slot]string{}
	for _, table := range slices.Sorted(maps.Keys(byTable)) {
		rest := u.inPlace(table, byTable[table])
		for _, ch := range rest {
			assigned[ch.slot] = ""
			if ch.f != nil {
				assigned[ch.slot] = u.profile(table, format(ch.value), ch.f)
			}
		}
	}
	for _, b := range bindings {
		if b.field == "profile_list" || b.table == "PORT_QOS_MAP" {
			u.assignPorts(b, assigned)
		} else {
			u.assign(b, assigned)
		}
	}
}

// changes returns the slots of a port: those that have a profile, or are to have one.
func (u *updater) changes(b *binding, i int) (all []*change) {
	p, old := &u.c.Ports[i], u.oldPort(i)
	for number := range sluice.Class(max(b.numbers(&u.c), b.numbers(&u.old))) {
		ch := &change{slot: slot{b.table, b.field, i, number}}
		name, has := "", false
		if at := u.before[i]; at >= 0 {
			name, has = u.was.uses[slot{b.table, b.field, at, number}]
		}
		before, want := b.value(u, &u.old, old, number), b.value(u, &u.c, p, number)
		if before == nil && want == nil {
			continue // pfc does not use the entry of a name there
		}
		ch.name, ch.value, ch.changed = name, want, before != want
		was := u.was.tables[b.profiles][name]
		switch {
		case !ch.changed && (!has || was == nil):
			continue
		case !ch.changed:
			ch.f = was
		case want == nil:
		case before == nil || !has || was == nil:
			ch.f = u.fieldsOf(want, u.path(b, i, number))
		default:
			ch.f = rewritten(was, u.fieldsOf(before, ""), u.fieldsOf(want, u.path(b, i, number)))
			u.keepSize(was, ch)
		}
		all = append(all, ch)
	}
	return all
}

// keepSize leaves the size of a profile that means the same beside the new xoff.
func (u *updater) keepSize(was fields, ch *change) {
	v, is := ch.value.(groupValue)
	size, err := parseBytes(was["size"])
	if is && v.lossless && err == nil && u.was.reserve(size, v.p.Headroom) == v.p.Reserve {
		ch.f["size"] = was["size"]
	}
}

func (u *updater) path(b *binding, port int, number sluice.Class) string {
	return fmt.Sprintf("Ports[%d].", port) +
		strings.ReplaceAll(b.path, "%d", strconv.Itoa(int(number)))
}

// rewritten returns the fields of a profile with those changed in which two others differ.
func rewritten(was, before, want fields) fields {
	f := maps.Clone(was)
	for field, value := range want {
		if before[field] != value {
			f[field] = value
		}
	}
	for field := range before {
		if _, is := want[field]; !is {
			delete(f, field)
		}
	}
	if want["static_th"] != before["static_th"] || want["xon_offset"] != before["xon_offset"] {
		if _, static := want["static_th"]; static && want["xon"] != "" {
			f["xon"] = want["xon"]
		}
	}
	return f
}

// inPlace changes the profiles whose slots all change alike, and returns the changes that are left.
func (u *updater) inPlace(table string, all []*change) (rest []*change) {
	of := map[string][]*change{}
	for _, ch := range all {
		of[ch.name] = append(of[ch.name], ch)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		alike := name != "" && name != "NULL"
		for _, ch := range of[name] {
			alike = alike && ch.f != nil && maps.Equal(ch.f, of[name][0].f)
		}
		switch {
		case !alike:
			for _, ch := range of[name] {
				if ch.changed {
					rest = append(rest, ch)
				}
			}
		case slices.ContainsFunc(of[name], func(ch *change) bool { return ch.changed }):
			u.write(table, name, of[name][0].f)
		}
	}
	return rest
}

// write makes the fields of an entry these.
func (u *updater) write(table, name string, f fields) {
	for _, field := range sortedKeys(u.db.parsed[table][name]) {
		if _, is := f[field]; !is {
			u.db.unset(table, name, field)
		}
	}
	for _, field := range sortedKeys(f) {
		u.db.set(table, name, field, f[field])
	}
	u.db.entry(table, name)
}

// profile returns the name of an entry that has these fields; a new one if there is none, of a name
// that may be a format for a number.
func (u *updater) profile(table, format string, f fields) string {
	for _, name := range sortedKeys(u.db.parsed[table]) {
		if maps.Equal(u.db.parsed[table][name], f) {
			return name
		}
	}
	name := format
	if strings.Contains(format, "%d") {
		n := 1
		for u.db.parsed[table][fmt.Sprintf(format, n)] != nil {
			n++
		}
		name = fmt.Sprintf(format, n)
	}
	name = u.unused(table, name)
	u.write(table, name, f)
	return name
}
