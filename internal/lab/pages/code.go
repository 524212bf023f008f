package pages

import (
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

const module = "github.com/sluicefc/sluice"

// ownCode has, by package or file, the beginnings of the names of flow controls, if only some reach
// that code; code with "" has no part in any result.
var ownCode = map[string]string{
	"bfc": `bfc`, "ofc": `ofc`, "pyrrha": `pyrrha`, "portfc": `portfc`, "tcd/cbfc": `cbfc`,
	"pfc":        `pfc|none|capfc|ppfc|gfc|gpfc|pyrrha+pfc`,
	"kit/hybrid": `pyrrha+pfc`,

	"internal/lab/fabric/bfc.go": `bfc`, "internal/lab/fabric/ofc.go": `ofc`,
	"internal/lab/fabric/pyrrha.go": `pyrrha`, "internal/lab/fabric/portfc.go": `portfc`,
	"internal/lab/fabric/ate.go": `portfc`, "internal/lab/fabric/cbfc.go": `cbfc`,
	"internal/lab/fabric/hybrid.go":     `pyrrha+pfc`,
	"internal/lab/fabric/pfcstar.go":    `pfcstar|pfc-forward`,
	"internal/lab/fabric/yardsticks.go": `ideal|voq|floodgate`,
	"internal/lab/fabric/floodgate":     `floodgate`, "internal/lab/fabric/voq": `voq`,
	"internal/lab/fabric/ideal": `ideal`, "internal/lab/fabric/forwarder": `pfc-forward`,

	"internal/lab/run/range.go": "", "internal/lab/run/judge.go": "",
	"internal/lab/run/verdict.go": "",
	"pfc/sonic":                   "", "internal/lab/fabric/sonic.go": "", "internal/lab/capture": "",
	"internal/lab/show": "",
}

var notesFile = regexp.MustCompile(`^internal/lab/papers/\w+/notes\.go$`)

// goFile is one file of Go: what it says, without comments and blanks, and what it imports.
type goFile struct {
	tokens  []byte
	imports []string // packages of the module
}

// code digests the sources of the module that a result may depend on.
type code struct {
	root  string // of the module
	mutex sync.Mutex
	files map[string][]string // by package
	read  map[string]*goFile
}

// newCode reads the sources below root. Where the module's are not there, the program's build alone
// says what made a result.
func newCode(root string) *code {
	return &code{root: root, files: map[string][]string{}, read: map[string]*goFile{}}
}

// of returns the digest of the code that has a part in the runs of a subject: the packages that its
// paper's scenarios and claims import, without the code of flow controls that are not run.
func (c *code) of(s *run.Subject) (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	mod, err := os.ReadFile(filepath.Join(c.root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		return report.Build(), nil
	}
	var controls []string
	for _, t := range s.Trials() {
		controls = append(controls, t.FC)
	}
	digest := xxhash.New()
	seen := map[string]bool{}
	if err := c.add(digest, "internal/lab/papers/"+run.PaperOf(s.Name), controls, seen); err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x", digest.Sum64()), nil
}

// add adds a package, and the packages that it imports, in the order of the imports.
func (c *code) add(to io.Writer, pkg string, controls []string, seen map[string]bool) error {
	if seen[pkg] || !hasPart(pkg, controls) {
		return nil
	}
	seen[pkg] = true
	names, known := c.files[pkg]
	if !known {
		for _, pattern := range []string{"*.go", "*.s"} {
			found, err := filepath.Glob(filepath.Join(c.root, pkg, pattern))
			if err != nil {
				return err
			}
			names = append(names, found...)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") })
		c.files[pkg] = names
	}
	for _, name := range names {
		path, err := filepath.Rel(c.root, name)
		if path = filepath.ToSlash(path); err != nil || notesFile.MatchString(path) ||
			!hasPart(path, controls) {
			continue
		}
		f := c.read[path]
		if f == nil {
			if f, err = readGo(name); err != nil {
				return err
			}
			c.read[path] = f
		}
		fmt.Fprintf(to, "%s\n", path)
		if _, err := to.Write(f.tokens); err != nil {
			return err
		}
		for _, imported := range f.imports {
			if err := c.add(to, imported, controls, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasPart reports whether a package or file has a part in runs of flow controls.
func hasPart(path string, controls []string) bool {
	names, only := ownCode[path]
	return !only || names != "" && slices.ContainsFunc(controls, func(control string) bool {
		return slices.ContainsFunc(strings.Split(names, "|"), func(beginning string) bool {
			return strings.HasPrefix(control, beginning)
		})
	})
}

// readGo reads a file of Go, or, as it is, of assembly.
func readGo(name string) (*goFile, error) {
	text, err := os.ReadFile(name)
	if err != nil || strings.HasSuffix(name, ".s") {
		return &goFile{tokens: text}, err
	}
	f := &goFile{}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, i := range parsed.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if inside, is := strings.CutPrefix(path, module); is && err == nil {
			f.imports = append(f.imports, strings.TrimPrefix(inside, "/"))
		}
	}
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(name, files.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return f, nil
		case token.SEMICOLON: // the end of a line is one or none
			continue
		}
		f.tokens = append(f.tokens, kind.String()+" "+literal+"\n"...)
	}
}
