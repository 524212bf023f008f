package params

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Registry is a set of definitions with different names. It does not change after NewRegistry
// and is safe for concurrent use.
type Registry struct {
	definitions []Definition
	byName      map[string]int
}

// NewRegistry joins lists of definitions, in their order. It refuses a name that is declared twice
// and a definition that contradicts itself.
func NewRegistry(lists ...[]Definition) (*Registry, error) {
	r := &Registry{byName: map[string]int{}}
	for _, list := range lists {
		for _, d := range list {
			if err := d.check(); err != nil {
				return nil, err
			}
			if _, twice := r.byName[d.Name]; twice {
				return nil, fmt.Errorf("params: definition %s: the name is declared twice", d.Name)
			}
			r.byName[d.Name] = len(r.definitions)
			r.definitions = append(r.definitions, d)
		}
	}
	return r, nil
}

// Definitions returns the definitions in the order of declaration.
func (r *Registry) Definitions() []Definition { return slices.Clone(r.definitions) }

// Parse reads lists of assignments, "name=value,name=value". A later list overrides an earlier one,
// so that a user's list can follow a scenario's; within one list a name may be given once. Blanks
// around names and values are ignored, and so is an empty list. The error joins an [*Error] for
// everything that is wrong.
func (r *Registry) Parse(lists ...string) (*Values, error) {
	n := len(r.definitions)
	v := &Values{
		registry: r, values: make([]value, n), set: make([]bool, n), read: make([]atomic.Bool, n),
	}
	for i := range r.definitions {
		if d := &r.definitions[i]; d.Default != "" {
			v.values[i], _ = d.parse(d.Default) // NewRegistry has parsed it
		}
	}
	var errs []error
	for _, list := range lists {
		errs = append(errs, r.parseList(list, v)...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return v, nil
}

func (r *Registry) parseList(list string, v *Values) (errs []error) {
	if strings.TrimSpace(list) == "" {
		return nil
	}
	seen := map[string]bool{}
	for _, assignment := range strings.Split(list, ",") {
		name, text, ok := strings.Cut(assignment, "=")
		name, text = strings.TrimSpace(name), strings.TrimSpace(text)
		i, known := r.byName[name]
		switch {
		case !ok, name == "":
			errs = append(errs, &Error{Parameter: name, Rule: "must be written name=value"})
		case !known:
			errs = append(errs,
				&Error{Parameter: name, Value: text, Rule: "unknown parameter", Nearest: r.nearest(name)})
		case seen[name]:
			errs = append(errs, &Error{Parameter: name, Value: text, Rule: "given twice"})
		default:
			seen[name] = true
			parsed, err := r.definitions[i].parse(text)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			parsed.written = text
			v.values[i], v.set[i] = parsed, true
		}
	}
	return errs
}

// nearest returns the known name that a typing error is most likely to have been, or "".
func (r *Registry) nearest(name string) string {
	names := make([]string, len(r.definitions))
	for i := range r.definitions {
		names[i] = r.definitions[i].Name
		if _, last, ok := strings.Cut(names[i], "."); ok && strings.EqualFold(last, name) {
			return names[i] // the section was forgotten
		}
	}
	return Nearest(name, names)
}

// Error says which parameter's assignment broke which rule.
type Error struct {
	Parameter string
	Value     string // as written; empty if there was none
	Rule      string
	Nearest   string // the known name closest to an unknown one, "" if none is close
}

// Error names parameter, value and rule:
//
//	parameter buffer=20Mib: must be a number of bytes, ...
func (e *Error) Error() string {
	s := "parameter " + e.Parameter
	if e.Value != "" {
		s += "=" + e.Value
	}
	s += ": " + e.Rule
	if e.Nearest != "" {
		s += "; did you mean " + e.Nearest + "?"
	}
	return s
}

// Nearest returns the known name that a typing error is most likely to have been, "" if none is
// close: at most a third of the name was typed otherwise.
func Nearest(name string, known []string) string {
	const longest = 100 // of what can be a typing error
	if len(name) > longest {
		return ""
	}
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// DidYouMean is Nearest as the end of an error's text.
func DidYouMean(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// editDistance counts the fewest insertions, deletions, substitutions, and exchanges of two
// neighbours that make b of a.
func editDistance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
