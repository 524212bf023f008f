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
	"os"
	"slices"
)

func main() {
	os.Exit(command{stdout: os.Stdout, stderr: os.Stderr, alone: true}.main(os.Args[1:]))
}

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
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

// main runs the command line and returns the exit code.
func (c command) main(args []string) int {
	err := c.dispatch(args)
	var usage usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(
			c.stderr,
			"bench: %v\nRun \"go run ./bench help\" for usage, \"go run ./bench list\" for names.\n", err,
		)
		return exitUsage
	}
	fmt.Fprintf(c.stderr, "bench: %v\n", err)
	return exitFailure
}

func (c command) dispatch(args []string) error {
	name := ""
	if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		return c.help(nil)
	}
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		name, args = args[0], args[1:]
	}
	switch name {
	case "":
		return c.run(args, options{plot: defaultPicture, brief: true})
	case "run":
		return c.run(args, options{})
	case "sweep":
		return c.sweep(args)
	case "hol":
		return c.hol(args)
	case "convergence":
		return c.convergence(args)
	case "speed":
		return c.speed(args)
	case "list":
		return c.list(args)
	case "help":
		return c.help(args)
	}
	return usagef(
		"unknown command %q; the commands are run, sweep, convergence, hol, speed, list and help (a "+
			"scenario is run with: run %s)",
		name, name,
	)
}
