package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/papers"
)

// report is the command "report".
func (c command) report(args []string) error {
	config := pages.Config{
		Library: papers.All, Dir: "docs/results", Seeds: []uint64{1, 2, 3, 4, 5}, Say: func(line string) {
			fmt.Fprintln(c.stderr, line)
		},
	}
	var (
		flags = flag.NewFlagSet("bench", flag.ContinueOnError)
		seeds seedList
		jobs  = count(runtime.GOMAXPROCS(0))
		only  bool
		quiet bool
	)
	flags.SetOutput(io.Discard)
	flags.Var(&seeds, "seeds", "")
	flags.Var(&jobs, "jobs", "")
	flags.Func("for", "", func(s string) (err error) {
		if config.For, err = time.ParseDuration(s); err == nil && config.For <= 0 {
			err = errors.New("must be positive")
		}
		return err
	})
	flags.StringVar(&config.Dir, "dir", config.Dir, "")
	flags.BoolVar(&only, "pages", false, "")
	flags.BoolVar(&quiet, "q", false, "")
	flags.VisitAll(func(f *flag.Flag) { f.Value = &once{Value: f.Value, empty: f.DefValue != ""} })
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(c.stdout, helpTexts["report"])
			return err
		} else if err != nil {
			return usagef("report: %w%s; see \"go run ./bench help report\"", err, nearFlag(flags, err))
		}
		if flags.NArg() == 0 {
			break
		}
		config.Names, args = append(config.Names, flags.Arg(0)), flags.Args()[1:]
	}
	if _, err := os.Stat(config.Dir); err != nil {
		return usagef("there is no folder %s: run it where the repository begins, or name -dir", config.Dir)
	}
	if len(seeds) > 0 {
		config.Seeds = seeds
	}
	config.Jobs = int(jobs)
	if only && config.For > 0 {
		return usagef("-pages runs nothing: leave -for out")
	}
	if only {
		config.For = -1
	}
	if quiet {
		config.Say = func(string) {}
	}
	if err := pages.CheckNames(config.Library, config.Names); err != nil {
		return usageError{err}
	}
	return pages.Make(config)
}
