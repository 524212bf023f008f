package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// profiled calls f and writes a CPU profile of it if the options say so.
func (c command) profiled(o *options, f func() error) (err error) {
	if o.cpuProfile == "" {
		return f()
	}
	file, err := os.Create(o.cpuProfile)
	if err != nil {
		return report.CannotWrite(o.cpuProfile, err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	err = f()
	pprof.StopCPUProfile()
	if !o.quiet {
		fmt.Fprintf(c.stderr, "CPU profile: %s\n", o.cpuProfile)
	}
	return errors.Join(err, file.Close())
}
