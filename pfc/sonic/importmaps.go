package sonic

import (
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

func (m *importer) qosMaps() {
	const t = "PORT_QOS_MAP"
	for _, port := range m.keys(t) {
		i, ok := m.index[port]
		if !ok {
			m.note(t, port, "", "of no port of PORT")
			continue
		}
		get(m.reader, t, port, "pfc_enable", parseClasses, &m.enabled[i])
		m.value(t, port, "dscp_to_tc_map") // see DSCP
		for _, of := range portMaps {
			name, ok := m.value(t, port, of.field)
			if !ok {
				continue
			}
			if made := m.aMap(of.table, reference(name), m.enabled[i], of.once); made != qos.Same() {
				*of.of(m.rules(i)) = &made
			}
		}
	}
	m.dscp()
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

// aMap reads a map. A number that it leaves out goes with itself. Where no number may come twice,
// enabled numbers have their own, and the others what is left.
func (m *importer) aMap(t, name string, enabled sluice.ClassSet, once bool) qos.Map {
	made := qos.Same()
	for c := range sluice.Class(sluice.Classes) {
		get(m.reader, t, name, strconv.Itoa(int(c)), parseClass, &made[c])
	}
	if once {
		m.permute(t, name, &made, enabled)
	}
	return made
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
		for key := range m.tables[t][name] {
			at, err := strconv.Atoi(key)
			if err != nil || at < 0 || at > 63 {
				m.fail(t, name, key, key, "must be a code point, 0 to 63")
				continue
			}
			get(m.reader, t, name, key, parseClass, &dscp[at])
		}
		m.DSCP[name] = dscp
	}
}

// SetDSCP writes a map of code points as an entry of DSCP_TO_TC_MAP. The error is an [*Error] if
// the table is not one.
func (db *DB) SetDSCP(name string, dscp pfc.DSCPMap) error {
	for at, class := range dscp {
		err := db.set("DSCP_TO_TC_MAP", name, strconv.Itoa(at), strconv.Itoa(int(class)))
		if err != nil {
			return err
		}
	}
	return nil
}
