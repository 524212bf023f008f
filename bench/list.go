package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// list is the command "list": the names that run accepts.
func (c command) list(args []string) error {
	if len(args) > 0 {
		return usagef("list takes no arguments")
	}
	parameters, err := papers.All.Registry()
	if err != nil {
		return err
	}
	var b strings.Builder
	section(&b, "Scenarios: run NAME", scenarioRows())
	section(&b, "Flow control: -fc NAME,...", protocolRows())
	section(&b, "Workloads: -set workload=NAME, flow sizes of Poisson traffic", workloadRows())
	section(&b, "Topologies: -set topology=NAME", topologyRows())
	writeParameters(&b, parameters.Definitions())
	_, err = io.WriteString(c.stdout, b.String())
	return err
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

// writeParameters lists parameters by section, in the order of their declaration.
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
	defaultWidth = 10
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
		{byname.Single, "hosts around one switch"},
		{byname.Dumbbell, "two switches with a link between them and hosts around each"},
		{byname.LeafSpine, "racks of hosts, every top-of-rack switch linked to every spine"},
		{byname.FatTree, "three tiers of switches with k ports, k*k*k/4 hosts"},
		{byname.NDC, "NDC(n,k): hosts that forward, with a port to a switch of each of k+1 layers"},
	}
}
