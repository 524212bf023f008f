package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// options are the flags of all commands; each command registers those it has.
type options struct {
	scenario        string
	given           map[string]bool // flags of the command line
	protocols       list
	topology, flows string
	incast          hostList
	set             lists
	seed            uint64
	until           instant
	failures        failureList
	jobs            count
	memory, quiet   bool
	brief           bool // the main protocols, if the user names none
	sweeps          bool // it is the command "sweep"

	json, fct, plot, csv, cpuProfile string
	output                           string // of topology and flows

	watch watchOptions

	reported  pages.Config
	pagesOnly bool

	controls list
	senders  countList

	sweep     lists
	seeds     seedList
	repeat    count // 0: not given
	congested hopList
	cases     count
	count     count
}

// register declares the flags of a command.
func (o *options) register(command string, f *flag.FlagSet) {
	o.seed, o.jobs, o.cases, o.count = run.DefaultSeed, count(runtime.GOMAXPROCS(0)), 3, 3
	if command == "report" {
		o.registerReport(f)
		return
	}
	f.Var(&o.set, "set", "")
	generates := command == "topology" || command == "flows"
	if !generates {
		f.Var(&o.protocols, "fc", "")
	}
	if command != "hol" && !generates {
		f.StringVar(&o.cpuProfile, "cpuprofile", "", "")
	}
	if command == "speed" {
		f.Var(&o.count, "count", "")
		return
	}
	if command == "convergence" {
		o.registerConvergence(f)
		return
	}
	if command == "topology" || command == "flows" {
		f.StringVar(&o.topology, "topology", "", "")
		f.StringVar(&o.flows, "flows", "", "")
		f.Var((*seedFlag)(&o.seed), "seed", "")
		f.StringVar(&o.output, "o", "-", "")
		return
	}
	f.StringVar(&o.topology, "topology", "", "")
	f.StringVar(&o.flows, "flows", "", "")
	f.Var(&o.incast, "incast", "")
	f.Var((*seedFlag)(&o.seed), "seed", "")
	f.BoolVar(&o.quiet, "q", false, "")
	if command != "sweep" {
		f.StringVar(&o.json, "json", "", "")
	}
	if command == "hol" {
		f.Var(&o.congested, "congested", "")
		f.Var(&o.cases, "cases", "")
		return
	}
	// flags of their own, as they are named so often
	for _, name := range []string{"cc", "detect", "transport"} {
		f.Func(name, "", func(value string) error {
			if strings.Contains(value, ",") {
				return errors.New("one at a time; -sweep " + name + "=" + value + " runs all")
			}
			return o.set.Set(name + "=" + value)
		})
	}
	f.Var(&o.until, "until", "")
	f.Var(&o.failures, "fail", "")
	f.Var(&o.jobs, "jobs", "")
	f.StringVar(&o.plot, "plot", o.plot, "")
	f.StringVar(&o.fct, "fct", "", "")
	if command == "sweep" {
		o.sweeps = true
		f.Var(&o.sweep, "sweep", "")
		f.Var(&o.seeds, "seeds", "")
		f.Var(&o.repeat, "repeat", "")
		f.StringVar(&o.csv, "csv", "", "")
		return
	}
	o.watch.register(f)
	f.BoolVar(&o.memory, "memory", false, "")
}

func (o *options) registerConvergence(f *flag.FlagSet) {
	o.senders = countList{2, 4, 16}
	f.Var(&o.controls, "cc", "")
	f.Func("senders", "", func(value string) error {
		o.senders = nil
		return o.senders.Set(value)
	})
	f.Var((*seedFlag)(&o.seed), "seed", "")
	f.BoolVar(&o.quiet, "q", false, "")
	f.Var(&o.until, "until", "")
	f.Var(&o.watch.warmUp, "warmup", "")
	f.Var(&o.jobs, "jobs", "")
	f.StringVar(&o.plot, "plot", "", "")
	f.StringVar(&o.csv, "csv", "", "")
}

// request is what the flags ask of a scenario.
func (o *options) request() run.Request {
	return run.Request{
		Protocols: o.protocols, Set: o.set, Seed: o.seed, Until: sluice.Time(o.until),
		Failures: run.Failures(o.failures), Incast: o.incast, Watch: o.watch.request(),
	}
}

// parse reads the flags of a command, and at most one scenario before, between or behind them.
func (c command) parse(o *options, name string, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.register(name, flags)
	flags.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(accumulating, f.Name) {
			f.Value = &once{Value: f.Value, empty: f.DefValue != ""}
		}
	})
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(c.stdout, helpTexts[name])
			return err
		} else if err != nil {
			return usagef("%s: %w%s; see \"go run ./bench help %s\"", name, err, nearFlag(flags, err), name)
		}
		if flags.NArg() == 0 {
			o.given = map[string]bool{}
			flags.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
			if c.alone && !o.memory { // whose pages would count whole
				adviseHugePages()
			}
			return o.validate()
		}
		switch {
		case name == "speed", name == "convergence":
			return usagef("%s runs its own scenario, not %q", name, flags.Arg(0))
		case name == "report":
			o.reported.Names, args = append(o.reported.Names, flags.Arg(0)), flags.Args()[1:]
			continue
		case o.scenario != "":
			return usagef("one scenario at a time: %q and %q", o.scenario, flags.Arg(0))
		}
		o.scenario, args = flags.Arg(0), flags.Args()[1:]
	}
}

