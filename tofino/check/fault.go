package check

import (
	"fmt"
)

// Fault is a rule that a file breaks.
type Fault struct {
	File   string // "entries.json"
	Offset int64  // in the file, in octets; 0 of the text of a program
	Line   int    // of the text of a program, if it is known
	Table  string // "pipe.Ingress.afc", if the fault is of a table
	Key    string // of the entry, "port=8 qid=3", or the name of a part of a table or a program
	Rule   string // "has more than 9 bits"
}

// Error formats as "entries.json:120: pipe.Ingress.afc, port=8 qid=3: value 512 has more than 9
// bits".
func (f *Fault) Error() string {
	text := fmt.Sprintf("%s:%d: ", f.File, max(f.Offset, int64(f.Line)))
	if f.Table != "" && f.Key != "" {
		text += f.Table + ", " + f.Key + ": "
	} else if about := f.Table + f.Key; about != "" {
		text += about + ": "
	}
	return text + f.Rule
}

type faults struct{ list []*Fault }

func (f *faults) add(file string, offset int64, table, key, rule string, values ...any) {
	f.list = append(f.list, &Fault{File: file, Offset: offset, Table: table, Key: key,
		Rule: fmt.Sprintf(rule, values...)})
}

// elements returns the elements of a file that is a list.
func (f *faults) elements(file string, text []byte, of string) []*node {
	root, err := readJSON(text)
	if err != nil {
		f.add(file, 0, "", "", "is not JSON: %v", err)
		return nil
	}
	if root.kind != '[' {
		f.add(file, root.offset, "", "", "must be a list of %s", of)
	}
	return root.list
}
