package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicefc/sluice/tofino/emit"
)

// Names of files.
const (
	madeOfFile   = "tofinogen.json" // the flags that make the files again
	topologyFile = "topology.txt"   // that -topology named
	portsFile    = "ports.txt"
	entriesFile  = "entries.json"

	neverHeldFile = "never-held.json" // queues that no word may hold, for -check
)

func (m *made) files() ([]emit.File, error) {
	madeOf, err := indented(m.options)
	if err != nil {
		return nil, err
	}
	files := []emit.File{
		{Name: madeOfFile, Content: madeOf}, {Name: portsFile, Content: m.ports.text()},
	}
	if len(m.never) > 0 {
		never, err := indented(m.never)
		if err != nil {
			return nil, err
		}
		files = append(files, emit.File{Name: neverHeldFile, Content: never})
	}
	if m.options.network != nil {
		files = append(files, emit.File{Name: topologyFile, Content: m.options.network})
	}
	if len(m.program.Tables) > 0 {
		all, err := emit.Files(m.program, m.config)
		if err != nil {
			return nil, err
		}
		requests, err := m.requests()
		return append(append(files, all...), requests...), err
	}
	var entries, script bytes.Buffer
	err = errors.Join(emit.Entries(&entries, m.program, m.config),
		emit.Script(&script, m.program, m.config))
	return append(files, emit.File{Name: "load.py", Content: emit.Loader()},
		emit.File{Name: entriesFile, Content: entries.Bytes()},
		emit.File{Name: m.program.Name + "_bfrt.py", Content: script.Bytes()}), err
}

// requests returns the requests with the numbers of a compiled schema, if there is one.
func (m *made) requests() ([]emit.File, error) {
	if m.options.schema == nil {
		return nil, nil
	}
	return emit.RequestFiles(m.program, m.config, m.options.schema)
}

// indented returns JSON that a person can read.
func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return append(text, '\n'), err
}

// names lists files.
func names(files []emit.File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}

// writeFiles writes files into a directory, which it makes if it is not there. Each is written
// beside its place first, and none is put there until all are.
func writeFiles(dir string, files []emit.File) (err error) {
	place := func(f emit.File) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }
	temporary := func(f emit.File) string { return fmt.Sprintf("%s.%d.tmp", place(f), os.Getpid()) }
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = os.Remove(temporary(f))
			}
		}
	}()
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(place(f)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(temporary(f), f.Content, 0o666); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := os.Rename(temporary(f), place(f)); err != nil {
			return err
		}
	}
	return nil
}

// maxFile bounds what is read of a file: topologies of a million links are smaller.
const maxFile = 64 << 20

// readFile reads a file of bearable size.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: has more than 64 MiB", path)
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}
