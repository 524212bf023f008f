package sonic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// binding is how entries of a table get their profiles from another table.
type binding struct {
	table, field, profiles string
	// numbers are how many there are at a port.
	numbers func(*pfc.Config) int
	// value returns what a slot has, nil for nothing. It is comparable.
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

// profiles writes what changed of profiles, table by table of profiles, and who has them.
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
			continue // what a name stands for there, if there is one, is nothing to pfc
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

type groupValue struct {
	shared   bool        // the lossless pool has a headroom pool: what the size is
	p        pfc.Profile // with pool 0
	pool     string
	lossless bool
}

type limitValue struct {
	l    qos.Limit // with pool 0
	pool string
}

type wredValue struct {
	ecn sluice.Marking
	w   qos.WRED
}

type schedulerValue struct {
	weight int // 0: strict; -1: of a port
	s      qos.Shaper
}

// format returns how a new profile is named.
func format(value any) string {
	switch v := value.(type) {
	case groupValue:
		if v.lossless {
			return "pg_lossless_%d_profile"
		}
		return "pg_lossy_%d_profile"
	case limitValue:
		return "limit_%d_profile"
	case wredValue:
		return "WRED_%d"
	}
	return "scheduler.%d"
}

func (u *updater) groupOf(c *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	v := groupValue{p: p.Profile, lossless: p.Classes.Has(number)}
	v.shared = v.lossless && c.HeadroomPool != 0
	if !v.lossless && (p.QoS == nil || !p.QoS.Lossy.Has(number)) {
		return nil
	}
	if own := p.Profiles[number]; own != nil {
		v.p = *own
	}
	v.pool, v.p.Pool = nameOf(u.pools, v.p.Pool), 0
	return v
}

// nameOf returns the name of a pool of the old or of the new configuration.
func nameOf(names []string, pool int) string {
	if pool < len(names) {
		return names[pool]
	}
	return "" // of the old one, and there is none now
}

func (u *updater) queueOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	if p.QoS == nil || p.QoS.Queues[number] == nil {
		return nil
	}
	v := limitValue{l: *p.QoS.Queues[number]}
	v.pool, v.l.Pool = nameOf(u.egress, v.l.Pool), 0
	return v
}

func (u *updater) ingressOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	if p.QoS == nil {
		return nil
	}
	return limitOf(p.QoS.Ingress, u.pools, int(number))
}

func (u *updater) egressOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	if p.QoS == nil {
		return nil
	}
	return limitOf(p.QoS.Egress, u.egress, int(number))
}

func limitOf(limits []qos.Limit, names []string, pool int) any {
	if pool >= len(limits) || limits[pool] == (qos.Limit{}) {
		return nil
	}
	return limitValue{limits[pool], nameOf(names, pool)}
}

func (u *updater) wredOf(_ *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	v := wredValue{ecn: p.ECN[number]}
	if p.QoS != nil && p.QoS.WRED[number] != nil {
		v.w = *p.QoS.WRED[number]
	}
	if v == (wredValue{}) {
		return nil
	}
	return v
}

func (u *updater) schedulerOf(c *pfc.Config, p *pfc.PortConfig, number sluice.Class) any {
	groups := p.Groups
	if groups == nil {
		groups = c.Groups
	}
	var v schedulerValue
	if p.QoS != nil {
		v.s = p.QoS.Shapers[number]
	}
	if groups == nil && v.s == (qos.Shaper{}) {
		return nil
	}
	weights, _ := weightsOf(groups)
	v.weight = weights[number]
	return v
}

func (u *updater) shaperOf(_ *pfc.Config, p *pfc.PortConfig, _ sluice.Class) any {
	if p.QoS == nil || p.QoS.Shaper == (qos.Shaper{}) {
		return nil
	}
	return schedulerValue{-1, p.QoS.Shaper}
}

// fieldsOf returns the fields of a new profile of a value. It notes what they cannot say of the
// field of pfc, if that is given.
func (u *updater) fieldsOf(value any, path string) fields {
	note := func(field, why string) {
		if path != "" {
			u.note(path+field, why)
		}
	}
	switch v := value.(type) {
	case groupValue:
		return u.groupFields(v, note)
	case limitValue:
		return limitFields(v, note)
	case wredValue:
		if v.ecn != (sluice.Marking{}) {
			path = strings.Replace(path, "QoS.WRED", "ECN", 1)
		}
		return wredFields(&v, note)
	case schedulerValue:
		return schedulerFields(v, note)
	}
	return nil
}

type noter func(field, why string)

