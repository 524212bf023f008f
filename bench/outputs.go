package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/sweep"
)

// outputs are the files that a command writes by the names that were given, in the order of the
// help; "" for none.
func (o *options) outputs() []string {
	return append(
		o.watch.files(), o.json, o.fct, o.slowdown, o.plot, o.view, o.csv, o.tidy, o.output,
		o.slurm.script, o.cpuProfile,
	)
}

func (o *options) samples() bool {
	return o.plot != "" || o.json != "" || o.view != "" ||
		o.watch.qlen != "" || len(o.watch.probes) > 0
}

// checkOutputs refuses files that would overwrite each other or an input, or cannot be written.
func (o *options) checkOutputs() error {
	var paths []string
	for _, path := range o.outputs() {
		if path == "" {
			continue
		}
		for _, other := range paths {
			if o.mayWrite(path, other) || o.mayWrite(other, path) {
				return usagef("two outputs have the same name: %s", path)
			}
		}
		if journal := sweep.JournalOf(o.csv); journal != "" && o.mayWrite(path, journal) {
			return usagef("%s would be written over %s, where -csv keeps the runs", path, journal)
		}
		for _, input := range append(o.slices, o.topology, o.flows, o.sonicFile) {
			if input != "" && o.mayWrite(path, input) {
				return usagef("%s would be written over, and it is an input", input)
			}
		}
		paths = append(paths, path)
		if err := report.CheckWritable(path); err != nil {
			return usageError{err}
		}
	}
	switch {
	case o.view != "" && o.view != "-" && filepath.Ext(o.view) != ".html":
		return usagef("the page %q must be named .html", o.view)
	case o.fct == "-" && len(o.protocols) != 1 && !o.sweeps:
		return usagef("-fct - needs exactly one -fc")
	case slices.Contains(o.watch.files(), "-") && len(o.protocols) != 1:
		return usagef("a file of what is watched on standard output needs exactly one -fc")
	case o.slurm.script == "-":
		return usagef("-slurm-script needs a file")
	case o.cpuProfile == "-":
		return usagef("-cpuprofile needs a file")
	}
	return nil
}

// mayWrite reports whether an output is another file, or may be that file for one of several runs,
// whose names have a part before the extension.
func (o *options) mayWrite(output, other string) bool {
	if sameFile(output, other) {
		return true
	}
	perRun := append(o.watch.files(), o.fct)
	extension := filepath.Ext(output)
	stem := strings.TrimSuffix(filepath.Clean(output), extension) + "."
	return slices.Contains(perRun, output) && strings.HasPrefix(filepath.Clean(other), stem) &&
		filepath.Ext(other) == extension
}

// sameFile reports whether two names are of one file, whether or not it exists.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
}
