package check

import (
	"fmt"
	"sort"
	"strings"
)

// Pieces of names of the chip: ports by which packets go round have this number in their pipe.
const roundPort = 6

// copyOf is an entry of $pre.node: a copy that a multicast group makes.
type copyOf struct {
	entry *entry
	id    int
	ports []*node
}

// holdCopies checks the groups by which a thread becomes a copy for each port or queue: all of them
// go round by one port, and have the numbers from 1 in their order. One that is missing is a port
// that nobody looks at, and without the last a loop does not end.
func holdCopies(f *faults, entries []*entry) {
	nodes, rounds := map[int]copyOf{}, map[int]bool{}
	for _, e := range entries {
		switch e.tableName {
		case "$pre.node":
			nodes[e.keyed("$MULTICAST_NODE_ID")] = copyOf{e, named(e.data, "$MULTICAST_RID").whole(),
				list(named(e.data, "$DEV_PORT"))}
		case "tf2.pktgen.port_cfg":
			rounds[e.keyed("dev_port")] = true
		}
	}
	for _, e := range entries {
		if e.tableName == "$pre.mgid" {
			holdGroup(f, e, nodes, rounds)
		}
	}
}

// holdGroup checks one group, if its copies go round.
func holdGroup(f *faults, e *entry, nodes map[int]copyOf, rounds map[int]bool) {
	fault := func(rule string, values ...any) {
		f.add(e.file, e.offset, e.tableName, e.String(), rule, values...)
	}
	want, port := 1, -1
	for _, n := range list(named(e.data, "$MULTICAST_NODE_ID")) {
		made, known := nodes[n.whole()]
		if !known || len(made.ports) != 1 || made.ports[0].whole()&0x7F != roundPort {
			if want > 1 {
				fault("node %d goes to a front port, others of the group go round", n.whole())
			}
			return
		}
		if at := made.ports[0].whole(); port >= 0 && at != port {
			fault("node %d goes round by port %d, others by %d: registers are of one pipe", n.whole(), at,
				port)
		} else {
			port = at
		}
		if made.id != want {
			fault("node %d is copy %d where copy %d must be: copies are numbered from 1, in order",
				n.whole(), made.id, want)
			return
		}
		want++
	}
	if port >= 0 && !rounds[port] {
		fault("its copies are for port %d, by which nothing goes round", port)
	}
}

// holdStacks checks stacks of free numbers, which are two registers: NAME_top and NAME_id, with a
// segment of the second for each element of the first. A number that is there twice is given to
// two; one place without is a number that nobody gets; and one pipe's stack is no other's.
func holdStacks(f *faults, own *schema, entries []*entry) {
	seen := map[string]map[int]*entry{} // by register and segment: by number
	places := map[string][]*entry{}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.tableName, "_id")
		tops := own.byName[name+"_top"]
		if !is || tops == nil || len(e.data) == 0 {
			continue
		}
		fault := func(rule string, values ...any) {
			f.add(e.file, e.offset, e.tableName, e.String(), rule, values...)
		}
		if e.pipe != allPipes {
			fault("a stack of pipe %d: other pipes begin with another", e.pipe)
		}
		length := e.table.size / max(tops.size, 1)
		at := e.keyed("$REGISTER_INDEX")
		segment := fmt.Sprintf("%s %d", e.tableName, at/max(length, 1))
		number := e.data[0].value.whole()
		if seen[segment] == nil {
			seen[segment] = map[int]*entry{}
		}
		if other := seen[segment][number]; other != nil {
			fault("number %d is also that of the entry at octet %d: two would have it", number, other.offset)
		}
		seen[segment][number] = e
		places[segment] = append(places[segment], e)
	}
	for _, all := range places {
		sort.Slice(all, func(a, b int) bool {
			return all[a].keyed("$REGISTER_INDEX") < all[b].keyed("$REGISTER_INDEX")
		})
		for at := 1; at < len(all); at++ {
			before, here := all[at-1].keyed("$REGISTER_INDEX"), all[at].keyed("$REGISTER_INDEX")
			if here != before+1 {
				f.add(all[at].file, all[at].offset, all[at].tableName, all[at].String(),
					"nothing at place %d of the stack", before+1)
			}
		}
	}
}

