package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestRing: credits deadlock where pauses do. In a ring of three switches whose packets go two hops
// on, each buffer is full of packets that wait for room in the next one: no FCP and no time helps.
// Packets that go one hop only get through.
func TestRing(t *testing.T) {
	const next, previous, host, n = 0, 1, 2, 3
	for _, hops := range []int{1, 2} {
		port := PortConfig{Link: sluice.Link{Rate: 40 * g}, Buffer: 2 * 1536, PeerBuffer: 2 * 1536}
		var switches [n]*Switch
		var fifo [n][]sluice.Packet // of port next; Note is how many hops remain
		for i := range switches {
			switches[i] = newSwitch(t, Config{
				MTU: 1500, Classes: sluice.MakeClassSet(3), Ports: []PortConfig{port, port, port},
			})
		}
		offered, delivered := 0, 0
		enqueue := func(i int, p sluice.Packet) {
			if p.Note == 0 {
				switches[i].Port(p.Ingress).Consume(switches[i].clock.Now(), &p)
				delivered++
				return
			}
			require.Equal(t, sluice.Append, switches[i].Port(next).Enqueue(0, &p).Action())
			fifo[i] = append(fifo[i], p)
		}
		for round := range 200 {
			now := sluice.Time(round) * us
			for i, s := range switches {
				if s.Port(host).IngressBlocks(3) <= 24 && offered < 60 { // the host has credit
					offered++
					enqueue(i, sluice.Packet{Size: 1500, Class: 3, Ingress: host, Note: uint64(hops)})
				}
			}
			for i, s := range switches {
				if q, ok := s.Port(next).Next(now); ok {
					p := fifo[i][0]
					fifo[i] = fifo[i][1:]
					require.Equal(t, sluice.Transmit, s.Port(next).Dequeue(now, q, &p).Action())
					p.Ingress = previous
					p.Note--
					enqueue((i+1)%n, p)
				}
				s.Expire(now)
			}
			for i, s := range switches {
				exchange(t, now, s.Port(previous), switches[(i+n-1)%n].Port(next))
				exchange(t, now, s.Port(next), switches[(i+1)%n].Port(previous))
			}
		}
		for i, s := range switches {
			require.NoError(t, s.Audit())
			require.Equal(t, hops == 2, s.Port(next).Backlog(3) > 0, "switch %d", i)
			require.Equal(
				t, hops == 1, s.Port(next).Sendable(3), "switch %d holds its packets for want of credit", i,
			)
		}
		if hops == 1 {
			require.Equal(t, 60, delivered)
		} else {
			require.Less(t, delivered, 60)
		}
	}
}
