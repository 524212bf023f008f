package hiq

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
)

// benchPort has IQs assigned in two levels, each with packets that may move.
func benchPort(b *testing.B, iqs int) *Port {
	p := mustNew(b, Config{Rate: 400 * sluice.Gbps, Levels: 2, IQs: iqs, Roots: iqs, MTU: 1500})
	for root := range iqs {
		p.Adopt(root, uint64(root), 1+root%2)
		for range 4 {
			p.Put(root, 1000)
		}
	}
	return p
}

// BenchmarkNext is one scheduling decision, among that many IQs that may all move, and what makes
// it change: a move, and a packet that takes the moved one's place.
func BenchmarkNext(b *testing.B) {
	for _, iqs := range []int{4, 16, 64, 128} {
		b.Run(fmt.Sprintf("iqs=%d", iqs), func(b *testing.B) {
			p := benchPort(b, iqs)
			rootOf := make([]int, p.Queues())
			for root := range iqs {
				rootOf[p.Queue(root)] = root
			}
			now := sluice.Time(0)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				q, _ := p.Next(now)
				root := rootOf[q]
				p.Take(now, q, root, 1000)
				p.Put(root, 1000)
				now += 20 * sluice.Nanosecond
			}
		})
	}
}

// BenchmarkAssign is a root that appears and goes.
func BenchmarkAssign(b *testing.B) {
	for _, iqs := range []int{4, 128} {
		b.Run(fmt.Sprintf("iqs=%d", iqs), func(b *testing.B) {
			p := mustNew(b, Config{Rate: 400 * sluice.Gbps, Levels: 2, IQs: iqs, Roots: iqs})
			b.ReportAllocs()
			for i := range b.N {
				p.Pause(0, uint64(i), 1)
				p.Resume(0)
				p.Free(0)
			}
		})
	}
}

// BenchmarkPutSet is a packet's way through a single tier, its set of two roots known or new.
func BenchmarkPutSet(b *testing.B) {
	for _, known := range []bool{true, false} {
		b.Run(fmt.Sprintf("known=%v", known), func(b *testing.B) {
			p := mustNew(
				b, Config{Rate: 400 * sluice.Gbps, Levels: 2, IQs: 128, Roots: 64, SingleTier: true},
			)
			for root := range 64 {
				p.Adopt(root, uint64(root), 1)
			}
			set := []uint16{3, 9}
			if known {
				p.PutSet(set, 1000)
			}
			now := sluice.Time(0)
			b.ReportAllocs()
			for range b.N {
				q, place := p.PutSet(set, 1000)
				p.Next(now)
				p.TakeSet(q, place, 1000)
				now += 20 * sluice.Nanosecond
			}
		})
	}
}
