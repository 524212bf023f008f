package check

import (
	"strconv"
	"strings"
)

// scope is what names mean where they stand.
type scope struct {
	program *program
	kinds   map[string]string // by name: a type, or "table", "action", "state"
}

// inner returns the scope with more names.
func (s scope) inner(names ...typed) scope {
	twin := scope{s.program, make(map[string]string, len(s.kinds)+len(names))}
	for name, kind := range s.kinds {
		twin.kinds[name] = kind
	}
	for _, one := range names {
		twin.kinds[one.name] = one.kind
	}
	return twin
}

// bits returns the width of a type, 0 if it is not one of bits, or of more than a compiler takes.
func bits(kind string) int {
	if !strings.HasPrefix(kind, "bit<") {
		return 0
	}
	width, err := strconv.Atoi(strings.TrimSuffix(kind[len("bit<"):], ">"))
	if err != nil || width > mostBits {
		return 0
	}
	return width
}

// member returns the type of a member of a type, or false if it has none of this name.
func (s scope) member(kind, name string) (string, bool) {
	if of := s.program.structs[kind]; of != nil {
		for _, one := range of.fields {
			if one.name == name {
				return one.kind, true
			}
		}
	}
	return "", false
}
