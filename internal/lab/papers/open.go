package papers

import "github.com/sluicefc/sluice/internal/lab/run"

// leftOpen gives what papers do not say another value, beside the notes of each paper: how far that
// moves their claims stands in docs/results/sensitivity.md.
var leftOpen = &run.Library{Notes: map[string][]run.Note{
	"bfc/end-to-end": {
		open("duration", "Twice as long.", "duration=2ms"),
	},
	"pyrrha/moe": {
		open("sizes", "Half of the bytes to each expert.", "moe.bytes=32KB"),
		open("sizes", "Twice as many.", "moe.bytes=128KB"),
		open("period", "Half of the period.", "moe.cycle=100us"),
		open("period", "Twice the period.", "moe.cycle=400us"),
	},
}}

func open(what, text, set string) run.Note { return run.Note{Open: what, Text: text, Set: set} }
