package bfc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Never as now is counted once for each hook (package sluice, Time), also for the first of all.
func TestNeverIsCountedOnce(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}, Queues: 4})
	for n := range uint64(3) {
		require.Equal(t, n, s.Counters().Misuse)
		s.Port(0).Enqueue(sluice.Never, &sluice.Packet{Size: 100, Ingress: sluice.Local})
	}
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
