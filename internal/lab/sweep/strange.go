package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/report"
)

// strange is another build of this program, some of whose runs were taken from a journal. Whether
// it is the same program is found out by its results: a commit that changes no result, or another
// way to build, makes no other sweep.
type strange struct {
	path, program string
	runs          []int // of its runs, one of each flow control
}

// cutHeader cuts the header off a journal, and returns the program that wrote the journal. An error
// says what else it is of.
func (s *Plan) cutHeader(content string) (program, rows string, err error) {
	settings, behind, _ := strings.Cut(content, "\n")
	columns, rows, _ := strings.Cut(behind, "\n")
	program, err = s.otherPart(settings)
	_, want, _ := strings.Cut(strings.TrimSuffix(s.journalHeader(), "\n"), "\n")
	switch {
	case err != nil:
		return "", "", err
	case columns != want:
		return "", "", fmt.Errorf("the runs there have other columns: %s", otherColumn(columns, want))
	}
	return program, rows, nil
}

// otherColumn names the first column that differs.
func otherColumn(columns, want string) string {
	have := strings.Split(columns, ",")
	for i, name := range strings.Split(want, ",") {
		if i >= len(have) {
			return name + " is missing"
		}
		if have[i] != name {
			return fmt.Sprintf("%s where %s must be", have[i], name)
		}
	}
	return "more than these"
}

// takeStrange notes the first run of each flow control among those that were taken.
func (s *Plan) takeStrange(path, program string, taken []int) {
	of := strange{path: path, program: program}
	for _, i := range taken {
		known := func(j int) bool { return s.runs[j].fc == s.runs[i].fc }
		if i >= 0 && !slices.ContainsFunc(of.runs, known) {
			of.runs = append(of.runs, i)
		}
	}
	if of.runs != nil {
		s.strange = append(s.strange, of)
	}
}

// Strange returns how many runs Verify carries out.
func (s *Plan) Strange() (runs int) {
	for _, of := range s.strange {
		runs += len(of.runs)
	}
	return runs
}

// Verify carries out a run of each flow control again whose runs another build made. An error names
// the first value that differs; without one, the other build's runs count.
func (s *Plan) Verify(
	begin func(label string) (func(delivered, total sluice.Bytes), func()),
) error {
	var errs []error
	for _, of := range s.strange {
		for _, i := range of.runs {
			kept := &s.runs[i]
			again := Run{fc: kept.fc, value: kept.value, seed: kept.seed}
			update, done := begin(again.label())
			_, err := s.carryOut(&again, update)
			done()
			if err == nil {
				err = s.differ(kept, &again)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: its runs are of the program %s, this is %s: %w; remove "+
					"the file, or name another -csv", of.path, of.program, report.Build(), err))
				break
			}
		}
	}
	s.strange = nil
	return errors.Join(errs...)
}

// differ returns an error that names the first value by which two runs of one thing differ.
func (s *Plan) differ(kept, again *Run) error {
	for i, name := range s.metrics {
		if was, is := formatMetric(kept.metrics[i]), formatMetric(again.metrics[i]); was != is {
			return fmt.Errorf("of %s the file has %s %s, and this program %s", again.label(), name, was, is)
		}
	}
	return nil
}
