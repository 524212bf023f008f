package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// report prints changes of the configuration, tables with keys, entries and blocks, and figures of
// the papers for comparison.
func (m *made) report(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s for switch %d of %s, %d ports", m.options.Protocol, m.node, m.graph.Name,
		len(m.ports.ports))
	if pipes := m.pipes(); len(pipes) > 1 {
		fmt.Fprintf(&b, " in pipes %v", pipes)
	}
	b.WriteString("\n\n")
	if len(m.changes) > 0 {
		fmt.Fprintf(&b, "changed, as the chip cannot run it otherwise:\n%s\n\n", m.changeList())
	}
	if len(m.program.Tables) > 0 {
		if err := fit.Of(m.program, m.config).Write(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	b.WriteString(m.fixedTables())
	for _, note := range m.notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	for _, line := range m.published {
		fmt.Fprintf(&b, "published: %s\n", line)
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n")+"\n")
	return err
}

// pipes returns the pipes of the ports.
func (m *made) pipes() (list []int) {
	for _, port := range m.ports.ports {
		list = append(list, port.Pipe())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// fixedTables lists the entries of the tables that every program finds on the chip.
func (m *made) fixedTables() string {
	counts := map[*ir.FixedTable]int{}
	for _, e := range m.config.Fixed {
		counts[e.Table]++
	}
	if len(counts) == 0 {
		return ""
	}
	text := "table of the chip\tkeys\tentries\n"
	for _, table := range ir.FixedTables() {
		if counts[table] == 0 {
			continue
		}
		var keys []string
		for _, key := range table.Keys {
			keys = append(keys, key.Name)
		}
		if table.ByPipe {
			keys = append(keys, "by pipe")
		}
		text += fmt.Sprintf("%s\t%s\t%d\n", table.Name, strings.Join(keys, ", "), counts[table])
	}
	return aligned(text) + "\n"
}
