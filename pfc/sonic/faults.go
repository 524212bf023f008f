package sonic

import (
	"slices"
	"strconv"
	"strings"
)

// Faults lists the errors of the tables themselves, for any chip: keys that come twice in the text,
// or that overlap, so that nothing decides which counts; names that no entry has; a threshold of
// another kind than the mode of the pool; more than one table of cables. Import reads on where it
// can, and returns its result in [Switch] beside the same faults.
func (db *DB) Faults() []Note {
	f := &faults{reader: newReader(db)}
	if f.err != nil {
		return nil // there are no tables yet
	}
	f.twice(db.tables, nil)
	if cables := f.keys("CABLE_LENGTH"); len(cables) > 1 {
		f.note("CABLE_LENGTH", cables[1], "", "a second table of cables: SONiC reads one")
	}
	for _, of := range numbered {
		f.overlaps(of.table, of.field)
	}
	for _, of := range references {
		f.dangling(of)
	}
	f.strangers()
	f.thresholds()
	return grouped(f.left)
}

type faults struct{ *reader }

// numbered are the tables whose keys are of ports and numbers, with each field.
var numbered = []struct{ table, field string }{
	{"BUFFER_PG", "profile"}, {"BUFFER_QUEUE", "profile"}, {"QUEUE", "wred_profile"},
	{"QUEUE", "scheduler"},
}

// reference is a field that names entries of another table.
type referenceField struct{ table, field, to string }

var references = []referenceField{
	{"BUFFER_PG", "profile", "BUFFER_PROFILE"}, {"BUFFER_QUEUE", "profile", "BUFFER_PROFILE"},
	{"BUFFER_PORT_INGRESS_PROFILE_LIST", "profile_list", "BUFFER_PROFILE"},
	{"BUFFER_PORT_EGRESS_PROFILE_LIST", "profile_list", "BUFFER_PROFILE"},
	{"BUFFER_PROFILE", "pool", "BUFFER_POOL"},
	{"QUEUE", "wred_profile", "WRED_PROFILE"}, {"QUEUE", "scheduler", "SCHEDULER"},
	{"PORT_QOS_MAP", "scheduler", "SCHEDULER"},
	{"PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"},
	{"PORT_QOS_MAP", "dot1p_to_tc_map", "DOT1P_TO_TC_MAP"},
	{"PORT_QOS_MAP", "tc_to_queue_map", "TC_TO_QUEUE_MAP"},
	{"PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"},
	{"PORT_QOS_MAP", "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"},
	{"PORT_QOS_MAP", "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"},
}

// twice notes the keys that an object has more than once, also in objects within.
func (f *faults) twice(o *object, path []string) {
	for _, key := range o.twice {
		place := append(slices.Clone(path), key, "", "")
		f.note(place[0], place[1], place[2], "comes twice: the last counts")
	}
	if len(path) > 2 {
		return
	}
	for _, m := range o.members {
		if m.object != nil {
			f.twice(m.object, append(slices.Clone(path), m.key))
		}
	}
}

// overlaps notes keys of which another one has a port's number too.
func (f *faults) overlaps(table, field string) {
	first := map[[2]string]string{}
	for _, key := range f.keys(table) {
		k, ok := parseKey(key)
		if _, has := f.tables[table][key][field]; !ok || !has {
			continue
		}
		for n := range k.each {
			slot := [2]string{k.system + n.port, strconv.Itoa(n.number)}
			if other, is := first[slot]; is {
				f.note(table, key, field, "overlaps "+other+": nothing decides which counts")
				break
			}
			first[slot] = key
		}
	}
}

// dangling notes names that no entry has.
func (f *faults) dangling(of referenceField) {
	for _, key := range f.keys(of.table) {
		list, has := f.tables[of.table][key][of.field]
		if !has || list == "" {
			continue
		}
		for name := range strings.SplitSeq(list, ",") {
			if name = reference(name); !f.has(of, name) {
				f.note(of.table, key, of.field, "no entry of "+of.to+" has the name "+name)
			}
		}
	}
}

func (f *faults) has(of referenceField, name string) bool {
	t := f.db.tables.get(of.to)
	switch {
	case t.get(name) != nil:
		return true
	case of.to == "BUFFER_PROFILE" && name == "NULL":
		return f.tables["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
	case of.table == "BUFFER_PG" && isGenerated(name):
		return len(f.db.lookup) > 0
	}
	return false
}

// strangers notes keys of ports that PORT does not have.
func (f *faults) strangers() {
	for _, of := range []struct {
		table string
		ports func(string) []string
	}{
		{"BUFFER_PG", ownPorts}, {"BUFFER_QUEUE", ownPorts}, {"QUEUE", ownPorts},
		{"BUFFER_PORT_INGRESS_PROFILE_LIST", parsePorts},
		{"BUFFER_PORT_EGRESS_PROFILE_LIST", parsePorts}, {"PORT_QOS_MAP", parsePorts},
		{"PFC_WD", parsePorts},
	} {
		for _, key := range f.keys(of.table) {
			for _, port := range of.ports(key) {
				global := of.table == "PORT_QOS_MAP" && port == "global" ||
					of.table == "PFC_WD" && port == "GLOBAL"
				if f.tables["PORT"][port] == nil && !global {
					f.note(of.table, key, "", "of no port of PORT")
				}
			}
		}
	}
}

// ownPorts returns the ports of a key of ports and numbers that names no system.
func ownPorts(key string) []string {
	if k, ok := parseKey(key); ok && k.system == "" {
		return k.ports
	}
	return nil
}

// thresholds notes profiles whose threshold is of another kind than the mode of their pool.
func (f *faults) thresholds() {
	for _, name := range f.keys("BUFFER_PROFILE") {
		p := f.tables["BUFFER_PROFILE"][name]
		mode := f.tables["BUFFER_POOL"][reference(p["pool"])]["mode"]
		for kind, other := range map[string]string{"static": "dynamic", "dynamic": "static"} {
			if _, has := p[other+"_th"]; has && mode == kind {
				f.note("BUFFER_PROFILE", name, other+"_th", "in a pool whose mode is "+kind)
			}
		}
	}
}
