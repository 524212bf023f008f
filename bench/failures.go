package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// parseFailure parses a link that fails: "17:4@30us" for good, "17:4@30us-60us" until it is
// repaired.
func parseFailure(item string) (f sim.Failure, err error) {
	if f, err = cutFailure(item); err != nil {
		err = fmt.Errorf(
			"%q: %w; write SWITCH:PORT@TIME or SWITCH:PORT@TIME-TIME, as 160:3@30us-60us", item, err,
		)
	}
	return f, err
}

func cutFailure(item string) (f sim.Failure, err error) {
	port, when, ok := strings.Cut(item, "@")
	if !ok {
		return f, errors.New("no time")
	}
	if f.At, err = parseHop(port); err != nil {
		return f, err
	}
	down, up, repaired := strings.Cut(when, "-")
	if f.Down, err = params.Parse[sluice.Time](down); err != nil || !repaired {
		return f, err
	}
	f.Up, err = params.Parse[sluice.Time](up)
	if err == nil && (f.Up <= f.Down || f.Up == sluice.Never) {
		err = errors.New("it must be repaired after it fails")
	}
	return f, err
}
