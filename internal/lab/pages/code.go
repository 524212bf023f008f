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
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

const module = "github.com/sluicefc/sluice"

// noPart has the files of papers that have no part in any run: what pages say, and which panels
// pictures have.
var noPart = regexp.MustCompile(`^internal/lab/papers/\w+/(notes|panels)\.go$`)

// goFile is one file of Go: what it says, without comments and blanks, and what it imports.
type goFile struct {
	tokens  []byte
	imports []string // packages of the module
}

// code digests the sources of the module that a result may depend on.
type code struct {
	root    string // of the module
	mutex   sync.Mutex
	digests map[string]string // by the paper's package
}

// newCode reads the sources below root. Where the module's are not there, the program's build alone
// says what made a result.
func newCode(root string) *code { return &code{root: root, digests: map[string]string{}} }

// of returns the digest of the code that has a part in the runs of a subject: its paper's package,
// and all packages of the module that this one imports, and those import. What has a page of its
// own and follows no paper is of package general.
func (c *code) of(s *run.Subject) (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	const papers = "internal/lab/papers/"
	mod, err := os.ReadFile(filepath.Join(c.root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		return report.Build(), nil
	}
	paper := papers + run.PaperOf(s.Name)
	if _, err := os.Stat(filepath.Join(c.root, paper)); err != nil {
		paper = papers + "general"
	}
	if digest, known := c.digests[paper]; known {
		return digest, nil
	}
	digest := xxhash.New()
	if err := c.add(digest, paper, map[string]bool{}); err != nil {
		return "", err
	}
	c.digests[paper] = fmt.Sprintf("%016x", digest.Sum64())
	return c.digests[paper], nil
}

// add adds a package, and the packages that it imports, in the order of the imports.
func (c *code) add(to io.Writer, pkg string, seen map[string]bool) error {
	if seen[pkg] {
		return nil
	}
	seen[pkg] = true
	if _, err := os.Stat(filepath.Join(c.root, pkg)); err != nil {
		return err
	}
	for _, pattern := range []string{"*.go", "*.s"} {
		names, err := filepath.Glob(filepath.Join(c.root, pkg, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			path, err := filepath.Rel(c.root, name)
			path = filepath.ToSlash(path)
			if err != nil || strings.HasSuffix(name, "_test.go") || noPart.MatchString(path) {
				continue
			}
			f, err := readGo(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(to, "%s\n", path)
			if _, err := to.Write(f.tokens); err != nil {
				return err
			}
			for _, imported := range f.imports {
				if err := c.add(to, imported, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
