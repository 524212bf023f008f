package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicefc/sluice"
)

// progress shows on one line of a terminal how far runs are. A nil progress shows nothing.
type progress struct {
	w        io.Writer
	runs     int // in all
	mu       sync.Mutex
	done     int
	underWay []*runProgress
	shown    time.Time // when the line was last written
	width    int       // of what is on the terminal
	begun    time.Time // the first run
}

type runProgress struct {
	label string
	share float64
}

const (
	progressPeriod = 100 * time.Millisecond
	progressWidth  = 79 // of the line, so that no terminal breaks it
	barWidth       = 24
)

// progress returns the progress of n runs; nil unless standard error is a terminal.
func (c command) progress(o *options, n int) *progress {
	file, ok := c.stderr.(*os.File)
	if !ok || o.quiet {
		return nil
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &progress{w: file, runs: n}
}

// begin returns a function that the simulator calls, and a function to call when its run has ended.
func (p *progress) begin(label string) (update func(delivered, total sluice.Bytes), end func()) {
	if p == nil {
		return nil, func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
	run := &runProgress{label: label}
	p.underWay = append(p.underWay, run)
	update = func(delivered, total sluice.Bytes) {
		p.mu.Lock()
		defer p.mu.Unlock()
		run.share = float64(delivered) / float64(max(total, 1))
		if now := time.Now(); now.Sub(p.shown) >= progressPeriod {
			p.shown = now
			p.show(p.line())
		}
	}
	end = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done++
		p.underWay = slices.DeleteFunc(p.underWay, func(r *runProgress) bool { return r == run })
	}
	return update, end
}

// showRest says how many runs are done elsewhere, and how the other runs are.
func (p *progress) showRest(done int, how string) {
	if p != nil {
		p.done = done
		line := p.line() + how
		p.show(line[:min(len(line), progressWidth)])
	}
}

func (p *progress) clear() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.show("")
	}
}

// show writes a line over the line that is on the terminal.
func (p *progress) show(line string) {
	if line != "" || p.width > 0 {
		fmt.Fprintf(p.w, "\r%-*s\r%s", p.width, line, line)
	}
	p.width = len(line)
}

// Of an estimate: for how long runs have to be under way before there is one, and how much of them
// has to be done.
const (
	knownAfter = 2 * time.Second
	knownFrom  = 0.02
)

// left says how long the runs will still take, when a number of them is done, if the rest is as
// fast as what is done; "" while that is a guess.
func (p *progress) left(now time.Time, done float64) string {
	took := now.Sub(p.begun)
	if p.begun.IsZero() || took < knownAfter || done < knownFrom*float64(p.runs) {
		return ""
	}
	left := time.Duration(float64(took) * (float64(p.runs) - done) / done)
	switch {
	case left < time.Minute:
		return fmt.Sprintf("about %d s left", max(1, int(left.Seconds())))
	case left < time.Hour:
		return fmt.Sprintf("about %d min left", int((left + time.Minute/2).Minutes()))
	}
	return fmt.Sprintf("about %.1f h left", left.Hours())
}

func (p *progress) line() string {
	sum := float64(p.done)
	var now []string
	for _, run := range p.underWay {
		sum += run.share
		now = append(now, fmt.Sprintf("%s %.0f %%", run.label, 100*run.share))
	}
	full := int(barWidth * sum / float64(p.runs))
	line := fmt.Sprintf("[%s%s] ", strings.Repeat("#", full), strings.Repeat(" ", barWidth-full))
	if p.runs > 1 {
		line += fmt.Sprintf("%d of %d done; ", p.done, p.runs)
	}
	if left := p.left(time.Now(), sum); left != "" {
		line += left + "; "
	}
	line += strings.Join(now, ", ")
	return line[:min(len(line), progressWidth)]
}
