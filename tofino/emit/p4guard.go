package emit

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// guard returns the condition of a guard in terms of its action's predicates: "true", "false" or
// alternatives, each with as few predicates as it needs.
func (t *text) guard(one *instance, guard ir.Guard) string {
	predicates := one.action.Predicates
	rows := uint16(1<<(1<<len(predicates)) - 1) // of ir.MaxPredicates: all 16
	wanted := uint16(guard) & rows
	switch wanted {
	case 0:
		return "false"
	case rows:
		return "true"
	}
	var ways []string
	for _, c := range cubes(wanted, len(predicates)) {
		var parts []string
		for at := range predicates {
			if c.fixed>>at&1 != 0 {
				parts = append(parts, t.predicate(one, &predicates[at], c.values>>at&1 != 0))
			}
		}
		ways = append(ways, strings.Join(parts, " && "))
	}
	if len(ways) == 1 {
		return ways[0]
	}
	return "(" + strings.Join(ways, ") || (") + ")"
}

// always reports whether a guard holds whatever its action's predicates are.
func always(guard ir.Guard, predicates int) bool {
	rows := 1 << predicates
	return bits.TrailingZeros(^uint(guard)) >= rows
}

// cube is the rows of a table of truth in which the fixed predicates have certain values.
type cube struct{ fixed, values uint }

// rows returns the rows of a cube of so many predicates.
func (c cube) rows(predicates int) uint16 {
	var rows uint16
	for row := uint(0); row < 1<<predicates; row++ {
		if row&c.fixed == c.values {
			rows |= 1 << row
		}
	}
	return rows
}

// cubes returns cubes that cover the wanted rows and no other, the largest first.
func cubes(wanted uint16, predicates int) []cube {
	var candidates []cube
	for fixed := uint(0); fixed < 1<<predicates; fixed++ {
		for values := uint(0); values <= fixed; values++ {
			if c := (cube{fixed, values}); values&^fixed == 0 && c.rows(predicates)&^wanted == 0 {
				candidates = append(candidates, c)
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b cube) int {
		return bits.OnesCount(a.fixed) - bits.OnesCount(b.fixed)
	})
	var chosen []cube
	for _, c := range candidates {
		if rows := c.rows(predicates); rows&wanted != 0 {
			chosen = append(chosen, c)
			wanted &^= rows
		}
	}
	return chosen
}

// guarded is statements under conditions, in order.
type guarded struct{ groups []group }

// group is statements under one condition.
type group struct {
	condition  string
	statements []string
}

// add appends a statement under a condition, beside the one before if that has the same: no
// statement changes what conditions read.
func (g *guarded) add(condition, statement string) {
	last := len(g.groups) - 1
	switch {
	case condition == "false":
	case last >= 0 && g.groups[last].condition == condition:
		g.groups[last].statements = append(g.groups[last].statements, statement)
	default:
		g.groups = append(g.groups, group{condition, []string{statement}})
	}
}

func (g *guarded) write(b *strings.Builder) {
	const indent = "            "
	for _, one := range g.groups {
		if one.condition == "true" {
			for _, statement := range one.statements {
				fmt.Fprintf(b, "%s%s\n", indent, statement)
			}
			continue
		}
		condition := one.condition
		if len(condition) > 80 {
			condition = strings.ReplaceAll(condition, ") || (", ") ||\n"+indent+"        (")
		}
		fmt.Fprintf(b, "%sif (%s) {\n", indent, condition)
		for _, statement := range one.statements {
			fmt.Fprintf(b, "%s    %s\n", indent, statement)
		}
		fmt.Fprintf(b, "%s}\n", indent)
	}
}
