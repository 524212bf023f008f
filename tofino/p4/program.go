package p4

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/sluicefc/sluice/tofino/internal/cpp"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Program is a program that was read.
type Program struct {
	*ir.Program
	// Constants are the values of constants of at most 64 bits, by name.
	Constants map[string]uint64

	fields map[string]*ir.Field // of headers, "ipv4.dst", and of the metadata of ingress
}

// Read reads a program from a file and the files that it includes. The program gets a name, which
// the text does not have. An error is a [*Fault]. [ir.Program.Validate] finds what the text may say
// and the chip cannot do.
func Read(files fs.FS, file, name string) (made *Program, err error) {
	read := &recorded{FS: files}
	in, err := cpp.Expand(read, file)
	if f := (*cpp.Fault)(nil); errors.As(err, &f) {
		return nil, &Fault{f.File, f.Line, f.Rule}
	}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *Fault:
			made, err = nil, f
		default:
			panic(f)
		}
	}()
	r := newReader(in, file, name)
	for r.at < len(r.in) {
		r.declaration()
	}
	r.finish()
	r.made.Text = read.files
	return r.made, nil
}

// recorded is a file system that remembers what was read, each file once.
type recorded struct {
	fs.FS
	files []ir.File
}

// ReadFile returns the content of a file.
func (r *recorded) ReadFile(name string) ([]byte, error) {
	content, err := fs.ReadFile(r.FS, name)
	if err == nil && !slices.ContainsFunc(r.files, func(f ir.File) bool { return f.Name == name }) {
		r.files = append(r.files, ir.File{Name: name, Content: content})
	}
	return content, err
}

// Action, Table and Register return what has a name, Field what is HEADER.FIELD or a field of the
// metadata of ingress. They panic if nothing has it.
func (p *Program) Action(name string) *ir.Action {
	return found(p.Actions, name, func(a *ir.Action) string { return a.Name })
}

// Table returns a table.
func (p *Program) Table(name string) *ir.Table {
	return found(p.Tables, name, func(t *ir.Table) string { return t.Name })
}

// Register returns a register.
func (p *Program) Register(name string) *ir.Register {
	return found(p.Registers, name, func(r *ir.Register) string { return r.Name })
}

// Field returns a field.
func (p *Program) Field(name string) *ir.Field {
	if p.fields[name] == nil {
		panic("p4: the program declares no " + name)
	}
	return p.fields[name]
}

func found[T any](list []*T, name string, of func(*T) string) *T {
	at := slices.IndexFunc(list, func(one *T) bool { return of(one) == name })
	if at < 0 {
		panic("p4: the program declares no " + name)
	}
	return list[at]
}
