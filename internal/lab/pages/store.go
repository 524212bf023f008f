package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// path is the file of an entry below the folder of the results.
func path(dir, entry string) string {
	return filepath.Join(dir, "data", filepath.FromSlash(entry)+".json")
}

// load reads an entry; an empty one if there is none.
func load(dir, entry string) (*Entry, error) {
	name := path(dir, entry)
	content, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return &Entry{}, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	e := &Entry{}
	if err := decoder.Decode(e); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it to have it made again", name, err)
	}
	if e.Name != entry {
		return nil, fmt.Errorf("%s: it is of %q", name, e.Name)
	}
	return e, nil
}

// Took is the time that a seed of a scenario took, on average, for people; "" if none was run.
func Took(dir, scenario string) string {
	e, err := load(dir, scenario)
	if err != nil || len(e.Runs) == 0 {
		return ""
	}
	return duration(e.PerSeed())
}

// save writes an entry, as a whole or not at all.
func (e *Entry) save(dir string) error {
	content, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return err
	}
	return write(path(dir, e.Name), append(content, '\n'))
}

func write(name string, content []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return report.WriteFile(name, nil, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
