package check

import "strings"

// holdGhost notes what is wrong with the tables of the ghost thread that have pipe and queue as
// keys and give an index.
func (s *state) holdGhost() {
	indexes := s.program.indexes()
	taken := map[string]*entry{}
	for _, e := range s.entries {
		q := queue{e.keyed("pipe_id"), e.keyed("qid") >> 7, e.keyed("qid") & 127}
		if !strings.HasPrefix(e.tableName, "pipe.Ghost.") || e.op == "default" || e.op == "delete" ||
			q.pipe < 0 || q.group < 0 { // the table has other keys
			continue
		}
		if _, carved := s.chip.portOf(q); !carved {
			e.fault("no port has %v by the carving", q)
			continue
		}
		if !s.chip.reports[q] {
			e.fault("%v does not report its depth: depth_report_enable", q)
		}
		if !s.chip.anyChange[q.pipe] {
			e.fault("pipe %d does not report any change: queue_depth_report_mode", q.pipe)
		}
		for _, datum := range e.data {
			register, is := indexes[e.actionName][datum.name]
			if !is {
				continue
			}
			index := spoken(datum.value)
			place := register + "[" + index + "]"
			if other := taken[place]; other != nil {
				e.fault("the entry at octet %d has the same %s %s", other.offset, datum.name, index)
			}
			taken[place] = e
			if of := s.own.byName["pipe."+register]; of != nil && datum.value.whole() >= of.size {
				e.fault("%s %s: register %s has %d elements", datum.name, index, register, of.size)
			}
		}
	}
}
