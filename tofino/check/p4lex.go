package check

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// token is a word of a program's text: an identifier, a number, a text or a sign.
type token struct {
	offset int64
	text   string
	kind   byte // 'i', 'n', 't' or 's'
}

// tokens splits a text into its words; comments and lines for the preprocessor are left out.
func tokens(text string) ([]token, error) {
	var list []token
	for at := 0; at < len(text); {
		rest, start := text[at:], at
		c := text[at]
		kind := byte(0)
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			at++
		case strings.HasPrefix(rest, "//") || c == '#':
			at += lineEnd(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[len("/*"):], "*/")
			if end < 0 {
				return nil, fmt.Errorf("octet %d: the comment does not end", at)
			}
			at += len("/*") + end + len("*/")
		case c == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("octet %d: the text does not end", at)
			}
			at, kind = at+end+2, 't'
		case letter(c) || digit(c):
			kind = 'i'
			if digit(c) {
				kind = 'n'
			}
			for at < len(text) && (letter(text[at]) || digit(text[at])) {
				at++
			}
		default:
			at, kind = at+len(sign(rest)), 's'
		}
		if kind != 0 {
			list = append(list, token{int64(start), text[start:at], kind})
		}
	}
	return list, nil
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// lineEnd returns how many octets there are to the end of a line.
func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// sign returns the sign that a text begins with: the longest.
func sign(text string) string {
	for _, long := range []string{"|+|", "|-|", "&&&", "&&", "||", "==", "!=", "<=", ">=", "++"} {
		if strings.HasPrefix(text, long) {
			return long
		}
	}
	return text[:1]
}

// mostBits is how many bits a number or a field has at most.
const mostBits = 1024

// literal returns the width and the value of a number; a width of 0 if it has none, and false if it
// is no number or does not fit.
func (t token) literal() (int, *big.Int, bool) {
	width, digits := 0, t.text
	if before, after, sized := strings.Cut(t.text, "w"); sized {
		var err error
		if width, err = strconv.Atoi(before); err != nil || width < 1 || width > mostBits {
			return 0, nil, false
		}
		digits = after
	}
	base := 10
	if strings.HasPrefix(digits, "0x") {
		base, digits = 16, digits[2:]
	}
	if len(digits) > longestNumber {
		return 0, nil, false
	}
	value, ok := new(big.Int).SetString(digits, base)
	return width, value, ok && (width == 0 || value.BitLen() <= width)
}
