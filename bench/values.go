package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

func value[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = v
		}
		return err
	}
}

func list[T any](to *[]T, parse func(string) (T, error)) func(string) error {
	return func(s string) error {
		items, err := splitList(s)
		for _, item := range items {
			v, err := parse(item)
			if err != nil {
				return err
			}
			*to = append(*to, v)
		}
		return err
	}
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

func parseName(s string) (string, error) { return s, nil }

// parseInstant parses a simulated time. It must be positive, as 0 stands for no time.
func parseInstant(s string) (sluice.Time, error) {
	t, err := params.Parse[sluice.Time](s)
	switch {
	case err != nil: // a parameter may be "never", an instant may not
		err = errors.New(strings.TrimSuffix(err.Error(), ", or never"))
	case err == nil && t <= 0:
		err = errors.New("must be positive")
	case err == nil && t == sluice.Never:
		err = errors.New("must be a time, and left out for none")
	}
	return t, err
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil && d <= 0 {
		err = errors.New("must be positive")
	}
	return d, err
}

func parseCount(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q must be a positive integer", s)
	}
	return int(n), nil
}

func parseHost(s string) (sluice.SwitchID, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not the number of a host", s)
	}
	return sluice.SwitchID(n), nil
}

func parseHop(s string) (sluice.Hop, error) {
	node, port, _ := strings.Cut(s, ":")
	n, err := strconv.ParseUint(node, 10, 32)
	p, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil {
		return sluice.Hop{}, fmt.Errorf("%q is not a port: write SWITCH:PORT, as 160:3", s)
	}
	return sluice.Hop{Switch: sluice.SwitchID(n), Port: sluice.PortID(p)}, nil
}

func parseSeed(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, errors.New("must be a whole number of 0 to 2^64-1")
	}
	return n, nil
}

const maxSeeds = 10_000

// setSeeds adds seeds and ranges of seeds: "1-10", "1,2,5-7".
func (o *options) setSeeds(s string) error {
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
			if len(o.seeds) == maxSeeds {
				return fmt.Errorf("more than %d seeds", maxSeeds)
			}
			if slices.Contains(o.seeds, seed) {
				return fmt.Errorf("seed %d is given twice", seed)
			}
			o.seeds = append(o.seeds, seed)
		}
	}
	return err
}
