package ofc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Which free entry a flow gets tells of the past, until Renumber: then switches in the same state
// stay so, whatever came before.
func TestRenumberOrdersEntries(t *testing.T) {
	after := func(flows uint64, renumber bool) (before, then []byte) {
		s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}})
		var packets []*sluice.Packet
		for flow := range flows {
			packets = append(packets, &sluice.Packet{Flow: flow, Size: 100, Ingress: 1})
			s.Port(0).Enqueue(0, packets[flow])
		}
		for _, p := range packets {
			s.Port(0).Dequeue(0, 0, p)
		}
		if renumber {
			s.Port(0).renumber(0, 0)
			require.NoError(t, s.Audit())
		}
		before = s.appendState(nil, 0)
		s.Port(0).Enqueue(0, &sluice.Packet{Flow: 9, Size: 100, Ingress: 1})
		return before, s.appendState(nil, 0)
	}
	for _, renumber := range []bool{false, true} {
		before, then := after(1, renumber)
		others, othersThen := after(3, renumber)
		require.Equal(t, before, others)
		require.Equal(t, renumber, string(then) == string(othersThen))
	}
}

// Flows get the free entries in ascending order after Renumber, whichever became free first, and
// those that no flow has had after them.
func TestRenumberKeepsFreeEntries(t *testing.T) {
	const flows = 6
	for _, leaving := range [][]int{{0, 2}, {2, 0}, {3, 5, 1}, {1, 3, 5}, {5, 4}, {0, 4, 3}} {
		s := mustNew(t, Config{Ports: []PortConfig{edgePort, edgePort}})
		p := s.Port(1)
		entryOf := func(packet *sluice.Packet) uint64 {
			require.Equal(t, sluice.Append, p.Enqueue(0, packet).Action())
			require.NoError(t, s.Audit())
			return packet.Note - noteTag
		}
		var packets [flows]*sluice.Packet
		first := uint64(0)
		for flow := range packets {
			packets[flow] = &sluice.Packet{Flow: uint64(flow), Size: 100}
			if entry := entryOf(packets[flow]); flow == 0 {
				first = entry
			}
		}
		for _, flow := range leaving {
			require.Equal(t, sluice.Transmit, p.Dequeue(0, 0, packets[flow]).Action())
		}
		p.renumber(0, 0)
		require.NoError(t, s.Audit())
		slices.Sort(leaving)
		for i, want := range append(slices.Clone(leaving), flows, flows+1) {
			entry := entryOf(&sluice.Packet{Flow: uint64(10 + i), Size: 100})
			require.EqualValues(t, want, entry-first, "%v left, and %d came", leaving, i)
		}
	}
}

// Pasts that change no answer make one state: how many frames came, when a pause that is over was
// renewed, and when a rotation that is over began.
func TestPastsThatMakeOneState(t *testing.T) {
	state := func(rounds uint32, at sluice.Time) []byte {
		m := meet(t, func(c *Config) { c.Expiry = 50 * sluice.Microsecond })
		p := m.s.Port(0)
		for i := range rounds {
			packet := m.enqueue(7, 0, 1, 100)
			p.Receive(at, &Frame{Type: Pause, Sequence: 2 * i, Count: 1, Keys: [MaxListed]uint64{7}})
			m.dequeue(normal, sluice.Append, packet)
			p.Receive(at, &Frame{
				Type: Resume, Sequence: 2*i + 1, Count: 1, Keys: [MaxListed]uint64{7}, Last: true,
			})
			m.dequeue(1+sluice.QueueID(i%2), sluice.Transmit, packet)
		}
		m.s.Expire(2 * sluice.Second)
		return m.s.appendState(nil, 2*sluice.Second)
	}
	want := state(2, 0)
	require.Equal(t, want, state(4, 0))
	require.Equal(t, want, state(2, 20*sluice.Microsecond))
}
