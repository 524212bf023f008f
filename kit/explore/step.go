package explore

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
)

// Step is one thing that happens.
type Step struct {
	Kind StepKind
	// Node and Port are of Send, and where what arrives, is lost or doubled was going to; Node is of
	// Restart too.
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
	Double                  // the frame that is first on a link comes in, and will once more
	Down                    // a link fails, with what is on it
	Up                      // and comes back
	Restart                 // a node starts anew
)

var stepNames = []string{
	"enter", "send", "arrive", "pass", "lose", "double", "down", "up", "restart",
}

// String returns what ParseStep takes: "enter 0", "send 2:1", "arrive 4:0", "pass", "down 3".
func (s Step) String() string {
	name := stepNames[s.Kind]
	switch s.Kind {
	case Enter:
		return fmt.Sprintf("%s %d", name, s.Flow)
	case Send, Arrive, Lose, Double:
		return fmt.Sprintf("%s %d:%d", name, s.Node, s.Port)
	case Down, Up:
		return fmt.Sprintf("%s %d", name, s.Link)
	case Restart:
		return fmt.Sprintf("%s %d", name, s.Node)
	}
	return name
}

// ParseStep reads what String writes.
func ParseStep(text string) (Step, error) {
	name, rest, _ := strings.Cut(text, " ")
	for kind, known := range stepNames {
		if name != known {
			continue
		}
		s := Step{Kind: StepKind(kind)}
		var err error
		switch s.Kind {
		case Enter:
			_, err = fmt.Sscanf(rest, "%d", &s.Flow)
		case Send, Arrive, Lose, Double:
			_, err = fmt.Sscanf(rest, "%d:%d", &s.Node, &s.Port)
		case Down, Up:
			_, err = fmt.Sscanf(rest, "%d", &s.Link)
		case Restart:
			_, err = fmt.Sscanf(rest, "%d", &s.Node)
		}
		if err == nil && s.String() == text {
			return s, nil
		}
	}
	return Step{}, fmt.Errorf("explore: %q is no step", text)
}

// end is where the direction of a link leads that s is about.
func (s Step) end() sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(s.Node), Port: sluice.PortID(s.Port)}
}
