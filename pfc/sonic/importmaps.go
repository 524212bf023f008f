package sonic

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

func (m *importer) qosMaps() {
	const t = "PORT_QOS_MAP"
	for _, key := range m.keys(t) {
		for _, port := range parsePorts(key) {
			if i, ok := m.index[port]; ok {
				m.qosMap(key, i)
			} else if port != "global" { // whose map is one of DSCP
				m.noteOnce(t, key, "", "of no port of PORT that has a speed")
			}
		}
	}
	m.dscp()
}

func (m *importer) qosMap(key string, port int) {
	const t = "PORT_QOS_MAP"
	m.qosKey[port] = key
	get(m.reader, t, key, "pfc_enable", parseClasses, &m.enabled[port])
	m.value(t, key, "dscp_to_tc_map") // see DSCP
	for _, of := range portMaps {
		name, ok := m.value(t, key, of.field)
		if !ok {
			continue
		}
		made := m.aMap(of.table, reference(name), m.enabled[port], of.once)
		if made != qos.Same() {
			*of.of(m.rules(port)) = &made
		}
	}
}

// portMaps are the maps of a port: the field of PORT_QOS_MAP and the table that it names.
var portMaps = []struct {
	field, table string
	once         bool // no number comes twice
	of           func(*qos.Port) **qos.Map
}{
	{"tc_to_queue_map", "TC_TO_QUEUE_MAP", false,
		func(p *qos.Port) **qos.Map { return &p.Queue }},
	{"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", false,
		func(p *qos.Port) **qos.Map { return &p.Group }},
	{"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", true,
		func(p *qos.Port) **qos.Map { return &p.PauseQueue }},
	{"pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", true,
		func(p *qos.Port) **qos.Map { return &p.PauseGroup }},
}

// aMap reads a map. A number that it leaves out maps to itself. Where no number may come twice,
// enabled numbers have their own, and the others the rest.
func (m *importer) aMap(t, name string, enabled sluice.ClassSet, once bool) qos.Map {
	made := qos.Same()
	for _, key := range m.fieldsOf(t, name) {
		to := m.tables[t][name][key]
		if above(key) || above(to) {
			m.noteOnce(t, name, key, "pfc has no class and no queue above 7")
			continue
		}
		if c, err := parseClass(key); err == nil {
			get(m.reader, t, name, key, parseClass, &made[c])
		}
	}
	if once {
		m.permute(t, name, &made, enabled)
	}
	return made
}

// above reports whether a number is one of a chip that has more than eight classes or queues.
func above(s string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return err == nil && n >= sluice.Classes && n <= mostNumber
}

func (m *importer) permute(t, name string, made *qos.Map, enabled sluice.ClassSet) {
	var taken, late sluice.ClassSet
	for _, c := range append(classesOf(enabled), classesOf(sluice.AllClasses&^enabled)...) {
		if !taken.Has(made[c]) {
			taken |= 1 << made[c]
			continue
		}
		if late |= 1 << c; enabled.Has(c) {
			m.fail(t, name, strconv.Itoa(int(c)), strconv.Itoa(int(made[c])),
				"must not be the queue of another priority of pfc_enable")
		}
	}
	for _, c := range classesOf(late) {
		if _, given := m.tables[t][name][strconv.Itoa(int(c))]; given {
			m.noteOnce(t, name, strconv.Itoa(int(c)), "not enabled, and another has the number")
		}
		made[c] = classesOf(sluice.AllClasses &^ taken)[0]
		taken |= 1 << made[c]
	}
}

func classesOf(set sluice.ClassSet) (classes []sluice.Class) {
	for c := range sluice.Class(sluice.Classes) {
		if set.Has(c) {
			classes = append(classes, c)
		}
	}
	return classes
}

func (m *importer) dscp() {
	const t = "DSCP_TO_TC_MAP"
	for _, name := range m.keys(t) {
		dscp := pfc.DSCPMap{}
		for _, key := range m.fieldsOf(t, name) {
			at, err := strconv.Atoi(strings.TrimSpace(key))
			if err != nil || at < 0 || at > 63 {
				m.fail(t, name, key, key, "must be a code point, 0 to 63")
				continue
			}
			if to := m.tables[t][name][key]; above(to) {
				dscp[at] = m.alike(name, strings.TrimSpace(to))
				m.noteOnce(t, name, key, "pfc has no class above 7: taken to be "+
					strconv.Itoa(int(dscp[at]))+", by its queue")
				continue
			}
			get(m.reader, t, name, key, parseClass, &dscp[at])
		}
		m.DSCP[name] = dscp
	}
}

// alike returns the class that shares a queue with a traffic class above 7, 0 if none does.
func (m *importer) alike(name, tc string) sluice.Class {
	const t = "TC_TO_QUEUE_MAP"
	if _, is := m.tables[t][name][tc]; !is {
		for _, other := range m.keys(t) {
			if _, is = m.tables[t][other][tc]; is {
				name = other
				break
			}
		}
	}
	for c := range sluice.Classes {
		to, is := m.tables[t][name][strconv.Itoa(c)]
		if is && to == m.tables[t][name][tc] {
			return sluice.Class(c)
		}
	}
	return 0
}

func (r *reader) fieldsOf(name, key string) []string {
	return slices.SortedFunc(maps.Keys(r.tables[name][key]), natural)
}

// SetDSCP writes a map of code points as an entry of DSCP_TO_TC_MAP. The error is an [*Error] if
// the file has the tables of several ASICs and none is chosen.
func (db *DB) SetDSCP(name string, dscp pfc.DSCPMap) error {
	if err := newReader(db).err; err != nil {
		return err
	}
	for at, class := range dscp {
		db.set("DSCP_TO_TC_MAP", name, strconv.Itoa(at), strconv.Itoa(int(class)))
	}
	return nil
}
