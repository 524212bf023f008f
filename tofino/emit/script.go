package emit

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Script writes the configuration of a program as a script of bfrt_python, for bfshell -b: the
// elements of [Entries], in the same order, for a person to read and change. The script reads
// nothing back and can be run once; it prints the driver's expected answers to be compared. An
// entry whose key and datum have one name cannot be said by arguments: it is added from JSON.
func Script(w io.Writer, p *ir.Program, cfg *ir.Config) error {
	text := newLines(cfg).text
	text = fmt.Appendf(text, "# Configuration of program %s for bfrt_python: bfshell -b with the "+
		"path of this file.\nprogram = bfrt.%s\n", p.Name, p.Name)
	last := ""
	err := elements(cfg, NamesOf(p), func(e *entry) {
		if e.table != last {
			text = append(append(append(text, "\ntable = "...), node(e.table)...), '\n')
			last = e.table
		}
		text = append(e.script(text), '\n')
	})
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, "\nbfrt.complete_operations()\n"...))
	return err
}

// node returns the path of a table in the shell.
func node(table string) string {
	switch {
	case table == ir.Ports.Name:
		return "bfrt.port.port"
	case strings.HasPrefix(table, "$"):
		return "bfrt." + table[1:]
	case strings.HasPrefix(table, "pipe."):
		return "program." + table
	}
	return "bfrt." + table
}

// methods are the shell's names of the operations.
var methods = map[string]string{"add": "add", "modify": "mod", "default": "set_default",
	"delete": "delete",
	"expect": "get"}

// script appends the line for an element.
func (e *entry) script(text []byte) []byte {
	if e.ambiguous() {
		text = e.json(append(text, "table.add_from_json('["...), true)
		return append(text, "]')"...)
	}
	text = append(append(text, "table."...), methods[e.op]...)
	if e.action != "" {
		text = append(append(text, "_with_"...), shellName(e.action)...)
	}
	start := len(text) + 1
	text = e.arguments(append(text, '('), start)
	if text = append(text, ')'); e.op == "expect" {
		return members(append(text, "  # must say "...), e.data)
	}
	return text
}

// ambiguous reports whether two arguments of the line would have one name.
func (e *entry) ambiguous() bool {
	if e.op == "expect" {
		return false
	}
	var room [16]string
	names := room[:0]
	for _, list := range [][]said{e.key, e.data} {
		for at := range list {
			name := shellName(list[at].name)
			if slices.Contains(names, name) || name == "pipe" && e.pipe != AllPipes {
				return true
			}
			names = append(names, name)
		}
	}
	return false
}

// seconds are the shell's suffixes for the second part of a key.
var seconds = map[ir.Match]string{ir.Ternary: "_mask", ir.Prefix: "_p_length", ir.Range: "_end"}

// arguments appends the arguments of the line, which begin at an octet of the text.
func (e *entry) arguments(text []byte, start int) []byte {
	argument := func(name, suffix string) {
		if len(text) > start {
			text = append(text, ", "...)
		}
		text = append(append(append(text, name...), suffix...), '=')
	}
	for at := range e.key {
		key, name := &e.key[at], shellName(e.key[at].name)
		if key.match == ir.Range {
			argument(name, "_start")
		} else {
			argument(name, "")
		}
		text = key.python(text)
		if key.match != ir.Exact {
			argument(name, seconds[key.match])
			text = python(text, key.second)
		}
	}
	for at := range e.data {
		if e.op != "expect" {
			argument(shellName(e.data[at].name), "")
			text = e.data[at].python(text)
		}
	}
	if e.pipe != AllPipes {
		argument("pipe", "")
		text = strconv.AppendInt(text, int64(e.pipe), 10)
	}
	return text
}

// shellName returns the shell's name of a field or an action: the last part of the name.
func shellName(name string) string {
	return strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "$")
}

func (s *said) python(text []byte) []byte {
	switch value := s.fixed.(type) {
	case nil:
		return python(text, s.value)
	case bool:
		if value {
			return append(text, "True"...)
		}
		return append(text, "False"...)
	case string:
		return strconv.AppendQuote(text, value)
	case []uint64:
		return append(text, strings.ReplaceAll(string(fixed(nil, value)), ",", ", ")...)
	}
	return fixed(text, s.fixed)
}

// python appends a number: in hexadecimal, as in other texts, if a double does not hold it.
func python(text []byte, v ir.Value) []byte {
	if v.Hi == 0 && v.Lo < 1<<53 {
		return strconv.AppendUint(text, v.Lo, 10)
	}
	return append(text, v.String()...)
}
