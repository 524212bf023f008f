package p4

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// state is a state of a parser as it is written: what it does in order, and where it goes on.
type state struct {
	does  []does
	sel   ir.Expr
	cases []way
	other string // without a match, or without a select
	made  *ir.State
	last  *ir.State // where sel belongs: made, or one behind it
}

// does is one thing that a state does: it takes a header, or passes over octets.
type does struct {
	header *ir.Header
	skip   int
}

type way struct {
	value, mask ir.Value
	next        string
}

// parser reads the parser of ingress or egress.
func (r *reader) parser() {
	r.want("parser")
	r.enter()
	r.failIf(!strings.HasSuffix(r.part, "Parser"), "%s is no parser", r.part)
	states, zeros := map[string]*state{}, map[*ir.Field]bool{}
	var order []string
	r.block(func() {
		r.annotations()
		r.want("state")
		name := r.name()
		r.failIf(states[name] != nil, "state %s is declared twice", name)
		order = append(order, name)
		states[name] = r.state(name == "start", zeros)
	})
	start := states["start"]
	r.failIf(start == nil, "has no state start")
	for _, field := range r.made.Metadata[r.gress] {
		r.failIf(!zeros[field] && !r.zeroed[r.scope.kind], "metadata %s must be 0 to begin with: "+
			"assign it in start, or give %s the annotation @%s", field.Name, r.scope.kind, autoInit)
	}
	for _, name := range order {
		states[name].made, states[name].last = states[name].skeleton(strings.TrimPrefix(name, "parse_"))
	}
	for _, name := range order {
		r.link(states[name], states)
	}
	if first := start.made; len(start.does) > 0 || start.sel != nil {
		r.made.Parse[r.gress] = first
	} else {
		r.made.Parse[r.gress] = first.Default
		r.failIf(first.Refuse, "start refuses every packet")
	}
}

// state reads what a state does. The state that begins takes the intrinsic metadata and gives
// metadata its zeros.
func (r *reader) state(first bool, zeros map[*ir.Field]bool) *state {
	s := &state{}
	r.want("{")
	for !r.take("transition") {
		path := r.path()
		switch {
		case path == r.pkt+".extract":
			r.want("(")
			of := r.path()
			header := r.valid[of]
			r.failIf(header == nil && (!first || len(s.does) > 0 || !r.isIntrinsic(of)),
				"%s is no header that a state may take", of)
			if r.want(")", ";"); header != nil {
				s.does = append(s.does, does{header: header})
			}
		case path == r.pkt+".advance":
			r.want("(")
			if r.take("PORT_METADATA_SIZE") {
				r.failIf(!first || len(s.does) > 0, "port metadata is in front of the packet")
			} else {
				bits := r.number(r.expression())
				r.failIf(bits < 8 || bits%8 != 0 || bits > 1<<16, "%d bits are no whole octets", bits)
				s.does = append(s.does, does{skip: int(bits / 8)})
			}
			r.want(")", ";")
		default:
			field := r.fields[path]
			r.failIf(field == nil || !first, "%s: a parser assigns only zeros to metadata, in start", path)
			r.want("=")
			r.failIf(r.number(r.expression()) != 0, "metadata begins with 0")
			r.want(";")
			zeros[field] = true
		}
	}
	r.transition(s)
	r.want("}")
	return s
}

func (r *reader) isIntrinsic(name string) bool {
	for _, field := range []string{name + ".ingress_port", name + ".egress_port"} {
		if r.fields[field] != nil {
			return true
		}
	}
	return false
}

func (r *reader) transition(s *state) {
	if !r.take("select") {
		s.other = r.name()
		r.want(";")
		return
	}
	r.want("(")
	s.sel = r.typed(r.expression())
	r.want(")")
	bits := s.sel.Width()
	r.block(func() {
		r.failIf(s.other != "", "stands behind default")
		if r.take("default") || r.take("_") {
			r.want(":")
			s.other = r.name()
			r.want(";")
			return
		}
		one := way{value: r.fixed(bits), mask: ir.Mask(bits)}
		if r.take("&&&") {
			one.mask = r.fixed(bits)
		}
		r.want(":")
		one.next = r.name()
		r.want(";")
		s.cases = append(s.cases, one)
	})
	r.failIf(s.other == "", "has no default: say reject")
	r.take(";")
}

// fixed reads a constant of a certain width.
func (r *reader) fixed(bits int) ir.Value {
	constant, is := r.sizedTo(r.expression(), bits).(ir.Const)
	r.failIf(!is, "must be a constant")
	return constant.Value
}

// skeleton makes the states of a state without where they go: a state takes headers, then passes
// over octets, so that other orders take several.
func (s *state) skeleton(name string) (first, last *ir.State) {
	first = &ir.State{Name: name}
	last = first
	for _, one := range s.does {
		if one.header != nil && last.Skip > 0 {
			next := &ir.State{Name: name}
			last.Default, last = next, next
		}
		if one.header != nil {
			last.Extract = append(last.Extract, one.header)
		}
		last.Skip += one.skip
	}
	return first, last
}

// link leads a state to the next states.
func (r *reader) link(s *state, states map[string]*state) {
	target := func(name string) (next *ir.State, refuse bool) {
		if name == "accept" || name == "reject" {
			return nil, name == "reject"
		}
		r.failIf(states[name] == nil, "%s has no state %s", r.part, name)
		return states[name].made, false
	}
	s.last.Select = s.sel
	s.last.Default, s.last.Refuse = target(s.other)
	for _, one := range s.cases {
		next, refuse := target(one.next)
		if refuse {
			next = &ir.State{Name: "refused", Refuse: true}
		}
		s.last.Cases = append(s.last.Cases, ir.Case{Value: one.value, Mask: one.mask, Next: next})
	}
}
