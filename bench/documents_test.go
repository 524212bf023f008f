package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run/runtest"
)

// documents are the pages for users: what they say is run, and their links are followed.
func documents(t *testing.T) []string {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	var found []string
	for _, pattern := range []string{"docs/*.md", "docs/results/*.md", "*.md"} {
		some, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, some)
		found = append(found, some...)
	}
	return found
}

// elsewhere are commands of documents that other tests and gates run, or a person who has minutes:
// the main command, and what takes longer than a second, or needs Slurm.
var elsewhere = regexp.MustCompile(
	`^go run \./bench( +#.*)?$|^go run \./bench (report|speed)\b| -slurm |-set k=48 `)

// TestDocumentsCommands runs every command "go run ./bench ..." that stands on a line of its own,
// page by page, in a folder that has the page's files: blocks that begin with ```file NAME, and
// what its lines of printf write.
func TestDocumentsCommands(t *testing.T) {
	ran := 0
	for _, page := range documents(t) {
		if filepath.Base(filepath.Dir(page)) == "results" { // the commands are those of the report
			continue
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, content := range fileBlocks(string(text)) {
				require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
			}
			for line := range strings.Lines(string(text)) {
				ran += runLine(t, strings.TrimSpace(line), strings.HasPrefix(line, "    "))
			}
		})
	}
	require.Greater(t, ran, 10)
}

// runLine runs a line of a document if it is a command, and says how many commands of ours it ran.
func runLine(t *testing.T, line string, indented bool) int {
	switch rest, ours := strings.CutPrefix(line, "go run ./bench"); {
	case !indented:
	case strings.HasPrefix(line, "printf "):
		output, err := exec.Command("sh", "-c", line).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, output)
	case ours && !elsewhere.MatchString(line):
		command, _, _ := strings.Cut(rest, " #")
		code, _, stderr := invoke(strings.Fields(command)...)
		require.Equal(t, exitOK, code, "%s\n%s", line, stderr)
		return 1
	}
	return 0
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

// TestDocumentsLinks follows every relative link of every document.
func TestDocumentsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]*)?\)`)
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if found[1] == "" || strings.Contains(found[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(filepath.Dir(page), found[1]))
			require.NoError(t, err, "%s links to %s", filepath.Base(page), found[1])
		}
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
		require.LessOrEqual(t, len(text), limit, page)
	}
}

// TestParametersPage: the page of the parameters is what the command lists.
func TestParametersPage(t *testing.T) {
	const path, made = "../docs/parameters.md", "go test ./bench -run ParametersPage -update"
	want := "# Parameters\n\n<!-- made by \"" + made + "\" -->\n\n" +
		"What `go run ./bench list parameters` prints; `list parameters bfc` prints those of a section,\n" +
		"or with a part of a name. A parameter that has no effect on a run is an error there.\n\n" +
		"```text\n" + said(t, "list parameters") + "```\n"
	if *runtest.Update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o666))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text), made)
}
