package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

type listing struct {
	kind, title string
	rows        func() [][2]string // a name, and what it is; nil for parameters
}

var listings = []listing{
	{"scenarios", "Scenarios: run NAME", scenarioRows},
	{"protocols", "Flow control: -fc NAME,...", protocolRows},
	{"workloads", "Workloads: -set workload=NAME, flow sizes of Poisson traffic", workloadRows},
	{"topologies", "Topologies: -set topology=NAME", topologyRows},
	{"parameters", "Parameters: -set NAME=VALUE,...", nil},
}

// list is the command "list": the names that run accepts.
func (c command) list(args []string) error {
	parameters, err := papers.All.Registry()
	if err != nil {
		return err
	}
	definitions := parameters.Definitions()
	var b strings.Builder
	switch {
	case len(args) == 0:
		listNames(&b, definitions)
	case len(args) > 2 || len(args) == 2 && args[0] == "all":
		return usagef("list takes a kind and a part of a name; see \"go run ./bench help list\"")
	default:
		err = listKind(&b, args[0], strings.Join(args[1:], ""), definitions)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.stdout, b.String())
	return err
}

func listNames(b *strings.Builder, definitions []params.Definition) {
	for _, l := range listings {
		var names []string
		if l.rows == nil {
			for i := range definitions {
				names = append(names, definitions[i].Name)
			}
		} else {
			for _, row := range l.rows() {
				names = append(names, row[0])
			}
		}
		t := show.Table{Columns: []show.ColumnStyle{{Wrap: report.ReportWidth - 2}}}
		t.Add(strings.Join(names, " "))
		fmt.Fprintf(b, "%s\n  %s\n\n", l.title, strings.ReplaceAll(t.String(), "\n", "\n  "))
	}
	b.WriteString("What they mean: go run ./bench list KIND [PART], as in: list parameters bfc\n")
}

// listKind lists a kind of names, or all of them, with what they mean: the names that have a part.
func listKind(b *strings.Builder, kind, part string, definitions []params.Definition) error {
	kinds := []string{"all"}
	listed := false
	for _, l := range listings {
		kinds = append(kinds, l.kind)
		if kind != l.kind && kind != "all" {
			continue
		}
		listed = true
		without := func(name string) bool { return !strings.Contains(name, part) }
		if l.rows == nil {
			chosen := slices.DeleteFunc(slices.Clone(definitions),
				func(d params.Definition) bool { return without(d.Name) && d.Section != part })
			if len(chosen) == 0 {
				return usagef("no parameter has %q in its name", part)
			}
			writeParameters(b, chosen)
			continue
		}
		rows := slices.DeleteFunc(l.rows(), func(row [2]string) bool { return without(row[0]) })
		if len(rows) == 0 {
			return usagef("none of the %s has %q in its name", kind, part)
		}
		section(b, l.title, rows)
	}
	if !listed {
		return usagef("list %s: the kinds are %s%s", kind, strings.Join(kinds, ", "),
			params.DidYouMean(kind, kinds))
	}
	return nil
}

func section(b *strings.Builder, title string, rows [][2]string) {
	fmt.Fprintf(b, "%s\n\n", title)
	t := show.Table{}
	width := 0
	for _, r := range rows {
		t.Add("  "+r[0], r[1])
		width = max(width, len(r[0]))
	}
	t.Columns = []show.ColumnStyle{{}, {Wrap: report.ReportWidth - width - 4}}
	fmt.Fprintf(b, "%s\n\n", t.String())
}

func scenarioRows() (rows [][2]string) {
	for i := range papers.All.Scenarios {
		s := &papers.All.Scenarios[i]
		description := s.Describe()
		if s.Protocols != nil {
			description += "; by default under " + strings.Join(s.Protocols, ", ")
		}
		if took := pages.Took(resultsDir, s.Name); took != "" {
			description += "; took " + took
		}
		rows = append(rows, [2]string{s.Name, description})
	}
	return rows
}

func protocolRows() (rows [][2]string) {
	for _, p := range slices.Concat(fabric.Protocols(), fabric.Variants(), fabric.NodeCentric()) {
		kind := "lossy"
		if p.Lossless {
			kind = "lossless"
		}
		rows = append(rows, [2]string{p.Name, p.Doc + " (" + kind + ")"})
	}
	return rows
}

func writeParameters(b *strings.Builder, definitions []params.Definition) {
	b.WriteString("Parameters: -set NAME=VALUE,...\n\n")
	nameWidth := 0
	for i := range definitions {
		nameWidth = max(nameWidth, len(definitions[i].Name))
	}
	for len(definitions) > 0 {
		section := definitions[0].Section
		n := 1
		for n < len(definitions) && definitions[n].Section == section {
			n++
		}
		writeParameterSection(b, section, definitions[:n], nameWidth)
		definitions = definitions[n:]
	}
}

const (
	defaultWidth = 13
	valuesWidth  = 22
)

func writeParameterSection(
	b *strings.Builder, title string, definitions []params.Definition, nameWidth int,
) {
	t := show.Table{
		Header: show.Row{"  " + title, "default", "values", "meaning"},
		Columns: []show.ColumnStyle{
			{Least: nameWidth + 2}, {Least: defaultWidth}, {Least: valuesWidth, Wrap: valuesWidth},
			{Wrap: report.ReportWidth - nameWidth - 2 - defaultWidth - valuesWidth - 8},
		},
	}
	for i := range definitions {
		d := &definitions[i]
		t.Add("  "+d.Name, defaultOf(d), d.Values(), d.Doc)
	}
	fmt.Fprintf(b, "%s\n\n", t.String())
}

func defaultOf(d *params.Definition) string {
	if d.Default == "" {
		return "unset"
	}
	return d.Default
}

func workloadRows() (rows [][2]string) {
	for _, d := range workload.Distributions() {
		rows = append(rows, [2]string{
			d.Name(), fmt.Sprintf("%s; mean %s bytes", d.Source(), show.Thousands(int64(d.Mean()+0.5))),
		})
	}
	return rows
}

func topologyRows() [][2]string {
	return [][2]string{
		{"single", "hosts around one switch"},
		{"dumbbell", "two switches with a link between them and hosts around each"},
		{"leaf-spine", "racks of hosts, every top-of-rack switch linked to every spine"},
		{"fat-tree", "three tiers of switches with k ports, k*k*k/4 hosts"},
		{"ndc", "NDC(n,k): hosts that forward, with a port to a switch of each of k+1 layers"},
	}
}
