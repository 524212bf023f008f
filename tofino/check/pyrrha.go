package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// holdCopies checks the groups by which a thread becomes a copy for each port or queue: all copies
// of a group go round by one port, and have the numbers from 1 in their order. Without a copy no
// thread visits its port, and without the last copy a loop does not end.
func (s *state) holdCopies() {
	rounds := map[int]bool{}
	for _, e := range s.of["tf2.pktgen.port_cfg"] {
		rounds[e.keyed("dev_port")] = true
	}
	for _, e := range s.of["$pre.mgid"] {
		s.holdGroup(e, rounds)
	}
}

// holdGroup checks one group, if its copies go round.
func (s *state) holdGroup(e *entry, rounds map[int]bool) {
	port := -1
	for before, n := range e.listed("$MULTICAST_NODE_ID") {
		var ports []int
		node, want := s.nodes[n], before+1
		if node != nil {
			ports = node.listed("$DEV_PORT")
		}
		if len(ports) != 1 || ports[0]&0x7F != roundPort {
			if before > 0 {
				e.fault("node %d goes to a front port, others of the group go round", n)
			}
			return
		}
		if at := ports[0]; port >= 0 && at != port {
			e.fault("node %d goes round by port %d, others by %d: registers are of one pipe", n, at, port)
		} else {
			port = at
		}
		if id := node.says("$MULTICAST_RID"); id != want {
			e.fault("node %d is copy %d where copy %d must be: copies are numbered from 1, in order", n,
				id, want)
			return
		}
	}
	if port >= 0 && !rounds[port] {
		e.fault("its copies are for port %d, by which nothing goes round", port)
	}
}

// holdStacks checks stacks of free numbers, which are two registers: NAME_top and NAME_id, with a
// segment of the second for each element of the first. A program would hand out a duplicate number
// twice and a missing number never; a stack must be the same in all pipes.
func (s *state) holdStacks() {
	segments := map[string][]*entry{} // by register and segment
	for _, e := range s.entries {
		name, is := strings.CutSuffix(e.tableName, "_id")
		tops := s.own.byName[name+"_top"]
		if !is || tops == nil || len(e.data) == 0 {
			continue
		}
		if e.pipe != allPipes {
			e.fault("a stack of pipe %d: other pipes begin with another", e.pipe)
		}
		length := e.table.size / max(tops.size, 1)
		segment := fmt.Sprintf("%s %d", e.tableName, e.keyed(indexKey)/max(length, 1))
		segments[segment] = append(segments[segment], e)
	}
	for _, all := range segments {
		seen := map[int]*entry{}
		for _, e := range all {
			number := e.data[0].value.whole()
			if other := seen[number]; other != nil {
				e.fault("the entry at octet %d has the number %d too: it would be given twice",
					other.offset, number)
			}
			seen[number] = e
		}
		slices.SortFunc(all, func(a, b *entry) int {
			return cmp.Compare(a.keyed(indexKey), b.keyed(indexKey))
		})
		for at, e := range all[1:] {
			if before := all[at].keyed(indexKey); e.keyed(indexKey) != before+1 {
				e.fault("nothing at place %d of the stack", before+1)
			}
		}
	}
}

// holdRoots checks the numbers of congestion roots: each is the number of one port, within the
// register of its distance, which the set beside it has alone. A MERGE's old root has the same
// number as the port has as a new root.
func (s *state) holdRoots() {
	ports, numbers := map[string]string{}, map[string]*entry{}
	for _, e := range s.of["pipe.Ingress.root_number"] {
		level, number := e.says("to_level"), e.says("to_number")
		key := fmt.Sprintf("%d at distance %d", number, level)
		if other := numbers[key]; other != nil {
			e.fault("the entry at octet %d has the number %s too", other.offset, key)
		}
		numbers[key] = e
		ports[rootOf(e, "root")] = key
		if set := e.says("to_level_set"); set != 1<<level {
			e.fault("the set of distance %d is %d: threads would be about other levels", level, set)
		}
		if roots := s.own.byName[fmt.Sprint("pipe.Ingress.roots", level)]; level > 0 &&
			(roots == nil || number >= roots.size) {
			e.fault("number %s: no register has it", key)
		}
	}
	const old = "pipe.Ingress.old_number"
	for _, e := range s.of[old] {
		key := fmt.Sprintf("%d at distance %d", e.says("to_old_number"), e.says("to_old_level"))
		if want := cmp.Or(ports[rootOf(e, "old")], "nothing"); want != key {
			e.fault("number %s: root_number says %s", key, want)
		}
		delete(ports, rootOf(e, "old"))
	}
	for port := range ports {
		s.add(entriesFile, 0, old, port, "is missing: root_number has it")
	}
}

func rootOf(e *entry, name string) string {
	return fmt.Sprintf("%d:%d", e.keyed(name+"_switch"), e.keyed(name+"_port"))
}

// holdLimits checks pairs of thresholds: the threshold to resume is not above the threshold to
// pause, nor above the cells up to which the program looks for upstreams to resume.
func (s *state) holdLimits() {
	for _, e := range s.entries {
		if named(e.data, "to_beyond") == nil || named(e.data, "to_resume") == nil ||
			named(e.data, "to_most") == nil {
			continue
		}
		switch low, beyond, most := e.says("to_resume"), e.says("to_beyond"), e.says("to_most"); {
		case low > beyond:
			e.fault("resumes below %d cells and pauses from %d: between the two it would do both", low,
				beyond)
		case low > most:
			e.fault("resumes below %d cells, but the program looks for upstreams to resume only up to %d",
				low, most)
		}
	}
}

// holdPorts checks that the tables which number the switch's ports agree: for packets that come in,
// for packets that go out, and for frames that are sent back.
func (s *state) holdPorts() {
	numbers := map[int]int{} // by dev_port
	for _, e := range s.of["pipe.Ingress.port_in"] {
		if named(e.data, "to_port") != nil {
			numbers[e.keyed("port")] = e.says("to_port")
		}
	}
	differs := func(e *entry, port, number int) {
		if want, known := numbers[port]; len(numbers) > 0 && (!known || want != number) {
			e.fault("dev_port %d is number %d, port_in says otherwise", port, number)
		}
	}
	for _, e := range s.of["pipe.Ingress.peers"] {
		if named(e.data, "to_back") != nil {
			differs(e, e.says("to_back"), e.keyed("index"))
		}
	}
	for _, e := range s.of["pipe.Ingress.port_out"] {
		if named(e.data, "to_egress") != nil {
			differs(e, e.keyed("port"), e.says("to_egress"))
		}
	}
}
