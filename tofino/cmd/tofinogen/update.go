package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/ir"
)

const updateFile = "update.json"

// update writes the changes of a directory's entries when links fail.
func (c command) update(o *options) error {
	m, err := again(o.diff)
	if err != nil {
		return err
	}
	if m.after == nil {
		return usagef("%s: no entry depends on the state of links: make it with -set "+
			"tofino.failures=on, of a protocol that has path tables", o.diff)
	}
	before := m.network.Snapshot()
	for _, link := range o.fail {
		if err := m.network.FailLink(link); err != nil {
			return usageError{err}
		}
	}
	difference, err := hashpath.Compare(before, m.network.Snapshot())
	if err != nil {
		return err
	}
	tables, err := m.after(difference.To)
	if err != nil {
		return usageError{err}
	}
	changes := ir.Diff(&ir.Config{Tables: m.config.Tables}, &ir.Config{Tables: tables})
	if err := m.applies(changes); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := emit.Changes(&b, m.program, changes); err != nil {
		return err
	}
	if err := writeFiles(o.diff, []emit.File{{Name: updateFile, Content: b.Bytes()}}); err != nil {
		return err
	}
	counts := map[ir.ChangeKind]int{}
	for _, change := range changes {
		counts[change.Kind]++
	}
	_, err = fmt.Fprintf(c.stdout, "%d entries are deleted, %d modified, %d inserted: written to %s\n",
		counts[ir.Delete], counts[ir.Modify], counts[ir.Insert], filepath.Join(o.diff, updateFile))
	return err
}

// applies checks that the changes can be made one after another.
func (m *made) applies(changes ir.Changes) error {
	machine, err := ir.NewMachine(m.program)
	if err == nil {
		err = machine.Load(m.config)
	}
	if err == nil {
		err = changes.Apply(machine)
	}
	return err
}

// again makes what a directory holds once more, and fails unless its entries are the same.
func again(dir string) (*made, error) {
	text, err := readFile(filepath.Join(dir, madeOfFile))
	if err != nil {
		return nil, usageError{err}
	}
	o := &options{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(o); err != nil {
		return nil, usagef("%s: %w", filepath.Join(dir, madeOfFile), err)
	}
	o.realise = true // what was changed then is changed again
	o.topology, o.ports = filepath.Join(dir, topologyFile), filepath.Join(dir, portsFile)
	if o.network, err = readFile(o.topology); errors.Is(err, fs.ErrNotExist) {
		o.network = nil
	} else if err != nil {
		return nil, usageError{err}
	}
	if o.portTable, err = readFile(o.ports); err != nil {
		return nil, usageError{err}
	}
	m, err := newMade(o)
	if err != nil {
		return nil, usageError{err}
	}
	have, err := readFile(filepath.Join(dir, entriesFile))
	if err != nil {
		return nil, usageError{err}
	}
	var want bytes.Buffer
	if err := emit.Entries(&want, m.program, m.config); err != nil {
		return nil, err
	}
	if !bytes.Equal(have, want.Bytes()) {
		return nil, fmt.Errorf("%s is not what its %s makes: it was changed, or made by another version",
			filepath.Join(dir, entriesFile), madeOfFile)
	}
	return m, nil
}
