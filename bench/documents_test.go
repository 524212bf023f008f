package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
)

// documents are the pages for users: what they say is run, and their links are followed.
func documents(t *testing.T) []string {
	var found []string
	for _, pattern := range []string{
		"docs/*.md", "docs/results/*.md", "*.md", "tofino/*.md", "examples/*.md", "examples/*/*.md",
	} {
		some, err := filepath.Glob(filepath.Join(repository, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, some)
		found = append(found, some...)
	}
	return found
}

// elsewhere are lines of documents that a test or a gate of its own runs: a test as package and
// name, a gate by what .ci/run says.
var elsewhere = []struct{ line, by string }{
	{`go run \./bench`, `gate "the main command"`},
	{`go test \./\.\.\.`, "go test ./...\n"},
	{`go test -run '\^\$' -bench \. \./.*`, `gate "benchmarks, once"`},
	{`go run \./\.ci/mutate .*`, "go run ./.ci/mutate\n"},
	{`go run \./bench (sweep|report) .*-slurm .*`, "bench TestSlurm"},
	{`python3 examples/figure/figure\.py .*`, "bench TestTidyRowsInPython"},
	{
		`go run \./pfc/sonic/cmd/sluice-headroom compare( summary)? > .*`,
		"pfc/sonic/cmd/sluice-headroom TestPage",
	},
	{`SLUICE_SONIC_CONFIGS=FOLDER go test \./pfc/sonic .*`, "pfc/sonic TestConfigurations"},
	{`make -C capi install PREFIX=\S+|export PKG_CONFIG_PATH=\S+|cc program\.c .*`, "capi TestPkgConfig"},
	{`apt-get install g\+\+ libns3-dev`, "install libns3-dev"},
	{`make|\./incast --protocol=(pfc|pyrrha)`, "examples/ns3/compare TestIncast"},
	{`make LOGGOPS=\S+ results`, `gate "examples/loggops: schedules beside LogGOPSim"`},
	{
		`make SPCL_HTSIM=\S+ results`,
		`gate "examples/htsim-goal: schedules beside SPCL's htsim"`,
	},
	{`make ASTRA=\S+`, `gate "examples/astra-sim: ASTRA-sim over our network"`},
	{`(SLUICE_DEPTH=thorough )?go test \./\S+ -run .* -update`, `gate "go test (the README's command)"`},
	{`P4C=\S+ (BFAS=\S+ )?go test .*`, `gate "tofino: the public compiler takes what is emitted"`},
	{`P4TESTGEN=\S+ P4INCLUDE=\S+ go test .*`, `gate "tofino: P4Testgen's packets leave as it says"`},
	{`make HTSIM=\S+|build/flows .*`, `gate "examples/htsim: our machines in htsim"`},
	{`go test -run '\^\$' -bench Forward -exec sudo \.`, "go test -count=1 -bench . -benchtime 1x"},
	{`cd examples/wire|go build && sudo \./wire -fc pfc -duration 5s`, "examples/wire TestPFC"},
}

// runElsewhere reports whether a test or a gate runs a line, which has to be there.
func runElsewhere(t *testing.T, line string) bool {
	for _, e := range elsewhere {
		if !regexp.MustCompile("^(" + e.line + ")$").MatchString(line) {
			continue
		}
		pattern, text := ".ci/run", e.by
		if dir, test, is := strings.Cut(e.by, " Test"); is {
			pattern, text = dir+"/*_test.go", "func Test"+test+"("
		}
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		require.NoError(t, err)
		for _, name := range files {
			content, err := os.ReadFile(name)
			require.NoError(t, err)
			if strings.Contains(string(content), text) {
				return true
			}
		}
		require.Fail(t, line, "is run by %s, which is not there", e.by)
	}
	return false
}

// repository is where it begins, as tests change their folder.
var repository, _ = filepath.Abs("..")

// TestDocumentsCommands runs every command of the pages, that is every line of a block that is
// indented or of a shell's, page by page, in a folder that has the page's files: blocks that begin
// with ```file NAME. What is no command stands between fences that say what it is.
func TestDocumentsCommands(t *testing.T) {
	depth.From(t, depth.Thorough, "a hundred commands")
	ran := 0
	for _, page := range documents(t) {
		if filepath.Base(filepath.Dir(page)) == "results" { // its commands run the report
			continue
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, content := range fileBlocks(string(text)) {
				require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
			}
			for _, line := range commandsOf(t, text) {
				line, _, _ = strings.Cut(line, " #")
				if line = strings.TrimSpace(line); !runElsewhere(t, line) {
					runLine(t, line)
				}
				ran++
			}
		})
	}
	require.Greater(t, ran, 50)
}

