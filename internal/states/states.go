// Package states has what searches of states need of machines, and embedders do not: packages of
// machines register it, and package kit finds it.
package states

import "github.com/sluicefc/sluice"

// Methods are what a type S, which is a pointer, has for searches of states alone. What they do,
// kit.Stateful says.
type Methods[S any] struct {
	AppendState func(s S, dst []byte, now sluice.Time) []byte
	// Numbers and Renumber are nil if frames carry no sequence numbers.
	Numbers  func(s S, port sluice.PortID) (sent, heard uint32)
	Renumber func(s S, port sluice.PortID, sent, heard uint32)
}

// ByPort returns the methods of a machine each of whose ports has sequence numbers of its own.
func ByPort[S, P any](
	appendState func(s S, dst []byte, now sluice.Time) []byte, port func(S, sluice.PortID) P,
	numbers func(P) (sent, heard uint32), renumber func(p P, sent, heard uint32),
) Methods[S] {
	return Methods[S]{
		AppendState: appendState,
		Numbers:     func(s S, id sluice.PortID) (sent, heard uint32) { return numbers(port(s, id)) },
		Renumber: func(s S, id sluice.PortID, sent, heard uint32) {
			renumber(port(s, id), sent, heard)
		},
	}
}

var methods = map[any]any{} // by the nil pointer of each type; written by inits only

// Register makes the methods of a type known to Of. It is for inits.
func Register[S comparable](m Methods[S]) {
	var none S
	methods[none] = &m
}

// Of returns the methods of a type, nil if none were registered.
func Of[S any]() *Methods[S] {
	var none S
	m, _ := methods[none].(*Methods[S])
	return m
}
