// Command bench compares flow-control protocols on scenarios of the literature:
//
//	go run ./bench                          the reference scenario under the main protocols
//	go run ./bench help                     the commands, and "help COMMAND" for the flags of each
//	go run ./bench run -fc pfc,bfc incast   some protocols on one scenario, or on files
//
// The tables go to standard output, the progress bar to standard error if that is a terminal. For
// one seed and one set of parameters every run gives the same results, to the byte; only the wall
// time and the memory of the process differ.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func main() {
	os.Exit(command{stdout: os.Stdout, stderr: os.Stderr, alone: true}.main(os.Args[1:]))
}

const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2

	exitInterrupted = 130 // as shells have it
)

// command is an invocation: where its output goes.
type command struct {
	stdout, stderr io.Writer
	alone          bool // the process does nothing else
}

// usageError is a mistake in what was asked for, found before anything ran or was written: in the
// command line or in a file that it names.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (c command) main(args []string) int {
	err := c.dispatch(args)
	var usage usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	}
	fmt.Fprintf(c.stderr, "bench: %v\n", err)
	if !errors.As(err, &usage) {
		return exitFailure
	}
	if !ofFile(err) {
		fmt.Fprintln(c.stderr, `Run "go run ./bench help" for usage, "go run ./bench list" for names.`)
	}
	return exitUsage
}

// ofFile reports whether an error is of a file, of which help on the command line says nothing.
func ofFile(err error) bool {
	var content *workload.FileError
	var path *fs.PathError
	return errors.As(err, &content) || errors.As(err, &path)
}

func (c command) version(args []string) error {
	if len(args) > 0 {
		return usagef("version takes no arguments")
	}
	_, err := fmt.Fprintf(c.stdout, "sluice %s, %s\n", report.Version(), report.Build())
	return err
}

func asksForHelp(arg string) bool {
	return slices.Contains([]string{"-h", "-help", "--help"}, arg)
}

var commands = []string{
	"run", "sweep", "merge", "report", "convergence", "hol", "speed", "topology", "flows", "schedule",
	"list", "version", "help",
}

func (c command) dispatch(args []string) error {
	name := ""
	if len(args) == 1 && asksForHelp(args[0]) {
		return c.help(nil)
	}
	if len(args) == 1 && (args[0] == "-version" || args[0] == "--version") {
		return c.version(nil)
	}
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		name, args = args[0], args[1:]
	}
	if len(args) == 1 && asksForHelp(args[0]) && slices.Contains(commands, name) && name != "help" {
		return c.help([]string{name})
	}
	switch name {
	case "list":
		return c.list(args)
	case "version":
		return c.version(args)
	case "help":
		return c.help(args)
	}
	do := map[string]func(command, *options) error{
		"": command.run, "run": command.run, "sweep": command.sweep, "merge": command.merge,
		"report": command.report, "hol": command.hol, "convergence": command.convergence,
		"speed": command.speed, "topology": command.topology, "flows": command.flows,
		"schedule": command.schedule,
	}[name]
	if do != nil {
		var o options
		switch name {
		case "":
			name, o.plot, o.brief = "run", defaultPicture, true
		case "convergence":
			o.scenario = general.Convergence
		case "report":
			o.reported = pages.Config{Library: papers.All, Dir: resultsDir, Source: "."}
		}
		if err := c.parse(&o, name, args); err != nil {
			return err
		}
		return do(c, &o)
	}
	if _, err := papers.All.Find(name); err == nil {
		return usagef("unknown command %q; a scenario is run with: run %s", name, name)
	}
	last := len(commands) - 1
	return usagef("unknown command %q; the commands are %s and %s%s", name,
		strings.Join(commands[:last], ", "), commands[last], params.DidYouMean(name, commands))
}
