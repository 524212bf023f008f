package check

import (
	"fmt"
)

// The fields of a word.
const (
	wordFlag    = 1 << 31
	wordIgnored = 7 << 22
	wordCredit  = 1<<15 - 1
)

// wordQueue returns the queue that a word names.
func wordQueue(word uint64) queue {
	return queue{int(word >> 29 & 3), int(word >> 25 & 15), int(word >> 15 & 127)}
}

// holdWords notes what is wrong with words of flow control.
func (s *state) holdWords() {
	carriers := s.program.carriers()
	said := map[queue]*entry{}
	for _, e := range s.entries {
		for _, datum := range e.data {
			if carriers[e.actionName][datum.name] && e.op != "delete" {
				s.chip.word(e, datum, said)
			}
		}
	}
	for q, e := range s.chip.xoff {
		if said[q] == nil && len(carriers) > 0 {
			e.fault("%v is in XOFF mode and no word names it", q)
		}
	}
}

// word checks one word, and the queue that it names.
func (c *chipState) word(e *entry, datum member, said map[queue]*entry) {
	value := datum.value.number()
	if value == nil || value.BitLen() > 32 {
		return // its width was noted
	}
	word := value.Uint64()
	fault := func(rule string, values ...any) {
		e.fault("%s: word 0x%08X%s", datum.name, word, fmt.Sprintf(rule, values...))
	}
	switch {
	case word&wordFlag == 0:
		fault(": bit 31 must be set")
		return
	case word&wordIgnored != 0:
		fault(": bits 24:22 must be 0")
	case word&wordCredit > 1:
		fault(": credit %d: a queue in XOFF mode knows 0 and 1", word&wordCredit)
	}
	q := wordQueue(word)
	at, carved := c.portOf(q)
	switch {
	case q.group >= groups:
		fault(": port group %d: must be 0 to %d", q.group, groups-1)
		return
	case !carved:
		fault(": no port has %v by the carving", q)
		return
	}
	if other := said[q]; other != nil && other.tableName == e.tableName {
		fault(": the entry at octet %d has it too", other.offset)
	}
	said[q] = e
	for _, key := range e.table.keys {
		value := e.values[key.name].value
		if value == nil || key.match != "Exact" {
			continue
		}
		if want := int(value.Int64()); key.width == 9 && want != at.port {
			fault(" is of dev_port %d, key %s says %d", at.port, key.name, want)
		} else if key.name == "qid" && want != at.qid {
			fault(" is of queue %d, key %s says %d", at.qid, key.name, want)
		}
	}
	if len(c.ports) > 0 && !c.ports[at.port] {
		fault(": dev_port %d is not among the ports", at.port)
	}
	if c.xoff[q] == nil {
		fault(": %v is not in XOFF mode", q)
	}
	if !c.acting[q.pipe] {
		fault(": advanced_flow_control_enable of pipe %d is not set", q.pipe)
	}
	if c.signals[q] {
		fault(": %v is for signals, of priority 7: it must never be held", q)
	}
}
