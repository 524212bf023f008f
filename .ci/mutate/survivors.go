package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// readSurvivors reads the list of explained survivors: a line with the mutant's key, then indented
// lines that say why no test can, or need, tell it from the code. Lines that begin with # and empty
// ones are for the reader.
func readSurvivors(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reasons := map[string]string{}
	key := ""
	scanner := bufio.NewScanner(file)
	for n := 1; scanner.Scan(); n++ {
		line := scanner.Text()
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " "):
			if key == "" {
				return nil, fmt.Errorf("%s:%d: a reason before the first mutant", path, n)
			}
			reasons[key] = strings.TrimSpace(reasons[key] + " " + strings.TrimSpace(line))
		default:
			if key != "" && reasons[key] == "" {
				return nil, fmt.Errorf("%s:%d: the mutant before this line has no reason", path, n)
			}
			if key = line; reasons[key] != "" {
				return nil, fmt.Errorf("%s:%d: a mutant listed twice", path, n)
			}
		}
	}
	if key != "" && reasons[key] == "" {
		return nil, fmt.Errorf("%s: the last mutant has no reason", path)
	}
	return reasons, scanner.Err()
}

// stale is an error if a survivor that is explained is of code that is gone, in any package of the
// module in a folder.
func stale(dir string, reasons map[string]string) error {
	packages, err := module.List(dir)
	if err != nil {
		return err
	}
	gone := maps.Clone(reasons)
	for _, p := range packages {
		s := &subject{Package: p}
		if s.sources, err = parse(p); err != nil {
			return err
		}
		for _, m := range find(s.name(), s.sources) {
			delete(gone, m.key())
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return fmt.Errorf("%s lists mutants of code that is gone:\n%s", survivorsFile,
		strings.Join(slices.Sorted(maps.Keys(gone)), "\n"))
}
