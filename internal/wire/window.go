package wire

import "github.com/sluicefc/sluice"

// Reordering is how many frames late a frame can be and still be known as such. It is far more than
// a link can hold, and so little that a peer which started anew, or was silent for long, is
// believed.
const Reordering = 1 << 16

// Persistence is how many late frames, in ascending order and without a newer frame between them,
// are taken for the peer's true numbers.
const Persistence = 4

// Newer reports whether a frame with sequence number a is to be obeyed after a frame with b, modulo
// 2^32: it is neither the same nor less than Reordering late.
func Newer(a, b uint32) bool { return b-a >= Reordering }

// Window tells frames that are to be obeyed from frames that were overtaken or doubled. The zero
// value has heard nothing and takes any frame.
//
// A number does not say who sent it: a frame that was forged, and is up to Reordering-1 ahead,
// makes the true ones late. So the window believes the sender that persists, as other protocols do:
//
//   - RFC 3550, appendix A.1: an RTP receiver whose source jumps takes two packets in sequence for
//     a restart of the source, and begins anew with the second.
//   - RFC 5681, section 3.2: TCP acts on the third duplicate acknowledgment, because reordering
//     makes fewer. Here three late frames are refused, and the fourth is taken.
//   - RFC 5961, sections 3 and 4: one RST or SYN within the window does not end a connection; the
//     peer is challenged to confirm it. Control frames of a link are not answered, so what the
//     peer says next is the answer.
//
// What follows from that:
//
//   - After any number of forged frames, of any numbers, fewer than Persistence true frames are
//     refused, if those come in ascending order. The next one is obeyed, and so are all after it.
//     Frames that are lost meanwhile, or come twice, change nothing of this.
//   - If no frame overtakes as many as Persistence others, no frame that was overtaken is obeyed.
//     On a link that keeps the order there is none.
//
// All in constant time, without memory beyond the window.
type Window struct {
	newest         uint32
	last           uint32 // late frame
	life           uint32 // how often the numbers began anew; 0: nothing was ever heard
	late           uint32 // late frames in ascending order up to last, since newest
	span           uint32 // how far ahead a frame follows newest; 0: nothing was heard in this life
	resynchronised uint64
}

// Fresh reports whether a frame is to be obeyed, and if so takes it for the newest from then on.
func (w *Window) Fresh(sequence uint32) bool {
	if sequence-w.newest-1 >= w.span {
		return w.leap(sequence)
	}
	w.newest, w.late = sequence, 0
	return true
}

// leap is Fresh of a frame that does not follow the newest.
func (w *Window) leap(sequence uint32) bool {
	if w.span > 0 && !Newer(sequence, w.newest) {
		if !w.persists(sequence) {
			return false
		}
		w.resynchronised++
	}
	w.newest, w.late, w.span = sequence, 0, Reordering-1
	w.life++
	return true
}

// persists notes a late frame, and reports whether it is the last of Persistence.
func (w *Window) persists(sequence uint32) bool {
	switch ahead := sequence - w.last; {
	case w.late == 0 || ahead >= Reordering:
		w.late = 1
	case ahead > 0:
		w.late++
	}
	w.last = sequence
	return w.late == Persistence
}

// Forget makes void what was heard: any frame is taken next, and is newer than all marks.
func (w *Window) Forget() { w.span, w.late = 0, 0 }

// Newest returns the sequence number of the newest frame heard; false if none was.
func (w *Window) Newest() (uint32, bool) { return w.newest, w.span > 0 }

// Resynchronised returns how many frames were obeyed because the peer persisted.
func (w *Window) Resynchronised() uint64 { return w.resynchronised }

// Mark remembers one frame of a window, for a port that hears of many things: about each thing it
// obeys frames that are newer than the last. The zero value is no frame.
type Mark struct{ number, life uint32 }

// Mark returns the mark of a frame that was given to Fresh just now.
func (w *Window) Mark(sequence uint32) Mark { return Mark{sequence, w.life} }

// After reports whether a frame that was given to Fresh just now is newer than a marked one. Marks
// from before the numbers began anew are older than any frame, so that the bounds of a window hold
// for its marks.
func (w *Window) After(sequence uint32, m Mark) bool {
	return m.life != w.life || Newer(sequence, m.number)
}

// Latest returns the newer of two marks.
func (w *Window) Latest(a, b Mark) Mark {
	if b.life != w.life || a.life == w.life && w.newest-a.number < w.newest-b.number {
		return a
	}
	return b
}

// Renumber moves the origin of the numbers heard: every one is less by so much.
func (w *Window) Renumber(by uint32) { w.newest, w.last = w.newest-by, w.last-by }

// Renumber moves the origin of the numbers heard.
func (m *Mark) Renumber(by uint32) { m.number -= by }

// Renumber moves the origin of the numbers heard.
func (p *Past) Renumber(by uint32) { p.last -= by }

// Normalize makes windows equal, with all marks that belong to them, if they take the same frames:
// what can no longer matter becomes zero. No frame is so late, in this life, that it is as old as
// a mark Reordering behind the newest.
func (w *Window) Normalize(marks ...*Mark) {
	for _, m := range marks {
		if m.life != w.life || w.span == 0 || w.newest-m.number >= Reordering {
			*m = Mark{} // older than any frame to come
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

// Normalize makes equal pasts that answer the same from now on.
func (p *Past) Normalize(now sluice.Time) {
	if now > p.Until {
		*p = NewPast()
	}
}
