package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is a Chromium with a page.
type browser struct {
	t     *testing.T
	ctx   context.Context
	mutex sync.Mutex
	said  []string // what its console has of errors and warnings
}

// open opens a page, and waits until it has read its runs.
func open(t *testing.T, path string) *browser {
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.WindowSize(1440, 900),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	b.do(chromedp.Navigate("file://" + path))
	_, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!window.sluice"))
	require.NoError(t, err)
	return b
}

// hear notes errors and warnings.
func (b *browser) hear(event any) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			b.said = append(b.said, fmt.Sprint(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.said = append(b.said, e.Entry.Text)
		}
	}
}

func (b *browser) errors() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.said
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// eval evaluates an expression of JavaScript.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return value
}

// act carries out a statement of JavaScript, and lets the page draw.
func (b *browser) act(statement string) {
	b.t.Helper()
	eval[chromedp.Void](b, "void ("+statement+")")
	b.do(chromedp.Sleep(100 * time.Millisecond))
}

// speed plays for a second, and says how many frames there were, and what one takes to draw.
func (b *browser) speed(name string) {
	b.act("document.getElementById('speed').value = 60, sluice.app.move(0), sluice.app.play(true)")
	first, begun := eval[float64](b, "sluice.frames()"), time.Now()
	b.do(chromedp.Sleep(time.Second))
	frames := eval[float64](b, "sluice.frames()") - first
	took := time.Since(begun).Seconds()
	b.act("sluice.app.play(false)")
	milliseconds := eval[float64](b, `(() => {
		const begun = performance.now(), to = document.getElementById('clock').max
		let i = 0
		for (; performance.now() - begun < 500; i++) sluice.app.move(i % to)
		return (performance.now() - begun) / i })()`)
	b.t.Logf("%s: %.0f frames a second, %.1f ms for a sample", name, frames/took, milliseconds)
}

// picture checks what is saved as SVG, and keeps what is seen.
func (b *browser) picture(name string) {
	svg := eval[string](b, "sluice.picture()")
	require.Contains(b.t, svg, "</svg>")
	b.act("sluice.app.move(Math.floor(document.getElementById('clock').max / 3))")
	b.keep(name)
}

// keep keeps what is seen as a picture in the folder that SLUICE_SCREENSHOTS names, if it does.
func (b *browser) keep(name string) {
	folder := os.Getenv("SLUICE_SCREENSHOTS")
	if folder == "" {
		return
	}
	b.do(chromedp.Sleep(300 * time.Millisecond))
	image, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), image, 0o666))
}
