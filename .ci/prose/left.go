package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// place is a phrase in a file.
type place struct{ path, phrase string }

func byPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.phrase, b.phrase))
}

// counts is how often files have phrases.
type counts map[place]int

// String has a line for each place: the number, the phrase, the file.
func (c counts) String() string {
	var b strings.Builder
	for _, p := range slices.SortedFunc(maps.Keys(c), byPlace) {
		fmt.Fprintf(&b, "%d\t%s\t%s\n", c[p], p.phrase, p.path)
	}
	return b.String()
}

// read is the inverse of String.
func read(content string) (counts, error) {
	c := counts{}
	for i, line := range strings.Split(content, "\n") {
		if line == "" {
			continue
		}
		parts := strings.Split(line, "\t")
		n := 0
		if len(parts) == 3 {
			if _, err := fmt.Sscan(parts[0], &n); err == nil && n > 0 {
				c[place{parts[2], parts[1]}] = n
				continue
			}
		}
		return nil, fmt.Errorf("%s:%d: must be a number, a phrase and a file, with tabs between them: %q",
			leftFile, i+1, line)
	}
	return c, nil
}

// compare returns where a file has more or less of a phrase than is left, and the smaller numbers.
func compare(found, left counts) (faults []string, smaller counts) {
	smaller = maps.Clone(left)
	all := maps.Clone(left)
	maps.Copy(all, found)
	for _, p := range slices.SortedFunc(maps.Keys(all), byPlace) {
		has, may := found[p], left[p]
		switch {
		case has > may:
			faults = append(faults, fmt.Sprintf("%s: %q %d times, %d are left: %s", p.path, p.phrase, has,
				may, instead(p.phrase)))
		case has == 0:
			delete(smaller, p)
			faults = append(faults, fmt.Sprintf("%s: no %q any more: run -update", p.path, p.phrase))
		case has < may:
			smaller[p] = has
			faults = append(faults, fmt.Sprintf("%s: %q %d times, %d are left: run -update", p.path,
				p.phrase, has, may))
		}
	}
	return faults, smaller
}
