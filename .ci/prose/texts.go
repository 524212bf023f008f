package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// reader returns what finds the prose of a file; nil for a file without prose of ours.
func reader(path string) func([]byte) []text {
	switch {
	case strings.HasPrefix(path, ".ci/prose/"), strings.Contains(path, "testdata/"),
		strings.HasPrefix(path, "docs/results/"), strings.Contains(path, "/page/libs/"):
		return nil
	}
	switch filepath.Ext(path) {
	case ".go":
		return goTexts
	case ".md", ".txt":
		return paragraphs
	case ".p4":
		return p4Texts
	case ".h", ".hpp", ".c", ".cc", ".cpp", ".ts", ".proto":
		return cTexts
	}
	return nil
}

// goTexts returns the comments of a Go file, joined where they follow each other on lines of their
// own, its strings of more than a word, and its names, in words.
func goTexts(content []byte) (texts []text) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, scanner.ScanComments)
	last := -1 // the line of the comment before, if nothing else is on it
	for {
		at, kind, literal := s.Scan()
		line := file.Line(at)
		switch {
		case kind == token.EOF:
			return texts
		case kind == token.COMMENT:
			words := strings.Trim(literal, "/* ")
			alone := alone(content, file.Offset(at))
			if alone && line == last+1 {
				texts[len(texts)-1].words += " " + words
			} else {
				texts = append(texts, text{line, words, true})
			}
			if last = -1; alone {
				last = line + strings.Count(literal, "\n")
			}
		case kind == token.IDENT:
			texts = append(texts, text{line, inWords(literal), false})
			last = -1
		case kind == token.STRING:
			if words, err := strconv.Unquote(literal); err == nil && strings.Contains(words, " ") {
				texts = append(texts, text{line, words, false})
				last = -1
			}
		}
	}
}

// alone reports whether nothing stands before a place on its line.
func alone(content []byte, at int) bool {
	return len(bytes.TrimSpace(content[bytes.LastIndexByte(content[:at], '\n')+1:at])) == 0
}

var hump = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// inWords returns a name in words.
func inWords(name string) string { return strings.Join(hump.FindAllString(name, -1), " ") }

// cComment is a comment of C, or several lines of // without anything else on them.
var cComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:^[ \t]*//.*(?:\n[ \t]*//.*)*|[^:"'/]//.*)`)

// cTexts returns the comments of a program in a language with the comments of C.
func cTexts(content []byte) (texts []text) {
	for _, at := range cComment.FindAllIndex(content, -1) {
		var words []string
		for line := range strings.Lines(string(content[at[0]:at[1]])) {
			words = append(words, strings.Trim(line, "/* \t\n"))
		}
		texts = append(texts, text{1 + bytes.Count(content[:at[0]], []byte("\n")),
			strings.Join(words, " "), true})
	}
	return texts
}

var p4Name = regexp.MustCompile(`\b\w+_\w+\b`)

// p4Texts returns the comments of a P4 program, and its names of several words.
func p4Texts(content []byte) []text {
	texts := cTexts(content)
	for _, at := range p4Name.FindAllIndex(content, -1) {
		texts = append(texts, text{1 + bytes.Count(content[:at[0]], []byte("\n")),
			inWords(string(content[at[0]:at[1]])), false})
	}
	return texts
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
