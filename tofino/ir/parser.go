package ir

// State is a state of a parser: it takes headers from the packet, then goes on by the value of one
// field. A packet that is too short for a header, or that no case accepts where there is no
// default, is refused: it is dropped and counted.
type State struct {
	Name    string
	Extract []*Header
	Skip    int // octets behind the headers that the packet loses
	// Select is a field that was extracted or that the chip gives, a slice of one, or a [Peek]; nil
	// goes to Default.
	Select  Expr
	Cases   []Case
	Default *State // nil ends the parser: Accept or Refuse says how
	Refuse  bool   // where no case matches and Default is nil, the packet is refused
}

// Peek is the next bits of the packet, at most 32, at which a parser looks without taking them. It
// stands in [State.Select] alone.
type Peek int

func (p Peek) Width() int     { return int(p) }
func (Peek) operands() []Expr { return nil }

// Case is a way on from a state, taken if the value is equal where the mask has ones.
type Case struct {
	Value, Mask Value
	Next        *State // nil accepts the packet: the rest is payload
}

// next returns the states that may follow.
func (s *State) next() []*State {
	var states []*State
	for _, c := range s.Cases {
		if c.Next != nil {
			states = append(states, c.Next)
		}
	}
	if s.Default != nil {
		states = append(states, s.Default)
	}
	return states
}

// MirrorKind is a kind of copy that a deparser makes where the program writes its number into the
// mirror type of its gress.
type MirrorKind struct {
	Type    uint64 // 1 to 15
	Gress   Gress
	Session *Field // of metadata, 8 bits: which entry of $mirror.cfg says where the copy goes
	// Original copies the packet as it came in; otherwise the copy is as the deparser leaves it.
	Original bool
	// Before is put in front of the copy, whether the header is valid or not; nil puts nothing there.
	Before *Header
}
