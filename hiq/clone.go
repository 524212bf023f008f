package hiq

import "github.com/sluicefc/sluice"

// Settle makes ports equal that answer alike from now on: instants that have passed become now.
func (p *Port) Settle(now sluice.Time) {
	p.now = max(p.now, now)
	for level := range p.free {
		p.free[level] = max(p.free[level], now)
	}
}
