package check

import (
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Dir reads the files of a folder, as the emitter names them, and returns their faults in the order
// of the files and their octets. It returns an error if a file that must be there cannot be read.
func Dir(dir string) ([]*Fault, error) { return FS(os.DirFS(dir)) }

// FS is [Dir] of a file system: it looks for the text of one program, *.p4 and what it includes,
// and for entries.json, never-held.json, add/*.json, and requests/*.bin with the compiler's
// requests/bf-rt.json. Without a program there are no tables but the driver's.
func FS(files fs.FS) ([]*Fault, error) {
	s := &state{program: &program{Program: &ir.Program{}}}
	if err := s.readProgram(files); err != nil {
		return nil, err
	}
	s.own = s.program.schema(&s.faults)
	text, err := fs.ReadFile(files, entriesFile)
	if err != nil {
		return nil, err
	}
	s.entries = s.readList(entriesFile, text)
	s.sort()
	for _, hold := range []func(){
		s.holdTables, s.holdLast, s.readChip, s.holdWords, s.holdGhost, s.holdReferences, s.holdCopies,
		s.holdStacks, s.holdRoots, s.holdLimits, s.holdPorts, s.holdProtocols,
	} {
		hold()
	}
	s.holdNever(files)
	s.holdRequests(files)
	single, _ := fs.Glob(files, "add/*.json")
	for _, name := range single {
		s.holdSingle(files, name)
	}
	sort.SliceStable(s.list, func(a, b int) bool {
		if s.list[a].File != s.list[b].File {
			return s.list[a].File < s.list[b].File
		}
		return s.list[a].Offset < s.list[b].Offset
	})
	return s.list, nil
}

const entriesFile = "entries.json"

// state is what the files of a switch say, and their faults.
type state struct {
	faults
	own     *schema // of the program
	program *program
	entries []*entry            // entries without a fault of their own
	of      map[string][]*entry // the entries that stay, by table, without defaults
	nodes   map[int]*entry      // of $pre.node
	chip    chipState
}

// readList reads a list of entries and returns the entries without a fault of their own.
func (s *state) readList(file string, text []byte) (right []*entry) {
	for _, e := range readEntries(&s.faults, file, text) {
		if e.table = s.own.byName[e.tableName]; e.table == nil {
			e.table = fixedSchema().byName[e.tableName]
		}
		if e.table == nil {
			e.fault("no such table in the program or of the driver")
			continue
		}
		before := len(s.list)
		e.hold()
		if len(s.list) == before {
			right = append(right, e)
		}
	}
	return right
}

// sort puts entries into lists by their tables.
func (s *state) sort() {
	s.of, s.nodes = map[string][]*entry{}, map[int]*entry{}
	for _, e := range s.entries {
		if e.op != "delete" && e.op != "default" {
			s.of[e.tableName] = append(s.of[e.tableName], e)
		}
	}
	for _, e := range s.of["$pre.node"] {
		s.nodes[e.keyed("$MULTICAST_NODE_ID")] = e
	}
}

// holdLast checks that words of flow control act only when everything else is there.
func (s *state) holdLast() {
	var enabled *entry
	for _, e := range s.entries {
		if e.tableName == "tf2.tm.pipe.sched_cfg" {
			enabled = e
		} else if enabled != nil {
			enabled.fault("must come last: words act before %s is filled", e.tableName)
			return
		}
	}
}

// holdReferences checks that entries of the driver's tables name nodes and ports that are there.
func (s *state) holdReferences() {
	for _, e := range s.of["$pre.mgid"] {
		for _, n := range e.listed("$MULTICAST_NODE_ID") {
			if s.nodes[n] == nil {
				e.fault("node %d is not in $pre.node", n)
			}
		}
	}
	for name, datum := range map[string]string{"$pre.node": "$DEV_PORT", "$pre.prune": "$DEV_PORT",
		"$mirror.cfg": "$ucast_egress_port"} {
		for _, e := range s.of[name] {
			for _, port := range e.listed(datum) {
				if !validPort(port) {
					e.fault("the chip has no port %d", port)
				}
			}
		}
	}
}

// holdSingle checks the list of a single table: it has the entries of that table in the whole list.
func (s *state) holdSingle(files fs.FS, name string) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		s.add(name, 0, "", "", "%v", err)
		return
	}
	of := "pipe." + strings.TrimSuffix(path.Base(name), ".json")
	whole := map[string]bool{}
	for _, e := range s.entries {
		if e.tableName == of && e.op == "add" {
			whole[e.said()] = true
		}
	}
	single := s.readList(name, text)
	for _, e := range single {
		switch {
		case e.tableName != of:
			e.fault("the file is of %s", of)
		case !whole[e.said()]:
			e.fault("is not in entries.json")
		}
	}
	if len(single) != len(whole) {
		s.add(name, 0, of, "", "%d entries: entries.json has %d", len(single), len(whole))
	}
}

// said returns keys, action and data of an entry as one text.
func (e *entry) said() string {
	text := e.String() + " " + e.actionName
	for _, datum := range e.data {
		text += " " + datum.name + "=" + spoken(datum.value)
	}
	return text
}

// holdNever checks the queues that are never to be held, such as queues of traffic that is not
// congested: never-held.json lists them by pipe, pg_id and pg_queue.
func (s *state) holdNever(files fs.FS) {
	const file = "never-held.json"
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return
	}
	for _, n := range s.elements(file, text, "queues") {
		q := queue{n.get("pipe").whole(), n.get("pg_id").whole(), n.get("pg_queue").whole()}
		if e := s.chip.xoff[q]; e != nil {
			e.fault("%v must never be held: %s", q, n.get("why").text())
		}
		if _, carved := s.chip.portOf(q); !carved {
			s.add(file, n.offset, "", "", "no port has %v by the carving", q)
		}
	}
}
