package check

import (
	"fmt"
	"strings"
)

// Fault is a rule that a file breaks.
type Fault struct {
	File   string // "entries.json"
	Offset int64  // in the file, in octets
	Table  string // "pipe.Ingress.afc", if it is about a table
	Key    string // of the entry, "port=8 qid=3", or the name of what is meant
	Rule   string // "value 512 has more than 9 bits"
}

// Error formats as "entries.json:120: pipe.Ingress.afc, port=8 qid=3: value 512 has more than 9
// bits".
func (f *Fault) Error() string {
	where := []string{fmt.Sprintf("%s:%d", f.File, f.Offset)}
	about := f.Table
	if f.Key != "" {
		if about != "" {
			about += ", "
		}
		about += f.Key
	}
	if about != "" {
		where = append(where, about)
	}
	return strings.Join(append(where, f.Rule), ": ")
}

// faults collects what is wrong.
type faults struct{ list []*Fault }

// add notes a fault.
func (f *faults) add(file string, offset int64, table, key, rule string, values ...any) {
	f.list = append(f.list, &Fault{file, offset, table, key, fmt.Sprintf(rule, values...)})
}
