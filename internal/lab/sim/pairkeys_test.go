package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// Flows between the same hosts are one to a protocol if their key is the pair of hosts.
func TestPairKeys(t *testing.T) {
	for pair, want := range map[bool]int{false: 6, true: 4} { // in two directions
		flows := map[uint64]bool{}
		c := config(star(3),
			workload.Flow{Src: 0, Dst: 1, Bytes: 100}, workload.Flow{Src: 0, Dst: 1, Bytes: 100},
			workload.Flow{Src: 2, Dst: 1, Bytes: 100})
		c.PairKeys = pair
		at(&c, 3, func(m kit.Machine) kit.Machine { return listing{m, flows} })
		run(t, c)
		require.Len(t, flows, want)
	}
}

// listing notes the flows that it gets packets of.
type listing struct {
	kit.Machine
	flows map[uint64]bool
}

func (l listing) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	l.flows[p.Flow] = true
	return l.Machine.Enqueue(now, port, p)
}
