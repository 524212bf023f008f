package schedule

import (
	"bufio"
	"bytes"
	"io"
	"math"

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
