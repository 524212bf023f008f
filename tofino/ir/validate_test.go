package ir_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
)

func TestTheProgramIsValid(t *testing.T) {
	c := newCounting()
	require.NoError(t, c.program.Validate())
	require.NoError(t, c.config(t).Validate(c.program))
}

// An ALU of two halves returns both words, each under a condition of its own, beside one
// comparison, and a comparison twice.
func TestAPairReturnsItsWords(t *testing.T) {
	c := newCounting()
	c.count.Pair = true
	c.plus.Predicates = make([]ir.Predicate, 2)
	one := ir.Output{When: ir.First, Sum: ir.Sum{Constant: 1}}
	c.plus.Outputs = []ir.Output{{When: ir.First, Sum: ir.Sum{Memory: ir.Low}},
		{When: ir.Second, Sum: ir.Sum{Memory: ir.High}}, one, one}
	require.NoError(t, c.program.Validate())
}

// Each fault that a program can have, alone in a program that is right otherwise, is found and
// nothing else is. A Machine is not made of it.
func TestFaultsOfPrograms(t *testing.T) {
	ingress := func(c *counting, steps ...ir.Step) {
		c.program.Control[ir.Ingress] = append(c.program.Control[ir.Ingress], steps...)
	}
	action := func(c *counting, statements ...ir.Statement) *ir.Action {
		a := &ir.Action{Name: "added", Body: statements}
		c.program.Actions = append(c.program.Actions, a)
		return a
	}
	faults := map[string]func(*counting){
		// Names and widths.
		"program 2nd: its name must be an identifier":    func(c *counting) { c.program.Name = "2nd" },
		"table words: another has the same name":         func(c *counting) { c.route.Name = "words" },
		"header label: its 17 bits must be whole octets": func(c *counting) { c.mark.Bits = 5 },
		"metadata wide: field wide has 129 bits: must be 1 to 128": func(c *counting) {
			c.program.Metadata[ir.Egress] = append(c.program.Metadata[ir.Egress], field("wide", 129))
		},
		"header label: has two fields to": func(c *counting) { c.mark.Name = "to" },
		"header label: field session is declared twice": func(c *counting) {
			c.label.Fields = append(c.label.Fields, c.session)
		},
		"hash h: a fold to 8 bits: must be 16 or 32": func(c *counting) {
			c.program.Functions = []*ir.HashFunction{{Name: "h", Kind: ir.Fold, Bits: 8}}
		},

		// Actions.
		"action added: writes index twice": func(c *counting) {
			action(c, ir.Assign{To: c.index, Value: ir.Number(16, 1)},
				ir.Assign{To: c.index, Value: ir.Number(16, 2)})
		},
		"action added: reads index, which it writes": func(c *counting) {
			action(c, ir.Assign{To: c.index, Value: ir.Number(16, 1)},
				ir.Assign{To: c.reached, Value: ir.Slice{X: c.index, High: 7}})
		},
		"action added: index has 16 bits and is given 8": func(c *counting) {
			action(c, ir.Assign{To: c.index, Value: c.reached})
		},
		"action added: writes ig_intr_md.ingress_port, which is the chip's": func(c *counting) {
			action(c, ir.Assign{To: ir.IngressPort, Value: ir.Number(9, 1)})
		},
		"action added: an expression is missing": func(c *counting) {
			action(c, ir.Assign{To: c.index}, ir.Flow{Word: ir.Binary{Op: ir.Add, X: c.reached}})
		},
		"action added: a field is missing": func(c *counting) {
			action(c, ir.Assign{Value: ir.Number(8, 1)})
		},
		"ingress: an expression is missing": func(c *counting) {
			ingress(c, ir.If{Condition: ir.Not{X: ir.Compare{Op: ir.Equal, X: c.index}}})
		},
		"action added: parameter port is not its own": func(c *counting) {
			action(c, ir.Assign{To: ir.EgressSpec, Value: c.send.Params[0]})
		},
		"action added: the constant 0x100 does not fit 8 bits": func(c *counting) {
			action(c, ir.Assign{To: c.reached, Value: ir.Number(8, 256)})
		},
		"action added: a slice [16:9] of 16 bits": func(c *counting) {
			action(c, ir.Assign{To: c.reached, Value: ir.Slice{X: c.index, High: 16, Low: 9}})
		},
		"action added: an operation of 8 bits and 16": func(c *counting) {
			action(c, ir.Assign{To: c.reached, Value: ir.Binary{Op: ir.Add, X: c.reached, Y: c.index}})
		},
		"action added: an operation that the chip does not have": func(c *counting) {
			action(c, ir.Assign{To: c.reached, Value: ir.Binary{Op: 99, X: c.reached, Y: c.reached}})
		},
		"action added: a condition where a value must stand": func(c *counting) {
			flag := field("flag", 1)
			c.program.Metadata[ir.Ingress] = append(c.program.Metadata[ir.Ingress], flag)
			action(c, ir.Assign{To: flag, Value: ir.Compare{X: c.reached, Y: c.emptied}})
		},
		"action added: a word of flow control has 32 bits, not 8": func(c *counting) {
			action(c, ir.Flow{Word: c.reached})
		},
		"action added: a header that is not the program's": func(c *counting) {
			action(c, ir.SetValid{Header: &ir.Header{Name: "other"}})
		},
		"action added: a hash function that is not the program's": func(c *counting) {
			action(c, ir.Assign{To: c.index, Value: ir.Hash{
				Function: &ir.HashFunction{Kind: ir.Fold, Bits: 16}, Fields: []ir.Expr{c.index}}})
		},
		"action added: looks at what follows: only a parser does": func(c *counting) {
			action(c, ir.Assign{To: c.reached, Value: ir.Peek(8)})
		},
		"action added: field lonely is not declared": func(c *counting) {
			action(c, ir.Assign{To: c.reached, Value: field("lonely", 8)})
		},

		// Registers and the stateful ALU.
		"register count: elements of 12 bits: must be 1, 8, 16 or 32": func(c *counting) {
			c.count.Bits = 12
		},
		"register count: 0 elements: must be at least 1": func(c *counting) { c.count.Size = 0 },
		"register depth: ghost shares with ingress alone": func(c *counting) {
			c.depth.Gress = ir.Ghost
		},
		"register count: 5 actions: at most 4": func(c *counting) {
			for _, name := range []string{"a", "b", "d"} {
				c.count.Actions = append(c.count.Actions, &ir.RegisterAction{Name: name})
			}
		},
		"register action plus: 5 predicates: at most 4": func(c *counting) {
			c.plus.Predicates = make([]ir.Predicate, 5)
		},
		"register action plus: 5 outputs: at most 4": func(c *counting) {
			c.plus.Outputs = make([]ir.Output, 5)
		},
		"register action plus: which predicates hold is a result of its own, and without a condition": func(
			c *counting,
		) {
			c.plus.Outputs = []ir.Output{{When: ir.First, Held: true}}
		},
		"register action plus: two comparisons are results: an ALU of two halves returns one": func(
			c *counting,
		) {
			c.count.Pair = true
			c.plus.Predicates = make([]ir.Predicate, 1)
			c.plus.Outputs = []ir.Output{{When: ir.First, Sum: ir.Sum{Constant: 1}},
				{When: ir.Always, Sum: ir.Sum{Memory: ir.Low}}, {When: ir.Always, Held: true}}
		},
		"register action plus: two updates of a half may hold at once": func(c *counting) {
			c.plus.Updates = append(c.plus.Updates, ir.Update{When: ir.First, To: ir.Low})
		},
		"register action plus: updates a half that is not there": func(c *counting) {
			c.plus.Updates[0].To = ir.High
		},
		"register action plus: reads a half that is not there": func(c *counting) {
			c.plus.Updates[0].Sum.Memory = ir.High
		},
		"register count: 5 constants that are not -8 to 7: at most 4 in all its actions": func(
			c *counting,
		) {
			for constant := int32(8); constant < 11; constant++ {
				c.plus.Outputs = append(
					c.plus.Outputs, ir.Output{Sum: ir.Sum{Memory: ir.Low, Constant: constant}},
				)
				if constant < 10 {
					c.minus.Outputs = append(
						c.minus.Outputs, ir.Output{Sum: ir.Sum{Memory: ir.Low, Constant: -constant - 1}},
					)
				}
			}
		},
		"register count: the initial value 256 does not fit": func(c *counting) {
			c.count.Initial[0] = 256
		},
		"action up: takes 2 results of plus, which has 1": func(c *counting) {
			c.up.Body = []ir.Statement{
				ir.Execute{Action: c.plus, Index: c.index, To: []*ir.Field{c.reached, c.emptied}},
			}
		},
		"action report: overwrite needs input 1": func(c *counting) {
			c.countDown.Body = []ir.Statement{ir.Execute{Action: c.overwrite, Index: ir.GhostQueue}}
		},
		"action added: executes an action of no register of the program": func(c *counting) {
			action(c, ir.Execute{Action: &ir.RegisterAction{}, Index: c.index})
		},

		// Control flow and gresses.
		"action up: register count is touched twice in a pass": func(c *counting) {
			ingress(c, ir.Do{Action: c.up})
		},
		"ingress: table route is applied twice in a pass": func(c *counting) {
			ingress(c, ir.Apply{Table: c.route})
		},
		"action added: a second word of flow control in a pass": func(c *counting) {
			ingress(c, ir.Do{Action: action(c, ir.Flow{Word: ir.Number(32, 1)})})
		},
		"action told: field eg_intr_md.egress_port is one of egress, not of ingress": func(c *counting) {
			c.told.Body = []ir.Statement{
				ir.Assign{To: c.of, Value: ir.Concat{ir.Number(3, 0), ir.EgressPort}},
			}
			ingress(c, ir.Do{Action: c.told})
		},
		"action added: register count is one of ingress, not of egress": func(c *counting) {
			a := action(c, ir.Execute{Action: c.plus, Index: ir.EgressPort})
			c.program.Control[ir.Egress] = append(c.program.Control[ir.Egress], ir.Do{Action: a})
		},
		"action report: register depth: ghost overwrites, it must not add up: its writes go to two " +
			"copies in turn": func(c *counting) {
			c.overwrite.Updates[0].Sum.Memory = ir.Low
		},
		"action added: field to: ghost has no packet": func(c *counting) {
			a := action(c, ir.Execute{Action: c.overwrite, Index: c.to, Phv: [2]ir.Expr{ir.GhostDepth}})
			c.program.Control[ir.Ghost] = []ir.Step{ir.Do{Action: a}}
		},
		"action added: ghost sends no word of flow control": func(c *counting) {
			a := action(c, ir.Flow{Word: ir.Number(32, 1)})
			c.program.Control[ir.Ghost] = []ir.Step{ir.Do{Action: a}}
		},
		"ingress: the order of two variables: subtract with saturation, compare with zero": func(
			c *counting,
		) {
			ingress(c, ir.If{Condition: ir.Compare{Op: ir.Less, X: c.reached, Y: c.emptied}})
		},
		"ingress: a comparison of 8 bits and 16": func(c *counting) {
			ingress(c, ir.If{Condition: ir.Compare{X: c.reached, Y: c.index}})
		},
		"ingress: branches on a value that is not a condition": func(c *counting) {
			ingress(c, ir.If{Condition: c.reached})
		},
		"ingress: runs action send without its data": func(c *counting) {
			ingress(c, ir.Do{Action: c.send})
		},
		"ingress: applies a table that is not the program's": func(c *counting) {
			ingress(c, ir.Apply{Table: &ir.Table{}})
		},
		"ingress: table words does not list an action that it branches on": func(c *counting) {
			c.program.Control[ir.Ingress] = []ir.Step{ir.Apply{Table: c.words,
				After: []ir.Branch{{Action: c.send}}}}
		},

		// Tables.
		"table route: room for 0 entries: must be at least 1": func(c *counting) { c.route.Size = 0 },
		"table route: has no default action": func(c *counting) {
			c.route.Default = ir.Call{}
		},
		"table route, default: runs an action that the table does not list": func(c *counting) {
			c.route.Default = ir.Call{Action: c.told}
		},
		"table route: key to must be a field or a slice of one": func(c *counting) {
			c.route.Keys[0].X = ir.Number(12, 1)
		},
		"table words: range key wide has 32 bits: at most 20": func(c *counting) {
			wide := field("wide", 32)
			c.program.Metadata[ir.Ingress] = append(c.program.Metadata[ir.Ingress], wide)
			c.words.Keys = append(c.words.Keys, ir.Key{Name: "wide", X: wide, Kind: ir.Range})
		},
		"table route: has 2 lpm keys: at most 1": func(c *counting) {
			c.route.Keys[0].Kind = ir.Prefix
			c.route.Keys = append(c.route.Keys, ir.Key{Name: "mark", X: c.mark, Kind: ir.Prefix})
		},

		// Words of Python.
		`table route: the name "class" of a key must be no word of Python`: func(c *counting) {
			c.route.Keys[0].Name = "class"
		},
		`action added: the name "from" of a parameter must be no word of Python`: func(c *counting) {
			c.program.Actions = append(
				c.program.Actions, &ir.Action{Name: "added", Params: []*ir.Param{{Name: "from", Bits: 1}}},
			)
		},

		// Parsers and mirrors.
		"ingress parser, state start: comes again on a way through the parser": func(c *counting) {
			start := c.program.Parse[ir.Ingress]
			c.program.Parse[ir.Egress] = nil
			start.Default = start
		},
		"ingress parser, state data: extracts header label twice": func(c *counting) {
			start := c.program.Parse[ir.Ingress]
			c.program.Parse[ir.Egress] = nil
			start.Cases[0].Next.Extract = append(start.Cases[0].Next.Extract, c.label)
		},
		"ingress parser, state start: selects by to, which no header on the way has": func(c *counting) {
			start := *c.program.Parse[ir.Ingress]
			start.Select, start.Cases = c.to, start.Cases[:0:0]
			c.program.Parse[ir.Ingress] = &start
		},
		"ingress parser, state start: case 0x2 has ones outside its mask": func(c *counting) {
			c.program.Parse[ir.Egress] = nil
			c.program.Parse[ir.Ingress].Cases[0].Value, c.program.Parse[ir.Ingress].Cases[0].Mask = ir.Uint(
				2,
			), ir.Uint(1)
		},
		"mirror of egress: type 16: must be 1 to 15": func(c *counting) {
			c.program.Mirrors[0].Type = 16
		},
		"mirror of egress: type 1 names no session": func(c *counting) {
			c.program.Mirrors[0].Session = nil
		},
		"mirror of ingress: field session is one of egress, not of ingress": func(c *counting) {
			c.program.Mirrors[0].Gress = ir.Ingress
		},
	}
	for want, spoil := range faults {
		c := newCounting()
		spoil(c)
		err := c.program.Validate()
		if assert.Error(t, err, want) {
			assert.Equal(t, "ir: "+want, err.Error())
			var fault *ir.Fault
			assert.True(t, errors.As(err, &fault))
		}
		_, refused := ir.NewMachine(c.program)
		assert.Error(t, refused, want)
	}
}

