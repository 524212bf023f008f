package main

import (
	"fmt"
	"os"

	"github.com/sluicefc/sluice/tofino/check"
)

// check reads the files of a directory and says what is wrong with them.
func (c command) check(o *options) error {
	if info, err := os.Stat(o.check); err != nil || !info.IsDir() {
		return usagef("-check %s: must be a directory that was made here", o.check)
	}
	faults, err := check.Dir(o.check)
	if err != nil {
		return usageError{err}
	}
	for _, fault := range faults {
		fmt.Fprintln(c.stdout, fault)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s: %d faults", o.check, len(faults))
	}
	_, err = fmt.Fprintf(c.stdout, "%s: no faults\n", o.check)
	return err
}
