package ir

// Register is an array of numbers that packets read and write: one element, by one action, once in
// a pass. A pipe has an array of its own.
type Register struct {
	Name    string
	Bits    int  // 1, 8, 16 or 32: of a half, if there are two
	Pair    bool // two halves in an element, Low and High
	Size    int  // elements
	Gress   Gress
	Shared  bool // written by ghost, read by ingress: Gress is Ingress
	Initial [2]uint32
	Actions []*RegisterAction // at most MaxRegisterActions
}

// Limits of the stateful ALU of the Tofino 2.
const (
	MaxRegisterActions = 4 // of a register
	MaxPredicates      = 4 // of an action
	MaxOutputs         = 4 // of an action
	MaxLargeConstants  = 4 // of a register: constants that are not -8 to 7
)

// RegisterAction is a program of the stateful ALU. It compares, updates the element under
// conditions, and returns up to four results. Conditions, updates and results read the element as
// it was.
type RegisterAction struct {
	Name       string
	Predicates []Predicate
	Updates    []Update
	Outputs    []Output
}

// Half is a part of a register's element, or none.
type Half uint8

// Halves. A register that is no pair has Low alone.
const (
	NoHalf Half = iota
	Low
	High
)

// Sum is a sum of the ALU: of a half of the element and an input from the packet, each as it is,
// negated or left out, and of a constant.
type Sum struct {
	Memory   Half
	Negative bool // the half is subtracted
	Input    int  // 1 or 2: Execute.Phv[0] or [1]; 0 for none
	Minus    bool // the input is subtracted
	Constant int32
}

// Predicate is whether a sum, which does not wrap, is less than zero, equal to it and so on.
type Predicate struct {
	Sum Sum
	Op  Relation
}

// Guard is a condition of an action's predicates: a truth table. Bit i says whether the guard holds
// if the predicates p with a bit p in i hold and the others do not.
type Guard uint16

// Guards. Other guards are made of these by &, | and ^ (not g is Always ^ g).
const (
	Always Guard = 0xFFFF
	First  Guard = 0xAAAA // the first predicate holds
	Second Guard = 0xCCCC
	Third  Guard = 0xF0F0
	Fourth Guard = 0xFF00
)

// Update gives a half of the element a new value, the sum modulo its width, where the guard
// holds. At most one update of a half may hold.
type Update struct {
	When      Guard
	To        Half
	Sum       Sum
	Saturated bool // the sum stays within 0 and the largest value instead
}

// Output is a result of the action: the sum, modulo the width, where the guard holds and 0
// elsewhere. The sum reads the half before the updates, or after them if After is true. If Held is
// true the result says which predicates hold instead, in one bit: bit i, as in a [Guard].
type Output struct {
	When  Guard
	Sum   Sum
	After bool // the half as the updates leave it
	Held  bool // When is Always, Sum is left out
}

// compares reports that an output is a constant under a condition, or which predicates hold: the
// ALU has one way out for these.
func (o Output) compares() bool {
	constant := o.Sum.Memory == NoHalf && o.Sum.Input == 0 && o.Sum.Constant != 0
	return o.Held || o.When != 0 && constant
}
