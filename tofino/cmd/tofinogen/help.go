package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
)

const usage = `tofinogen makes what a Tofino 2 is loaded with: a program in P4, entries, and
what they cost.

  tofinogen -protocol NAME [-set ...] [-switch ...] [-ports FILE] [-realise] [-o DIR]
      makes the files of one switch; without -o it prints what they would cost
  tofinogen -check DIR
      checks files that were made, or changed since
  tofinogen -diff DIR -fail SWITCH:PORT,...
      writes the entries that change when links fail, as DIR/update.json

Flags:
  -protocol NAME   %s
  -set LIST        parameters, name=value,...; parameters of the network and of the protocol are
                   listed by "go run ./bench list"
  -topology FILE   the network, in the format of HPCC's or of Pyrrha's ns-3; otherwise -set topology=...
  -switch NAME     edge, aggregation, spine, core: the first such; or a number (edge)
  -ports FILE      the chip's port of each port of the switch, a line for each: PORT DEV_PORT [RATE],
                   or PORT FRONT/CHANNEL [RATE]; otherwise they are given in order
  -seed N          the seed of the switches' hash functions (1)
  -compiled FILE   the bf-rt.json that a compiler wrote of the program: requests/*.bin are written with
                   its numbers and it is kept beside them, for -check; a schema that lacks something
                   of the program, or has it otherwise, is refused
  -realise         takes the nearest configuration that the chip can run, and prints what is changed
  -o DIR           where files are written; nothing is on an error

Exit codes: 0; 1 if files cannot be written or are not what they should be; 2 for bad input.

Protocols:
%s
Parameters:
%s`

// help prints how the command is used.
func (c command) help() error {
	registry, err := params.NewRegistry(parameters, byname.Definitions(), fabric.Definitions())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, usage, protocolNames(), protocolList(),
		parameterList(registry.Definitions()))
	return err
}

func protocolList() (list string) {
	for _, p := range protocols {
		list += fmt.Sprintf("  %s\t%s\n", p.name, p.doc)
	}
	return aligned(list)
}

// parameterList lists the parameters of this command and the parameters of networks.
func parameterList(definitions []params.Definition) (list string) {
	for _, d := range definitions {
		if d.Section == "tofino" || d.Section == "scenario" || strings.HasPrefix(d.Name, "hash") {
			list += fmt.Sprintf("  %s\t%s\t%s\n", d.Name, d.Values(), d.Doc)
		}
	}
	return aligned(list)
}

// aligned puts what tabs separate into columns.
func aligned(text string) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, text)
	_ = t.Flush() // to a builder
	return b.String()
}
