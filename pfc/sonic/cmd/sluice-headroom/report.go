package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// report collects the messages about ports, and prints a message about several ports once.
type report struct {
	w      io.Writer
	lines  []line
	at     map[string]int   // of lines, by their text
	bursts map[burst]string // by what makes them
	failed bool
}

type line struct {
	names []string
	text  string
}

// burst is the parameters of a burst that loses a packet.
type burst struct {
	link          sluice.Link
	pipeline      sluice.Time
	mtu, headroom sluice.Bytes
}

// say adds a text that a name begins.
func (r *report) say(name, text string) {
	if r.at == nil {
		r.at = map[string]int{}
	}
	at, is := r.at[text]
	if !is {
		at = len(r.lines)
		r.at[text] = at
		r.lines = append(r.lines, line{text: text})
	}
	r.lines[at].names = append(r.lines[at].names, name)
}

// fail is say of what makes the exit status 1.
func (r *report) fail(name, text string) {
	r.failed = true
	r.say(name, text)
}

func (r *report) faults(all []sonic.Note) {
	for _, n := range all {
		r.failed = true
		fmt.Fprintln(r.w, "fault:", n)
	}
}

// burst returns the shortest burst that loses a packet of a headroom, once for all ports alike.
func (r *report) burst(s *sonic.Switch, i int, headroom sluice.Bytes) string {
	p := &s.Config.Ports[i]
	key := burst{p.Link, p.Pipeline, p.MTU, headroom}
	if text, is := r.bursts[key]; is {
		return text
	}
	var b strings.Builder
	timeline(&b, p.Burst(s.LosslessMTU, s.Config.CellSize, headroom))
	if r.bursts == nil {
		r.bursts = map[burst]string{}
	}
	r.bursts[key] = strings.TrimSuffix(b.String(), "\n")
	return r.bursts[key]
}

// flush writes the lines.
func (r *report) flush() {
	for _, l := range r.lines {
		name := sonic.Printable(l.names[0])
		if n := len(l.names); n > 1 {
			name += fmt.Sprintf(" and %d more, up to %s", n-1, sonic.Printable(l.names[n-1]))
		}
		fmt.Fprintf(r.w, "%s%s\n", name, l.text)
	}
	r.lines, r.at = nil, nil
}
