package ir

import "slices"

// scope is the place where an expression stands: it decides what the expression may name.
type scope struct {
	where  string
	gress  Gress
	bound  bool // the gress is known: actions are checked again where controls use them
	params []*Param
	test   bool // the place of a condition: comparisons and headers may be asked
}

// expression checks an expression and all expressions in it. It reports whether none is missing:
// otherwise the expression has no width.
func (c *checker) expression(x Expr, s scope) bool {
	if x == nil {
		c.fault(true, s.where, "an expression is missing")
		return false
	}
	inner, whole := s, true
	if _, hash := x.(Hash); hash {
		inner.test = false
	}
	for _, part := range x.operands() {
		whole = c.expression(part, inner) && whole
	}
	if whole {
		c.itself(x, s)
	}
	return whole
}

// itself checks an expression whose parts are there and checked.
func (c *checker) itself(x Expr, s scope) {
	switch x := x.(type) {
	case *Field:
		c.named(x, s)
	case *Param:
		c.fault(!slices.Contains(s.params, x), s.where, "parameter %s is not its own", x.Name)
	case Const:
		c.fault(x.Bits < 1 || x.Bits > MaxWidth || !x.Value.Fits(x.Bits), s.where,
			"the constant %v does not fit %d bits", x.Value, x.Bits)
	case Slice:
		c.fault(x.Low < 0 || x.High < x.Low || x.High >= x.X.Width(), s.where,
			"a slice [%d:%d] of %d bits", x.High, x.Low, x.X.Width())
	case Concat:
		c.fault(x.Width() < 1 || x.Width() > MaxWidth, s.where, "a concatenation of %d bits", x.Width())
	case Binary:
		c.fault(x.Op >= operators, s.where, "an operation that the chip does not have")
		c.fault(x.X.Width() != x.Y.Width(), s.where, "an operation of %d bits and %d", x.X.Width(),
			x.Y.Width())
	case Hash:
		c.hash(x, s)
	case Peek:
		c.fault(true, s.where, "looks at what follows: only a parser does")
	default:
		c.condition(x, s)
	}
}

// condition checks an expression that may stand only where control flow branches.
func (c *checker) condition(x Expr, s scope) {
	c.fault(!s.test, s.where, "a condition where a value must stand")
	switch x := x.(type) {
	case Compare:
		c.fault(x.Op >= relations, s.where, "a comparison that the chip does not have")
		c.fault(x.X.Width() != x.Y.Width(), s.where, "a comparison of %d bits and %d", x.X.Width(),
			x.Y.Width())
		_, left := x.X.(Const)
		_, right := x.Y.(Const)
		c.fault(x.Op != Equal && x.Op != NotEqual && !left && !right, s.where,
			"the order of two variables: subtract with saturation, compare with zero")
	case Valid:
		c.header(x.Header, s.where)
		c.fault(s.bound && s.gress == Ghost, s.where, "ghost has no packet")
	}
}

func (c *checker) hash(x Hash, s scope) {
	known := slices.Contains(c.program.Functions, x.Function)
	c.fault(!known, s.where, "a hash function that is not the program's")
	bits := Concat(x.Fields).Width()
	if known && x.Function.Kind != Identity {
		c.fault(bits%8 != 0, s.where, "hash %s of %d bits: must be whole octets", x.Function.Name, bits)
	}
}

// named checks that a field may be named in a scope. It reports whether the field is there.
func (c *checker) named(field *Field, s scope) bool {
	if field == nil {
		c.fault(true, s.where, "a field is missing")
		return false
	}
	at, known := c.fields[field]
	switch {
	case !known:
		c.fault(true, s.where, "field %s is not declared", field.Name)
	case !s.bound:
	case at.header != nil:
		c.fault(s.gress == Ghost, s.where, "field %s: ghost has no packet", field.Name)
	default:
		c.fault(at.gress != s.gress, s.where, "field %s is one of %v, not of %v", field.Name, at.gress,
			s.gress)
	}
	return true
}

func (c *checker) header(h *Header, where string) {
	c.fault(!slices.Contains(c.program.Headers, h), where, "a header that is not the program's")
}

// action checks an action by itself, independent of the controls that use it.
func (c *checker) action(a *Action) {
	where := "action " + a.Name
	for at, param := range a.Params {
		c.fault(!identifier(param.Name), where, "the name %q must be an identifier", param.Name)
		c.fault(spoken[param.Name], where, "the name %q of a parameter must be no word of Python",
			param.Name)
		c.fault(param.Bits < 1 || param.Bits > MaxWidth, where, "parameter %s has %d bits", param.Name,
			param.Bits)
		for _, other := range a.Params[:at] {
			c.fault(other.Name == param.Name, where, "has two parameters %s", param.Name)
		}
	}
	writes := map[*Field]bool{}
	for _, statement := range a.Body {
		for _, field := range Writes(statement) {
			if field == nil {
				continue // statement says so
			}
			c.fault(writes[field], where, "writes %s twice", field.Name)
			writes[field] = true
		}
	}
	for _, statement := range a.Body {
		c.statement(statement, scope{where: where, params: a.Params})
		mine := Writes(statement)
		for _, x := range Reads(statement) {
			Walk(x, func(part Expr) {
				if field, is := part.(*Field); is && !slices.Contains(mine, field) {
					c.fault(writes[field], where, "reads %s, which it writes", field.Name)
				}
			})
		}
	}
}

func (c *checker) statement(statement Statement, s scope) {
	whole := true
	for _, x := range Reads(statement) {
		whole = c.expression(x, s) && whole
	}
	for _, field := range Writes(statement) {
		if whole = c.named(field, s) && whole; field == nil {
			continue
		}
		c.fault(c.fields[field].given, s.where, "writes %s, which is the chip's", field.Name)
	}
	if !whole {
		return
	}
	switch statement := statement.(type) {
	case Assign:
		c.fault(statement.To.Bits != statement.Value.Width(), s.where, "%s has %d bits and is given %d",
			statement.To.Name, statement.To.Bits, statement.Value.Width())
	case Execute:
		c.execute(statement, s)
	case Flow:
		c.fault(statement.Word.Width() != 32, s.where,
			"a word of flow control has 32 bits, not %d", statement.Word.Width())
	case SetValid:
		c.header(statement.Header, s.where)
		c.fault(s.bound && s.gress == Ghost, s.where, "ghost has no packet")
	}
}
