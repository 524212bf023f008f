package main

import (
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"

	"github.com/sluicefc/sluice"
)

// bars show how far runs are: one for each under way, and one for all together. Nil bars show
// nothing.
type bars struct {
	writer   progress.Writer
	rendered chan struct{}
}

// bars returns the bars of n runs, which are shown if standard error is a terminal.
func (c command) bars(o *options, n int) *bars {
	file, ok := c.stderr.(*os.File)
	if !ok || o.quiet || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	b := &bars{progress.NewWriter(), make(chan struct{})}
	b.writer.SetOutputWriter(file)
	b.writer.SetNumTrackersExpected(n)
	b.writer.SetUpdateFrequency(100 * time.Millisecond)
	b.writer.Style().Visibility.Value, b.writer.Style().Visibility.TrackerOverall = false, n > 1
	go func() {
		b.writer.Render()
		close(b.rendered)
	}()
	return b
}

// add returns the function that a simulator calls, and one to call when its run has ended.
func (b *bars) add(message string) (update func(delivered, total sluice.Bytes), done func()) {
	if b == nil {
		return nil, func() {}
	}
	tracker := &progress.Tracker{
		Message: message, Total: 1, RemoveOnCompletion: true, AutoStopDisabled: true,
	}
	b.writer.AppendTracker(tracker)
	update = func(delivered, total sluice.Bytes) {
		tracker.UpdateTotal(int64(total))
		tracker.SetValue(int64(delivered))
	}
	return update, tracker.MarkAsDone
}

func (b *bars) stop() {
	if b != nil {
		b.writer.Stop()
		<-b.rendered
	}
}
