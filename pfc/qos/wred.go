package qos

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
)

// Color is the drop precedence of a packet (RFC 2697): what WRED has a curve for each of.
type Color uint8

// Colours.
const (
	Green Color = iota
	Yellow
	Red
	Colors // how many there are
)

// String names the colour as SONiC's fields do.
func (c Color) String() string { return enum.Name(c, "Color", "green", "yellow", "red") }

// WRED is weighted random early detection of an egress queue, with a curve for each colour. A
// packet of a colour in Mark that is ECN-capable is marked, with the probability that the curve has
// for the queue that it leaves behind. Another one of a colour in Drop is dropped, with the
// probability for the queue that it finds: above KMax always. Lossless packets are no exception.
type WRED struct {
	Curves [Colors]sluice.Marking // green_min_threshold and so on; zero: off
	Mark   [Colors]bool           // ecn_green, ecn_all and so on
	Drop   [Colors]bool           // wred_green_enable and so on
}

func (w *WRED) check(k *check.Config, queue int) {
	for c := range w.Curves {
		k.Part(w.Curves[c].Check(), "WRED[%d].Curves[%d]", queue, c)
		k.That(w.Curves[c] != sluice.Marking{} || !w.Mark[c] && !w.Drop[c], w.Curves[c],
			"must be given for a colour of Mark or Drop", "WRED[%d].Curves[%d]", queue, c)
	}
}

// Dropper decides for a queue by a WRED. It draws from a source of its own. The zero Dropper marks
// and drops nothing.
type Dropper struct {
	curves     [Colors]marking.RED
	mark, drop [Colors]bool
	random     prng.Source
}

// NewDropper returns the decisions of a WRED that keeps the rules of its fields; of nil, decisions
// that neither mark nor drop.
func NewDropper(w *WRED, seed uint64) Dropper {
	if w == nil {
		w = &WRED{}
	}
	d := Dropper{mark: w.Mark, drop: w.Drop, random: prng.New(seed)}
	for c := range d.curves {
		d.curves[c] = marking.New(w.Curves[c])
	}
	return d
}

// Above returns the length in bytes that the queue must exceed for a packet to be marked: the
// largest int64 if none is.
func (d *Dropper) Above() int64 {
	above := int64(1<<63 - 1)
	for c, mark := range d.mark {
		if mark {
			above = min(above, d.curves[c].Above())
		}
	}
	return above
}

// Drops reports whether a packet that finds q bytes in the queue is dropped. It draws once if q is
// on the ramp of a packet that may be dropped.
func (d *Dropper) Drops(c Color, ecn sluice.ECN, q int64) bool {
	if !d.drop[c] || d.mark[c] && ecn != sluice.NotECT {
		return false
	}
	return d.curves[c].Congested(q, &d.random)
}

// Mark returns the code point of a packet that leaves q bytes behind: CE if it is marked.
func (d *Dropper) Mark(c Color, ecn sluice.ECN, q int64) sluice.ECN {
	if !d.mark[c] {
		return ecn
	}
	return d.curves[c].Mark(ecn, q, &d.random)
}
