package papers

import "github.com/sluicefc/sluice/internal/lab/run"

// leftOpen gives what papers do not say another value, beside the notes of each paper: how far that
// moves their claims stands in docs/results/sensitivity.md.
var leftOpen = &run.Library{Notes: map[string][]run.Note{
	"bfc/end-to-end": {
		open("duration", "Twice as long.", "duration=2ms"),
	},
	"portfc/fig8-hadoop":     incasts,
	"portfc/fig8-storage":    incasts,
	"portfc/fig8-websearch":  incasts[1:], // its own notes have the other
	"portfc/fig12-hadoop":    incasts,
	"portfc/fig12-storage":   incasts,
	"portfc/fig12-websearch": incasts,
	"portfc/fig15": {
		open("sizes", "Each node sends an eighth.", "sync.bytes=1MB"),
		open("sizes", "Each node sends half.", "sync.bytes=4MB"),
		open("sizes", "Each node sends four times as much.", "sync.bytes=32MB"),
	},
	"pyrrha/moe": {
		open("sizes", "Half of the bytes to each expert.", "moe.bytes=32KB"),
		open("sizes", "Twice as many.", "moe.bytes=128KB"),
		open("period", "Half of the period.", "moe.cycle=100us"),
		open("period", "Twice the period.", "moe.cycle=400us"),
	},
}}

var incasts = []run.Note{
	open("number of incasts", "An incast each 200 us.", "incast.every=200us"),
	open("sizes of incasts", "A quarter of each incast's flows.", "incast.bytes=250KB"),
}

func open(what, text, set string) run.Note { return run.Note{Open: what, Text: text, Set: set} }