// holdRoots checks the numbers of congestion roots: each is one port's, within the register of its
// distance, and the same for a MERGE's old root as for a new one.
func holdRoots(f *faults, own *schema, entries []*entry) {
	ports, numbers := map[string]string{}, map[string]*entry{}
	for _, e := range entries {
		if e.tableName != "pipe.Ingress.root_number" {
			continue
		}
		level, number := named(e.data, "to_level").whole(), named(e.data, "to_number").whole()
		key := fmt.Sprintf("%d at distance %d", number, level)
		if other := numbers[key]; other != nil {
			f.add(e.file, e.offset, e.tableName, e.String(), "number %s is also that of the "+
				"entry at octet %d", key, other.offset)
		}
		numbers[key] = e
		ports[rootOf(e, "root")] = key
		if roots := own.byName[fmt.Sprint("pipe.Ingress.roots", level)]; level > 0 &&
			(roots == nil || number >= roots.size) {
			f.add(e.file, e.offset, e.tableName, e.String(), "number %s: no register has it", key)
		}
	}
	for _, e := range entries {
		if e.tableName != "pipe.Ingress.old_number" {
			continue
		}
		key := fmt.Sprintf("%d at distance %d", named(e.data, "to_old_number").whole(),
			named(e.data, "to_old_level").whole())
		if want, known := ports[rootOf(e, "old")]; !known || want != key {
			f.add(e.file, e.offset, e.tableName, e.String(), "number %s: root_number says %s", key,
				orNothing(want))
		}
		delete(ports, rootOf(e, "old"))
	}
	for port := range ports {
		if len(numbers) > 0 {
			f.add("entries.json", 0, "pipe.Ingress.old_number", port, "is missing: root_number has it")
		}
	}
}

// rootOf names the port of an entry.
func rootOf(e *entry, name string) string {
	return fmt.Sprintf("%d:%d", e.keyed(name+"_switch"), e.keyed(name+"_port"))
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// holdLimits checks pairs of thresholds: what resumes is not above what pauses, and not above the
// most by which a port is looked at.
func holdLimits(f *faults, entries []*entry) {
	for _, e := range entries {
		beyond, resume, most := named(e.data, "to_beyond"), named(e.data, "to_resume"),
			named(e.data, "to_most")
		if beyond == nil || resume == nil || most == nil {
			continue
		}
		switch low := resume.whole(); {
		case low > beyond.whole():
			f.add(e.file, e.offset, e.tableName, e.String(), "resumes below %d cells and pauses from %d: "+
				"between the two it would do both", low, beyond.whole())
		case low > most.whole():
			f.add(e.file, e.offset, e.tableName, e.String(), "resumes below %d cells, and nobody looks "+
				"at it above %d", low, most.whole())
		}
	}
}

// holdPorts checks that tables which number the switch's ports agree: by which port what comes in,
// what goes out, and what is sent back.
func holdPorts(f *faults, entries []*entry) {
	numbers := map[int]int{} // by dev_port
	for _, e := range entries {
		if e.tableName == "pipe.Ingress.port_in" {
			if number := named(e.data, "to_port"); number != nil {
				numbers[e.keyed("port")] = number.whole()
			}
		}
	}
	differs := func(e *entry, port, number int) {
		if want, known := numbers[port]; len(numbers) > 0 && (!known || want != number) {
			f.add(e.file, e.offset, e.tableName, e.String(), "dev_port %d is number %d, port_in says "+
				"otherwise", port, number)
		}
	}
	for _, e := range entries {
		switch e.tableName {
		case "pipe.Ingress.peers":
			if back := named(e.data, "to_back"); back != nil {
				differs(e, back.whole(), e.keyed("index"))
			}
		case "pipe.Ingress.port_out":
			if number := named(e.data, "to_egress"); number != nil {
				differs(e, e.keyed("port"), number.whole())
			}
		}
	}
}
