package sonic

import (
	"errors"
	"slices"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// qosMaps reads what PORT_QOS_MAP and its maps say.
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
		for _, of := range []struct {
			field, table string
			into         func(*qos.Port) **qos.Map
			once         bool // no number comes twice
		}{
			{"tc_to_queue_map", "TC_TO_QUEUE_MAP", queueMap, false},
			{"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", groupMap, false},
			{"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", pauseQueueMap, true},
			{"pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", pauseGroupMap, true},
		} {
			name, ok := m.value(t, port, of.field)
			if !ok {
				continue
			}
			if made := m.aMap(of.table, reference(name), m.enabled[i], of.once); made != qos.Same() {
				*of.into(m.rules(i)) = &made
			}
		}
	}
	m.dscp()
}

func queueMap(p *qos.Port) **qos.Map      { return &p.Queue }
func groupMap(p *qos.Port) **qos.Map      { return &p.Group }
func pauseQueueMap(p *qos.Port) **qos.Map { return &p.PauseQueue }
func pauseGroupMap(p *qos.Port) **qos.Map { return &p.PauseGroup }

// aMap reads a map. A number that it leaves out goes with itself. Where no number may come twice,
// those that are enabled have theirs, and the others what is left.
func (m *importer) aMap(t, name string, enabled sluice.ClassSet, once bool) qos.Map {
	made := qos.Same()
	for c := range sluice.Class(sluice.Classes) {
		to := 0
		if get(m.reader, t, name, strconv.Itoa(int(c)), parseClass, &to) {
			made[c] = sluice.Class(to)
		}
	}
	if once {
		m.permute(t, name, &made, enabled)
	}
	return made
}

// permute makes a map one in which no number comes twice.
func (m *importer) permute(t, name string, made *qos.Map, enabled sluice.ClassSet) {
	var taken, late sluice.ClassSet
	classes := []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}
	slices.SortStableFunc(classes, func(a, b sluice.Class) int { // the enabled ones first
		return int(enabled>>b&1) - int(enabled>>a&1)
	})
	for _, c := range classes {
		if !taken.Has(made[c]) {
			taken |= 1 << made[c]
			continue
		}
		if late |= 1 << c; enabled.Has(c) {
			m.fail(t, name, strconv.Itoa(int(c)), strconv.Itoa(int(made[c])),
				"must not be that of another priority of pfc_enable")
		}
	}
	for rest := late; rest != 0; rest &= rest - 1 {
		c := first(rest)
		if _, given := m.tables[t][name][strconv.Itoa(int(c))]; given {
			m.noteOnce(t, name, strconv.Itoa(int(c)), "not enabled, and another has the number")
		}
		made[c] = first(sluice.AllClasses &^ taken)
		taken |= 1 << made[c]
	}
}

func first(set sluice.ClassSet) sluice.Class {
	for c := range sluice.Class(sluice.Classes) {
		if set.Has(c) {
			return c
		}
	}
	return 0
}

// dscp reads the maps of code points.
func (m *importer) dscp() {
	const t = "DSCP_TO_TC_MAP"
	for _, name := range m.keys(t) {
		dscp := pfc.DSCPMap{}
		for key := range m.tables[t][name] {
			var class int
			at, err := strconv.Atoi(key)
			if err != nil || at < 0 || at > 63 {
				m.fail(t, name, key, key, "must be a code point, 0 to 63")
			} else if get(m.reader, t, name, key, parseClass, &class) {
				dscp[at] = sluice.Class(class)
			}
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

var errClass = errors.New("must be a class, 0 to 7")

func parseClass(s string) (int, error) {
	n, err := parseNumber(s, 7, errClass)
	return int(n), err
}
