package cpp

import (
	"regexp"
	"strings"
)

// line is a line of a file, with the lines that a backslash joins to it.
type line struct {
	number    int
	directive bool
	tokens    []Token
}

// lexeme is blank space and comments, or the next token: a word, a number with or without a width,
// a text, a sign.
var lexeme = regexp.MustCompile(`^(?:(\s+|//[^\n]*|(?s:/\*.*?\*/))|([a-zA-Z_]\w*)|` +
	`([0-9]+[ws](?:0x[0-9A-Fa-f_]+|0b[01_]+|[0-9_]+)|0x[0-9A-Fa-f_]+|0b[01_]+|[0-9][0-9_]*)|` +
	`("[^"\n]*")|(&&&|\|\+\||\|-\||\+\+|##|==|!=|<=|>=|<<|&&|\|\||` +
	`[-+*/%&|^~!<>=(){}\[\]:,;.@#?]))`)

// lexed returns the lines of a file that have tokens.
func lexed(text string) []line {
	var lines []line
	rest := strings.Split(text, "\n")
	for at := 0; at < len(rest); at++ {
		one := line{number: at + 1}
		parts := rest[at : at+1]
		open := comment(rest[at], false)
		for at+1 < len(rest) && (strings.HasSuffix(rest[at], `\`) || open) {
			at++
			parts, open = parts[:len(parts)+1], comment(rest[at], open)
		}
		one.tokens = tokens(strings.ReplaceAll(strings.Join(parts, "\n"), "\\\n", " "))
		if len(one.tokens) > 0 {
			one.directive = one.tokens[0].Text == "#"
			lines = append(lines, one)
		}
	}
	return lines
}

// comment reports whether a comment is open at the end of a line, at whose beginning one was, or
// not.
func comment(line string, open bool) bool {
	if before, _, is := strings.Cut(line, "//"); is && !open {
		line = before
	}
	from, to := strings.LastIndex(line, "/*"), strings.LastIndex(line, "*/")
	return from > to || open && to < 0
}

// endless is the beginning of a comment without an end.
const endless = "/*"

// tokens splits a text. An octet that begins no token is a sign of its own: who reads it refuses
// it.
func tokens(text string) (list []Token) {
	for spaced := false; text != ""; {
		m := lexeme.FindStringSubmatchIndex(text)
		if m == nil {
			m = []int{0, 1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1}
		}
		if m[2] >= 0 {
			text, spaced = text[m[1]:], true
			continue
		}
		t := Token{Text: text[:m[1]], Kind: Sign, spaced: spaced}
		if strings.HasPrefix(text, endless) {
			return append(list, Token{Text: endless, Kind: Sign})
		}
		for kind := Name; kind <= String; kind++ {
			if m[4+2*kind] >= 0 {
				t.Kind = kind
			}
		}
		list, text, spaced = append(list, t), text[m[1]:], false
	}
	return list
}
