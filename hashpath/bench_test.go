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
				flows := make([]Flow, 1024)
				for i := range flows {
					flows[i] = FlowBetween(sluice.SwitchID(i%(ft.hosts()/k)), sluice.SwitchID(ft.hosts()-1-i*7%(ft.hosts()/k)), uint16(i), 4791, 17)
				}
				i := 0
				for b.Loop() {
					i++
					f := &flows[i&1023]
					_, s := net.Path(ft.torOf(sluice.SwitchID(i%(ft.hosts()/k))), 0, f)
					if s != OK {
						b.Fatal()
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5, "ns/hop")
			})
		}
	}
}
