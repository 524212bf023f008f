package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// options are the flags of all commands; each command registers those it has.
type options struct {
	scenario        string
	given           map[string]bool // flags of the command line
	words           [][2]string     // flags of the command line, in order, and their values
	protocols       []string
	topology, flows string
	incast          []sluice.SwitchID
	set             []string
	sonic           *sonic.DB // nil: none
	sonicFile       string
	seed            uint64
	until           sluice.Time
	failures        run.Failures
	jobs, threads   int // threads: 0 if not given
	memory, quiet   bool
	brief           bool // the main protocols, if the user names none
	sweeps          bool // it is the command "sweep"

	json, fct, plot, view, csv, cpuProfile string
	slowdown                               string
	style                                  draw.Style
	output                                 string // of topology and flows

	watch watchOptions

	reported  pages.Config
	pagesOnly bool

	controls []string
	senders  []int
	counts   []int // of threads
	scale    bool  // speed: larger networks, too
	model    bool  // speed: of more threads

	sweep     []string
	seeds     []uint64
	repeat    int // 0: not given
	congested []sluice.Hop
	cases     int
	count     int

	slice  run.Slice
	slurm  slurmOptions
	slices []string // files, of merge
}

// register declares the flags of a command.
func (o *options) register(command string, f *flag.FlagSet) {
	o.seed, o.jobs, o.cases, o.count = run.DefaultSeed, runtime.GOMAXPROCS(0), 3, 3
	has := func(commands ...string) bool { return slices.Contains(commands, command) }
	switch {
	case has("report"):
		o.registerReport(f)
		return
	case has("merge"):
		o.registerMerge(f)
		return
	}
	f.Func("set", "", func(s string) error { o.set = append(o.set, s); return nil })
	if !has("speed") {
		f.Func("seed", "", value(&o.seed, parseSeed))
	}
	if !has("topology", "flows") {
		f.Func("fc", "", list(&o.protocols, parseName))
	}
	if !has("topology", "flows", "hol") {
		f.StringVar(&o.cpuProfile, "cpuprofile", "", "")
	}
	if !has("speed", "topology", "flows") {
		f.BoolVar(&o.quiet, "q", false, "")
	}
	if !has("speed", "convergence") {
		f.StringVar(&o.topology, "topology", "", "")
		f.StringVar(&o.flows, "flows", "", "")
	}
	if has("run", "sweep", "hol") {
		f.Func("incast", "", list(&o.incast, parseHost))
	}
	if has("run", "hol", "sweep") {
		f.StringVar(&o.json, "json", "", "")
	}
	if has("run", "sweep", "convergence") {
		f.Func("until", "", value(&o.until, parseInstant))
		f.Func("jobs", "", value(&o.jobs, parseCount))
		f.StringVar(&o.plot, "plot", o.plot, "")
		o.registerStyle(f)
	}
	if has("sweep", "convergence") {
		f.StringVar(&o.csv, "csv", "", "")
	}
	if has("run", "sweep") {
		o.registerRuns(f)
	}
	switch command {
	case "run":
		o.watch.register(f)
		f.StringVar(&o.view, "view", "", "")
		f.BoolVar(&o.memory, "memory", false, "")
		f.Func("threads", "", value(&o.threads, parseCount))
		f.StringVar(&o.slowdown, "slowdown", "", "")
	case "sweep":
		o.sweeps = true
		f.Func("slice", "", value(&o.slice, run.ParseSlice))
		o.slurm.register(f)
		f.Func("sweep", "", func(s string) error { o.sweep = append(o.sweep, s); return nil })
		f.Func("seeds", "", o.setSeeds)
		f.Func("repeat", "", value(&o.repeat, parseCount))
	case "convergence":
		f.Func("cc", "", list(&o.controls, parseName))
		f.Func("senders", "", list(&o.senders, parseCount))
		f.Func("warmup", "", value(&o.watch.warmUp, parseInstant))
	case "hol":
		f.Func("congested", "", list(&o.congested, parseHop))
		f.Func("cases", "", value(&o.cases, parseCount))
	case "speed":
		f.Func("count", "", value(&o.count, parseCount))
		f.Func("threads", "", list(&o.counts, parseCount))
		f.BoolVar(&o.scale, "scale", false, "")
		f.BoolVar(&o.model, "model", false, "")
	case "topology", "flows":
		f.StringVar(&o.output, "o", "-", "")
	}
}

// registerRuns declares what "run" and "sweep" share, with flags of their own for parameters that
// are named so often.
func (o *options) registerRuns(f *flag.FlagSet) {
	for _, name := range []string{"cc", "detect", "transport", "lb"} {
		f.Func(name, "", func(value string) error {
			if strings.Contains(value, ",") {
				return errors.New("one at a time; -sweep " + name + "=" + value + " runs all")
			}
			o.set = append(o.set, name+"="+value)
			return nil
		})
	}
	f.Func("sonic", "", func(path string) (err error) {
		o.sonicFile = path
		text, err := os.ReadFile(path)
		if err == nil {
			o.sonic, err = sonic.Parse(text)
		}
		return err
	})
	f.Func("fail", "", list((*[]sim.Failure)(&o.failures), parseFailure))
	f.StringVar(&o.fct, "fct", "", "")
}

// request is what the flags ask of a scenario.
func (o *options) request() run.Request {
	return run.Request{
		Protocols: o.protocols, Set: o.set, Seed: o.seed, Until: o.until,
		Failures: o.failures, Incast: o.incast, Watch: o.watch.request(),
		SONiC: o.sonic, SONiCFile: o.sonicFile,
	}
}

// parse reads the flags of a command, and at most one scenario before, between or behind them.
func (c command) parse(o *options, name string, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.register(name, flags)
	flags.VisitAll(func(f *flag.Flag) {
		f.Value = &once{
			Value: f.Value, empty: f.DefValue != "", many: slices.Contains(accumulating, f.Name),
			note: func(value string) { o.words = append(o.words, [2]string{f.Name, value}) },
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
		case name == "merge":
			o.slices, args = append(o.slices, flags.Arg(0)), flags.Args()[1:]
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
	if err := o.checkPicture(); err != nil {
		return err
	}
	if o.given["every"] && !o.samples() {
		return usagef("-every needs an output that has samples: -plot, -json, -view, -probe or -qlen")
	}
	if err := o.watch.check(); err != nil {
		return err
	}
	return o.checkOutputs()
}
