// Command tofinogen makes the files with which a Tofino 2 is loaded, of the same configurations
// that make the machines of this module: a program in P4, entries, and
// their cost.
//
//	go run ./tofino/cmd/tofinogen -protocol paths -set topology=fat-tree,k=36 -switch edge -o dir
//	go run ./tofino/cmd/tofinogen -protocol pfc -topology net.txt -ports ports.txt -switch 160 -o dir
//	go run ./tofino/cmd/tofinogen -diff dir -fail 160:3
//	go run ./tofino/cmd/tofinogen -help
//
// The same input gives the same files, to the byte.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(command{stdout: os.Stdout, stderr: os.Stderr}.main(os.Args[1:])) }

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // files cannot be written, or are not what they should be
	exitUsage   = 2 // what was asked for cannot be made; nothing was written
)

// command is an invocation: where its output goes.
type command struct{ stdout, stderr io.Writer }

// usageError is a mistake in what was asked for, found before anything was written.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// main runs the command line and returns the exit code.
func (c command) main(args []string) int {
	err := c.run(args)
	var usage usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(c.stderr, "tofinogen: %v\nRun \"go run ./tofino/cmd/tofinogen -help\" for usage.\n",
			err)
		return exitUsage
	}
	fmt.Fprintf(c.stderr, "tofinogen: %v\n", err)
	return exitFailure
}

func (c command) run(args []string) error {
	o, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return errors.Join(c.help(), err)
	case err != nil:
		return err
	case o.check != "":
		return c.check(o)
	case o.diff != "":
		return c.update(o)
	}
	return c.generate(o)
}

// generate makes the files of one switch.
func (c command) generate(o *options) error {
	m, err := newMade(o)
	if err != nil {
		return usageError{err}
	}
	if len(m.changes) > 0 && !o.realise {
		return usagef("the chip cannot run this configuration as it is; -realise takes the nearest:\n%s",
			m.changeList())
	}
	files, err := m.files()
	if err != nil {
		return usageError{err}
	}
	if err := m.report(c.stdout); err != nil || o.out == "" {
		return err
	}
	if err := writeFiles(o.out, files); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "\nwritten to %s: %s\n", o.out, names(files))
	return err
}
