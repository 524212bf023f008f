package schedule

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// Read reads a schedule in the format GOAL of LogGOPSim, as text or in the binary form of its
// txt2bin; the first bytes say which. name stands in errors, which are *textfile.FileError: of a
// text with the line. Memory is proportional to what the file holds.
func Read(r io.Reader, name string) (*Schedule, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if start, err := in.Peek(len(cookie)); err == nil && string(start) == cookie {
		all, err := io.ReadAll(in)
		if err != nil {
			return nil, &textfile.FileError{Name: name, Message: err.Error(), Err: err}
		}
		all = all[len(cookie):]
		return readBinary(bytes.NewReader(all), int64(len(all)), name, nil)
	}
	return readText(in, name, nil)
}

// readText reads GOAL's text: num_ranks, then a block for each rank, in any order, with an
// operation or a dependency a line. A label may be used before it is defined; tag, cpu and nic may
// stand in any order. A computation takes nanoseconds.
func readText(in *bufio.Reader, name string, windowed *Schedule) (*Schedule, error) {
	t := &text{in: in, name: name, line: 1, windowed: windowed}
	b, err := t.file()
	if err != nil {
		return nil, err
	}
	return buildFile(b, name)
}

// buildFile returns the schedule of a file.
func buildFile(b *Builder, name string) (*Schedule, error) {
	s, err := b.Build()
	if err != nil {
		return nil, &textfile.FileError{Name: name, Message: err.Error(), Err: err}
	}
	return s, nil
}

// text reads words.
type text struct {
	in   *bufio.Reader
	name string
	line int    // of the word
	word []byte // a name, a number, a single other character, or "\n"; empty at the end
	b    *Builder

	windowed *Schedule // nil if all stays in memory

	rank   int
	labels map[string]Label // of the rank
	later  []laterEdge      // whose labels were not known yet
}

type laterEdge struct {
	waits, on string
	start     bool
	line      int
}

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

func (t *text) file() (*Builder, error) {
	if err := t.next(); err != nil {
		return nil, err
	}
	seen := 0
	var blocks []bool
	for {
		switch {
		case t.is("\n"):
			if err := t.next(); err != nil {
				return nil, err
			}
		case t.is("num_ranks") && t.b == nil:
			n, err := t.ranks()
			if err != nil {
				return nil, err
			}
			t.b, blocks = newBuilder(int(n), t.windowed), make([]bool, n)
		case t.is("rank") && t.b != nil:
			if err := t.block(blocks); err != nil {
				return nil, err
			}
			seen++
		case t.is("") && t.b != nil:
			for rank, there := range blocks {
				if !there {
					return nil, t.errorf("the file ends after %d of %d ranks: rank %d has no block",
						seen, len(blocks), rank)
				}
			}
			return t.b, nil
		case t.b == nil:
			return nil, t.expected("num_ranks")
		default:
			return nil, t.expected("rank")
		}
	}
}

func (t *text) ranks() (uint64, error) {
	if err := t.next(); err != nil {
		return 0, err
	}
	n, err := t.number("number of ranks", MaxRanks)
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, t.errorf("there must be a rank at least")
	}
	return n, t.endOfLine()
}

// block reads what a rank does.
func (t *text) block(blocks []bool) error {
	if err := t.next(); err != nil {
		return err
	}
	n, err := t.number("rank", uint64(len(blocks)-1))
	switch {
	case err != nil:
		return err
	case blocks[n]:
		return t.errorf("rank %d has a block already", n)
	case !t.is("{"):
		return t.expected("{")
	}
	blocks[n], t.rank = true, int(n)
	t.labels, t.later = map[string]Label{}, t.later[:0]
	if err := t.next(); err != nil {
		return err
	}
	for !t.is("}") {
		if t.is("\n") {
			if err := t.next(); err != nil {
				return err
			}
			continue
		}
		if err := t.statement(); err != nil {
			return err
		}
	}
	for _, e := range t.later {
		if err := t.connect(e.waits, e.on, e.start, e.line, true); err != nil {
			return err
		}
	}
	if err := t.b.finish(t.rank); err != nil {
		return err
	}
	return t.next()
}

