package main

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// reader returns what finds the prose of a file; nil for a file without prose of ours.
func reader(path string) func([]byte) []text {
	switch {
	case strings.HasPrefix(path, ".ci/prose/"), strings.Contains(path, "testdata/"),
		strings.HasPrefix(path, "docs/results/"):
		return nil
	}
	switch filepath.Ext(path) {
	case ".go":
		return goTexts
	case ".md", ".txt":
		return paragraphs
	}
	return nil
}

// goTexts returns the comments of a Go file, joined where they follow each other, and its strings
// of more than a word.
func goTexts(content []byte) (texts []text) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, scanner.ScanComments)
	last := -1 // the line of the comment before
	for {
		at, kind, literal := s.Scan()
		line := file.Line(at)
		switch {
		case kind == token.EOF:
			return texts
		case kind == token.COMMENT:
			words := strings.Trim(literal, "/* ")
			if line == last+1 {
				texts[len(texts)-1].words += " " + words
			} else {
				texts = append(texts, text{line, words, true})
			}
			last = line + strings.Count(literal, "\n")
		case kind == token.STRING:
			if words, err := strconv.Unquote(literal); err == nil && strings.Contains(words, " ") {
				texts = append(texts, text{line, words, false})
				last = -1
			}
		}
	}
}

// paragraphs returns the paragraphs of a document, without code.
func paragraphs(content []byte) (texts []text) {
	code, open := false, false
	for i, line := range strings.Split(string(content), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code, open = !code, false
			continue
		}
		trimmed := strings.TrimSpace(line)
		if code || trimmed == "" || strings.HasPrefix(line, "    ") {
			open = false
			continue
		}
		if open {
			texts[len(texts)-1].words += " " + trimmed
			continue
		}
		texts, open = append(texts, text{i + 1, trimmed, true}), true
	}
	return texts
}
