package chassis

import (
	"fmt"
	"io"

	"github.com/sluicefc/sluice"
)

// Dump writes the text of a switch's Dump, line by line, until a line cannot be written.
type Dump struct {
	w   io.Writer
	err error
}

// NewDump begins with the line that all protocols have in common, about the switch of that name:
// "pfc: 4 ports, 3KiB held, now 5us, deadline never".
func NewDump(
	w io.Writer, name string, ports int, held sluice.Bytes, now, deadline sluice.Time,
) *Dump {
	d := &Dump{w: w}
	plural := "s"
	if ports == 1 {
		plural = ""
	}
	d.Line("%s: %d port%s, %v held, now %v, deadline %v", name, ports, plural, held, now, deadline)
	return d
}

// Line writes a line, in the format of fmt.Printf.
func (d *Dump) Line(format string, values ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format+"\n", values...)
	}
}

// Err returns what the first line that could not be written failed with, nil if there is none.
func (d *Dump) Err() error { return d.err }