// commandsOf are the lines of a page's blocks of commands, and the one of its Kubernetes job.
func commandsOf(t *testing.T, page []byte) (lines []string) {
	root := goldmark.New().Parser().Parse(text.NewReader(page))
	require.NoError(t, ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		language := "sh"
		switch n := n.(type) {
		case *ast.CodeBlock:
		case *ast.FencedCodeBlock:
			language = string(n.Language(page))
		default:
			return ast.WalkContinue, nil
		}
		code := string(n.Lines().Value(page))
		switch {
		case !entering:
		case language == "sh", language == "bash", language == "console":
			lines = append(lines, strings.Split(strings.TrimSpace(code), "\n")...)
		case language == "yaml":
			_, args, is := strings.Cut(code, "exec ")
			require.True(t, is, "a job without a command")
			args, _, _ = strings.Cut(args, "resources:")
			args = strings.Join(strings.Fields(args), " ")
			lines = append(lines, "JOB_COMPLETION_INDEX=0; "+args)
		}
		return ast.WalkContinue, nil
	}))
	return lines
}

// shorter are what takes long in commands, and what the test has instead.
var shorter = strings.NewReplacer(
	"-set k=48", "-set k=4", // which is 27,648 hosts
	"k < 264000", "k < 100", // which is a file of 2 GB
	"bench speed -model", "bench speed -model",
	"bench speed -scale -count 1", "bench speed -count 1 -set flow.bytes=8KB",
	"bench speed", "bench speed -count 1 -set flow.bytes=8KB",
)

// runLine runs a command of a document: bench in this process, any other command by a shell.
func runLine(t *testing.T, line string) {
	line = shorter.Replace(strings.Replace(line, "go run ../../", "go run ./", 1))
	command, ours := strings.CutPrefix(line, "go run ./bench ")
	if ours && !strings.HasPrefix(command, "speed") && !strings.Contains(command, `"`) {
		code, _, stderr := invoke(strings.Fields(command)...)
		require.Equal(t, exitOK, code, "%s\n%s", line, stderr)
		return
	}
	if module, is := strings.CutPrefix(line, "go get "); is { // into another module, of this commit
		require.NoError(t, os.WriteFile("go.mod", []byte("module other\n"), 0o600))
		t.Setenv("GOPRIVATE", module)
		t.Setenv("GIT_CONFIG_COUNT", "1")
		t.Setenv("GIT_CONFIG_KEY_0", "url.file://"+repository+".insteadOf")
		t.Setenv("GIT_CONFIG_VALUE_0", "https://"+module)
	}
	if of := regexp.MustCompile(`go run (\./\S+)`).FindStringSubmatch(line); of != nil {
		program := filepath.Join(t.TempDir(), filepath.Base(of[1]))
		build := exec.Command("go", "build", "-o", program, of[1])
		build.Dir = repository
		output, err := build.CombinedOutput()
		require.NoError(t, err, "%s", output)
		line = strings.Replace(line, of[0], program, 1)
	}
	line = strings.Replace(line, "go build -pgo=speed.prof -o ",
		"go build -C "+repository+" -pgo=$PWD/speed.prof -o $PWD/", 1)
	t.Setenv(asCommand, "1") // bench-linux is this executable
	own, err := os.Executable()
	require.NoError(t, err)
	if _, err := os.Stat("bench-linux"); err != nil {
		require.NoError(t, os.Symlink(own, "bench-linux"))
	}
	shell := exec.Command("bash", "-c", line)
	shell.Env = append(shell.Environ(), "PATH=.:"+os.Getenv("PATH"))
	output, err := shell.CombinedOutput()
	require.NoError(t, err, "%s: %s", line, output)
}

