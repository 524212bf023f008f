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
	said  []string // errors on its console
}

// open opens a page, and waits until it has read its runs.
func open(t *testing.T, path string) *browser {
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.WindowSize(1500, 900),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.said = append(b.said, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				b.said = append(b.said, fmt.Sprint(e.Args))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				b.said = append(b.said, e.Entry.Text)
			}
		}
	})
	require.NoError(t, chromedp.Run(ctx,
		log.Enable(), chromedp.Navigate("file://"+path), chromedp.Poll("!!window.sluice", nil),
	))
	return b
}

func (b *browser) errors() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.said
}

// eval evaluates an expression of JavaScript.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.ctx, chromedp.Evaluate(expression, into)), expression)
}

// sleep lets the page draw.
func (b *browser) sleep() { require.NoError(b.t, chromedp.Run(b.ctx, chromedp.Sleep(200*time.Millisecond))) }

// speed plays for a second, and says how many frames there were, and what one takes to draw.
func (b *browser) speed(t *testing.T, name string) {
	var frames, milliseconds float64
	b.eval("(document.getElementById('speed').value = 60, sluice.app.move(0), sluice.app.play(true), 0)", nil)
	begun := time.Now()
	require.NoError(t, chromedp.Run(b.ctx, chromedp.Sleep(time.Second)))
	b.eval("sluice.frames()", &frames)
	took := time.Since(begun).Seconds()
	b.eval("(sluice.app.play(false), 0)", nil)
	b.eval(`(() => { const begun = performance.now(); let i = 0
		for (; performance.now() - begun < 500; i++) sluice.app.move(i)
		return (performance.now() - begun) / i })()`, &milliseconds)
	t.Logf("%s: %.0f frames a second, %.1f ms a sample", name, frames/took, milliseconds)
}

// picture keeps a screenshot where SLUICE_SCREENSHOTS says, and checks the SVG.
func (b *browser) picture(t *testing.T, name string) {
	var svg string
	b.eval("sluice.picture()", &svg)
	require.Contains(t, svg, "</svg>")
	folder := os.Getenv("SLUICE_SCREENSHOTS")
	if folder == "" {
		return
	}
	b.eval("(sluice.app.move(Math.floor(sluice.runs[0].times.length / 2)), 0)", nil)
	b.sleep()
	var image []byte
	require.NoError(t, chromedp.Run(b.ctx, chromedp.CaptureScreenshot(&image)))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), image, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".svg"), []byte(svg), 0o666))
}
