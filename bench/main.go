// Command bench compares flow-control protocols on scenarios of the literature:
//
//	go run ./bench                            the reference scenario under every protocol: tables, and a picture
//	go run ./bench list                       scenarios, protocols, workloads, topologies, parameters
//	go run ./bench run [flags] [scenario]     some protocols on one scenario, or on files
//
// The tables go to standard output, the progress bar to standard error if that is a terminal. For one
// seed and one set of parameters every run gives the same results, to the byte; only the wall time and the
// memory of the process differ.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(command{stdout: os.Stdout, stderr: os.Stderr}.main(os.Args[1:]))
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
}

// usageError is a mistake in the command line.
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
		fmt.Fprintf(c.stderr, "bench: %v\nRun \"go run ./bench help\" for usage, \"go run ./bench list\" for names.\n", err)
		return exitUsage
	}
	fmt.Fprintf(c.stderr, "bench: %v\n", err)
	return exitFailure
}

func (c command) dispatch(args []string) error {
	name := ""
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		name, args = args[0], args[1:]
	}
	switch name {
	case "":
		return c.compare(args)
	case "run":
		return c.run(args)
	case "list":
		return c.list(args)
	case "help":
		_, err := io.WriteString(c.stdout, usage)
		return err
	}
	return usagef("unknown command %q; the commands are run, list and help (a scenario is run with: run %s)", name, name)
}
