package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A resumed IQ does not dump itself into the OQ: while the line sends a packet, a packet's worth
// moves.
func TestResumedIQDoesNotDump(t *testing.T) {
	p := smallPort(t) // 1 ns a byte
	require.True(t, p.Pause(0, 1, 1))
	for range 100 {
		p.Put(0, 1000)
	}
	require.True(t, p.Resume(0))
	now := sluice.Time(0)
	sent := 0
	for sent < 100 {
		q, ok := p.Next(now)
		require.True(t, ok, "the line is never idle")
		if q != Output {
			require.True(t, p.Take(now, q, 0, 1000))
			p.PutOutput(1000)
			require.LessOrEqual(t, p.Packets(Output), 2, "the MTU that may move at once, and one")
			continue
		}
		require.True(t, p.TakeOutput(1000))
		now += 1000 * sluice.Nanosecond
		sent++
	}
	require.Equal(t, 100*sluice.Microsecond, now, "100 packets in 100 packet times")
}

// When moved packets end up behind another pause, the line is idle and the next move waits for
// its time: Due says when.
func TestMovesBehindAnotherPauseAreAtLineRate(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 1, 1))
	require.True(t, p.Pause(1, 2, 2))
	for range 10 {
		p.Put(0, 500)
	}
	now := sluice.Time(0)
	requirePark(t, p, now, sluice.Never, "Next has an answer now")
	var moved []sluice.Time
	for p.Backlog(p.Queue(0)) > 0 {
		q, ok := p.Next(now)
		if !ok {
			due, _ := p.Park(now)
			require.Greater(t, due, now)
			_, opened := p.Park(due - 1)
			require.False(t, opened)
			now = due
			_, ok = p.Next(now)
			require.False(t, ok, "parked until Park is called again")
			require.False(t, p.Sendable(p.Queue(0)))
			_, opened = p.Park(now)
			require.True(t, opened)
			continue
		}
		require.True(t, p.Take(now, q, 0, 500))
		p.Put(1, 500)
		moved = append(moved, now)
	}
	// An MTU, two packets, and one at once, then a packet each packet time.
	ns := sluice.Nanosecond
	require.Equal(t, []sluice.Time{
		0, 0, 0, 500 * ns, 1000 * ns, 1500 * ns, 2000 * ns, 2500 * ns, 3000 * ns, 3500 * ns,
	}, moved)
	requirePark(t, p, now, sluice.Never, "nothing may move at all")
}

// record is the moves of a level.
type record struct {
	at    sluice.Time
	bytes sluice.Bytes
}

