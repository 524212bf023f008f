package lang

import "github.com/sluicefc/sluice/tofino/ir"

// state reads a state of a parser.
func (r *reader) state() {
	s := &ir.State{Name: r.word()}
	known := s.Name
	switch {
	case r.take("zeros"):
		s = r.zeros()
	case r.peek().text == "(":
		r.list("(", ")", func() { s.Extract = append(s.Extract, r.header()) })
	}
	if r.take("select") {
		s.Select = r.typed(r.postfix())
		r.list("{", "}", func() {
			way := ir.Case{Value: ir.Uint(uint64(r.constant())), Mask: ir.Mask(s.Select.Width())}
			if r.take("mask") {
				way.Mask = ir.Uint(uint64(r.constant()))
			}
			r.want(":")
			way.Next = r.target()
			s.Cases = append(s.Cases, way)
		})
	}
	if r.take("then") || r.take("else") {
		if s.Refuse = r.take("reject"); !s.Refuse {
			s.Default = r.target()
		}
	}
	r.states[known] = s
}

// target returns the state that the next word names, nil for accept.
func (r *reader) target() *ir.State {
	if r.take("accept") {
		return nil
	}
	return among(r, r.states, "state")
}

// zeros makes states that pass over the octets of headers, four at most at a time, and refuse a
// packet that has other octets there than zeros.
func (r *reader) zeros() *ir.State {
	octets, next := 0, &ir.State{Name: "padded"}
	r.list("(", ")", func() { octets += r.header().Octets() })
	if r.take("then") {
		next = r.target()
	}
	for octets > 0 {
		chunk := min(octets, 4)
		octets -= chunk
		after := &ir.State{Name: "behind_zeros", Default: next}
		if len(next.Extract) == 0 {
			twin := *next
			after = &twin
		}
		after.Skip += chunk
		next = &ir.State{Name: "zeros", Select: ir.Peek(8 * chunk), Refuse: true,
			Cases: []ir.Case{{Mask: ir.Mask(8 * chunk), Next: after}}}
	}
	return next
}
