package main

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/params"
)

// options are the flags of a run.
type options struct {
	scenario        string
	protocols       list
	topology, flows string
	set             lists
	seed            uint64
	until           instant
	json, fct, plot string
	quiet           bool
}

// list is a flag of comma-separated names.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	for _, name := range strings.Split(s, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("a name is empty")
		}
		*l = append(*l, name)
	}
	return nil
}

// lists is a flag that may be repeated.
type lists []string

func (l *lists) String() string     { return strings.Join(*l, ",") }
func (l *lists) Set(s string) error { *l = append(*l, s); return nil }

// instant is a flag of a simulated time, 0 when it is not given.
type instant sluice.Time

func (i *instant) String() string {
	if *i == 0 {
		return ""
	}
	return sluice.Time(*i).String()
}

func (i *instant) Set(s string) error {
	t, err := params.ParseTime(s)
	if err == nil && t <= 0 {
		err = errors.New("must be positive")
	}
	*i = instant(t)
	return err
}

func (o *options) register(f *flag.FlagSet) {
	f.Var(&o.protocols, "fc", "")
	f.StringVar(&o.topology, "topology", "", "")
	f.StringVar(&o.flows, "flows", "", "")
	f.Var(&o.set, "set", "")
	f.Uint64Var(&o.seed, "seed", o.seed, "")
	f.Var(&o.until, "until", "")
	f.StringVar(&o.json, "json", "", "")
	f.StringVar(&o.fct, "fct", "", "")
	f.StringVar(&o.plot, "plot", o.plot, "")
	f.BoolVar(&o.quiet, "q", false, "")
}

const defaultSeed = 1

// parse reads flags, and at most one scenario before, between or behind them.
func (c command) parse(o *options, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.register(flags)
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(c.stdout, usage)
			return err
		} else if err != nil {
			return usageError{err}
		}
		if flags.NArg() == 0 {
			return o.validate()
		}
		if o.scenario != "" {
			return usagef("one scenario at a time: %q and %q", o.scenario, flags.Arg(0))
		}
		o.scenario, args = flags.Arg(0), flags.Args()[1:]
	}
}

func (o *options) validate() error {
	known := fabric.Protocols()
	for i, name := range o.protocols {
		if !slices.ContainsFunc(known, func(p fabric.Protocol) bool { return p.Name == name }) {
			names := make([]string, len(known))
			for i := range known {
				names[i] = known[i].Name
			}
			return usagef("unknown flow control %q; known: %s", name, strings.Join(names, ", "))
		}
		if slices.Contains(o.protocols[:i], name) {
			return usagef("flow control %q is given twice", name)
		}
	}
	switch {
	case (o.topology == "") != (o.flows == ""):
		return usagef("-topology and -flows belong together")
	case o.topology != "" && o.scenario != "":
		return usagef("either the scenario %q or -topology and -flows", o.scenario)
	}
	if o.plot != "" {
		if _, err := plotFormat(o.plot); err != nil {
			return usageError{err}
		}
	}
	return o.checkOutputs()
}

// checkOutputs refuses files that would overwrite each other or cannot be written.
func (o *options) checkOutputs() error {
	var paths []string
	for _, path := range []string{o.json, o.fct, o.plot} {
		if path == "" {
			continue
		}
		if slices.Contains(paths, path) {
			return usagef("two outputs have the same name: %s", path)
		}
		paths = append(paths, path)
		if err := checkWritable(path); err != nil {
			return err
		}
	}
	if o.fct == "-" && len(o.protocols) != 1 {
		return usagef("-fct - needs exactly one -fc")
	}
	return nil
}
