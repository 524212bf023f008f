package cc

import "github.com/sluicefc/sluice"

// dctcpFlow is DCTCP's sender (SIGCOMM 2010, section 3.1) with a rate in the place of a window.
type dctcpFlow struct {
	alpha      float64
	lastUpdate int32 // packets sent at the last update of alpha
	batch      int32 // packets of which alpha's next fraction is
	marked     int32 // of these
	reduced    bool  // until a packet sent after high is acknowledged
	high       int32
}

// ackDCTCP takes one acknowledgement.
func (c *Control) ackDCTCP(i int32, s *Sample) {
	f, d, k := &c.flows[i], &c.dctcp[i], &c.constant
	marked := s.Mark == sluice.CE
	if marked {
		d.marked++
	}
	window := s.Acked > d.lastUpdate
	if window {
		if d.lastUpdate != 0 {
			fraction := min(1, float64(d.marked)/float64(d.batch))
			d.alpha = float64(k.decay*d.alpha) + float64(k.gain*fraction)
			d.marked = 0
			d.batch = max(0, s.Sent-s.Acked) + 1
		} else {
			d.batch = s.Sent + 1
		}
		d.lastUpdate = s.Sent
	}
	if s.Acked > d.high {
		d.reduced = false
	}
	if marked && !d.reduced {
		c.cut(f, 1-d.alpha/2)
		d.reduced, d.high = true, s.Sent
	}
	if window && !d.reduced {
		class := &c.classes[f.class]
		f.rate = min(class.line, f.rate+class.ai)
	}
}
