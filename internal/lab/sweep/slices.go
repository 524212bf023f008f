package sweep

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

// Journals are named after the file of the points, FILE.csv: the sweep's FILE.runs.csv, a slice's
// FILE.1-of-4.runs.csv. A slice's journal says in its first line what the sweep is.
const (
	ownEnd    = ".runs.csv"
	sliceMark = "# slice "
)

// JournalOf is the sweep's own journal, "" without a file of the points.
func JournalOf(points string) string {
	if points == "" || points == "-" {
		return ""
	}
	return strings.TrimSuffix(points, ".csv") + ownEnd
}

func slicePath(points string, slice run.Slice) string {
	stem := strings.TrimSuffix(points, ".csv")
	return fmt.Sprintf("%s.%d-of-%d%s", stem, slice.Part, slice.Of, ownEnd)
}

func (s *Plan) sliceHeader() string {
	words, _ := json.Marshal(s.Command)
	return fmt.Sprintf("%s%d of %d: %s\n", sliceMark, s.Slice.Part, s.Slice.Of, words)
}

// CommandOf returns the command line of a sweep, which the first slice's journal in a list has.
func CommandOf(paths []string) (path string, command []string, err error) {
	for _, path := range paths {
		line, err := firstLine(path)
		if err != nil {
			return path, nil, err
		}
		_, words, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(line, sliceMark) && json.Unmarshal([]byte(words), &command) == nil {
			return path, command, nil
		}
	}
	return paths[0], nil, fmt.Errorf(
		"%s:1: it does not say what the sweep is, as the file of a slice does", paths[0],
	)
}

// firstLine returns the beginning of a file up to its first newline, at most a mebibyte.
func firstLine(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	line, err := bufio.NewReader(io.LimitReader(file, 1<<20)).ReadString('\n')
	if err == io.EOF {
		err = nil
	}
	return strings.TrimSuffix(line, "\n"), err
}

// slicePaths are the journals of slices beside the file of the points.
func slicePaths(points string) (paths []string, err error) {
	dir, name := filepath.Dir(points), strings.TrimSuffix(filepath.Base(points), ".csv")
	pattern := regexp.MustCompile(
		`^` + regexp.QuoteMeta(name) + `\.\d+-of-\d+` + regexp.QuoteMeta(ownEnd) + `$`,
	)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if pattern.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// TakeSlices takes the runs that the journals of slices have.
func (s *Plan) TakeSlices(points string) error {
	paths, err := slicePaths(points)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := s.TakeJournal(path); err != nil {
			return err
		}
	}
	return nil
}

// RemoveSlices removes the journals of slices, once the sweep's own has all their runs.
func RemoveSlices(points string) error {
	paths, err := slicePaths(points)
	for _, path := range paths {
		if err == nil {
			err = os.Remove(path)
		}
	}
	return err
}

// LeftOf is how many runs each of a number of slices has left, by its number; slices that have none
// are not in it.
func (s *Plan) LeftOf(slices int) map[int]int {
	left := map[int]int{}
	for i := range s.runs {
		if s.runs[i].metrics == nil {
			left[i%slices+1]++
		}
	}
	return left
}

func (s *Plan) Complete() error {
	for i := range s.runs {
		if r := &s.runs[i]; r.metrics == nil {
			return fmt.Errorf("%s left of %d, the first of them %s",
				show.Plural(s.Left(), "run"), len(s.runs), r.label())
		}
	}
	return nil
}
