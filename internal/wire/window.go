package wire

// Reordering is how many frames late a frame can be and still be known as such. It is far more than
// a link can hold, and so little that a peer which started anew, or of which nothing was heard for
// long, is believed.
const Reordering = 1 << 16

// Newer reports whether a frame with sequence number a is to be obeyed after one with b, modulo
// 2^32: it is neither the same nor less than Reordering late.
func Newer(a, b uint32) bool { return b-a >= Reordering }

// Window tells frames that are to be obeyed from those that were overtaken or doubled. The zero
// value has heard nothing and takes any frame.
type Window struct {
	newest uint32
	heard  bool
}

// Fresh reports whether a frame is to be obeyed, and if so takes it for the newest from then on.
func (w *Window) Fresh(sequence uint32) bool {
	if w.heard && !Newer(sequence, w.newest) {
		return false
	}
	w.heard, w.newest = true, sequence
	return true
}

// Newest returns the sequence number of the newest frame heard; false if none was.
func (w *Window) Newest() (uint32, bool) { return w.newest, w.heard }
