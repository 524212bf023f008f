package bfc

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// TestRebase: a switch whose origin of time moves now and then answers as a twin does that never
// needs it, pauses, sticky flows, Bitmaps and resume windows under way.
func TestRebase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		here, twin := mustNew(t, c), mustNew(t, c)
		now, moved, sequence := sluice.Time(0), sluice.Time(0), uint32(0)
		var held []sluice.Packet
		port := func() sluice.PortID {
			return sluice.PortID(rapid.IntRange(0, here.Ports()-1).Draw(t, "port"))
		}
		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				p := sluice.Packet{
					Flow:          rapid.Uint64Range(0, 9).Draw(t, "flow"),
					Size:          5000,
					Ingress:       port(),
					UpstreamQueue: sluice.QueueID(rapid.IntRange(0, 3).Draw(t, "upstream queue")),
				}
				other := p
				// ECN is free to remember the egress by.
				egress := port()
				v := here.Port(egress).Enqueue(now-moved, &p)
				require.Equal(t, twin.Port(egress).Enqueue(now, &other), v)
				require.Equal(t, other, p)
				if v.Action() == sluice.Append {
					p.Path.Append(sluice.Hop{Port: egress})
					held = append(held, p)
				}
			},
			"dequeue": func(t *rapid.T) {
				if len(held) == 0 {
					t.Skip("empty")
				}
				p := held[0]
				held = held[1:]
				egress, q := p.Path.At(0).Port, sluice.QueueID(p.Note>>noteQueueShift)
				v := here.Port(egress).Dequeue(now-moved, q, &p)
				require.Equal(t, twin.Port(egress).Dequeue(now, q, &p), v)
				require.Equal(t, sluice.Transmit, v.Action())
			},
			"receive": func(t *rapid.T) {
				f := drawFrame(t, c.Queues)
				sequence++
				f.Sequence = sequence
				p := port()
				require.Equal(t, twin.Port(p).Receive(now, &f), here.Port(p).Receive(now-moved, &f))
			},
			"wait": func(t *rapid.T) {
				now += sluice.Time(rapid.SampledFrom([]int64{1, 1e5, 1e6, 5e6, 1e17}).Draw(t, "ps"))
				now = min(now, math.MaxInt64/8)
				require.Equal(t, twin.Expire(now), here.Expire(now-moved))
			},
			"rebase": func(t *rapid.T) {
				by := sluice.Time(rapid.Int64Range(-1e9, 1e12).Draw(t, "by"))
				if rapid.Bool().Draw(t, "to zero") {
					by = now - moved
				}
				here.Rebase(by)
				moved += by
			},
			"": func(t *rapid.T) {
				require.NoError(t, here.Audit())
				for i := range here.ports {
					var f, other Frame
					for more := true; more; {
						more = here.ports[i].PollFrame(now-moved, &f)
						require.Equal(t, more, twin.ports[i].PollFrame(now, &other))
						require.Equal(t, other, f)
					}
				}
				if due := twin.Deadline(); due != sluice.Never {
					require.Equal(t, due-moved, here.Deadline())
				} else {
					require.Equal(t, sluice.Never, here.Deadline())
				}
			},
		})
	})
}

// Time ends after 106 days, and Rebase moves the origin before: here in 300 days of pauses that
// Bitmaps alone report, with an hour between two of them.
func TestRebaseCrossesTheLimitOfTime(t *testing.T) {
	const hour, days = 3600 * sluice.Second, 300
	st := pauser(t, Config{Signalling: PeriodicBitmap})
	for i := range days * 24 {
		st.in(1, 7, 0, 3)
		st.due()
		require.Equal(t, []string{"bitmap 0:[3]"}, st.frames(), "hour %d", i)
		st.out(1)
		st.due()
		require.Equal(t, []string{"bitmap 0:[]"}, st.frames(), "hour %d", i)
		st.now += hour
		if i%1000 == 999 {
			st.s.Rebase(st.now)
			st.now = 0
		}
	}
	require.NoError(t, st.s.Quiescent())
}

// A now of Never is misuse, in whatever hook uses it: it is counted, and taken as the latest time
// seen.
func TestNeverIsMisuse(t *testing.T) {
	st := pauser(t, Config{})
	st.now = sluice.Microsecond
	st.in(1, 7, 0, 3)
	p := sluice.Packet{Flow: 7, Size: 1000}
	var f Frame
	port := st.s.Port(1)
	for i, hook := range []func(){
		func() { port.Enqueue(sluice.Never, &p) },
		func() { port.Dequeue(sluice.Never, 0, &p) },
		func() { port.Receive(sluice.Never, &f) },
		func() { _, _ = port.ReceiveWire(sluice.Never, (&Frame{Type: Pause, Count: 1}).AppendTo(nil)) },
		func() { port.LinkDown(sluice.Never) },
		func() { port.LinkUp(sluice.Never) },
		func() { st.s.Expire(sluice.Never) },
	} {
		hook()
		require.Equal(t, uint64(i+1), st.s.Counters().Misuse)
		require.Equal(t, sluice.Microsecond, st.s.Snapshot().Now)
	}
}

func TestDumpAndSnapshot(t *testing.T) {
	st := tell(t, 2, Config{Queues: 4, Assignment: LowestFree})
	for range 26 {
		st.in(1, 7, 0, 3)
	}
	st.hear(1, Pause, 2)
	var out bytes.Buffer
	require.NoError(t, kit.Dump(&out, st.s.Snapshot()))
	require.Equal(t, `bfc: Deadline 1us, Buffered 26000B
  Ports 0: Holding 1
    Upstream 0: Queue 3, Counter 1, Held, Told
  Ports 1: Port 1, Active 1, Paused 1
    Queues 0: Bytes 26000B, Packets 26
    Queues 2: Paused
`, out.String())
	snapshot := st.s.Snapshot()
	require.Equal(t, 26*sluice.KB, snapshot.Buffered)
	require.Equal(
		t, []UpstreamSnapshot{{Queue: 3, Counter: 1, Held: true, Told: true}}, snapshot.Ports[0].Upstream,
	)
	require.Equal(t, QueueSnapshot{Paused: true}, snapshot.Ports[1].Queues[2])
	require.Equal(t, uint64(26), st.s.Port(1).Counters().Enqueued)
}
