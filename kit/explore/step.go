package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
)

// Step is one thing that happens.
type Step struct {
	Kind StepKind
	// Node and Port are the port that sends, or the end of the link of Arrive, Lose and Double.
	// Restart has a Node too.
	Node, Port int
	Flow       int // of Enter
	Link       int // of Down and Up
}

// StepKind is what happens.
type StepKind uint8

const (
	Enter   StepKind = iota // a host gives its card the next packet of a flow
	Send                    // a transmitter begins to send
	Arrive                  // what is first on a link comes in
	Pass                    // time passes up to the next deadline
	Lose                    // the frame that is first on a link is lost
	Double                  // the frame that is first on a link comes in, and will come in once more
	Down                    // a link fails, with what is on it
	Up                      // a link that failed comes back
	Restart                 // a node starts anew
)

var stepNames = []string{
	"enter", "send", "arrive", "pass", "lose", "double", "down", "up", "restart",
}

// String returns what ParseStep takes: "enter 0", "send 2:1", "arrive 4:0", "pass", "down 3".
func (s Step) String() string {
	name := stepNames[s.Kind]
	switch first, second := s.numbers(); {
	case first == nil:
		return name
	case second == nil:
		return fmt.Sprintf("%s %d", name, *first)
	default:
		return fmt.Sprintf("%s %d:%d", name, *first, *second)
	}
}

// numbers returns where a step has its numbers, nil in place of a number that it does not have.
func (s *Step) numbers() (first, second *int) {
	switch s.Kind {
	case Enter:
		return &s.Flow, nil
	case Down, Up:
		return &s.Link, nil
	case Restart:
		return &s.Node, nil
	case Pass:
		return nil, nil
	}
	return &s.Node, &s.Port
}

// ParseStep reads what String writes.
func ParseStep(text string) (Step, error) {
	name, rest, _ := strings.Cut(text, " ")
	s := Step{Kind: StepKind(max(slices.Index(stepNames, name), 0))}
	first, second := s.numbers()
	if first != nil {
		fmt.Sscanf(rest, "%d", first)
	}
	if _, rest, _ = strings.Cut(rest, ":"); second != nil {
		fmt.Sscanf(rest, "%d", second)
	}
	if s.String() != text {
		return Step{}, fmt.Errorf("explore: %q is no step", text)
	}
	return s, nil
}

// end is the port where what is on a link arrives, by a step that is about it.
func (s Step) end() sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(s.Node), Port: sluice.PortID(s.Port)}
}
