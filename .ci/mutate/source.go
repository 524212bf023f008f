package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

type source struct {
	path string
	text string
	fset *token.FileSet
	ast  *ast.File
}

func (s *source) offset(pos token.Pos) int { return s.fset.Position(pos).Offset }

func (s *source) between(start, end token.Pos) string {
	return s.text[s.offset(start):s.offset(end)]
}

// line returns the text of the line that pos is on, without its comment.
func (s *source) line(pos token.Pos) string {
	at := s.offset(pos)
	start := strings.LastIndexByte(s.text[:at], '\n') + 1
	length := strings.IndexByte(s.text[start:], '\n')
	text, _, _ := strings.Cut(s.text[start:start+length], " // ")
	return oneLine(text)
}

// parse reads the files of a package that are built here, without its tests.
func parse(p module.Package) ([]*source, error) {
	var sources []*source
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s := &source{path: path, text: string(text), fset: token.NewFileSet()}
		if s.ast, err = parser.ParseFile(s.fset, path, text, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// find returns the mutants of a package, also mutants that do not compile.
func find(pkg string, sources []*source) []*mutant {
	var mutants []*mutant
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if ok && decl.Body != nil && decl.Name.Name != "init" && callable(decl) {
				mutants = append(mutants, mutantsOf(pkg, s, decl)...)
			}
		}
	}
	return mutants
}

// callable reports whether the function can be called with its own parameters: all have names.
func callable(decl *ast.FuncDecl) bool {
	fields := decl.Type.Params.List
	if decl.Recv != nil {
		fields = append(fields[:len(fields):len(fields)], decl.Recv.List...)
	}
	for _, field := range fields {
		if len(field.Names) == 0 {
			return false
		}
		for _, name := range field.Names {
			if name.Name == "_" {
				return false
			}
		}
	}
	return true
}

// A span is where the copy of a mutant is in the text of a file with mutants.
type span struct {
	start, end int
	id         int
}

// withMutants returns the file with a copy of its function for every mutant in it, and in the
// function a switch that calls the copy whose number the environment gives, so that one test binary
// holds all mutants of a package, or notes that the function was reached. ids numbers the mutants.
func (s *source) withMutants(mutants []*mutant, ids map[*mutant]int) (string, []span) {
	cases := map[*ast.FuncDecl]*strings.Builder{}
	numbers := map[*ast.FuncDecl][]string{}
	var order []*ast.FuncDecl
	var copies strings.Builder
	var spans []span
	for _, m := range mutants {
		if m.file != s {
			continue
		}
		name := fmt.Sprintf("%sMutant%d", m.decl.Name.Name, ids[m])
		if cases[m.decl] == nil {
			cases[m.decl] = &strings.Builder{}
			order = append(order, m.decl)
		}
		fmt.Fprintf(cases[m.decl], " case %d: %s;", ids[m], call(m.decl, name))
		numbers[m.decl] = append(numbers[m.decl], strconv.Itoa(ids[m]))

		from, to := s.offset(m.decl.Pos()), s.offset(m.decl.End())
		nameStart, nameEnd := s.offset(m.decl.Name.Pos()), s.offset(m.decl.Name.End())
		start := copies.Len()
		copies.WriteString("\n" + s.text[from:nameStart] + name + s.text[nameEnd:m.start] +
			m.replacement + s.text[m.end:to] + "\n")
		spans = append(spans, span{start, copies.Len(), ids[m]})
	}
	var text strings.Builder
	done := 0
	for _, decl := range order { // in the order of the file, as mutants are
		brace := s.offset(decl.Body.Lbrace) + 1
		fmt.Fprintf(&text, "%s switch mutantUnderTest {%s case %d: mutantReached(%s) };",
			s.text[done:brace], cases[decl], reach, strings.Join(numbers[decl], ", "))
		done = brace
	}
	text.WriteString(s.text[done:])
	for i := range spans {
		spans[i].start += text.Len()
		spans[i].end += text.Len()
	}
	text.WriteString(copies.String())
	return text.String(), spans
}

// call is the statement that calls a copy of the function and returns what it returns.
func call(decl *ast.FuncDecl, name string) string {
	var arguments []string
	for _, field := range decl.Type.Params.List {
		for _, n := range field.Names {
			argument := n.Name
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				argument += "..."
			}
			arguments = append(arguments, argument)
		}
	}
	callee := name
	if decl.Recv != nil {
		callee = decl.Recv.List[0].Names[0].Name + "." + name
	} else if decl.Type.TypeParams != nil {
		var types []string
		for _, field := range decl.Type.TypeParams.List {
			for _, n := range field.Names {
				types = append(types, n.Name)
			}
		}
		callee += "[" + strings.Join(types, ", ") + "]"
	}
	text := callee + "(" + strings.Join(arguments, ", ") + ")"
	if decl.Type.Results == nil {
		return text + "; return"
	}
	return "return " + text
}

// reach is the number of the unchanged code that notes which mutants' functions are called.
const reach = -1

// chooser is the file that every package under test gets. mutantReached allocates nothing, as
// tests look for allocations: byte i of a file is of mutant i.
func chooser(pkg string, mutants int) string {
	return fmt.Sprintf(`package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var mutantUnderTest = func() int {
	id, _ := strconv.Atoi(os.Getenv("SLUICE_MUTANT"))
	return id
}()

var (
	mutantsFile, _ = os.OpenFile(os.Getenv("SLUICE_REACHED"), os.O_WRONLY|os.O_CREATE, 0o644)
	mutantsSeen    [%d]atomic.Bool
	mutantMark     = []byte{1}
)

func mutantReached(ids ...int) {
	for _, id := range ids {
		if !mutantsSeen[id].Load() {
			mutantsSeen[id].Store(true)
			mutantsFile.WriteAt(mutantMark, int64(id))
		}
	}
}
`, pkg, mutants+1)
}
