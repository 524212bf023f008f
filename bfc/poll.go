package bfc

import "github.com/sluicefc/sluice"

// PollFrame fills f with the next frame that this port owes the device upstream; false when it owes
// none, and f is as it was. A frame says what holds at the moment it is polled: the Bitmap if one
// is due, which leaves nothing else to be said, else a Pause or a Resume, whichever the lowest
// queue of which the device upstream was told otherwise needs. Constant time, and O(queues/64 +
// changes) for a Bitmap.
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.pending() {
		return false
	}
	up := &p.upstream
	up.Sent++
	p.counters.FramesSent++
	f.Source, f.Sequence = p.owner.config.MAC, up.Sent
	if up.bitmap {
		p.fillBitmap(f)
	} else {
		p.fillList(f)
	}
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.pending() }

func (p *Port) fillBitmap(f *Frame) {
	up := &p.upstream
	p.counters.BitmapsSent++
	up.bitmap = false
	f.Type = Bitmap
	f.Count = uint16(len(up.counters))
	clear(f.Bits[up.held.CopyTo(f.Bits[:]):])
	up.differs.Clear()
}

func (p *Port) fillList(f *Frame) {
	up := &p.upstream
	q := up.differs.Next(0)
	paused := up.held.Has(q)
	if paused {
		f.Type = Pause
		p.counters.PausesSent++
	} else {
		f.Type = Resume
		p.counters.ResumesSent++
	}
	f.Count = 0
	for ; q >= 0 && int(f.Count) < p.owner.config.QueuesPerFrame; q = up.differs.Next(q + 1) {
		if up.held.Has(q) == paused {
			f.Queues[f.Count] = sluice.QueueID(q)
			f.Count++
			up.differs.Remove(q)
		}
	}
}
