package ideal

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/stretchr/testify/require"
)

// embedder keeps the packets of port 0 of a switch, by queue.
type embedder struct {
	t     *testing.T
	s     *Switch
	fifos [][]sluice.Packet
	ids   map[uint64]uint64 // by flow: the last packet that came
	sent  map[uint64]uint64 // by flow: the last packet that left
}

func newEmbedder(t *testing.T) *embedder {
	s := New(1, 1500)
	return &embedder{
		t: t, s: s, fifos: make([][]sluice.Packet, s.Queues()), ids: map[uint64]uint64{},
		sent: map[uint64]uint64{},
	}
}

func (e *embedder) enqueue(flow uint64, size sluice.Bytes) sluice.QueueID {
	p := sluice.Packet{Flow: flow, Size: size, Ingress: sluice.Local}
	v := e.s.Enqueue(0, 0, &p)
	require.Equal(e.t, sluice.Append, v.Action())
	e.ids[flow]++
	// the number of the packet, which the machine does not read
	p.Path.Append(sluice.Hop{Switch: sluice.SwitchID(e.ids[flow])})
	e.fifos[v.Queue()] = append(e.fifos[v.Queue()], p)
	return v.Queue()
}

// send takes the next packet and requires that it is its flow's next.
func (e *embedder) send() (flow uint64) {
	q, ok := e.s.Next(0, 0)
	require.True(e.t, ok)
	p := e.fifos[q][0]
	e.fifos[q] = e.fifos[q][1:]
	require.Equal(e.t, sluice.Transmit, e.s.Dequeue(0, 0, q, &p).Action())
	e.sent[p.Flow]++
	require.EqualValues(e.t, e.sent[p.Flow], p.Path.At(0).Switch, "flow %d", p.Flow)
	return p.Flow
}

// "A dedicated queue to each flow": a flow of many packets delays another by one packet.
func TestFlowsAreServedInTurn(t *testing.T) {
	e := newEmbedder(t)
	for range 10 {
		e.enqueue(1, 1500)
	}
	e.send()
	e.enqueue(2, 1500)
	require.Contains(t, []uint64{e.send(), e.send()}, uint64(2))
	require.EqualValues(t, 1, e.send())
}

// Rounds are counted in bytes, so that a flow of small packets gets as much as one of large.
func TestTurnsAreCountedInBytes(t *testing.T) {
	e := newEmbedder(t)
	for range 100 {
		e.enqueue(1, 1500)
		for range 15 {
			e.enqueue(2, 100)
		}
	}
	bytes := map[uint64]int{}
	for range 400 {
		flow := e.send()
		bytes[flow] += map[uint64]int{1: 1500, 2: 100}[flow]
	}
	require.InDelta(t, bytes[1], bytes[2], 1500)
}

func TestAQueueIsFreeWhenItsFlowIsGone(t *testing.T) {
	e := newEmbedder(t)
	require.EqualValues(t, 0, e.enqueue(7, 100))
	require.EqualValues(t, 0, e.enqueue(7, 100))
	require.EqualValues(t, 1, e.enqueue(8, 100))
	for range 3 {
		e.send()
	}
	require.EqualValues(t, 0, e.enqueue(9, 100))
	require.EqualValues(t, 1, e.enqueue(7, 100))
}

// Flows that find no free queue share, and keep their order while queues come and go.
func TestMoreFlowsThanQueuesKeepTheirOrder(t *testing.T) {
	e := newEmbedder(t)
	random := prng.New(1)
	const flows = 2 * MaxFlows
	guests, held := 0, 0
	for range 30 {
		for range 2000 + random.Below(2000) {
			q := e.enqueue(random.Below(flows), sluice.Bytes(1+random.Below(1500)))
			if last := e.fifos[q][len(e.fifos[q])-1]; last.Note == asGuest {
				guests++
			}
			held++
		}
		require.NoError(t, e.s.Audit())
		for n := random.Below(uint64(held) + 1); n > 0; n-- {
			e.send()
			held--
		}
		require.NoError(t, e.s.Audit())
	}
	for ; held > 0; held-- {
		e.send()
	}
	require.NoError(t, e.s.Quiescent())
	require.Greater(t, guests, 100)
	require.Equal(t, e.ids, e.sent)
	for q := range MaxFlows {
		require.True(t, e.s.ports[0].free.Has(q))
	}
}

func TestAuditFindsWhatIsWrong(t *testing.T) {
	for name, spoil := range map[string]func(*Switch){
		"sum":        func(s *Switch) { s.buffered++ },
		"bytes":      func(s *Switch) { s.ports[0].queues[0].bytes = 0 },
		"packets":    func(s *Switch) { s.ports[0].queues[0].own = -1 },
		"free queue": func(s *Switch) { s.ports[0].free.Add(0) },
	} {
		e := newEmbedder(t)
		e.enqueue(1, 100)
		require.NoError(t, e.s.Audit())
		require.EqualError(t, e.s.Quiescent(), "ideal: 100 bytes queued")
		spoil(e.s)
		require.ErrorContains(t, e.s.Audit(), "invariant 1", name)
	}
}
