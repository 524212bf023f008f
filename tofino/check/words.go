package check

import (
	"slices"
	"strings"
)

// carriers returns the data that become words of flow control, by action: those that an action
// writes to adv_flow_ctl, and those that go there through a field.
func (p *program) carriers() map[string]map[string]bool {
	made := map[string]map[string]bool{}
	for _, b := range p.controls {
		fields := map[string]bool{} // by their text: "md.base"
		for again := true; again; {
			again = false
			for _, a := range b.actions {
				for _, one := range assignments(a.body) {
					if !fields[one.to] && !one.word() {
						continue
					}
					for _, from := range one.from {
						if own(a.params, from) {
							name := b.name + "." + a.name
							if made[name] == nil {
								made[name] = map[string]bool{}
							}
							made[name][from] = true
						} else if !fields[from] {
							fields[from], again = true, true
						}
					}
				}
			}
		}
	}
	return made
}

// assignment is a statement: where to, and the fields and data that it reads.
type assignment struct {
	to   string
	from []string
}

// word reports whether an assignment sends a word of flow control.
func (a assignment) word() bool {
	return a.to == "ig_dprsr_md.adv_flow_ctl" || a.to == "eg_dprsr_md.adv_flow_ctl"
}

// assignments returns the assignments of a body.
func assignments(body []token) []assignment {
	var made []assignment
	for start := 0; start < len(body); {
		end := start
		for end < len(body) && body[end].text != ";" {
			end++
		}
		if one, is := assigned(body[start:end]); is {
			made = append(made, one)
		}
		start = end + 1
	}
	return made
}

// assigned reads an assignment, false if the statement is none.
func assigned(statement []token) (assignment, bool) {
	at := 0
	var one assignment
	for ; at < len(statement) && statement[at].text != "="; at++ {
		one.to += statement[at].text
	}
	if at == len(statement) {
		return one, false
	}
	for at++; at < len(statement); at++ {
		if statement[at].kind != 'i' {
			continue
		}
		name := statement[at].text
		for at+2 < len(statement) && statement[at+1].text == "." {
			name += "." + statement[at+2].text
			at += 2
		}
		if strings.HasSuffix(name, ".execute") {
			break // what a register says is no datum, and its index is none
		}
		one.from = append(one.from, name)
	}
	return one, true
}

func own(params []typed, name string) bool {
	return slices.ContainsFunc(params, func(one typed) bool { return one.name == name })
}

// The fields of a word.
const (
	wordFlag    = 1 << 31
	wordIgnored = 7 << 22
	wordCredit  = 1<<15 - 1
)

// holdWords notes what is wrong with words of flow control.
func holdWords(f *faults, p *program, c *chipState, entries []*entry) {
	carriers := p.carriers()
	said := map[queue]*entry{}
	for _, e := range entries {
		for _, datum := range e.data {
			if carriers[e.actionName][datum.name] && e.op != "delete" {
				c.word(f, e, datum, said)
			}
		}
	}
	for q, e := range c.xoff {
		if said[q] == nil && len(carriers) > 0 {
			f.add(e.file, e.offset, e.tableName, e.String(), "%v is in XOFF mode and no word names it", q)
		}
	}
}

// word checks one word.
func (c *chipState) word(f *faults, e *entry, datum member, said map[queue]*entry) {
	fault := func(rule string, values ...any) {
		f.add(e.file, e.offset, e.tableName, e.String(), datum.name+": "+rule, values...)
	}
	value := datum.value.number()
	if value == nil || value.BitLen() > 32 {
		return // its width was noted
	}
	word := value.Uint64()
	switch {
	case word&wordFlag == 0:
		fault("word 0x%08X: bit 31 must be set", word)
		return
	case word&wordIgnored != 0:
		fault("word 0x%08X: bits 24:22 must be 0", word)
	case word&wordCredit > 1:
		fault("word 0x%08X: credit %d: a queue in XOFF mode knows 0 and 1", word, word&wordCredit)
	}
	q := queue{int(word >> 29 & 3), int(word >> 25 & 15), int(word >> 15 & 127)}
	at, carved := c.portOf(q)
	switch {
	case q.group >= groups:
		fault("word 0x%08X: port group %d: must be 0 to %d", word, q.group, groups-1)
		return
	case !carved:
		fault("word 0x%08X: no port has %v by the carving", word, q)
		return
	}
	if other := said[q]; other != nil && other.tableName == e.tableName {
		fault("word 0x%08X is that of the entry at octet %d", word, other.offset)
	}
	said[q] = e
	c.target(fault, e, word, q, at)
}

// target checks the queue that a word names.
func (c *chipState) target(fault func(string, ...any), e *entry, word uint64, q queue, at owned) {
	for _, key := range e.table.keys {
		value := e.values[key.name].value
		if value == nil || key.match != "Exact" {
			continue
		}
		if want := int(value.Int64()); key.width == 9 && want != at.port {
			fault("word 0x%08X is of dev_port %d, key %s says %d", word, at.port, key.name, want)
		} else if key.name == "qid" && want != at.qid {
			fault("word 0x%08X is of queue %d, key %s says %d", word, at.qid, key.name, want)
		}
	}
	if len(c.ports) > 0 && !c.ports[at.port] {
		fault("word 0x%08X: dev_port %d is not among the ports", word, at.port)
	}
	if c.xoff[q] == nil {
		fault("word 0x%08X: %v is not in XOFF mode", word, q)
	}
	if !c.acting[q.pipe] {
		fault("word 0x%08X: advanced_flow_control_enable of pipe %d is not set", word, q.pipe)
	}
	if c.signals[q] {
		fault("word 0x%08X: %v is for signals, of priority 7: it must never be held", word, q)
	}
}
