// Package twin copies a machine with all that it reaches, and writes down what its behaviour
// depends on. Machines are structs, arrays, slices and pointers; the package learns how each type
// lies in memory, so that no field can be forgotten: a new one is copied, and written, until a
// [Form] says what it is.
package twin

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Form is how values of type T, and what they reach, are copied and written. Fields are named by
// type and field, "Port.counters", types of other packages than T's with their package,
// "wire.Window.newest". Fields named _ and the bytes between fields are not written; nor is what a
// slice has beyond its length. The first use of a Form panics if it names a field that does
// not exist, or if a field is of a kind that cannot be copied: a map, a channel, a function or an
// interface.
type Form[T any] struct {
	// Past are fields that tell what happened: counters, peaks, sequence numbers. No decision depends
	// on them. They are copied, and not written.
	Past []string

	once sync.Once
	root *layout
}

func (f *Form[T]) layout() *layout {
	f.once.Do(func() {
		t := reflect.TypeFor[T]()
		s := scholar{
			home: t.PkgPath(), past: f.Past, layouts: map[reflect.Type]*layout{}, met: map[string]bool{},
		}
		f.root = s.learn(t)
		for _, name := range f.Past {
			if !s.met[name] {
				panic("twin: no field is called " + name)
			}
		}
	})
	return f.root
}

// layout is how a type lies in memory.
type layout struct {
	of   reflect.Type
	refs []ref // all pointers and slices, for Clone
	ops  []op  // in order of their offsets, for Append
}

type ref struct {
	offset uintptr
	slice  bool
	to     *layout
}

// op is a part of a value that is written.
type op struct {
	kind   opKind
	offset uintptr
	length uintptr // of a run of bytes
	to     *layout // of a pointer or a slice
}

type opKind uint8

const (
	plain opKind = iota
	pointer
	slice
	text
)

type scholar struct {
	home    string // package path of names without a package
	past    []string
	layouts map[reflect.Type]*layout
	met     map[string]bool // names of fields
}

func (s *scholar) learn(t reflect.Type) *layout {
	l, known := s.layouts[t]
	if !known {
		l = &layout{of: t}
		s.layouts[t] = l // before its fields, which may point back
		s.add(l, t, t.String(), 0, true)
	}
	return l
}

// name returns how a Form names a type.
func (s *scholar) name(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if t.PkgPath() != s.home {
		name = t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] + "." + name
	}
	return name
}

// add notes a value of type t at an offset. written is false for what lies in a field of the past.
func (s *scholar) add(l *layout, t reflect.Type, name string, at uintptr, written bool) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			field := s.name(t) + "." + f.Name
			s.met[field] = true
			s.add(l, f.Type, name+"."+f.Name, at+f.Offset,
				written && f.Name != "_" && !slices.Contains(s.past, field))
		}
	case reflect.Array:
		for i := range t.Len() {
			s.add(l, t.Elem(), name, at+uintptr(i)*t.Elem().Size(), written)
		}
	case reflect.Pointer, reflect.Slice:
		to := s.learn(t.Elem())
		kind := pointer
		if t.Kind() == reflect.Slice {
			kind = slice
		}
		l.refs = append(l.refs, ref{at, kind == slice, to})
		if written {
			l.ops = append(l.ops, op{kind: kind, offset: at, to: to})
		}
	case reflect.String:
		if written {
			l.ops = append(l.ops, op{kind: text, offset: at})
		}
	case reflect.Map, reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer:
		panic(fmt.Sprintf("twin: %s is a %v, which cannot be copied", name, t.Kind()))
	default:
		if written {
			l.addPlain(t.Size(), at)
		}
	}
}

func (l *layout) addPlain(size, at uintptr) {
	if n := len(l.ops); n > 0 {
		if last := &l.ops[n-1]; last.kind == plain && last.offset+last.length == at {
			last.length += size
			return
		}
	}
	l.ops = append(l.ops, op{kind: plain, offset: at, length: size})
}