// statement reads an operation or a dependency.
func (t *text) statement() error {
	if t.is("send") || t.is("recv") || t.is("calc") {
		_, err := t.operation()
		return err
	}
	if len(t.word) == 0 || classOf(t.word[0]) != letter {
		return t.expected("an operation, a label or }")
	}
	label := string(t.word)
	if err := t.next(); err != nil {
		return err
	}
	switch {
	case t.is(":"):
		if _, twice := t.labels[label]; twice {
			return t.errorf("the label %s is there already", textfile.Quote(label))
		}
		if err := t.next(); err != nil {
			return err
		}
		l, err := t.operation()
		t.labels[label] = l
		return err
	case t.is("requires"), t.is("irequires"):
		start := t.is("irequires")
		if err := t.next(); err != nil {
			return err
		}
		if len(t.word) == 0 || classOf(t.word[0]) != letter {
			return t.expected("a label")
		}
		if err := t.connect(label, string(t.word), start, t.line, false); err != nil {
			return err
		}
		if err := t.next(); err != nil {
			return err
		}
		return t.endOfLine()
	}
	return t.expected(`":", requires or irequires`)
}

// connect has an operation wait for another. One whose label is not known is looked up at the end
// of the rank.
func (t *text) connect(waits, on string, start bool, line int, last bool) error {
	a, known := t.labels[waits]
	b, also := t.labels[on]
	switch {
	case known && also:
		t.b.connect(t.rank, a, b, start)
	case !last:
		t.later = append(t.later, laterEdge{waits, on, start, line})
	default:
		if known {
			waits = on
		}
		return t.errorAt(line, "rank %d has no label %s", t.rank, textfile.Quote(waits))
	}
	return nil
}

// operation reads a send, a receive or a computation.
func (t *text) operation() (Label, error) {
	var o Operation
	preposition := "to"
	switch {
	case t.is("send"):
		o.Kind = Send
	case t.is("recv"):
		o.Kind, preposition = Recv, "from"
	case t.is("calc"):
		o.Kind = Calc
	default:
		return 0, t.expected("send, recv or calc")
	}
	if err := t.next(); err != nil {
		return 0, err
	}
	most, what := uint64(MaxMessage), "number of bytes"
	if o.Kind == Calc {
		most, what = uint64(MaxCalc), "number of nanoseconds"
	}
	size, err := t.number(what, most)
	if err != nil {
		return 0, err
	}
	o.Size = int64(size)
	if o.Kind != Calc {
		for _, word := range [...]string{"b", preposition} {
			if !t.is(word) {
				return 0, t.expected(word)
			}
			if err := t.next(); err != nil {
				return 0, err
			}
		}
		peer, err := t.numberOrAny("rank", uint64(len(t.b.ranks)-1))
		if err != nil {
			return 0, err
		}
		o.Peer = int32(peer)
	}
	line := t.line
	if err := t.options(&o); err != nil {
		return 0, err
	}
	t.b.place = int64(line)
	l := t.b.Add(t.rank, o)
	if t.b.err != nil {
		return 0, t.errorAt(line, "%v", t.b.err)
	}
	return l, nil
}

// options reads the tag and the numbers of the stream and of the card, each at most once.
func (t *text) options(o *Operation) error {
	var given [3]bool
	for {
		option := 0
		switch {
		case t.is("cpu"):
			option = 1
		case t.is("nic"):
			option = 2
		case t.is("tag") && o.Kind != Calc:
		default:
			return t.endOfLine()
		}
		if given[option] {
			return t.errorf("%s is given twice", t.word)
		}
		given[option] = true
		if err := t.next(); err != nil {
			return err
		}
		if option == 0 {
			tag, err := t.numberOrAny("tag", math.MaxUint32-1)
			if err != nil {
				return err
			}
			o.Tag = uint32(tag)
			continue
		}
		n, err := t.number([...]string{"", "cpu", "nic"}[option], math.MaxUint8)
		if err != nil {
			return err
		}
		if option == 1 {
			o.CPU = uint8(n)
		} else {
			o.NIC = uint8(n)
		}
	}
}
