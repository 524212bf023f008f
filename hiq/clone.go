package hiq

import "github.com/sluicefc/sluice"

// Settle makes ports equal that answer alike from now on: instants that have passed become now.
func (p *Port) Settle(now sluice.Time) {
	p.now = now
	for level := range p.free {
		p.free[level] = max(p.free[level], now)
		if level == 0 || level > p.levels || p.sets != nil {
			p.free[level] = 0 // no queue is of that level
		}
	}
}
