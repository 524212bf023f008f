package cpp

import (
	"regexp"
	"strings"
)

// numeral is a number at the beginning of a text, with a width or without.
var numeral = regexp.MustCompile(
	`^(?:[0-9]+[ws](?:0x[0-9A-Fa-f_]+|0b[01_]+|[0-9_]+)|0x[0-9A-Fa-f_]+|0b[01_]+|[0-9][0-9_]*)`)

// signs are the signs of several octets, longer ones first.
var signs = []string{
	"&&&", "|+|", "|-|", "++", "##", "==", "!=", "<=", ">=", "<<", "&&", "||",
}

// lexed returns the tokens of the lines of a file that have some. A backslash, and a comment that
// is not over, join a line with the next.
func lexed(name, text string) (lines [][]Token) {
	rest := strings.Split(text, "\n")
	for at := 0; at < len(rest); at++ {
		number := at + 1
		parts := rest[at : at+1]
		open := comment(rest[at], false)
		for at+1 < len(rest) && (strings.HasSuffix(rest[at], `\`) || open) {
			at++
			parts, open = parts[:len(parts)+1], comment(rest[at], open)
		}
		line := tokens(strings.ReplaceAll(strings.Join(parts, "\n"), "\\\n", " "))
		for k := range line {
			line[k].File, line[k].Line = name, number
		}
		if len(line) > 0 {
			lines = append(lines, line)
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
		if n := space(text); n > 0 {
			text, spaced = text[n:], true
			continue
		}
		if strings.HasPrefix(text, endless) {
			return append(list, Token{Text: endless, Kind: Sign})
		}
		kind, n := lexeme(text)
		list = append(list, Token{Text: text[:n], Kind: kind, spaced: spaced})
		text, spaced = text[n:], false
	}
	return list
}

// space returns how many octets of blank space, or of a comment, are at the beginning of a text.
func space(text string) (octets int) {
	if strings.HasPrefix(text, "//") {
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	}
	if strings.HasPrefix(text, "/*") {
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return end + len("/**/")
		}
		return 0
	}
	return len(text) - len(strings.TrimLeft(text, " \t\r\n\f"))
}

// lexeme returns the kind and the length of the token at the beginning of a text.
func lexeme(text string) (kind Kind, octets int) {
	switch c := text[0]; {
	case inName(c) && !inNumber(c):
		for octets < len(text) && inName(text[octets]) {
			octets++
		}
		return Name, octets
	case inNumber(c):
		return Number, len(numeral.FindString(text))
	case c == '"':
		if end := strings.IndexAny(text[1:], "\"\n"); end >= 0 && text[1+end] == '"' {
			return String, end + 2
		}
	}
	for _, sign := range signs {
		if strings.HasPrefix(text, sign) {
			return Sign, len(sign)
		}
	}
	return Sign, 1
}

func inName(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || inNumber(c)
}

func inNumber(c byte) bool { return c >= '0' && c <= '9' }
