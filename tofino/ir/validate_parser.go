package ir

import "slices"

// parser checks the parser of ingress or egress: no loop, no header twice on a way, no selection by
// a field that has not been extracted, no header that is not the program's.
func (c *checker) parser(gress Gress) {
	if start := c.program.Parse[gress]; start != nil {
		c.state(start, gress, map[*State]bool{}, map[*Header]bool{})
	}
}

// state checks a state and the states after it, given the states and headers on the way.
func (c *checker) state(s *State, gress Gress, way map[*State]bool, extracted map[*Header]bool) {
	where := gress.String() + " parser, state " + s.Name
	c.fault(!identifier(s.Name), where, "its name must be an identifier")
	if way[s] {
		c.fault(true, where, "comes again on a way through the parser")
		return
	}
	way[s] = true
	defer delete(way, s)
	for _, header := range s.Extract {
		c.fault(!slices.Contains(c.program.Headers, header), where,
			"extracts a header that is not the program's")
		c.fault(extracted[header], where, "extracts header %s twice", header.Name)
		if !extracted[header] {
			extracted[header] = true
			defer delete(extracted, header)
		}
	}
	c.fault(s.Skip < 0, where, "skips %d octets: must be 0 or more", s.Skip)
	if s.Select != nil {
		c.selects(s, gress, where, extracted)
	}
	c.fault(s.Select == nil && len(s.Cases) > 0, where, "has cases and nothing to select by")
	for _, next := range s.next() {
		c.state(next, gress, way, extracted)
	}
}

// selects checks what a state selects by.
func (c *checker) selects(s *State, gress Gress, where string, extracted map[*Header]bool) {
	x := s.Select
	if slice, is := x.(Slice); is {
		x = slice.X
	}
	switch x := x.(type) {
	case Peek:
		c.fault(x < 1 || x > 32, where, "looks at %d bits: must be 1 to 32", int(x))
	case *Field:
		at := c.fields[x]
		c.expression(s.Select, scope{where: where, gress: gress, bound: true})
		c.fault(!extracted[at.header] && !at.given, where,
			"selects by %s, which no header on the way has", x.Name)
	default:
		c.fault(true, where, "selects by what is no field nor slice of one")
	}
	for _, one := range s.Cases {
		c.fault(!one.Value.Fits(s.Select.Width()) || !one.Mask.Fits(s.Select.Width()), where,
			"case %v has more than %d bits", one.Value, s.Select.Width())
		c.fault(one.Value != one.Value.and(one.Mask), where, "case %v has ones outside its mask",
			one.Value)
	}
}

func (c *checker) mirrors() {
	type key struct {
		gress Gress
		kind  uint64
	}
	seen := map[key]bool{}
	for _, m := range c.program.Mirrors {
		where := "mirror of " + m.Gress.String()
		c.fault(m.Gress != Ingress && m.Gress != Egress, where, "only ingress and egress have mirrors")
		c.fault(m.Type < 1 || m.Type > 15, where, "type %d: must be 1 to 15", m.Type)
		c.fault(seen[key{m.Gress, m.Type}], where, "type %d twice", m.Type)
		seen[key{m.Gress, m.Type}] = true
		if m.Session == nil {
			c.fault(true, where, "type %d names no session", m.Type)
			continue
		}
		c.fault(m.Session.Bits != 8, where, "session %s has %d bits: must be 8", m.Session.Name,
			m.Session.Bits)
		c.named(m.Session, scope{where: where, gress: m.Gress, bound: true})
		if m.Before != nil {
			c.header(m.Before, where)
		}
	}
}
