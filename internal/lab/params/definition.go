package params

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// Kind is the type of a parameter.
type Kind uint8

// Kinds, with how a value is written.
const (
	Bytes    Kind = iota + 1 // "20MiB", "1.5KB", "1460" or "1460B"
	Time                     // "600ns", "1.5us", "never"; a unit is required, except for 0
	Rate                     // "100Gbps" or "100Gb/s"; a unit is required, except for 0
	Int                      // "-3", "8"
	Rational                 // "1/4", "0.25", "25%", "2", "1e-3"
	Bool                     // "true" or "on", "false" or "off"
	Choice                   // one of Definition.Choices
	List                     // Definition.Choices and numbers from 0 on, "spines+160" or "spines 160"
)

func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

var kindNames = [...]string{
	"", "bytes", "time", "rate", "int", "rational", "bool", "choice", "list",
}

// Definition declares a parameter.
type Definition struct {
	// Name is what the user writes: letters of either case, digits, '.', '-' and '_'; it starts
	// with a letter. Names are compared exactly.
	Name string
	Kind Kind
	// Default is the value when the user sets none, in the syntax of Kind. Empty means that the
	// program derives the value from something else, which Doc says; the accessors then return
	// zero, and a program asks Values.IsSet.
	Default string
	// Min and Max bound the value, in the syntax of Kind; empty means no bound. They are allowed
	// themselves unless written ">0", "<1". Without Min a number must not be negative. Only for
	// Bytes, Time, Rate, Int, Rational.
	Min, Max string
	// Because says what lies behind a bound, or how to write what may have been meant: it follows the
	// rule that a value breaks. It may be empty.
	Because string
	most    int64  // largest number that the variable of an Int can have; 0: any
	rule    string // of the check of the variable's configuration
	// Choices are the values that Choice accepts, and that List accepts beside numbers.
	Choices []string
	// Files says that a Choice also accepts "file:" and a path, which the program reads.
	Files bool
	// Section is a heading for lists: "network", "pfc".
	Section string
	// Doc is one sentence: what it is, with its unit and its source.
	Doc string
}

// FilePrefix begins a value that names a file: see Definition.Files.
const FilePrefix = "file:"

// Values describes what values the definition accepts: "bytes, 1B to 64MiB", "drop | forward |
// alert".
func (d *Definition) Values() string {
	switch d.Kind {
	case Choice:
		if d.Files {
			return strings.Join(d.Choices, " | ") + " | " + FilePrefix + "PATH"
		}
		return strings.Join(d.Choices, " | ")
	case List:
		return "list of numbers and " + strings.Join(d.Choices, ", ")
	}
	text := d.Kind.String()
	if d.rule != "" && d.rule != "must not be negative" {
		return text + ", " + strings.TrimPrefix(d.rule, "must be ")
	}
	if d.Min != "" && d.Max != "" && !strings.ContainsAny(d.Min+d.Max, "<>") {
		return fmt.Sprintf("%s, %s to %s", text, d.Min, d.Max)
	}
	if d.Min != "" {
		text += ", " + words(d.Min, "at least")
	}
	if d.Max != "" {
		text += ", " + words(d.Max, "at most")
	}
	return text
}

func (d *Definition) check() error {
	if !textfile.IsName(d.Name) {
		return fmt.Errorf(
			"params: definition %q: the name must be letters, digits, '.', '-' or '_' and start with a "+
				"letter",
			d.Name,
		)
	}
	if d.Kind < Bytes || d.Kind > List {
		return fmt.Errorf("params: definition %s: unknown %v", d.Name, d.Kind)
	}
	if (d.Kind == Choice || d.Kind == List) != (len(d.Choices) > 0) {
		return fmt.Errorf(
			"params: definition %s: choices belong to kinds choice and list, and to no other", d.Name,
		)
	}
	if d.Kind >= Bool && d.Min+d.Max != "" {
		return fmt.Errorf("params: definition %s: kind %v has no bounds", d.Name, d.Kind)
	}
	for _, bound := range []string{d.Min, d.Max} {
		if bound == "" {
			continue
		}
		if _, rule := parseNumber(d.Kind, strings.TrimLeft(bound, "<>")); rule != "" {
			return fmt.Errorf("params: definition %s: bound %q: %s", d.Name, bound, rule)
		}
	}
	if d.Default != "" {
		if _, err := d.parse(d.Default); err != nil {
			return fmt.Errorf("params: definition %s: default: %w", d.Name, err)
		}
	}
	return nil
}
