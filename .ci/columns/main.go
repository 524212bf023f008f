// Command columns fails if a line of a Go or Markdown file has more than 100 characters. It
// prints these lines, and how many they are. A line may be longer
//
//   - if it has one word, such as an address or the bytes of a frame, behind the comment's sign,
//   - if it is what an example prints,
//   - of Go, if a string stands in it that is not joined to the next, or is raw, or ends a line of
//     text, and the rest of the line has at most 50 characters,
//   - of Markdown, if it is a row of a table, or indented as code, or if a program writes the page.
package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	columns = 100
	beside  = 50 // a string that need not be broken
)

func main() {
	long, err := tree(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, line := range long {
		fmt.Println(line)
	}
	if len(long) > 0 {
		fmt.Printf("%d lines have more than %d columns\n", len(long), columns)
		os.Exit(1)
	}
}

// written reports whether a program writes a page, or by it.
func written(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/templates/") ||
		strings.HasPrefix(path, "docs/results/")
}

// tree returns the lines of all files of a folder that are too long, as FILE:LINE.
func tree(root string) (long []string, err error) {
	return long, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		check := map[string]func([]byte) []int{".go": goFile, ".md": markdown}[filepath.Ext(path)]
		if d.IsDir() || check == nil || written(path) {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, number := range check(text) {
			long = append(long, fmt.Sprintf("%s:%d", path, number))
		}
		return err
	})
}

func markdown(text []byte) []int {
	return longer(text, func(_ int, line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "|") || strings.HasPrefix(line, "    ")
	})
}

func goFile(text []byte) []int {
	excused := excuses(text)
	return longer(text, func(number int, _ string) bool { return excused[number] })
}

func longer(text []byte, excused func(number int, line string) bool) (long []int) {
	for i, line := range strings.Split(string(text), "\n") {
		word := len(strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "//"))) == 1
		if utf8.RuneCountInString(line) > columns && !word && !excused(i+1, line) {
			long = append(long, i+1)
		}
	}
	return long
}

// excuses returns the numbers of lines that may be long for a string's sake, or are an example's
// output.
func excuses(text []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	lines := bytes.Split(text, []byte("\n"))
	excused := map[int]bool{}
	output := -1 // the last line of an example's output so far
	for {
		at, kind, literal := s.Scan()
		start := file.Line(at)
		switch {
		case kind == token.EOF:
			return excused
		case kind == token.COMMENT && (start == output+1 || strings.HasPrefix(literal, "// Output:")):
			output, excused[start] = start, true
		case kind == token.STRING:
			for i, part := range strings.Split(literal, "\n") {
				line := string(lines[start+i-1])
				joined := literal[0] == '"' && strings.HasSuffix(line, part+" +") &&
					!strings.HasSuffix(part, `\n"`)
				rest := utf8.RuneCountInString(line) - utf8.RuneCountInString(part)
				if rest <= beside && !joined {
					excused[start+i] = true
				}
			}
		}
	}
}
