package main

import (
	"errors"
	"flag"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/slurm"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// options are what the flags of all commands say.
type options struct {
	scenario        string
	given           map[string]bool // flags of the command line
	words           [][2]string     // flags of the command line, in order, and their values
	protocols       []string
	topology, flows string
	schedules       []string // jobs
	incast          []sluice.SwitchID
	set             []string
	traffic         []run.Traffic
	sonic           *sonic.DB // nil: none
	sonicFile       string
	seed            uint64
	until           sluice.Time
	failures        run.Failures
	jobs, threads   int // threads: 0 if not given
	memory, quiet   bool
	brief           bool // the main protocols, if the user names none
	sweeps          bool // it is the command "sweep"

	json, fct, plot, view, csv, tidy, cpuProfile string
	slowdown                                     string
	style                                        draw.Style
	output                                       string // of topology, flows and schedule
	binary                                       bool   // schedule: in GOAL's binary form

	watch watchOptions

	reported  pages.Config
	pagesOnly bool
	keeps     bool // report keeps what came out

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

// declare declares the flags of all commands. A command has the flags that its help names.
func (o *options) declare(command string, f *flag.FlagSet) {
	o.seed, o.jobs, o.cases, o.count = run.DefaultSeed, runtime.GOMAXPROCS(0), 3, 3

	// what is run
	f.Func("fc", "", list(&o.protocols, parseName))
	f.StringVar(&o.topology, "topology", "", "")
	f.StringVar(&o.flows, "flows", "", "")
	f.Func("schedule", "", func(s string) error { o.schedules = append(o.schedules, s); return nil })
	f.Func("incast", "", list(&o.incast, parseHost))
	f.Func("set", "", func(s string) error { o.set = append(o.set, s); return nil })
	f.Func("traffic", "", func(s string) error {
		t, err := run.ParseTraffic(s)
		o.traffic = append(o.traffic, t)
		return err
	})
	f.Func("seed", "", value(&o.seed, parseSeed))
	for _, name := range []string{"cc", "detect", "transport", "lb"} {
		if name == "cc" && command == "convergence" {
			f.Func(name, "", list(&o.controls, parseName))
		} else {
			f.Func(name, "", o.setOne(name))
		}
	}
	f.Func("sonic", "", o.readSONiC)
	f.Func("fail", "", list((*[]sim.Failure)(&o.failures), parseFailure))
	f.Func("until", "", value(&o.until, parseInstant))
	f.Func("senders", "", list(&o.senders, parseCount))
	f.Func("congested", "", list(&o.congested, parseHop))
	f.Func("cases", "", value(&o.cases, parseCount))
	f.Func("count", "", value(&o.count, parseCount))
	f.BoolVar(&o.scale, "scale", false, "")
	f.BoolVar(&o.model, "model", false, "")

	// sweeps and reports
	f.Func("sweep", "", func(s string) error { o.sweep = append(o.sweep, s); return nil })
	f.Func("seeds", "", o.setSeeds)
	f.Func("repeat", "", value(&o.repeat, parseCount))
	f.Func("slice", "", value(&o.slice, run.ParseSlice))
	f.BoolVar(&o.slurm.submit, "slurm", false, "")
	f.Func("slurm-tasks", "", value(&o.slurm.tasks, parseCount))
	f.Func("slurm-options", "", value(&o.slurm.options, func(text string) (string, error) {
		return text, slurm.CheckOptions(text)
	}))
	f.StringVar(&o.slurm.script, "slurm-script", "", "")
	f.Func("for", "", value(&o.reported.For, parseDuration))
	f.StringVar(&o.reported.Dir, "dir", o.reported.Dir, "")
	f.BoolVar(&o.pagesOnly, "pages", false, "")
	f.BoolVar(&o.keeps, "write", false, "")
	f.BoolVar(&o.reported.Older, "stale", false, "")
	f.BoolVar(&o.reported.Alone, "alone", false, "")
	f.StringVar(&o.reported.HTML, "html", "", "")

	// what is written
	f.StringVar(&o.json, "json", "", "")
	f.StringVar(&o.csv, "csv", "", "")
	f.StringVar(&o.tidy, "tidy", "", "")
	f.StringVar(&o.fct, "fct", "", "")
	f.StringVar(&o.slowdown, "slowdown", "", "")
	f.StringVar(&o.view, "view", "", "")
	f.StringVar(&o.output, "o", "", "")
	f.BoolVar(&o.binary, "binary", false, "")
	o.watch.declare(f)
	f.StringVar(&o.plot, "plot", o.plot, "")
	declareStyle(&o.style, f)

	// the machine
	if command == "speed" {
		f.Func("threads", "", list(&o.counts, parseCount))
	} else {
		f.Func("threads", "", value(&o.threads, parseCount))
	}
	f.Func("jobs", "", value(&o.jobs, parseCount))
	f.BoolVar(&o.memory, "memory", false, "")
	f.StringVar(&o.cpuProfile, "cpuprofile", "", "")
	f.BoolVar(&o.quiet, "q", false, "")
}

// setOne sets a parameter that is named so often that it has a flag of its own.
func (o *options) setOne(name string) func(string) error {
	return func(value string) error {
		if strings.Contains(value, ",") {
			return errors.New("one at a time; -sweep " + name + "=" + value + " runs all")
		}
		o.set = append(o.set, name+"="+value)
		return nil
	}
}

func (o *options) readSONiC(path string) error {
	o.sonicFile = path
	const most = 1 << 28
	text, err := report.ReadFile(path, most)
	if err == nil {
		o.sonic, err = sonic.Parse(text)
	}
	return err
}

func (o *options) request() run.Request {
	return run.Request{
		Protocols: o.protocols, Set: o.set, Traffic: o.traffic, Seed: o.seed, Until: o.until,
		Failures: o.failures, Incast: o.incast, Schedules: o.schedules, Watch: o.watch.request(),
		SONiC: o.sonic, SONiCFile: o.sonicFile,
	}
}

// parse reads the flags of a command, and at most one scenario before, between or behind them.
func (c command) parse(o *options, name string, args []string) error {
	flags := o.flagsOf(name)
	o.sweeps = name == "sweep"
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
			if c.alone && !o.memory { // huge pages would count whole
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
	case o.topology == "" && o.flows != "":
		return usagef("-flows needs the network that the flows run on: -topology")
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
