package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// hooks are the methods of a machine that decide, and what the explorer asks beside them.
var hooks = []string{
	"Enqueue", "Dequeue", "Next", "Receive", "PollFrame", "PollPort", "Expire", "Deadline", "LinkDown",
	"LinkUp", "Sendable", "Consume",
}

// calledBy returns the names of functions and of all functions that they call. Names are compared
// without receivers, so that too many are returned rather than too few.
func calledBy(sources []*source, names []string) map[string]bool {
	bodies := map[string][]*ast.BlockStmt{}
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
				bodies[decl.Name.Name] = append(bodies[decl.Name.Name], decl.Body)
			}
		}
	}
	called := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if called[name] {
			continue
		}
		called[name] = true
		for _, body := range bodies[name] {
			ast.Inspect(body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && bodies[id.Name] != nil {
					names = append(names, id.Name)
				}
				return true
			})
		}
	}
	return called
}

// blocks are the blocks of code that ran, by the name of their file.
type blocks map[string][]block

type block struct{ fromLine, from, toLine, to int }

// has reports whether the code that a mutant changes ran.
func (b blocks) has(m *mutant) bool {
	at := m.file.fset.Position(m.file.fset.File(m.decl.Pos()).Pos(m.start))
	for _, k := range b[filepath.Base(m.file.path)] {
		after := at.Line > k.fromLine || at.Line == k.fromLine && at.Column >= k.from
		before := at.Line < k.toLine || at.Line == k.toLine && at.Column < k.to
		if after && before {
			return true
		}
	}
	return false
}

// reached returns what of the package runs when its networks are explored.
func (h *hunt) reached() (blocks, error) {
	profile := filepath.Join(h.dir, "reached")
	arguments := append([]string{"test", "-run", "^TestPage$", "-coverpkg", h.ImportPath,
		"-coverprofile", profile, h.explorer.ImportPath}, h.rows(few)...)
	if out, err := exec.Command("go", arguments...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("exploring %s: %w\n%s", h.name(), err, out)
	}
	file, err := os.Open(profile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	ran := blocks{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		path, rest, _ := strings.Cut(filepath.Base(lines.Text()), ":")
		var k block
		var statements, times int
		_, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &k.fromLine, &k.from, &k.toLine, &k.to,
			&statements, &times)
		if err == nil && times > 0 {
			ran[path] = append(ran[path], k)
		}
	}
	return ran, lines.Err()
}
