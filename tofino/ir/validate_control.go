package ir

import (
	"maps"
	"slices"
)

// table checks a table by itself.
func (c *checker) table(t *Table) {
	where := "table " + t.Name
	c.fault(t.Size < 1, where, "room for %d entries: must be at least 1", t.Size)
	c.fault(len(t.Keys) == 0, where, "has no key: let the control run its action")
	prefixes, seen := 0, map[string]bool{}
	for _, key := range t.Keys {
		c.fault(!identifier(key.Name), where, "the name %q must be an identifier", key.Name)
		c.fault(spoken[key.Name], where, "the name %q of a key must be no word of Python", key.Name)
		c.fault(seen[key.Name], where, "has two keys %s", key.Name)
		seen[key.Name] = true
		c.key(t, key, where)
		if key.Kind == Prefix {
			prefixes++
		}
	}
	c.fault(prefixes > 1, where, "has %d lpm keys: at most 1", prefixes)
	for _, action := range t.Actions {
		c.fault(!slices.Contains(c.program.Actions, action), where,
			"lists an action that is not the program's")
	}
	c.fault(t.Default.Action == nil, where, "has no default action")
	if t.Default.Action != nil {
		c.call(t, t.Default, where+", default")
	}
}

func (c *checker) key(t *Table, key Key, where string) {
	if key.X == nil {
		c.fault(true, where, "key %s has no value", key.Name)
		return
	}
	x := key.X
	if slice, is := x.(Slice); is {
		x = slice.X
	}
	_, field := x.(*Field)
	c.fault(!field, where, "key %s must be a field or a slice of one", key.Name)
	if !c.expression(key.X, scope{where: where}) {
		return
	}
	c.fault(key.Kind >= matches, where, "key %s matches in no way that the chip has", key.Name)
	c.fault(key.Kind == Range && key.X.Width() > MaxRangeBits, where,
		"range key %s has %d bits: at most %d", key.Name, key.X.Width(), MaxRangeBits)
}

// call checks an action with its data as a table runs it.
func (c *checker) call(t *Table, call Call, where string) {
	if t.action(call.Action) < 0 {
		c.fault(true, where, "runs an action that the table does not list")
		return
	}
	for _, err := range dataFaults(call, where) {
		c.add(err)
	}
}

// dataFaults returns what is wrong with the data of an action.
func dataFaults(call Call, where string) []error {
	params := call.Action.Params
	if len(call.Data) != len(params) {
		return []error{fault(where, "action %s takes %d data, not %d", call.Action.Name, len(params),
			len(call.Data))}
	}
	var faults []error
	for at, datum := range call.Data {
		if !datum.Fits(params[at].Bits) {
			faults = append(faults, fault(where, "datum %s = %v has more than %d bits", params[at].Name,
				datum, params[at].Bits))
		}
	}
	return faults
}

// touched are the tables and registers that a packet may have met on its way through a control so
// far, and a word of flow control.
type touched map[any]bool

const flowWord = "a word of flow control"

// steps checks a sequence of a gress's control: what each step names there, and that no way through
// it touches a table or a register twice or sends two words. It adds to what was touched before.
func (c *checker) steps(steps []Step, gress Gress, so touched) {
	for _, step := range steps {
		switch step := step.(type) {
		case Do:
			if !slices.Contains(c.program.Actions, step.Action) {
				c.fault(true, gress.String(), "runs an action that is not the program's")
				continue
			}
			c.fault(len(step.Action.Params) > 0, gress.String(), "runs action %s without its data",
				step.Action.Name)
			maps.Copy(so, c.uses(step.Action, gress, so))
		case If:
			c.expression(step.Condition, scope{where: gress.String(), gress: gress, bound: true, test: true})
			c.fault(step.Condition != nil && !condition(step.Condition), gress.String(),
				"branches on a value that is not a condition")
		case Apply:
			c.apply(step, gress, so)
		}
		c.branches(Inside(step), gress, so)
	}
}

// apply checks a table where a control applies it.
func (c *checker) apply(step Apply, gress Gress, so touched) {
	where := gress.String()
	if !slices.Contains(c.program.Tables, step.Table) {
		c.fault(true, where, "applies a table that is not the program's")
		return
	}
	c.fault(so[step.Table], where, "table %s is applied twice in a pass", step.Table.Name)
	for _, key := range step.Table.Keys {
		if key.X != nil {
			c.expression(key.X, scope{where: "table " + step.Table.Name, gress: gress, bound: true})
		}
	}
	after := touched{step.Table: true}
	for _, action := range step.Table.Actions {
		maps.Copy(after, c.uses(action, gress, so))
	}
	maps.Copy(so, after)
	c.fault(len(step.After) > 0 && len(step.Hit)+len(step.Miss) > 0, where,
		"after table %s branches on the action and on whether an entry matched", step.Table.Name)
	for _, branch := range step.After {
		c.fault(step.Table.action(branch.Action) < 0, where, "table %s does not list an action that it "+
			"branches on", step.Table.Name)
	}
}

// branches checks the ways of a branch: a packet takes one, which begins with what was touched
// before.
func (c *checker) branches(ways [][]Step, gress Gress, so touched) {
	after := touched{}
	for _, way := range ways {
		taken := maps.Clone(so)
		c.steps(way, gress, taken)
		maps.Copy(after, taken)
	}
	maps.Copy(so, after)
}

// uses checks an action where a control runs it and returns what it touches.
func (c *checker) uses(a *Action, gress Gress, so touched) touched {
	touches := touched{}
	where := "action " + a.Name
	for _, statement := range a.Body {
		c.statement(statement, scope{where: where, gress: gress, bound: true, params: a.Params})
		switch statement := statement.(type) {
		case Execute:
			if r := c.owner[statement.Action]; r != nil {
				c.fault(so[r] || touches[r], where, "register %s is touched twice in a pass", r.Name)
				touches[r] = true
			}
		case Flow:
			c.fault(so[flowWord] || touches[flowWord], where, "a second word of flow control in a pass")
			c.fault(gress == Ghost, where, "ghost sends no word of flow control")
			touches[flowWord] = true
		}
	}
	return touches
}

// condition reports whether an expression is true or false rather than a number.
func condition(x Expr) bool {
	switch x.(type) {
	case Compare, All, Any, Not, Valid:
		return true
	}
	return false
}