// The guarantee of the package: over any interval in which a level has a packet that may move and
// Next is asked whenever the transmitter is free and when Park says, it moves no less than the
// line carries, less an MTU and a packet; and no more than that plus an MTU and a packet.
func TestRateOfMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const mtu = 1500
		rate := rapid.SampledFrom([]sluice.Rate{
			8 * sluice.Gbps, 3 * sluice.Gbps, 100 * sluice.Gbps, 7 * sluice.Mbps,
		}).Draw(t, "rate")
		speedup := rapid.IntRange(1, 3).Draw(t, "speedup")
		p, err := New(Config{
			Rate: rate, Levels: 3, IQs: 6, Roots: 6, MTU: mtu, Speedup: speedup,
			Scheduler: Scheduler(rapid.IntRange(0, 1).Draw(t, "scheduler")),
		})
		if err != nil {
			t.Fatal(err)
		}
		// Two roots at level 1, whose packets go on to level 3 or to the OQ; root 4 is paused now
		// and then.
		sizes := rapid.SliceOfN(rapid.IntRange(1, mtu), 10, 60).Draw(t, "sizes")
		pausedFar := rapid.Bool().Draw(t, "far root is paused")
		crossing := rapid.IntRange(0, 3).Draw(t, "packets straight to the OQ between")
		fifo := make([][]sluice.Bytes, p.Queues())
		push := func(q sluice.QueueID, n sluice.Bytes) { fifo[q] = append(fifo[q], n) }
		p.Adopt(0, 10, 1)
		p.Adopt(1, 11, 1)
		if pausedFar {
			p.Pause(4, 14, 3)
		} else {
			p.Adopt(4, 14, 3)
		}
		for i, n := range sizes {
			push(p.Put(i%2, sluice.Bytes(n)), sluice.Bytes(n))
		}
		var moves []record
		now := sluice.Time(1_000_000)
		start := now
		waiting := len(sizes)
		for waiting > 0 {
			q, ok := p.Next(now)
			if !ok {
				due, _ := p.Park(now)
				p.Park(due)
				if due == sluice.Never || due <= now {
					t.Fatalf("%d packets wait, Next has nothing, Park says %v", waiting, due)
				}
				now = due
				continue
			}
			n := fifo[q][0]
			fifo[q] = fifo[q][1:]
			if q == Output {
				p.TakeOutput(n)
				now += rate.TimeOf(n)
				for range crossing {
					p.PutOutput(100)
					push(Output, 100)
				}
				continue
			}
			root := 0
			for root < 5 && p.Queue(root) != q {
				root++
			}
			if !p.Take(now, q, root, n) {
				t.Fatalf("Take of queue %d refused", q)
			}
			if root < 2 {
				moves = append(moves, record{now, n})
				waiting--
			}
			if root < 2 && n%2 == 0 {
				push(p.Put(4, n), n)
			} else {
				p.PutOutput(n)
				push(Output, n)
			}
		}
		carried := func(d sluice.Time) sluice.Bytes { return rate.BytesIn(d) * sluice.Bytes(speedup) }
		for i := range moves {
			var sum sluice.Bytes
			for _, m := range moves[i:] {
				sum += m.bytes
				if most := carried(m.at-moves[i].at) + sluice.Bytes(speedup) + 2*mtu; sum > most {
					t.Fatalf("%d bytes moved from %v to %v, at most %d may", sum, moves[i].at, m.at, most)
				}
			}
		}
		var sum sluice.Bytes
		for _, m := range moves {
			if least := rate.BytesIn(m.at-start) - 2*mtu; sum < least {
				t.Fatalf("%d bytes moved by %v, the line carried %d", sum, m.at, least)
			}
			sum += m.bytes
		}
	})
}

// Moves are free of rounding: no slower than the line at any rate.
func TestPaceRoundsDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := sluice.Rate(rapid.Int64Range(1, 1<<42).Draw(t, "rate"))
		n := sluice.Bytes(rapid.Int64Range(1, 1<<31-1).Draw(t, "bytes"))
		speedup := rapid.IntRange(1, 64).Draw(t, "speedup")
		perByte, _ := pace(rate, speedup, 1500)
		p := Port{perByte: perByte}
		if got, line := p.lasts(n), rate.TimeOf(n); got > line || got < 0 {
			t.Fatalf("%d bytes at %v: %v to move, %v on the line", n, rate, got, line)
		}
	})
}

// What moves slower than time can tell takes a quarter of all time: no sum of times overflows.
func TestMovesOfTheSlowestLink(t *testing.T) {
	perByte, burst := pace(1, 1, 1<<24) // 8 s a byte
	require.Equal(t, sluice.Never/4, burst)
	p := Port{perByte: perByte}
	require.Equal(t, 288_230*8*sluice.Second, p.lasts(288_230))
	require.Equal(t, sluice.Never/4, p.lasts(288_231))
}

// requirePark asserts when Park is to be called again.
func requirePark(t *testing.T, p *Port, now, due sluice.Time, why string) {
	got, _ := p.Park(now)
	require.Equal(t, due, got, why)
}

// Unpaced, a level moves all at one instant, however much it is; paced again, at the rate of the
// line.
func TestUnpacedQueuesEmptyAtOnce(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 1, 1))
	move := func(now sluice.Time) (moved int) {
		for q, ok := p.Next(now); ok && q != Output; q, ok = p.Next(now) {
			require.True(t, p.Take(now, q, 0, sluice.MaxPacket))
			moved++
		}
		return moved
	}
	put := func() {
		for range 40 {
			p.Put(0, sluice.MaxPacket)
		}
	}
	put()
	paced := move(0)
	require.Less(t, paced, 3)
	p.SetPaced(false)
	require.Equal(t, 40-paced, move(0))
	p.SetPaced(true)
	put()
	require.Less(t, move(0), 3)
}
