package check

import (
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
)

// Dir reads the files of a folder, as the emitter names them, and returns what is wrong with them,
// in the order of the files and their octets. It returns an error if there are no files that could
// be checked.
func Dir(dir string) ([]*Fault, error) { return FS(os.DirFS(dir)) }

// FS is [Dir] of a file system: it looks for the text of one program, *.p4, and for bf-rt.json,
// entries.json, never-held.json and add/*.json. A program without tables of its own may lack the
// first two.
func FS(files fs.FS) ([]*Fault, error) {
	f := &faults{}
	own := &schema{byName: map[string]*table{}}
	if text, err := fs.ReadFile(files, "bf-rt.json"); err == nil {
		read, list := readSchema("bf-rt.json", text, false)
		own, f.list = read, append(f.list, list...)
	}
	p := &program{}
	if names, _ := fs.Glob(files, "*.p4"); len(names) > 0 {
		text, err := fs.ReadFile(files, names[0])
		if err != nil {
			return nil, err
		}
		read, list := readP4(names[0], string(text))
		p, f.list = read, append(f.list, list...)
		if len(list) == 0 {
			p.holdFrames(f)
		}
		for _, more := range names[1:] {
			f.add(more, 0, "", "", "a second program beside %s", names[0])
		}
	}
	text, err := fs.ReadFile(files, "entries.json")
	if err != nil {
		return nil, err
	}
	known := &both{own, fixedSchema()}
	entries := readList(f, "entries.json", text, known)
	holdTables(f, "entries.json", entries)
	holdLast(f, entries)
	c := readChip(f, entries)
	holdWords(f, p, c, entries)
	holdGhost(f, p, own, c, entries)
	holdReferences(f, entries)
	holdCopies(f, entries)
	holdStacks(f, own, entries)
	holdRoots(f, own, entries)
	holdLimits(f, entries)
	holdPorts(f, entries)
	holdProtocols(f, p, c, entries)
	holdNever(f, files, c)
	single, _ := fs.Glob(files, "add/*.json")
	for _, name := range single {
		holdSingle(f, files, name, known, entries)
	}
	sort.SliceStable(f.list, func(a, b int) bool {
		if f.list[a].File != f.list[b].File {
			return f.list[a].File < f.list[b].File
		}
		return f.list[a].Offset < f.list[b].Offset
	})
	return f.list, nil
}

// both are the schemas of a program and of the driver.
type both struct{ own, driver *schema }

func (b *both) table(name string) *table {
	if t := b.own.byName[name]; t != nil {
		return t
	}
	return b.driver.byName[name]
}

// readList reads a list of entries and returns those that are right by themselves.
func readList(f *faults, file string, text []byte, known *both) []*entry {
	all, list := readEntries(file, text)
	f.list = append(f.list, list...)
	var right []*entry
	for _, e := range all {
		if e.table = known.table(e.tableName); e.table == nil {
			f.add(file, e.offset, e.tableName, e.String(), "no such table in bf-rt.json or of the driver")
			continue
		}
		before := len(f.list)
		e.hold(f)
		if len(f.list) == before {
			right = append(right, e)
		}
	}
	return right
}

// holdLast checks that words of flow control act only when everything else is there.
func holdLast(f *faults, entries []*entry) {
	var enabled *entry
	for _, e := range entries {
		if e.tableName == "tf2.tm.pipe.sched_cfg" {
			enabled = e
		} else if enabled != nil {
			f.add(e.file, enabled.offset, enabled.tableName, enabled.String(),
				"must come last: words act before %s "+
					"is filled", e.tableName)
			return
		}
	}
}

// holdReferences checks that what entries of the driver's tables name is there.
func holdReferences(f *faults, entries []*entry) {
	nodes := map[int]bool{}
	for _, e := range entries {
		if e.tableName == "$pre.node" {
			nodes[e.keyed("$MULTICAST_NODE_ID")] = true
		}
	}
	for _, e := range entries {
		fault := func(rule string, values ...any) {
			f.add(e.file, e.offset, e.tableName, e.String(), rule, values...)
		}
		switch e.tableName {
		case "$pre.mgid":
			for _, n := range list(named(e.data, "$MULTICAST_NODE_ID")) {
				if !nodes[n.whole()] {
					fault("node %d is not in $pre.node", n.whole())
				}
			}
		case "$pre.node", "$pre.prune":
			for _, n := range list(named(e.data, "$DEV_PORT")) {
				if !validPort(n.whole()) {
					fault("the chip has no port %d", n.whole())
				}
			}
		case "$mirror.cfg":
			port := named(e.data, "$ucast_egress_port")
			if port != nil && !validPort(port.whole()) {
				fault("the chip has no port %d", port.whole())
			}
		}
	}
}

// holdSingle checks the list of a single table: it is of that table and says what the whole does.
func holdSingle(f *faults, files fs.FS, name string, known *both, entries []*entry) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		f.add(name, 0, "", "", "%v", err)
		return
	}
	of := "pipe." + strings.TrimSuffix(path.Base(name), ".json")
	whole := map[string]bool{}
	for _, e := range entries {
		if e.tableName == of && e.op == "add" {
			whole[e.said()] = true
		}
	}
	single := readList(f, name, text, known)
	for _, e := range single {
		switch {
		case e.tableName != of:
			f.add(name, e.offset, e.tableName, e.String(), "the file is of %s", of)
		case !whole[e.said()]:
			f.add(name, e.offset, e.tableName, e.String(), "is not in entries.json")
		}
	}
	if len(single) != len(whole) {
		f.add(name, 0, of, "", "%d entries: entries.json has %d", len(single), len(whole))
	}
}

// said returns all that an entry says as one text.
func (e *entry) said() string {
	text := e.String() + " " + e.actionName
	for _, datum := range e.data {
		text += " " + datum.name + "=" + spoken(datum.value)
	}
	return text
}

// holdNever checks the queues that are never to be held, such as those of traffic that is not
// congested: never-held.json lists them by pipe, pg_id and pg_queue.
func holdNever(f *faults, files fs.FS, c *chipState) {
	const file = "never-held.json"
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return
	}
	root, err := readJSON(text)
	if err != nil {
		f.add(file, 0, "", "", "is not JSON: %v", err)
		return
	}
	if root.kind != '[' {
		f.add(file, root.offset, "", "", "must be a list of queues")
		return
	}
	for _, n := range root.list {
		q := queue{n.get("pipe").whole(), n.get("pg_id").whole(), n.get("pg_queue").whole()}
		if e := c.xoff[q]; e != nil {
			f.add(
				e.file, e.offset, e.tableName, e.String(), "%v must never be held: %s", q, n.get("why").text(),
			)
		}
		if _, carved := c.portOf(q); !carved {
			f.add(file, n.offset, "", "", "no port has %v by the carving", q)
		}
	}
}
