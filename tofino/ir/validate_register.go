package ir

import "math/bits"

func (c *checker) registers() {
	for _, r := range c.program.Registers {
		where := "register " + r.Name
		switch r.Bits {
		case 8, 16, 32:
		case 1:
			c.fault(r.Pair, where, "a pair of single bits")
		default:
			c.fault(true, where, "elements of %d bits: must be 1, 8, 16 or 32", r.Bits)
		}
		c.fault(r.Size < 1, where, "%d elements: must be at least 1", r.Size)
		c.fault(r.Gress >= gresses, where, "must belong to ingress, egress or ghost")
		c.fault(r.Shared && r.Gress != Ingress, where, "ghost shares with ingress alone")
		c.fault(len(r.Actions) > MaxRegisterActions, where, "%d actions: at most %d", len(r.Actions),
			MaxRegisterActions)
		for half, initial := range r.Initial {
			c.fault(!Uint(uint64(initial)).Fits(r.Bits) || half == 1 && !r.Pair && initial != 0, where,
				"the initial value %d does not fit", initial)
		}
		large := map[int32]bool{}
		for _, action := range r.Actions {
			c.fault(c.owner[action] != nil, where, "action %s is another register's too", action.Name)
			c.owner[action] = r
			c.alu(r, action, large)
		}
		c.fault(len(large) > MaxLargeConstants, where, "%d constants that are not -8 to 7: at most %d "+
			"in all its actions", len(large), MaxLargeConstants)
	}
}

func (c *checker) alu(r *Register, a *RegisterAction, large map[int32]bool) {
	where := "register action " + a.Name
	c.fault(!identifier(a.Name), where, "its name must be an identifier")
	c.fault(len(a.Predicates) > MaxPredicates, where, "%d predicates: at most %d", len(a.Predicates),
		MaxPredicates)
	c.fault(len(a.Outputs) > MaxOutputs, where, "%d outputs: at most %d", len(a.Outputs), MaxOutputs)
	for _, predicate := range a.Predicates {
		c.sum(r, predicate.Sum, where, large)
		c.fault(predicate.Op >= relations, where, "a comparison that the chip does not have")
	}
	for at, update := range a.Updates {
		c.sum(r, update.Sum, where, large)
		c.fault(update.To == NoHalf || update.To == High && !r.Pair, where,
			"updates a half that is not there")
		for _, other := range a.Updates[:at] {
			c.fault(update.To == other.To && possible(update.When&other.When, len(a.Predicates)), where,
				"two updates of a half may hold at once")
		}
	}
	for at, output := range a.Outputs {
		c.sum(r, output.Sum, where, large)
		c.fault(output.Held && (output.When != Always || output.Sum != Sum{}), where,
			"which predicates hold is a result of its own, and without a condition")
		for _, other := range a.Outputs[:at] {
			c.fault(r.Pair && output.compares() && other.compares() &&
				(output.Held != other.Held || output.When != other.When), where,
				"two comparisons are results: an ALU of two halves returns one")
		}
	}
}

// possible reports whether a guard can hold for an action with that number of predicates.
func possible(guard Guard, predicates int) bool {
	return guard&(1<<(1<<min(predicates, MaxPredicates))-1) != 0
}

// sum checks what an ALU adds up.
func (c *checker) sum(r *Register, sum Sum, where string, large map[int32]bool) {
	c.fault(sum.Memory > High || sum.Memory == High && !r.Pair, where, "reads a half that is not "+
		"there")
	c.fault(sum.Input < 0 || sum.Input > 2, where, "input %d: must be 1, 2, or 0 for none", sum.Input)
	if sum.Constant < -8 || sum.Constant > 7 {
		large[sum.Constant] = true
	}
}

func (c *checker) execute(e Execute, s scope) {
	register := c.owner[e.Action]
	if register == nil {
		c.fault(true, s.where, "executes an action of no register of the program")
		return
	}
	c.fault(len(e.To) > len(e.Action.Outputs), s.where, "takes %d results of %s, which has %d",
		len(e.To), e.Action.Name, len(e.Action.Outputs))
	for at, field := range e.To {
		if field != nil && at < len(e.Action.Outputs) {
			c.fault(field.Bits < outputBits(register, e.Action, at), s.where,
				"result %d of %s does not fit %s of %d bits", at+1, e.Action.Name, field.Name, field.Bits)
		}
	}
	inputs := 0
	for _, sum := range sums(e.Action) {
		inputs = max(inputs, sum.Input)
	}
	for at, input := range e.Phv {
		c.fault(at < inputs && input == nil, s.where, "%s needs input %d", e.Action.Name, at+1)
		c.fault(input != nil && input.Width() > 32, s.where, "input %d of %s has over 32 bits", at+1,
			e.Action.Name)
	}
	if !s.bound {
		return
	}
	owned := register.Gress == s.gress || register.Shared && s.gress == Ghost
	c.fault(!owned, s.where, "register %s is one of %v, not of %v", register.Name, register.Gress,
		s.gress)
	if s.gress == Ghost {
		for _, update := range e.Action.Updates {
			c.fault(update.Sum.Memory != NoHalf, s.where, "register %s: ghost overwrites, it must not add "+
				"up: its writes go to two copies in turn", register.Name)
		}
	}
}

// outputBits returns the bits that a result may have: which predicates hold needs one for each case
// of them, a constant its own, others the register's.
func outputBits(r *Register, a *RegisterAction, at int) int {
	sum := a.Outputs[at].Sum
	if a.Outputs[at].Held {
		return 1 << len(a.Predicates)
	}
	if sum.Memory != NoHalf || sum.Input != 0 || sum.Constant < 0 {
		return r.Bits
	}
	return max(1, bits.Len32(uint32(sum.Constant)))
}

// sums returns all that an action adds up.
func sums(a *RegisterAction) []Sum {
	var all []Sum
	for _, predicate := range a.Predicates {
		all = append(all, predicate.Sum)
	}
	for _, update := range a.Updates {
		all = append(all, update.Sum)
	}
	for _, output := range a.Outputs {
		all = append(all, output.Sum)
	}
	return all
}
