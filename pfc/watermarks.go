package pfc

import "github.com/sluicefc/sluice"

// Peaks is a set of watermarks, for ClearPeaks.
type Peaks uint8

// Kinds of watermarks, with the commands of SONiC that clear them.
const (
	QueuePeaks        Peaks = 1 << iota // BacklogPeak: queue watermark
	IngressPeaks                        // IngressPeak and XOffMargin
	SharedPeaks                         // SharedPeak: priority-group watermark shared
	HeadroomPeaks                       // HeadroomPeak and -Missing: priority-group watermark headroom
	PoolPeaks                           // BufferPeak, PoolPeak, EgressPoolPeak: buffer_pool watermark
	HeadroomPoolPeaks                   // HeadroomPoolPeak: headroom-pool watermark
	AllPeaks          = 1<<iota - 1
)

// ClearPeaks starts peaks of these kinds, and least margins, anew, from the present amounts:
// SONiC's watermark clear. The other counters go on. O(ports).
func (s *Switch) ClearPeaks(kinds Peaks) {
	if kinds&PoolPeaks != 0 {
		s.peak = s.buffered
		s.poolPeak = [maxPools]int64{}
		s.egress.clearPeaks()
		for i := range s.pool {
			if s.config.Watermarks {
				s.watchPool(uint8(i))
			}
		}
	}
	if kinds&HeadroomPoolPeaks != 0 {
		s.headroomPeak = s.headroomPool - s.freeHeadroom
	}
	for i := range s.ports {
		s.ports[i].ClearPeaks(kinds)
	}
}

// ClearPeaks is Switch.ClearPeaks for one port: pools are not its own.
func (p *Port) ClearPeaks(kinds Peaks) {
	for i := range p.queues {
		a, c := p.account(sluice.Class(i)), &p.state.counters.Class[i]
		if kinds&QueuePeaks != 0 {
			p.queues[i].peak = p.queues[i].bytes
		}
		if kinds&IngressPeaks != 0 {
			a.peak = a.bytes + int64(a.headroom)
			a.setMargin(MaxBuffer)
		}
		if kinds&HeadroomPeaks != 0 {
			c.HeadroomPeak, c.HeadroomMissing = sluice.Bytes(a.headroom), 0
		}
		if kinds&SharedPeaks != 0 {
			a.sharedPeak = 0
			if a.flags&watched != 0 {
				a.sharedPeak = a.shared()
			}
		}
	}
}

func (s *Switch) watchPool(pool uint8) {
	pool %= maxPools
	s.poolPeak[pool] = max(s.poolPeak[pool], s.pool[pool]-s.free[pool])
}
