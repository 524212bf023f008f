package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// failureList is a flag of links that fail: "17:4@30us" for good, "17:4@30us-60us" until it is
// repaired.
type failureList []sim.Failure

func (l *failureList) String() string { return strings.Join(run.Failures(*l).Words(), ",") }

func (l *failureList) Set(s string) error {
	items, err := splitList(s)
	if err != nil {
		return err
	}
	for _, item := range items {
		f, err := parseFailure(item)
		if err != nil {
			return fmt.Errorf(
				"%q: %w; write SWITCH:PORT@TIME or SWITCH:PORT@TIME-TIME, as 160:3@30us-60us", item, err,
			)
		}
		*l = append(*l, f)
	}
	return nil
}

func parseFailure(item string) (f sim.Failure, err error) {
	port, when, ok := strings.Cut(item, "@")
	if !ok {
		return f, errors.New("no time")
	}
	var at hopList
	if err := at.Set(port); err != nil {
		return f, err
	}
	f.At = at[0]
	down, up, repaired := strings.Cut(when, "-")
	if f.Down, err = params.ParseTime(down); err != nil || !repaired {
		return f, err
	}
	if f.Up, err = params.ParseTime(up); err == nil && (f.Up <= f.Down || f.Up == sluice.Never) {
		err = errors.New("it must be repaired after it fails")
	}
	return f, err
}
