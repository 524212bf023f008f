package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/params"
)

// accumulating are the flags that may be given several times: each adds to what was given before.
// Every other flag is given once, so that none is overridden in silence.
var accumulating = []string{
	"set", "fc", "schedule", "traffic", "incast", "fail", "probe", "headers", "congested", "sweep",
}

// once is a flag that may be given once, if not many times.
type once struct {
	flag.Value
	given, many bool
	empty       bool // an empty value turns off what has a default
	note        func(value string)
}

// String is for the package flag, which also calls it on the zero value.
func (o *once) String() string {
	if o.Value == nil {
		return ""
	}
	return o.Value.String()
}

// Set refuses an empty value, which would be no value at all, and a second value.
func (o *once) Set(s string) error {
	o.note(s)
	switch {
	case o.many:
	case o.given:
		return fmt.Errorf("it is given twice")
	case s == "" && !o.empty:
		return fmt.Errorf("it is empty")
	}
	o.given = true
	return o.Value.Set(s)
}

func (o *once) IsBoolFlag() bool {
	b, ok := o.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

var helpFlag = regexp.MustCompile(`(?m)^  -([\w-]+)`)

// flagsOf returns the flags that the help of a command names.
func (o *options) flagsOf(command string) *flag.FlagSet {
	var all flag.FlagSet
	o.declare(command, &all)
	own := flag.NewFlagSet("bench", flag.ContinueOnError)
	own.SetOutput(io.Discard)
	for _, match := range helpFlag.FindAllStringSubmatch(helpTexts[command], -1) {
		f := all.Lookup(match[1])
		own.Var(&once{
			Value: f.Value, empty: f.DefValue != "", many: slices.Contains(accumulating, f.Name),
			note: func(value string) { o.words = append(o.words, [2]string{f.Name, value}) },
		}, f.Name, "")
	}
	return own
}

var unknownFlag = regexp.MustCompile(`^flag provided but not defined: -(.*)$`)

// nearFlag is the end of an error's text: the flag that was meant, if the error is about a flag
// that the command does not have.
func nearFlag(flags *flag.FlagSet, err error) string {
	match := unknownFlag.FindStringSubmatch(err.Error())
	if match == nil {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return params.DidYouMean("-"+match[1], names)
}

// checkSettings refuses a parameter that is given twice, by -set, by a flag of its own, or by
// -sweep beside -set: which of the values counts would be a guess.
func (o *options) checkSettings() error {
	given := map[string]string{}
	for _, list := range o.set {
		for _, assignment := range strings.Split(list, ",") {
			name, value, _ := strings.Cut(assignment, "=")
			name = strings.TrimSpace(name)
			if before, twice := given[name]; twice && name != "" {
				return usagef("parameter %s is given twice, as %s and %s", name, before, value)
			}
			given[name] = value
		}
	}
	for _, s := range o.sweep {
		name, _, _ := strings.Cut(s, "=")
		if value, set := given[strings.TrimSpace(name)]; set {
			return usagef("parameter %s is swept, and set to %s as well", name, value)
		}
	}
	return nil
}
