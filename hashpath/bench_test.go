package hashpath

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
)

func BenchmarkPath(b *testing.B) {
	for _, k := range []int{4, 16, 36} {
		for kind := range numKinds {
			if kind == KindCRC {
				continue
			}
			b.Run(fmt.Sprintf("k=%d/kind=%v", k, kind), func(b *testing.B) {
				net := buildFatTree(b, k, Config{Hash: Hash{Kind: kind}})
				ft := fatTree{k}
				const n = 256
				var flows [n]Flow
				var from [n]sluice.SwitchID
				for i := range flows {
					src := sluice.SwitchID(i * 13 % (ft.hosts() / k)) // in the first pod
					dst := sluice.SwitchID(ft.hosts() - 1 - i*7%(ft.hosts()/k))
					flows[i], from[i] = FlowBetween(src, dst, uint16(i), 4791, 17), ft.torOf(src)
				}
				i := 0
				for b.Loop() {
					i++
					if p, _ := net.Path(from[i%n], 0, &flows[i%n]); p.Len() != 5 {
						b.Fatal(p)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5, "ns/hop")
			})
		}
	}
}
