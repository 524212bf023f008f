package sweep

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// Journal keeps the runs of a sweep that are done, a row each, so that an interrupted sweep goes on
// where it was. A row is written at once when its run ends, in whatever order runs end; a part of a
// row, which a killed process left, is ignored.
type Journal struct {
	Path  string // "" for none
	mutex sync.Mutex
	file  *os.File
}

// OpenJournal takes what is done from the journals beside the file of the points, the sweep's own
// and its slices', and makes the journal ready for the rest that is to be done here.
func (s *Plan) OpenJournal(points string) (*Journal, error) {
	own := JournalOf(points)
	j := &Journal{Path: own}
	if own == "" {
		return j, nil
	}
	header := s.journalHeader()
	if s.Slice.Of > 0 {
		j.Path = slicePath(points, s.Slice)
		header = s.sliceHeader() + header
	}
	if err := report.CheckWritable(j.Path); err != nil {
		return nil, err
	}
	if err := s.TakeJournal(own); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := s.TakeSlices(points); err != nil {
		return nil, err
	}
	return j, j.open(header)
}

// open makes the journal ready for another row. Rows are appended, so that nothing is lost from a
// node that was given up and is not dead.
func (j *Journal) open(header string) (err error) {
	content, err := os.ReadFile(j.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	whole := int64(bytes.LastIndexByte(content, '\n') + 1)
	if whole < int64(len(header)) {
		whole = 0
	}
	if j.file, err = os.OpenFile(j.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return report.CannotWrite(j.Path, err)
	}
	err = j.file.Truncate(whole)
	if err == nil && whole == 0 {
		_, err = j.file.WriteString(header)
	}
	if err != nil {
		return errors.Join(report.CannotWrite(j.Path, err), j.file.Close())
	}
	return nil
}

func (s *Plan) journalHeader() string {
	return s.settings() + "\n" + strings.Join(
		slices.Concat([]string{"fc"}, s.columns(), []string{"seed"}, s.metrics, []string{"notes"}), ",",
	) + "\n"
}

// maxJournal is more than any sweep writes.
const maxJournal = 1 << 30

// TakeJournal takes the runs that a journal has.
func (s *Plan) TakeJournal(path string) error {
	file, err := report.ReadFile(path, maxJournal)
	if err != nil {
		return err
	}
	content, line := string(file[:bytes.LastIndexByte(file, '\n')+1]), 1
	if strings.HasPrefix(content, sliceMark) {
		_, content, _ = strings.Cut(content, "\n")
		line++
	}
	header := s.journalHeader()
	if strings.HasPrefix(header, content) {
		return nil // the process that began it has written no more
	}
	program, rows, err := s.cutHeader(content)
	if err != nil {
		return fmt.Errorf("%s:%d: %w; remove it, or name another -csv", path, line, err)
	}
	var taken []int
	if program != report.Build() {
		defer func() { s.takeStrange(path, program, taken) }()
	}
	reader := csv.NewReader(strings.NewReader(rows))
	for line += 2; ; line++ {
		row, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			var run int
			run, err = s.takeRun(row)
			taken = append(taken, run)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
}

// takeRun takes a row and returns the number of its run, -1 if it has to be run again.
func (s *Plan) takeRun(row []string) (run int, err error) {
	heads := 2 + len(s.columns())
	if want := heads + len(s.metrics) + 1; len(row) != want {
		return -1, fmt.Errorf("%d fields, a run has %d", len(row), want)
	}
	value, seed := strings.Join(row[1:heads-1], valueSeparator), row[heads-1]
	i := slices.IndexFunc(s.runs, func(r Run) bool {
		return r.fc == row[0] && r.value == value && strconv.FormatUint(r.seed, 10) == seed
	})
	if i < 0 {
		return -1, fmt.Errorf(
			"this run of %s, %s, seed %s is not asked for; remove the file, or name another -csv", row[0],
			value, seed,
		)
	}
	values := make([]float64, len(s.metrics))
	for k, text := range row[heads : len(row)-1] {
		values[k] = math.NaN()
		if text == "" {
			continue
		}
		if values[k], err = strconv.ParseFloat(text, 64); err != nil {
			return -1, fmt.Errorf("%s %q is not a number", s.metrics[k], text)
		}
	}
	if file := s.flowsOf(&s.runs[i]); file != "" {
		if _, err := os.Stat(file); err != nil {
			return -1, nil // it is run again, for its flows
		}
	}
	s.runs[i].metrics, s.runs[i].notes = values, row[len(row)-1]
	return i, nil
}

func (j *Journal) append(r *Run) error {
	if j.file == nil {
		return nil
	}
	var row bytes.Buffer
	if err := report.WriteRows(&row, [][]string{r.row()}); err != nil {
		return err
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	_, err := j.file.Write(row.Bytes())
	return err
}

func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// WriteRuns writes the journal of a sweep that is done: every run in order.
func (s *Plan) WriteRuns(w io.Writer) error {
	if _, err := io.WriteString(w, s.journalHeader()); err != nil {
		return err
	}
	var rows [][]string
	for i := range s.runs {
		rows = append(rows, s.runs[i].row())
	}
	return report.WriteRows(w, rows)
}

func (r *Run) row() []string {
	row := append([]string{r.fc}, strings.Split(r.value, valueSeparator)...)
	row = append(row, strconv.FormatUint(r.seed, 10))
	for _, m := range r.metrics {
		row = append(row, formatMetric(m))
	}
	return append(row, r.notes)
}

func formatMetric(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