// fileBlocks returns the contents of the blocks of a document that name a file, by name.
func fileBlocks(text string) map[string]string {
	files := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)\n```file (\\S+)\n(.*?)```").
		FindAllStringSubmatch(text, -1) {
		files[block[1]] = block[2]
	}
	return files
}

// TestDocumentsLinks follows every relative link of every document, to its heading.
func TestDocumentsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			to := page
			if found[1] != "" {
				to = filepath.Join(filepath.Dir(page), found[1])
			}
			_, err := os.Stat(to)
			require.NoError(t, err, "%s links to %s", page, found[1])
			if found[2] != "" {
				require.Contains(t, anchors(t, to), found[2], "%s links to %s", page, to)
			}
		}
	}
}

// anchors are what forges name the headings of a page.
func anchors(t *testing.T, page string) (names []string) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	headings := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, heading := range headings.FindAllStringSubmatch(string(text), -1) {
		name := strings.ToLower(strings.ReplaceAll(heading[1], " ", "-"))
		name = regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(name, "")
		base := name
		for i := 1; slices.Contains(names, name); i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		names = append(names, name)
	}
	return names
}

// TestDocumentsTables: a table of every document is read as one, also after its page was wrapped
// anew: what is no table, code or heading has no row.
func TestDocumentsTables(t *testing.T) {
	tables := goldmark.New(goldmark.WithExtensions(extension.Table))
	for _, page := range documents(t) {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		root := tables.Parser().Parse(text.NewReader(content))
		require.NoError(t, ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n.Kind() == ast.KindParagraph && entering {
				lines := string(n.Lines().Value(content))
				require.NotRegexp(t, `(?m)^\||\| ---`, lines, "%s: rows of a table in a paragraph", page)
			}
			return ast.WalkContinue, nil
		}))
	}
}

// generated are pages that a command makes: they are as long as what they list.
var generated = regexp.MustCompile(`<!-- made by|made by a command`)

// TestDocumentsSizes: the README is a page, and no page of docs is a book.
func TestDocumentsSizes(t *testing.T) {
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		limit := 25_000
		switch {
		case generated.MatchString(string(text)):
			continue
		case filepath.Base(page) == "README.md":
			limit = 8_000
		}
		require.LessOrEqual(t, len(text), limit, "bytes of %s: say less elsewhere in it", page)
	}
}

// TestParametersPage: the page of the parameters is what the command lists.
func TestParametersPage(t *testing.T) {
	const path, made = "../docs/parameters.md", "go test ./bench -run ParametersPage -update"
	want := "# Parameters\n\n<!-- made by \"" + made + "\" -->\n\n" +
		"What `go run ./bench list parameters` prints; `list parameters bfc` prints a section, or\n" +
		"the parameters whose names have that part. A parameter without effect on a run is an error.\n\n" +
		"```text\n" + said(t, "list parameters") + "```\n"
	if *golden.Update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o666))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text), made)
}

// TestDocumentsTests: a page that names tests of a package names some that are there.
func TestDocumentsTests(t *testing.T) {
	command := regexp.MustCompile("`(?:cd (\\S+) && )?(?:make && )?go test ([^`]*)`(?: in `(\\S+)`)?")
	found := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, c := range command.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\n", " "), -1) {
			words := strings.Fields(c[2])
			at := slices.Index(words, "-run")
			if at < 0 || words[at+1] == "'^$'" {
				continue
			}
			base, _, _ := strings.Cut(strings.Trim(words[at+1], "'^$"), "/")
			tests := regexp.MustCompile(`func \w*(` + base + `)`)
			for _, dir := range words {
				if !strings.HasPrefix(dir, ".") {
					continue
				}
				files, err := filepath.Glob(filepath.Join(repository, c[1]+c[3], dir, "*_test.go"))
				require.NoError(t, err)
				require.True(t, slices.ContainsFunc(files, func(name string) bool {
					content, err := os.ReadFile(name)
					return err == nil && tests.Match(content)
				}), "%s: %s", page, c[0])
				found++
			}
		}
	}
	require.NotZero(t, found)
}
