package emit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// dict is an object of a schema.
type dict map[string]any

// schemaOf returns a schema of a program, with numbers of its own: what the switch of a test and
// requests need of a compiler's.
func schemaOf(t testing.TB, p *ir.Program) []byte {
	t.Helper()
	names, tables, number := emit.NamesOf(p), []dict{}, 0
	next := func() int { number++; return number }
	field := func(name, kind string, width int) dict {
		return dict{"id": next(), "name": name, "mandatory": true, "read_only": false, "repeated": false,
			"match_type": "Exact", "type": dict{"type": kind, "width": width}}
	}
	kinds := map[ir.Match]string{ir.Exact: "Exact", ir.Ternary: "Ternary", ir.Prefix: "LPM",
		ir.Range: "Range"}
	for _, table := range p.Tables {
		keys, actions := []dict{}, []dict{}
		for _, key := range table.Keys {
			one := field(key.Name, "bytes", key.X.Width())
			one["match_type"] = kinds[key.Kind]
			keys = append(keys, one)
		}
		if table.Prioritised() {
			keys = append(keys, field("$MATCH_PRIORITY", "uint32", 0))
		}
		for _, action := range table.Actions {
			data := []dict{}
			for _, param := range action.Params {
				data = append(data, field(param.Name, "bytes", param.Bits))
			}
			actions = append(actions,
				dict{"id": next(), "name": names.Action(table, action).Name, "data": data})
		}
		tables = append(tables, dict{"id": next(), "name": names.Tables[table].Name, "size": table.Size,
			"table_type": "MatchAction_Direct", "key": keys, "action_specs": actions, "data": []dict{}})
	}
	for _, register := range p.Registers {
		name := names.Registers[register].Name
		halves := []string{".f1"}
		if register.Pair {
			halves = []string{".low", ".high"}
		}
		data := []dict{}
		for _, half := range halves {
			data = append(data, dict{"mandatory": true, "read_only": false,
				"singleton": field(name[len("pipe."):]+half, "bytes", register.Bits)})
		}
		tables = append(tables, dict{"id": next(), "name": name, "size": register.Size,
			"table_type": "Register", "key": []dict{field("$REGISTER_INDEX", "uint32", 0)}, "data": data})
	}
	text, err := json.Marshal(dict{"tables": tables})
	require.NoError(t, err)
	return text
}
