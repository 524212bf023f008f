package tofino_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// named is a key, a datum or an action of a table of a bf-rt.json.
type named struct {
	ID        uint32 `json:"id"`
	Name      string `json:"name"`
	Mandatory bool   `json:"mandatory"`
	Repeated  bool   `json:"repeated"`
	Match     string `json:"match_type"`
	Type      struct {
		Type  string
		Width int
	}
	Data      []named
	Singleton *named
	Container []named
}

func (n named) String() string {
	if n.Singleton != nil {
		n.Singleton.Mandatory = n.Mandatory
		return n.Singleton.String()
	}
	text := fmt.Sprintf("%d %s", n.ID, n.Name)
	if n.Type.Type != "" {
		text += " " + n.Type.Type
	}
	if n.Type.Width > 0 {
		text += fmt.Sprint(n.Type.Width)
	}
	text += strings.TrimRight(" "+n.Match, " ")
	if n.Mandatory {
		text += " mandatory"
	}
	if n.Repeated {
		text += " repeated"
	}
	if inner := append(n.Data, n.Container...); len(inner) > 0 {
		text += fmt.Sprint(" ", inner)
	}
	return text
}

// facts returns what a bf-rt.json says, a line for each table, key, action and datum.
func facts(t *testing.T, p *ir.Program) string {
	var text, lines bytes.Buffer
	require.NoError(t, emit.Schema(&text, p))
	var file struct {
		Tables []struct {
			named
			Kind       string `json:"table_type"`
			Size       int
			Key, Data  []named
			Actions    []named  `json:"action_specs"`
			Operations []string `json:"supported_operations"`
			Attributes []string
			Noted      *[]struct{} `json:"annotations"` // nil: the table has none, not even of length 0
			DependsOn  []uint32    `json:"depends_on"`
		}
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &file))
	for _, table := range file.Tables {
		fmt.Fprintf(&lines, "%d %s %s, size %d, %v %v %v", table.ID, table.Name, table.Kind, table.Size,
			table.Operations, table.Attributes, table.DependsOn)
		if table.Noted == nil {
			lines.WriteString(" without annotations")
		}
		lines.WriteByte('\n')
		for _, part := range []struct {
			what string
			list []named
		}{{"key", table.Key}, {"action", table.Actions}, {"datum", table.Data}} {
			for _, one := range part.list {
				fmt.Fprintf(&lines, "  %s %v\n", part.what, one)
			}
		}
	}
	return lines.String()
}

// The schemas of all programs as facts: names, numbers, fields, types. Names, numbers and widths of
// tables, actions and fields are those of the compiler's own file; what it adds by itself follows
// the rules of its generator, and no file of it has been compared.
func TestSchemas(t *testing.T) {
	programs := map[string]*ir.Program{}
	add := func(name string, p *ir.Program, err error) {
		require.NoError(t, err)
		programs[name] = p
	}
	p, _, err := samples.Paths(4)
	add("paths", p, err)
	p, _, err = samples.BFC(tofino.Notices)
	add("bfc", p, err)
	p, _, err = samples.OFC(tofino.Notices)
	add("ofc", p, err)
	p, _, err = samples.PortFC(tofino.Notices)
	add("portfc", p, err)
	made, err := samples.Pyrrha(4, 0, tofino.Notices)
	require.NoError(t, err)
	add("pyrrha", made.Program, nil)
	for name, p := range programs {
		golden(t, map[string]string{"schema_" + name + ".txt": facts(t, p)})
	}
}
