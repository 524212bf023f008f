package emit

import (
	"fmt"
	"io"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Script writes the configuration of a program as a script of bfrt_python, for bfshell -b: what
// [Entries] has, in the same order, for a person to read and change. It reads nothing back and can
// be run once; what is expected of the driver is printed to be compared. An entry whose key and
// datum have one name cannot be said by arguments: it is added from JSON.
func Script(w io.Writer, p *ir.Program, cfg *ir.Config) error {
	list, err := elements(p, cfg)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Configuration of program %s for bfrt_python: bfshell -b with the path of "+
		"this file.\nprogram = bfrt.%s\n", p.Name, p.Name)
	last := ""
	for _, e := range list {
		if e.Table != last {
			fmt.Fprintf(&b, "\ntable = %s\n", node(e.Table))
			last = e.Table
		}
		b.WriteString(e.script() + "\n")
	}
	b.WriteString("\nbfrt.complete_operations()\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// node returns where the shell has a table.
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

// methods are what the shell calls the operations.
var methods = map[string]string{"add": "add", "modify": "mod", "default": "set_default",
	"delete": "delete",
	"expect": "get"}

// script returns the line that does what an element says.
func (e *entry) script() string {
	method, arguments := methods[e.Op], e.arguments()
	if arguments == nil {
		return "table.add_from_json('[" + string(e.bare(nil)) + "]')"
	}
	if e.Action != nil {
		method += "_with_" + shellName(*e.Action)
	}
	line := "table." + method + "(" + strings.Join(arguments, ", ") + ")"
	if e.Op == "expect" {
		return line + "  # must say " + string(e.Data.append(nil))
	}
	return line
}

// arguments returns the arguments of the line, nil if two have one name.
func (e *entry) arguments() []string {
	arguments, seen, twice := []string{}, map[string]bool{}, false
	add := func(name string, value any) {
		twice = twice || seen[name]
		seen[name] = true
		arguments = append(arguments, name+"="+python(value))
	}
	kinds := map[string]any{}
	for _, kind := range e.Kinds {
		kinds[kind.name] = kind.value
	}
	for _, key := range e.Key {
		name := shellName(key.name)
		pair, _ := key.value.([]any)
		switch kinds[key.name] {
		case ir.Ternary.String():
			add(name, pair[0])
			add(name+"_mask", pair[1])
		case ir.Prefix.String():
			add(name, pair[0])
			add(name+"_p_length", pair[1])
		case ir.Range.String():
			add(name+"_start", pair[0])
			add(name+"_end", pair[1])
		default:
			add(name, key.value)
		}
	}
	if e.Op != "expect" {
		for _, datum := range e.Data {
			add(shellName(datum.name), datum.value)
		}
	}
	if e.Pipe != AllPipes {
		add("pipe", e.Pipe)
	}
	if twice {
		return nil
	}
	return arguments
}

// shellName returns what the shell calls a field or an action: the last part of the name.
func shellName(name string) string {
	return strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "$")
}

// python returns a value as Python has it.
func python(value any) string {
	switch value := value.(type) {
	case bool:
		if value {
			return "True"
		}
		return "False"
	case string:
		if strings.HasPrefix(value, "0x") {
			return value // a number of many bits
		}
		return fmt.Sprintf("%q", value)
	case []uint64:
		texts := make([]string, len(value))
		for at, number := range value {
			texts[at] = fmt.Sprint(number)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return fmt.Sprint(value)
}