func (o *options) validate() error {
	for i, name := range o.protocols {
		if _, err := fabric.Find(name); err != nil {
			return usageError{err}
		}
		if slices.Contains(o.protocols[:i], name) {
			return usagef("flow control %q is given twice", name)
		}
	}
	if err := o.checkSettings(); err != nil {
		return err
	}
	switch {
	case (o.topology == "") != (o.flows == ""):
		return usagef("-topology and -flows belong together")
	case o.topology != "" && o.scenario != "":
		return usagef("either the scenario %q or -topology and -flows", o.scenario)
	}
	switch {
	case o.memory && o.given["jobs"] && o.jobs > 1:
		return usagef("-memory runs one protocol after the other: leave -jobs out")
	case o.memory:
		o.jobs = 1
	}
	if o.plot != "" {
		if _, err := draw.PlotFormat(o.plot); err != nil {
			return usageError{err}
		}
	}
	if o.given["every"] && !o.samples() {
		return usagef("-every needs an output that has samples: -plot, -json, -probe or -qlen")
	}
	if err := o.watch.check(); err != nil {
		return err
	}
	return o.checkOutputs()
}

// splitList splits a list at its commas and refuses empty items.
func splitList(s string) ([]string, error) {
	var items []string
	for _, item := range strings.Split(s, ",") {
		if item = strings.TrimSpace(item); item == "" {
			return nil, errors.New("a name is empty")
		}
		items = append(items, item)
	}
	return items, nil
}

// list is a flag of comma-separated names.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	items, err := splitList(s)
	*l = append(*l, items...)
	return err
}

// lists is a flag that may be repeated.
type lists []string

func (l *lists) String() string { return strings.Join(*l, ",") }

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
	switch {
	case err == nil && t <= 0:
		err = errors.New("must be positive")
	case err == nil && t == sluice.Never:
		err = errors.New("must be a time, and left out for none")
	}
	*i = instant(t)
	return err
}

// count is a flag of a positive number.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }

func (c *count) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return errors.New("must be a positive integer")
	}
	*c = count(n)
	return nil
}

// countList is a flag of positive numbers.
type countList []int

func (l *countList) String() string { return fmt.Sprint(*l) }

func (l *countList) Set(s string) error {
	items, err := splitList(s)
	for _, item := range items {
		var n count
		if err := n.Set(item); err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
		*l = append(*l, int(n))
	}
	return err
}

// hostList is a flag of hosts.
type hostList []sluice.SwitchID

func (l *hostList) String() string { return fmt.Sprint(*l) }

func (l *hostList) Set(s string) error {
	items, err := splitList(s)
	for _, item := range items {
		n, err := strconv.ParseUint(item, 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not the number of a host", item)
		}
		*l = append(*l, sluice.SwitchID(n))
	}
	return err
}

// hopList is a flag of ports.
type hopList []sluice.Hop

func (l *hopList) String() string { return fmt.Sprint(*l) }

func (l *hopList) Set(s string) error {
	items, err := splitList(s)
	for _, item := range items {
		node, port, _ := strings.Cut(item, ":")
		n, err := strconv.ParseUint(node, 10, 32)
		p, portErr := strconv.ParseUint(port, 10, 16)
		if err != nil || portErr != nil {
			return fmt.Errorf("%q is not a port: write SWITCH:PORT, as 160:3", item)
		}
		*l = append(*l, sluice.Hop{Switch: sluice.SwitchID(n), Port: sluice.PortID(p)})
	}
	return err
}

// seedFlag is a flag of one seed.
type seedFlag uint64

func (f *seedFlag) String() string { return strconv.FormatUint(uint64(*f), 10) }

func (f *seedFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("must be a whole number of 0 to 2^64-1")
	}
	*f = seedFlag(n)
	return nil
}

// seedList is a flag of seeds: "1-10", "1,2,5-7".
type seedList []uint64

func (l *seedList) String() string { return fmt.Sprint(*l) }

const maxSeeds = 10_000

func (l *seedList) Set(s string) error {
	items, err := splitList(s)
	for _, item := range items {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 64)
		last, lastErr := strconv.ParseUint(to, 10, 64)
		if err != nil || lastErr != nil || first > last || last == math.MaxUint64 {
			return fmt.Errorf("%q is no seed and no range of seeds such as 1-10", item)
		}
		for seed := first; seed <= last; seed++ {
			if len(*l) == maxSeeds {
				return fmt.Errorf("more than %d seeds", maxSeeds)
			}
			if slices.Contains(*l, seed) {
				return fmt.Errorf("seed %d is given twice", seed)
			}
			*l = append(*l, seed)
		}
	}
	return err
}
