package ir

// Step is a part of a control: [Apply], [If] or [Do].
type Step interface{ step() }

// Apply gives the packet to a table. The next steps may depend on whether an entry matched, or on
// the action that ran.
type Apply struct {
	Table *Table
	Hit   []Step   // after an entry's action
	Miss  []Step   // after the default action
	After []Branch // after one action, by entry or default
}

// Branch is what follows an action of a table.
type Branch struct {
	Action *Action
	Then   []Step
}

// If is a branch on a condition.
type If struct {
	Condition  Expr
	Then, Else []Step
}

// Do runs an action without parameters.
type Do struct{ Action *Action }

func (Apply) step() {}
func (If) step()    {}
func (Do) step()    {}

// Inside returns the sequences of steps in a step. A packet takes at most one of Hit and Miss, one
// of After, or one of Then and Else.
func Inside(step Step) [][]Step {
	switch step := step.(type) {
	case Apply:
		below := [][]Step{step.Hit, step.Miss}
		for _, branch := range step.After {
			below = append(below, branch.Then)
		}
		return below
	case If:
		return [][]Step{step.Then, step.Else}
	default:
		return nil
	}
}

// Each calls visit for every step of a sequence and for the steps inside it, in the order in which
// they are written.
func Each(steps []Step, visit func(Step)) {
	for _, step := range steps {
		visit(step)
		for _, below := range Inside(step) {
			Each(below, visit)
		}
	}
}