func (u *updater) groupFields(v groupValue, note noter) fields {
	f := fields{"pool": v.pool, "size": decimal(v.p.Reserve)}
	if v.lossless {
		f["size"], f["xoff"] = decimal(meaning{shared: v.shared}.size(&v.p)), decimal(v.p.Headroom)
	}
	if v.p.XOff != 0 {
		f["static_th"], f["xon"] = decimal(v.p.XOff-v.p.Reserve), "0"
		f["xon_offset"] = decimal(v.p.XOff - v.p.XOn)
		if v.p.XOff == v.p.Reserve {
			note(".XOff", "a static_th of 0, which is none")
		}
		return f
	}
	f["dynamic_th"] = exponent(v.p.Alpha, note)
	f["xon"], f["xon_offset"] = decimal(v.p.XOnFloor), decimal(max(0, v.p.ResumeOffset))
	return f
}

func exponent(alpha sluice.Ratio, note noter) string {
	n, ok := dynamicName(alpha)
	if !ok {
		note(".Alpha", "no power of two")
		return "0"
	}
	return n
}

func limitFields(v limitValue, note noter) fields {
	f := fields{"pool": v.pool, "size": decimal(v.l.Reserve)}
	if v.l.Static == 0 && v.l.Alpha != (sluice.Ratio{}) {
		f["dynamic_th"] = exponent(v.l.Alpha, note)
	} else {
		f["static_th"] = decimal(v.l.Static)
	}
	return f
}

func wredFields(v *wredValue, note noter) fields {
	f := fields{}
	if v.ecn != (sluice.Marking{}) {
		f["ecn"] = "ecn_green"
		curveFields(f, "green", v.ecn, ".PMax", note)
		return f
	}
	ecn := ""
	for c := range qos.Colors {
		name := c.String()
		f["wred_"+name+"_enable"] = strconv.FormatBool(v.w.Drop[c])
		if v.w.Mark[c] {
			ecn += "_" + name
		}
		if v.w.Drop[c] || v.w.Mark[c] {
			curveFields(f, name, v.w.Curves[c], fmt.Sprintf(".Curves[%d].PMax", c), note)
		} else if v.w.Curves[c] != (sluice.Marking{}) {
			note(fmt.Sprintf(".Curves[%d]", c), "a colour that is neither marked nor dropped")
		}
	}
	if ecn == "_green_yellow_red" {
		ecn = "_all"
	}
	f["ecn"] = "ecn" + cmp.Or(ecn, "_none")
	return f
}

func curveFields(f fields, color string, m sluice.Marking, path string, note noter) {
	percent := int64(100)
	if m.PMax.Den > 0 {
		percent = m.PMax.Num * 100 / m.PMax.Den
	}
	if m.PMax.Den > 0 && percent*m.PMax.Den != m.PMax.Num*100 || percent == 0 {
		note(path, "not whole percent")
	}
	f[color+"_min_threshold"], f[color+"_max_threshold"] = decimal(m.KMin), decimal(m.KMax)
	f[color+"_drop_probability"] = strconv.FormatInt(percent, 10)
}

func schedulerFields(v schedulerValue, note noter) fields {
	f := fields{}
	switch {
	case v.weight == 0:
		f["type"] = "STRICT"
	case v.weight > 0:
		f["type"], f["weight"] = "DWRR", strconv.Itoa(v.weight)
	}
	if v.s.Rate != 0 {
		f["meter_type"], f["pbs"] = "bytes", decimal(v.s.Burst)
		f["pir"] = strconv.FormatInt(int64(v.s.Rate/8), 10)
	}
	if v.s.Rate%8 != 0 {
		note(".Rate", "not whole bytes per second")
	}
	return f
}

// weightsOf returns the weights of groups, 0 for a strict queue; false if they are none.
func weightsOf(groups []pfc.Group) (weights [sluice.Classes]int, whole bool) {
	for _, g := range groups {
		for c, quantum := range g.Quantum {
			if g.Classes.Has(sluice.Class(c)) && (g.Classes.Len() > 1 || quantum != pfc.DefaultQuantum) {
				weights[c] = min(max(1, int(quantum/quantumOfWeight)), 100)
			}
		}
	}
	made := groupsOf(&weights)
	for i := range made {
		if c := classesOf(made[i].Classes)[0]; made[i].Classes.Len() == 1 && weights[c] == 0 {
			made[i].Quantum[c] = pfc.DefaultQuantum // as filled in
		}
	}
	return weights, groups == nil || slices.EqualFunc(made, groups, func(a, b pfc.Group) bool {
		return a == b
	})
}
