package hiq

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/stretchr/testify/require"
)

// Long seeded runs reach states that short random ones seldom do: pools that are used up, roots
// that share, sets that spill and wait for one another. The properties are those in TestProperties.
func TestLongRuns(t *testing.T) {
	for _, single := range []bool{false, true} {
		for _, iqs := range []int{2, 3, 5, 16} {
			t.Run(fmt.Sprintf("single tier %v, %d IQs", single, iqs), func(t *testing.T) {
				for seed := range uint64(4) {
					longRun(t, single, iqs, seed)
				}
			})
		}
	}
}

func longRun(t *testing.T, single bool, iqs int, seed uint64) {
	const roots = 6
	random := prng.New(seed)
	below := func(n int) int { return int(random.Below(uint64(n))) }
	paths := make([][]int, 8)
	for i := range paths {
		for root := range roots {
			if below(5) < 2 {
				paths[i] = append(paths[i], root)
			}
		}
	}
	d := newDriver(Config{
		Rate: 8 * sluice.Gbps, Roots: roots, SingleTier: single, MTU: 300, IQs: iqs,
		Levels: min(iqs, 1+int(seed)), Scheduler: Scheduler(seed % 2),
	}, paths)
	levels := d.p.levels
	for step := range 1500 {
		switch op := below(16); {
		case op < 7:
			d.enqueue(below(len(paths)), sluice.Bytes(1+below(300)))
		case op < 9: // a root comes back at the level of its number: the order of levels is the path's
			root := below(roots)
			d.event(below(7), root, below(roots), 1+root*levels/roots)
		case op < 15:
			_, err := d.step()
			require.NoError(t, err, "seed %d, step %d", seed, step)
		default:
			d.now += sluice.Time(below(300)) * sluice.Nanosecond
		}
		require.NoError(t, d.check(), "seed %d, step %d", seed, step)
		require.NoError(t, d.checkPartners(), "seed %d, step %d", seed, step)
	}
	require.NoError(t, d.finish(), "seed %d", seed)
}

// checkPartners compares NextPartner and HeldByOthers with the sets whose packets wait. Packets
// that spilled belong to no set.
func (d *driver) checkPartners() error {
	together := map[[2]int]bool{}
	for q := 1; d.single && q < len(d.fifo)-1; q++ {
		if len(d.fifo[q]) == 0 {
			continue
		}
		set := d.p.RootsOf(d.fifo[q][0].place)
		for _, a := range set {
			for _, b := range set {
				together[[2]int{int(a), int(b)}] = a != b
			}
		}
	}
	for root := range d.roots {
		held := false
		for from := range d.roots + 1 {
			want := -1
			for other := d.roots - 1; other >= from; other-- {
				if together[[2]int{root, other}] {
					want = other
				}
			}
			if got := d.p.NextPartner(root, from); got != want {
				return fmt.Errorf("NextPartner(%d, %d) is %d, the sets say %d", root, from, got, want)
			}
			held = held || want >= 0 && d.p.State(want) == Paused
		}
		if got := d.p.HeldByOthers(root); got != held {
			return fmt.Errorf("HeldByOthers(%d) is %v, the sets say %v", root, got, held)
		}
	}
	return nil
}
