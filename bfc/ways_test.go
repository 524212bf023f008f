package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// flowsOf returns two flows of entry 0 and one of another entry.
func flowsOf(p *Port) (one, two, other uint64) {
	var same, others []uint64
	for flow := uint64(1); len(same) < 2 || len(others) < 1; flow++ {
		if p.vfid(flow) == 0 {
			same = append(same, flow)
		} else {
			others = append(others, flow)
		}
	}
	return same[0], same[1], others[0]
}

// beside returns a switch of one queue, in which a packet of another flow waits, and a flow's only
// packet has left at time 0.
func beside(t *testing.T) (p *Port, one, two uint64) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}, Queues: 1, VFIDs: 2})
	p = s.Port(0)
	one, two, other := flowsOf(p)
	first := sluice.Packet{Flow: one, Size: 100, Ingress: sluice.Local}
	p.Enqueue(0, &first)
	p.Enqueue(0, &sluice.Packet{Flow: other, Size: 100, Ingress: sluice.Local})
	require.Equal(t, sluice.Transmit, p.Dequeue(0, 0, &first).Action())
	require.EqualValues(t, 2, p.Counters().Assignments)
	return p, one, two
}

// Packets collide with the flow whose packets are here, not with the one that was here before.
func TestEntryIsOfTheFlowThatCame(t *testing.T) {
	p, _, two := beside(t)
	for range 2 {
		p.Enqueue(0, &sluice.Packet{Flow: two, Size: 100, Ingress: sluice.Local})
	}
	require.Zero(t, p.Counters().VFIDCollisions)
	require.EqualValues(t, 2, p.Counters().Assignments)
}

// A flow whose sticky time is over takes a new queue, though others have packets in its old one
// (BFC, NSDI 2022).
func TestFlowTakesAnotherQueueAfterItsStickyTime(t *testing.T) {
	p, one, _ := beside(t)
	sticky := p.from[place(sluice.Local)].sticky
	p.Enqueue(sticky+1, &sluice.Packet{Flow: one, Size: 100, Ingress: sluice.Local})
	require.EqualValues(t, 3, p.Counters().Assignments)
}

// The sticky time of a flow whose packet took the first-packet queue runs from when that left.
func TestStickyTimeOfAFirstPacket(t *testing.T) {
	c := Config{Ports: []PortConfig{{Link: benchLink}}, FirstPacketQueue: true}
	p := mustNew(t, c).Port(0)
	packet := sluice.Packet{Flow: 7, Size: 100, Ingress: sluice.Local}
	first := p.Enqueue(0, &packet).Queue()
	left := 2 * p.from[place(sluice.Local)].sticky
	require.Equal(t, sluice.Transmit, p.Dequeue(left, first, &packet).Action())
	require.NotEqual(t, first, p.Enqueue(left+1, &packet).Queue())
}

// A class above 7 is none of Config.Classes, whatever its low bits are.
func TestClassesBeyondTheLast(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}})
	for class := sluice.Class(sluice.Classes); class != 0; class++ {
		packet := sluice.Packet{Size: 100, Class: class, Ingress: sluice.Local}
		require.Equal(t, sluice.DropBecause(sluice.BadClass), s.Port(0).Enqueue(0, &packet))
	}
}

// A packet that comes at Never, before the switch has seen a time, shows it none: Bitmaps that come
// without a pause are planned when it sees one.
func TestNeverPlansNoBitmaps(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}, IdleBitmaps: -1})
	before := s.Deadline()
	packet := sluice.Packet{Size: 100, Ingress: sluice.Local}
	require.Zero(t, s.Port(0).Enqueue(sluice.Never, &packet).Wake())
	require.Equal(t, before, s.Deadline())
	v := s.Port(0).Enqueue(-3*s.config.Period, &packet)
	require.True(t, v.Wake().Has(sluice.WakeDeadline))
	require.Less(t, s.Deadline(), before)
}
