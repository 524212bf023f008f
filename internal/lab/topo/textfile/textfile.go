// Package textfile reads the line-oriented text files of the field's simulators: fields
// separated by blanks, errors that name the line, exact decimal numbers, bounded memory.
package textfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// FileError says which line of a file breaks which rule.
type FileError struct {
	Name    string // of the file; may be empty
	Line    int    // counted from 1; 0 if the error belongs to no line
	Message string
	Err     error // what reading the file answered, if that failed
}

// Error names file, line and rule:
//
//	flows.txt:12: destination 200 is not below 160
func (e *FileError) Error() string {
	at := e.Name
	switch {
	case e.Line > 0 && at != "":
		at += ":" + strconv.Itoa(e.Line) + ": "
	case e.Line > 0:
		at = "line " + strconv.Itoa(e.Line) + ": "
	case at != "":
		at += ": "
	}
	return at + e.Message
}

// Unwrap returns the error of the underlying reader, if there is one.
func (e *FileError) Unwrap() error { return e.Err }

// MaxLine is the longest line that a Reader accepts, in bytes.
const MaxLine = 1 << 20

// Reader reads lines and splits them into fields. It holds one line at a time.
type Reader struct {
	scanner *bufio.Scanner
	name    string
	line    int
	fault   error
}

// NewReader returns a reader of r; name is for error messages.
func NewReader(r io.Reader, name string) *Reader {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 4096), MaxLine)
	return &Reader{scanner: scanner, name: name}
}

// Fields returns the fields of the next line that is not blank; what follows a # on a line is a
// comment. At the end of the file it returns io.EOF; other errors are *FileError.
func (r *Reader) Fields() ([]string, error) {
	for r.scanner.Scan() {
		r.line++
		text, _, _ := strings.Cut(r.scanner.Text(), "#")
		if fields := strings.Fields(text); len(fields) > 0 {
			return fields, nil
		}
	}
	err := r.scanner.Err()
	switch {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		r.line++
		return nil, r.Errorf("the line is longer than %d bytes", MaxLine)
	}
	return nil, &FileError{Name: r.name, Line: r.line + 1, Message: err.Error(), Err: err}
}

// First returns the fields of the first line; there must be one.
func (r *Reader) First() ([]string, error) {
	fields, err := r.Fields()
	if err == io.EOF {
		err = r.Errorf("the file is empty")
	}
	return fields, err
}

// Records reads the rest of the file, a record a line. There must be as many as the first line
// says. Lines behind them are behind's, if it is given and takes them.
func (r *Reader) Records(
	what string, count uint64, read func(fields []string) error,
	behind ...func(fields []string) (taken bool, err error),
) error {
	for n := uint64(0); ; n++ {
		fields, err := r.Fields()
		switch {
		case err == io.EOF && n < count:
			return r.Errorf("the file ends after %d of %d %s", n, count, what)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case n == count && len(behind) > 0:
			if taken, err := behind[0](fields); taken || err != nil {
				if err != nil {
					return err
				}
				n--
				continue
			}
			return r.Errorf("more %s than the %d of the first line", what, count)
		case n == count:
			return r.Errorf("more %s than the %d of the first line", what, count)
		}
		if err := read(fields); err != nil {
			return err
		}
	}
}

// Line returns the number of the line that Fields returned last, counted from 1; at the end of
// the file, of the last line.
func (r *Reader) Line() int { return r.line }

// Errorf returns an error about the current line.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.ErrorAt(r.line, format, args...)
}

// ErrorAt returns an error about an earlier line.
func (r *Reader) ErrorAt(line int, format string, args ...any) error {
	return &FileError{Name: r.name, Line: line, Message: fmt.Sprintf(format, args...)}
}

// Err returns the error of the first field that Uint, Decimal and Quantity did not understand.
func (r *Reader) Err() error { return r.fault }

// refuse notes what is wrong with a field of the current line.
func (r *Reader) refuse(what, field, format string, args ...any) {
	if r.fault == nil {
		r.fault = r.Errorf("%s %s %s", what, Quote(field), fmt.Sprintf(format, args...))
	}
}

// Uint parses a field as an integer from 0 to limit; what names it in the error: see Err.
func (r *Reader) Uint(what, field string, limit uint64) uint64 {
	n, err := strconv.ParseUint(field, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > limit:
		r.refuse(what, field, "is above %d", limit)
	case err != nil:
		r.refuse(what, field, "is not a whole number")
	}
	return n
}

// Decimal parses a field as ParseDecimal does; what names it in the error: see Err.
func (r *Reader) Decimal(what, field string, places int) int64 {
	n, rule := ParseDecimal(field, places)
	if rule != "" {
		r.refuse(what, field, "%s", rule)
	}
	return n
}

// Quote returns a field for an error message, cut if it is long.
func Quote(field string) string {
	const most = 40
	if len(field) > most {
		return strconv.Quote(field[:most]) + "..."
	}
	return strconv.Quote(field)
}
