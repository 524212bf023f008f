package check

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

// token is a word of a program's text: an identifier, a number, a text or a sign.
type token struct {
	offset int64
	text   string
	kind   byte // 'i', 'n', 't' or 's'
}

// until returns where the first of some signs stands, the end if none does.
func until(list []token, signs ...string) int {
	at := slices.IndexFunc(list, func(t token) bool { return slices.Contains(signs, t.text) })
	if at < 0 {
		return len(list)
	}
	return at
}

// cut yields the tokens between the signs of a list, and before the first.
func cut(list []token, sign string) iter.Seq[[]token] {
	return func(yield func([]token) bool) {
		for len(list) > 0 {
			end := until(list, sign)
			if !yield(list[:end]) {
				return
			}
			list = list[min(end+1, len(list)):]
		}
	}
}

// joined returns tokens as one text.
func joined(list []token) string {
	var text strings.Builder
	for _, t := range list {
		text.WriteString(t.text)
	}
	return text.String()
}

// tokens splits a text into its words; comments and lines for the preprocessor are left out. A
// number is a word with its width: 9w0x1ff.
func tokens(text string) (list []token, err error) {
	s := scanner.Scanner{}
	s.Init(strings.NewReader(text))
	s.Mode = scanner.ScanIdents | scanner.ScanStrings | scanner.ScanComments | scanner.SkipComments
	s.IsIdentRune = func(c rune, _ int) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	s.Error = func(s *scanner.Scanner, rule string) {
		if err == nil {
			err = fmt.Errorf("octet %d: %s", s.Pos().Offset, rule)
		}
	}
	for found := s.Scan(); found != scanner.EOF; found = s.Scan() {
		kind := byte('s')
		switch found {
		case '#':
			for next := s.Peek(); next != '\n' && next != scanner.EOF; next = s.Peek() {
				s.Next()
			}
			continue
		case scanner.String:
			kind = 't'
		case scanner.Ident:
			if kind = 'i'; s.TokenText()[0] <= '9' {
				kind = 'n'
			}
		}
		list = append(list, token{int64(s.Position.Offset), s.TokenText(), kind})
	}
	return list, err
}

// mostBits is how many bits a number or a field has at most.
const mostBits = 1024

// literal returns the width and the value of a number, a width of 0 for a number without one, and
// false if the token is no number or the value does not fit the width.
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
