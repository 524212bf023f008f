package marking

import "github.com/sluicefc/sluice"

// Waiting tells the packets of a first-in first-out queue that waited there while flow control
// held it from packets that came later. It counts in bytes: n packets that wait when the hold ends
// are the next n to leave, so it is the same. In the zero value none waited.
type Waiting struct{ bytes sluice.Bytes }

// Resumed says that a hold of the queue ended, and how many bytes wait in it.
func (w *Waiting) Resumed(backlog sluice.Bytes) { w.bytes = max(backlog, 0) }

// Leaves says that a packet of size bytes leaves, and reports whether it waited.
func (w *Waiting) Leaves(size sluice.Bytes) bool {
	waited := w.bytes > 0
	w.bytes = max(w.bytes-max(size, 0), 0)
	return waited
}

// Bytes returns how many bytes of packets that waited have not left.
func (w *Waiting) Bytes() sluice.Bytes { return w.bytes }

// Unpaused marks packets that leave a queue longer than a threshold behind, but no packets that
// waited there while flow control held it: PCN's NP-ECN and InfiniBand's FECN. The zero Unpaused
// has the threshold zero.
type Unpaused struct {
	Threshold sluice.Bytes
	Waiting   Waiting
	Marked    uint64 // packets whose code point became CE
}

// Mark returns the code point of a packet of size bytes that leaves backlog bytes behind: CE if it
// is to be marked and is ECN-capable.
func (u *Unpaused) Mark(size, backlog sluice.Bytes, ecn sluice.ECN) sluice.ECN {
	if u.Waiting.Leaves(size) || backlog <= u.Threshold || ecn == sluice.NotECT || ecn >= sluice.CE {
		return ecn
	}
	u.Marked++
	return sluice.CE
}
