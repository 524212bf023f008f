package ir

// Expr is a value that an action, a key or a condition computes.
type Expr interface {
	// Width returns the bits of the value, 1 for a condition.
	Width() int
	// operands returns the expressions in the expression.
	operands() []Expr
}

// Const is a number.
type Const struct {
	Value Value
	Bits  int
}

// Number returns a number as a constant that is bits wide.
func Number(bits int, number uint64) Const { return Const{Uint(number), bits} }

// Param is the datum of an action that an entry of a table supplies. It is itself by its address.
type Param struct {
	Name string
	Bits int
}

// Slice is bits High down to Low of an expression.
type Slice struct {
	X         Expr
	High, Low int
}

// Concat is its parts side by side, the first the most significant.
type Concat []Expr

// Operator is the operation of a [Binary]. The chip has no products, quotients and remainders.
type Operator uint8

// Operators, on values of equal width.
const (
	Add          Operator = iota // sum, modulo the width
	Sub                          // difference, modulo the width
	AddSaturated                 // sum, at most the largest value
	SubSaturated                 // difference, at least 0
	And
	Or
	Xor
	operators
)

// Binary is an operation of two values.
type Binary struct {
	Op   Operator
	X, Y Expr
}

// Relation is how a [Compare] compares.
type Relation uint8

// Relations of unsigned values.
const (
	Equal Relation = iota
	NotEqual
	Less
	LessOrEqual
	More
	MoreOrEqual
	relations
)

// Compare is a condition. Where it is about order, one side is a constant: the chip compares two
// variables for equality only. To order two, subtract with saturation and compare with zero.
type Compare struct {
	Op   Relation
	X, Y Expr
}

// All is the condition that all parts hold, Any that a part holds, Not that its part does not hold.
type (
	All []Expr
	Any []Expr
	Not struct{ X Expr }
)

// Valid is the condition that a header is there.
type Valid struct{ Header *Header }

// Hash is a function of the concatenation of fields. Its width is the function's.
type Hash struct {
	Function *HashFunction
	Fields   []Expr
}

func (f *Field) Width() int  { return f.Bits }
func (c Const) Width() int   { return c.Bits }
func (p *Param) Width() int  { return p.Bits }
func (s Slice) Width() int   { return s.High - s.Low + 1 }
func (b Binary) Width() int  { return b.X.Width() }
func (c Compare) Width() int { return 1 }
func (a All) Width() int     { return 1 }
func (a Any) Width() int     { return 1 }
func (n Not) Width() int     { return 1 }
func (v Valid) Width() int   { return 1 }
func (h Hash) Width() int    { return h.Function.Bits }

func (c Concat) Width() int {
	sum := 0
	for _, part := range c {
		sum += part.Width()
	}
	return sum
}

func (f *Field) operands() []Expr  { return nil }
func (c Const) operands() []Expr   { return nil }
func (p *Param) operands() []Expr  { return nil }
func (s Slice) operands() []Expr   { return []Expr{s.X} }
func (c Concat) operands() []Expr  { return c }
func (b Binary) operands() []Expr  { return []Expr{b.X, b.Y} }
func (c Compare) operands() []Expr { return []Expr{c.X, c.Y} }
func (a All) operands() []Expr     { return a }
func (a Any) operands() []Expr     { return a }
func (n Not) operands() []Expr     { return []Expr{n.X} }
func (v Valid) operands() []Expr   { return nil }
func (h Hash) operands() []Expr    { return h.Fields }

// Walk calls visit for an expression and for all expressions in it, outer expressions first.
func Walk(x Expr, visit func(Expr)) {
	if x == nil {
		return // Validate says that it is missing
	}
	visit(x)
	for _, part := range x.operands() {
		Walk(part, visit)
	}
}
