package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/sluicefc/sluice"
)

// startProgress shows the progress of one run on w if w is a terminal. It returns the function that a
// simulator calls, nil if there is nothing to show, and one to call at the end.
func startProgress(w io.Writer, description string) (update func(delivered, total sluice.Bytes), finish func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil, func() {}
	}
	bar := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(file),
		progressbar.OptionSetDescription(description),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)
	// A bar that cannot be drawn is no reason to end a run, so its errors are ignored.
	update = func(delivered, total sluice.Bytes) {
		if bar.GetMax64() != int64(total) {
			bar.ChangeMax64(int64(total))
		}
		_ = bar.Set64(int64(delivered))
	}
	return update, func() { _ = bar.Clear() }
}
