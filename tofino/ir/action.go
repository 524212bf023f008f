package ir

import (
	"iter"
	"slices"
)

// Action is what a table does to a packet, or a control without a table. Its statements happen at
// once: right sides have the values before the action, so that no statement may read a field that
// another writes, and each field is written once.
type Action struct {
	Name   string
	Params []*Param // data that an entry supplies
	Body   []Statement
}

// Statement is a part of an [Action]: [Assign], [Execute], [Flow] or [SetValid].
type Statement interface{ statement() }

// Assign gives a field a value of its width.
type Assign struct {
	To    *Field
	Value Expr
}

// Execute runs a register action on one element of its register. The results go to fields, in
// order; a nil field takes no result.
type Execute struct {
	Action *RegisterAction
	Index  Expr
	Phv    [2]Expr  // the inputs that the action's operands name, nil for an input that none names
	To     []*Field // at most as many as the action has outputs
}

// Flow sends a word of advanced flow control, 32 bits. A packet sends at most one in ingress and
// one in egress.
type Flow struct{ Word Expr }

// SetValid adds a header to the packet or takes it away.
type SetValid struct {
	Header *Header
	Valid  bool
}

func (Assign) statement()   {}
func (Execute) statement()  {}
func (Flow) statement()     {}
func (SetValid) statement() {}

// Reads returns the expressions that a statement computes with.
func Reads(s Statement) []Expr {
	switch s := s.(type) {
	case Assign:
		return []Expr{s.Value}
	case Execute:
		read := []Expr{s.Index}
		for _, input := range s.Phv {
			if input != nil {
				read = append(read, input)
			}
		}
		return read
	case Flow:
		return []Expr{s.Word}
	default:
		return nil
	}
}

// Writes returns the fields that a statement writes.
func Writes(s Statement) []*Field {
	switch s := s.(type) {
	case Assign:
		return []*Field{s.To}
	case Execute:
		return slices.DeleteFunc(slices.Clone(s.To), func(to *Field) bool { return to == nil })
	default:
		return nil
	}
}

// Executes yields the uses of register actions by actions.
func Executes(actions []*Action) iter.Seq2[*Action, Execute] {
	return func(yield func(*Action, Execute) bool) {
		for _, action := range actions {
			for _, statement := range action.Body {
				if execute, is := statement.(Execute); is && !yield(action, execute) {
					return
				}
			}
		}
	}
}

// Call is an action with its data: what an entry runs, or a table without a matching entry.
type Call struct {
	Action *Action
	Data   []Value // one for each of the action's parameters
}
