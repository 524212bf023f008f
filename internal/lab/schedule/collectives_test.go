package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestCollectivesCarryWhatTheyMust: every receive has the size of the message that it matches, and
// each rank sends what the algorithm says in all, of bytes that n does not divide, too.
func TestCollectivesCarryWhatTheyMust(t *testing.T) {
	const bytes = 1003
	for _, c := range Collectives() {
		for _, n := range []int{2, 3, 4, 7, 8, 16} {
			s, err := c.Make(n, bytes)
			if c.powers && n&(n-1) != 0 {
				require.ErrorContains(t, err, "power of two")
				continue
			}
			require.NoError(t, err, "%s of %d", c.Name, n)
			type end struct {
				from, to int32
				tag      uint32
			}
			sizes, total := map[end]int64{}, int64(0)
			for rank := range int32(n) {
				for _, o := range s.Of(int(rank)) {
					if o.Kind == Send {
						sizes[end{rank, o.Peer, o.Tag}] = o.Size
						total += o.Size
					}
				}
			}
			for rank := range int32(n) {
				for _, o := range s.Of(int(rank)) {
					if o.Kind == Recv {
						require.Equal(t, sizes[end{o.Peer, rank, o.Tag}], o.Size, "%s of %d", c.Name, n)
					}
				}
			}
			// An all-reduce of n ranks must move 2(n-1)/n of the bytes out of each rank, an all-to-all
			// those for each other rank.
			// A parameter server gets them from each other, and sends them back.
			want := int64(2 * (n - 1) * bytes)
			switch {
			case c.Name == "stencil": // rows and columns of the grids
				grid := map[int][2]int{2: {1, 2}, 3: {1, 3}, 4: {2, 2}, 7: {1, 7}, 8: {2, 4}, 16: {4, 4}}[n]
				want = int64(2 * bytes * (grid[0]*(grid[1]-1) + grid[1]*(grid[0]-1)))
			case !c.each && c.Name != "parameter-server":
				want = int64(n * (n - 1) * bytes)
			}
			require.Equal(t, want, total, "%s of %d", c.Name, n)
		}
	}
}

// TestAnAllReduceEndsWithAllPieces follows the contributions of ranks through a ring and through
// halving and doubling: at the end every rank has heard, over one message or several, of every
// other.
func TestAnAllReduceEndsWithAllPieces(t *testing.T) {
	for _, c := range Collectives() {
		if c.Name == "stencil" { // of which a rank hears of its neighbours alone
			continue
		}
		s, err := c.Make(8, 1<<20)
		require.NoError(t, err)
		job := &Job{Name: c.Name, Schedule: s}
		for rank := range s.Ranks {
			job.Hosts = append(job.Hosts, sluice.SwitchID(rank))
		}
		heard := make([]uint, s.Ranks)
		for rank := range heard {
			heard[rank] = 1 << rank
		}
		carried := map[int32]uint{}
		r, e := NewRanks(job), Effects{}
		var wire []Message
		step := func() {
			for _, m := range e.Messages {
				carried[m.Flow] = heard[m.From]
				wire = append(wire, m)
			}
			e.Messages = e.Messages[:0]
		}
		for rank := range int32(s.Ranks) {
			r.Begin(&e, 0, rank)
			step()
		}
		for len(wire) > 0 {
			m := wire[0]
			wire = wire[1:]
			r.Injected(&e, 0, &m)
			heard[m.To] |= carried[m.Flow]
			r.Arrived(&e, 0, 0, &m)
			step()
		}
		require.Equal(t, s.Ranks, e.Finished)
		for rank := range heard {
			require.Equal(t, uint(1<<s.Ranks-1), heard[rank], "%s: rank %d", c.Name, rank)
		}
	}
}

// TestStencil: on a grid of 2 by 3 the rank in the middle of the first row exchanges with its row's
// others and with the one below, a corner with two.
func TestStencil(t *testing.T) {
	s, err := CollectiveNamed("stencil").Make(6, 10)
	require.NoError(t, err)
	peers := func(rank int) (all []int32) {
		for _, o := range s.Of(rank) {
			if o.Kind == Send {
				all = append(all, o.Peer)
			}
		}
		return all
	}
	require.ElementsMatch(t, []int32{0, 2, 4}, peers(1))
	require.ElementsMatch(t, []int32{2, 4}, peers(5))
}
