package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// opens checks what a page without an address shows: an instant at which queues are held, the rates
// of the links, and a jump to the first pause of each run, before which no queue is held.
func (b *browser) opens(t *testing.T, outcomes []*run.Outcome) {
	b.do(chromedp.Sleep(500 * time.Millisecond)) // until victims are found
	require.Contains(t, eval[string](b, "document.getElementById('links').textContent"), " Gb/s (")
	held := func(run int) int {
		return eval[int](b, fmt.Sprintf(`(run => { let n = 0
			run.tracks.held.each(() => n++)
			return n })(sluice.runs[%d])`, run))
	}
	any := 0
	for i := range outcomes {
		any += held(i)
	}
	require.Positive(t, any, "it opens where something happens")
	pauses := eval[[]float64](b, `[...document.querySelectorAll("#now button[data-time]")]
		.filter(e => e.textContent.startsWith("first pause")).map(e => Number(e.dataset.time))`)
	require.NotEmpty(t, pauses)
	b.act(`[...document.querySelectorAll("#now button[data-time]")]
		.find(e => e.textContent.startsWith("first pause")).click()`)
	require.Equal(t, pauses[0], eval[float64](b, "sluice.time()"))
	shown := eval[int](b, `sluice.runs.findIndex(r => document.getElementById("now").textContent
		.indexOf("first pause") > 0 && r.tracks.held.count > 0)`)
	require.Positive(t, held(shown))
	b.act("sluice.app.move(sluice.app.index - 1)")
	require.Zero(t, held(shown))
}

// victims checks the list of victims against what the page says of one flow: it waits, in a held
// queue, behind a root that is not on its way; and a click goes there.
func (b *browser) victims(t *testing.T) {
	b.act("location.hash = '#t=1&runs=0'")
	type victim struct {
		Flow, Root int
		Slowdown   *float64
		Held       float64
	}
	all := eval[[]victim](b, `sluice.app.victims.get(sluice.runs[0]).map(v => ({Flow: v.flow,
		Root: v.root, Slowdown: v.slowdown === Infinity ? null : v.slowdown, Held: v.held}))`)
	require.NotEmpty(t, all)
	for i := range all[1:] {
		if before, own := all[i].Slowdown, all[i+1].Slowdown; before != nil {
			require.NotNil(t, own, "what is never over comes first")
			require.GreaterOrEqual(t, *before, *own, "the slowest first")
		}
	}
	b.act(`document.querySelector(".victims button[data-time]").click()`)
	first := all[0]
	require.Equal(t, first.Held, eval[float64](b, "sluice.time()"))
	require.Equal(t, first.Flow, eval[int](b, "sluice.app.chosen.flow"))
	require.False(t, eval[bool](b, `(v => sluice.runs[0].way(v.flow, v.held).includes(v.root))(
		sluice.app.victims.get(sluice.runs[0])[0])`))
	life := eval[string](b, "document.getElementById('life').textContent")
	name := eval[string](b, "sluice.network.name(sluice.app.victims.get(sluice.runs[0])[0].root)")
	require.Contains(t, life, name)
}

// addresses checks that an address that names what is not there says so, and shows the rest.
func addresses(t *testing.T, b *browser) {
	found := func() string {
		return eval[string](b, "document.getElementById('found').textContent")
	}
	for address, want := range map[string]string{
		"#t=1&runs=9":        "the address: no run 9",
		"#t=1&port=99:1":     "the address: no port 99:1",
		"#t=1&flow=x":        "the address: no flow x",
		"#t=1&flow=-1":       "the address: no flow -1",
		"#t=soon&view=1,2":   "the address: no time soon; no view 1,2",
		"#t=1&flows=1":       "the address: flows says nothing",
		"#t=999000000000000": "before t=999000000000000",
	} {
		b.act("location.hash = '" + address + "'")
		require.Contains(t, found(), want)
	}
	b.act("location.hash = '#t=500000000&runs=0,7&port=8:3'")
	require.Equal(t, "the address: no run 7", found())
	require.EqualValues(t, 500_000_000, eval[int64](b, "sluice.time()"))
	b.act("location.hash = '#t=505000000&runs=0&port=8:3'")
	require.Empty(t, found())
}

// roots checks that no two of twenty roots look alike: they differ in colour or in sign.
func (b *browser) roots(t *testing.T) {
	looks := eval[[]string](b, `(() => { const c = new sluice.app.colours.constructor()
		const ports = sluice.network.ports.slice(0, 20).map(p => p.id)
		c.now(sluice.app.theme, ports)
		return ports.map(p => c.of(sluice.app.theme, p) + " " + c.sign(sluice.app.theme, p)) })()`)
	seen := map[string]bool{}
	for _, look := range looks {
		require.False(t, seen[look], look)
		seen[look] = true
	}
	require.Greater(t, len(looks), 7)
}
