package schedule

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

func (t *text) errorf(format string, args ...any) error {
	return t.errorAt(t.line, format, args...)
}

func (t *text) errorAt(line int, format string, args ...any) error {
	return &textfile.FileError{Name: t.name, Line: line, Message: fmt.Sprintf(format, args...)}
}

// expected says what stands where something else should.
func (t *text) expected(what string) error {
	switch string(t.word) {
	case "":
		return t.errorf("the file ends where %s should be", what)
	case "\n":
		return t.errorf("the line ends where %s should be", what)
	}
	return t.errorf("%s should be %s", textfile.Quote(string(t.word)), what)
}

// maxWord is the longest word, in bytes.
const maxWord = 1 << 10

// next reads the next word.
func (t *text) next() error {
	if string(t.word) == "\n" {
		t.line++
	}
	t.word = t.word[:0]
	c, err := t.skip()
	if err != nil || c == 0 {
		return err
	}
	t.word = append(t.word, c)
	class := classOf(c)
	for class != other {
		c, err := t.in.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return t.broken(err)
		}
		if now := classOf(c); now == other || class == digit && now == letter {
			_ = t.in.UnreadByte()
			break
		}
		if len(t.word) == maxWord {
			return t.errorf("a word is longer than %d bytes", maxWord)
		}
		t.word = append(t.word, c)
	}
	return nil
}

type class uint8

const (
	other class = iota
	digit
	letter
)

func classOf(c byte) class {
	switch {
	case c >= '0' && c <= '9':
		return digit
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		return letter
	}
	return other
}

func (t *text) broken(err error) error {
	return &textfile.FileError{Name: t.name, Line: t.line, Message: err.Error(), Err: err}
}

// skip returns the first character behind blanks and comments, 0 at the end of the file.
func (t *text) skip() (byte, error) {
	for {
		c, err := t.in.ReadByte()
		switch {
		case err == io.EOF:
			return 0, nil
		case err != nil:
			return 0, t.broken(err)
		case c == 0:
			return 0, t.errorf("a byte is 0: this is no text")
		case c == ' ' || c == '\t' || c == '\r':
		case c == '/':
			if err := t.comment(); err != nil {
				return 0, err
			}
		default:
			return c, nil
		}
	}
}

// comment skips a comment whose first slash was read. The line's end is left behind one of "//".
func (t *text) comment() error {
	c, err := t.in.ReadByte()
	if err != nil || c != '/' && c != '*' {
		return t.errorf("%q should begin a comment, // or /*", "/")
	}
	first, before := t.line, byte(0)
	for {
		d, err := t.in.ReadByte()
		switch {
		case err == io.EOF && c == '/':
			return nil
		case err == io.EOF:
			return t.errorAt(first, "a comment is never closed")
		case err != nil:
			return t.broken(err)
		case c == '/' && d == '\n':
			return t.in.UnreadByte()
		case c == '*' && before == '*' && d == '/':
			return nil
		case d == '\n':
			t.line++
		}
		before = d
	}
}

// is reports whether the word is one.
func (t *text) is(word string) bool { return string(t.word) == word }

// number reads a number of at most limit; what names it.
func (t *text) number(what string, limit uint64) (uint64, error) {
	if len(t.word) == 0 || classOf(t.word[0]) != digit {
		return 0, t.expected(what)
	}
	n, err := strconv.ParseUint(string(t.word), 10, 64)
	if errors.Is(err, strconv.ErrRange) || n > limit {
		return 0, t.errorf("%s %s is above %d", what, textfile.Quote(string(t.word)), limit)
	}
	return n, t.next()
}

// numberOrAny reads a rank or a tag, and refuses -1, which is any.
func (t *text) numberOrAny(what string, limit uint64) (uint64, error) {
	if t.is("-") {
		return 0, t.errorf("any %s (-1) is not supported: write the one that is meant", what)
	}
	return t.number(what, limit)
}

func (t *text) endOfLine() error {
	if t.is("\n") || t.is("") || t.is("}") {
		return nil
	}
	return t.expected("the end of the line")
}
