package bfc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// VFIDs are even over a table of any size, for flows that are hashes and for flows that count from 0.
func TestVFIDsAreEven(t *testing.T) {
	for _, size := range []int{7, 3200, 7200} {
		table := newTable(size, false, 12345)
		count := make([]int, size)
		for flow := range uint64(100 * size) {
			count[table.vfid(flow)]++
		}
		square := 0.0
		for _, n := range count {
			square += float64(n-100) * float64(n-100) / 100
		}
		require.InDelta(t, 1, square/float64(size-1), 5*math.Sqrt(2/float64(size-1)), "chi-square over its degrees of freedom, %d entries", size)
	}
}

// Another seed, other collisions.
func TestSeedMovesVFIDs(t *testing.T) {
	one, two := tell(t, 1, Config{Seed: 1}).s.ports[0].table, tell(t, 1, Config{Seed: 2}).s.ports[0].table
	same := 0
	for flow := range uint64(3200) {
		if one.vfid(flow) == two.vfid(flow) {
			same++
		}
	}
	require.Less(t, same, 10)
}

// TestExactTable drives a small exact table with many flows: packets of a flow never lie under two
// entries, an entry's packets are its flow's but for guests, and guests appear only when the window is full.
func TestExactTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Ports:            []PortConfig{{Link: benchLink}},
			Queues:           4,
			VFIDs:            rapid.SampledFrom([]int{1, 2, 20, 40}).Draw(t, "entries"),
			Ideal:            true,
			CountLonePackets: true,
		}
		s := mustNew(t, c)
		port := s.Port(0)
		now := sluice.Time(0)
		var held []sluice.Packet
		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				p := sluice.Packet{Flow: rapid.Uint64Range(0, 60).Draw(t, "flow"), Size: 1, Ingress: sluice.Local}
				v := port.Enqueue(now, &p)
				for i := range held {
					if held[i].Flow == p.Flow {
						require.Equal(t, held[i].Note, p.Note, "a flow has one entry, one queue, and is a guest or not")
						require.Equal(t, sluice.QueueID(held[i].Note>>noteQueueShift), v.Queue())
					}
				}
				held = append(held, p)
			},
			"dequeue": func(t *rapid.T) {
				if len(held) == 0 {
					t.Skip("empty")
				}
				i := rapid.IntRange(0, len(held)-1).Draw(t, "packet")
				v := port.Dequeue(now, sluice.QueueID(held[i].Note>>noteQueueShift), &held[i])
				require.Equal(t, sluice.Transmit, v.Action())
				held = append(held[:i], held[i+1:]...)
			},
			"wait": func(*rapid.T) { now += 3 * sluice.Microsecond },
			"": func(t *rapid.T) {
				require.NoError(t, s.Audit())
				own, all, guests := map[uint32]uint64{}, map[uint32]uint32{}, map[uint32]uint32{}
				for i := range held {
					index := uint32(held[i].Note)
					all[index]++
					if held[i].Note&noteGuest != 0 {
						guests[index]++
						require.Equal(t, port.table.vfid(held[i].Flow), int(index), "a guest stays at home")
						continue
					}
					if other, ok := own[index]; ok {
						require.Equal(t, other, held[i].Flow, "entry %d has packets of two owners", index)
					}
					own[index] = held[i].Flow
				}
				for i := range port.table.entries {
					require.Equal(t, all[uint32(i)], port.table.entries[i].size)
					require.Equal(t, guests[uint32(i)], port.table.guests[i])
				}
			},
		})
	})
}

// With room, no two flows share an entry, ever.
func TestExactTableWithRoom(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}, Ideal: true, VFIDs: 4000, Queues: 128})
	p := sluice.Packet{Size: 1, Ingress: sluice.Local}
	for round := range uint64(20) {
		var held []sluice.Packet
		for flow := range uint64(1000) {
			p.Flow = round*1000 + flow
			s.Port(0).Enqueue(sluice.Time(round)*sluice.Millisecond, &p)
			held = append(held, p)
		}
		for i := range held {
			s.Port(0).Dequeue(sluice.Time(round)*sluice.Millisecond, sluice.QueueID(held[i].Note>>noteQueueShift), &held[i])
		}
	}
	c := s.Counters()
	require.Equal(t, uint64(20000), c.Dequeued)
	require.Zero(t, c.VFIDCollisions+c.TableOverflows+c.StickyEvictions)
}