// The interpreter knows no protocol, so no file of its names one. The driver's tables, which every
// program has, keep the driver's names, and those speak of PFC.
func TestNoFileNamesAProtocol(t *testing.T) {
	protocols := regexp.MustCompile(`(?i)\b(pfc|bfc|ofc|pyrrha|portfc|tcd|pcn|cbfc)\b`)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.Greater(t, len(files), 15)
	for _, file := range files {
		if file == "fixed_tables.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, protocols.FindAllString(string(text), -1), file)
	}
}

// The schema of the chip's tables names each field once.
func TestFixedTablesAreOneEach(t *testing.T) {
	names := map[string]bool{}
	for _, table := range ir.FixedTables() {
		assert.False(t, names[table.Name], table.Name)
		names[table.Name] = true
		fields := map[string]bool{}
		for _, list := range [][]ir.FixedField{table.Keys, table.Fields} {
			for _, one := range list {
				assert.False(t, fields[one.Name], table.Name+" "+one.Name)
				fields[one.Name] = true
			}
		}
	}
}

// Names of fields are names of P4 too.
func TestFieldsAreNoWordsOfP4(t *testing.T) {
	p := &ir.Program{Name: "p", Headers: []*ir.Header{{Name: "h",
		Fields: []*ir.Field{field("out", 8)}}}}
	p.Metadata[ir.Ingress] = []*ir.Field{field("in", 32), field("Register", 8)}
	for _, name := range []string{`header h: the name "out"`, "metadata in", "metadata Register"} {
		assert.ErrorContains(t, p.Validate(), name)
	}
}
