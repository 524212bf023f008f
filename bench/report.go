package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice/internal/lab/pages"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/report"
)

const resultsDir = "docs/results"

func (c command) report(o *options) error {
	config := &o.reported
	config.Slice = o.slice
	if _, err := os.Stat(config.Dir); err != nil {
		return usagef(
			"there is no folder %s: run it where the repository begins, or name -dir", config.Dir,
		)
	}
	switch {
	case o.pagesOnly && (config.For > 0 || config.Older || o.keeps):
		return usagef("-pages runs nothing: leave -for, -stale and -write out")
	case config.Slice.Of > 0 && (o.pagesOnly || config.HTML != ""):
		return usagef("-slice makes no pages: make them of the data of all slices, with -pages")
	case !o.keeps && !o.pagesOnly && config.HTML != "":
		return usagef("-html makes pages: of what is kept with -pages, else with -write")
	case !o.keeps && (config.Older || config.Slice.Of > 0 || o.slurm.submit || o.slurm.script != ""):
		return usagef("-stale, -slice and -slurm keep what is run: give -write")
	case (o.slurm.submit || o.slurm.script != "") && (o.pagesOnly || config.For > 0):
		return usagef("-slurm runs what is left: leave -pages and -for out")
	}
	if err := pages.CheckNames(papers.All, config.Names); err != nil {
		return usageError{err}
	}
	config.Seeds, config.Jobs, config.Say = o.seeds, o.jobs, func(line string) {
		if !o.quiet {
			fmt.Fprintln(c.stderr, line)
		}
	}
	if !o.keeps && !o.pagesOnly {
		return pages.Compare(*config)
	}
	if len(config.Seeds) == 0 {
		config.Seeds = []uint64{1, 2, 3, 4, 5}
	}
	given, err := o.checkSlurm(config.Slice.Of > 0)
	if err != nil {
		return usageError{err}
	}
	if given == "-slurm" || given == "-slurm-script" {
		defer c.onInterrupt(o)()
		if err := c.reportOnSlurm(o); err != nil || given == "-slurm-script" {
			return err
		}
	}
	if o.pagesOnly || o.slurm.submit {
		config.For = -1
	}
	return pages.Make(*config)
}

func (c command) reportOnSlurm(o *options) error {
	entries, left, err := pages.Left(o.reported)
	if err != nil {
		return err
	}
	return c.onSlurm(o, &sliced{
		words: append([]string{"report", "-dir=" + o.reported.Dir}, o.sliceWords()...),
		base:  filepath.Clean(o.reported.Dir), parts: entries, left: left,
		id: func(words ...string) uint64 {
			return xxhash.Sum64String(fmt.Sprint(words, report.Build(), o.reported.Names, o.reported.Seeds))
		},
	})
}
