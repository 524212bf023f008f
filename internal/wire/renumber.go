package wire

import "github.com/sluicefc/sluice"

// Renumber moves the origin of the numbers heard: every one is less by so much.
func (w *Window) Renumber(by uint32) { w.newest, w.last = w.newest-by, w.last-by }

// Renumber moves the origin of the numbers heard.
func (m *Mark) Renumber(by uint32) { m.number -= by }

// Renumber moves the origin of the numbers heard.
func (p *Past) Renumber(by uint32) { p.last -= by }

// Settle makes windows equal, with all marks that belong to them, if they take the same frames:
// what can no longer matter becomes zero.
func (w *Window) Settle(marks ...*Mark) {
	for _, m := range marks {
		switch {
		case m.life != w.life || w.span == 0: // older than any frame to come
			*m = Mark{}
		case w.newest-m.number > most:
			m.number = w.newest - most
		}
		m.life = min(m.life, 1)
	}
	if w.late == 0 {
		w.last = 0
	}
	if w.span == 0 {
		w.newest = 0
	}
	w.life = 1
}

// most is how many frames late Settle takes one to be that is still under way.
const most = 1 << 10

// Settle makes equal what answers the same from now on.
func (p *Past) Settle(now sluice.Time) {
	if now > p.Until {
		*p = NewPast()
	}
}
