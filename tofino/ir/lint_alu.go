package ir

import "math/bits"

// Limits of the ALU of a register, which all its actions share.
const (
	aluInputs = 2 // fields that all actions take together
	aluSums   = 2 // sums that one action may give a half
	aluTerms  = 2 // terms of one sum
)

// alus checks what the actions of a register share, and what each action computes.
func (l *linter) alus() {
	inputs := map[*Register]map[reading]bool{}
	for _, execute := range Executes(l.program.Actions) {
		l.inputs(execute, inputs)
	}
	for _, r := range l.program.Registers {
		l.fault(len(inputs[r]) > aluInputs, "register "+r.Name, "its actions take %d fields: requires "+
			"more than %d PHV inputs, which all actions share", len(inputs[r]), aluInputs)
		said := map[int32]bool{}
		for _, action := range r.Actions {
			l.computes(action)
			for _, output := range action.Outputs {
				l.output(action, output.Sum, said)
			}
		}
		l.fault(len(said) > 1, "register "+r.Name, "its actions return %d numbers beside 0: cannot "+
			"output a constant, because the predicate is shifted for another", len(said))
	}
}

// inputs notes the fields that one use of a register gives its ALU.
func (l *linter) inputs(e Execute, of map[*Register]map[reading]bool) {
	register := l.owner[e.Action]
	if of[register] == nil {
		of[register] = map[reading]bool{}
	}
	taken := map[int]bool{}
	for _, sum := range sums(e.Action) {
		taken[sum.Input] = true
	}
	for at, x := range e.Phv {
		if _, number := x.(Const); x != nil && !number && taken[at+1] {
			parts := besides(x) // with zeros in front, of what the chip tells
			of[register][bitsOf(parts[len(parts)-1])] = true
		}
	}
}

// computes checks the sums of an action: of two terms each, and two for each half.
func (l *linter) computes(a *RegisterAction) {
	where := "register action " + a.Name
	const complex = "more than one operator in a statement: give the ALU sums of %d terms"
	for _, predicate := range a.Predicates {
		plus, minus := predicate.Sum.terms()
		l.fault(max(plus, minus) > aluTerms, where, complex, aluTerms)
	}
	given := [3]map[Sum]bool{Low: {}, High: {}}
	for _, update := range a.Updates {
		plus, minus := update.Sum.terms()
		l.fault(plus+minus > aluTerms, where, complex, aluTerms)
		given[update.To][update.Sum] = true
	}
	for _, half := range given {
		l.fault(len(half) > aluSums, where, "gives a half %d sums: at most %d", len(half), aluSums)
	}
}

// output checks a result, and notes the number that it may be, which is the ALU's predicate,
// shifted.
func (l *linter) output(a *RegisterAction, sum Sum, said map[int32]bool) {
	where := "register action " + a.Name
	plus, minus := sum.terms()
	l.fault(plus+minus > 1 || minus > 0, where,
		"addition can only be used if the result is written to the register: return a half of it")
	if sum.Memory == NoHalf && sum.Input == 0 && sum.Constant != 0 {
		said[sum.Constant] = true
		l.fault(bits.OnesCount32(uint32(sum.Constant)) > 1, where,
			"can't output %d: no power of two", sum.Constant)
	}
}

// terms returns how many terms of a sum are added, and how many are subtracted.
func (s *Sum) terms() (plus, minus int) {
	add := func(is, negative bool) {
		switch {
		case is && negative:
			minus++
		case is:
			plus++
		}
	}
	add(s.Memory != NoHalf, s.Negative)
	add(s.Input != 0, s.Minus)
	add(s.Constant != 0, s.Constant < 0)
	return plus, minus
}
