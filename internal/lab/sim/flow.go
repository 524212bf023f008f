package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// flow is what the simulator keeps of a transfer that is under way. Its number, the slot, is also
// that of its state in the transport and in the congestion control; when all is over the slot is
// free for another flow. A packet that comes to a host touches its first cache line, and the next
// one for the answer, or the one behind that for the next packet.
type flow struct {
	hash         [2]uint64
	timerAt      sluice.Time // the earliest eventRetransmit in the agenda, Never if none
	bytes        sluice.Bytes
	index        int32 // of the flow in the configuration
	source, sink int32 // ports of the hosts
	packets      int32
	highest      int32 // largest sequence number that came, plus one
	underWay     int32 // its packets, of any kind, anywhere
	class        sluice.Class
	group        workload.Group
	inCard       bool    // a data packet waits in the network card
	arrived      bool    // all of it
	_            [4]byte // so that the ways and the next flow begin with cache lines
	back         sluice.Path
	_            [12]byte
	forward      sluice.Path
	paceAt       sluice.Time      // the earliest eventPace
	noticeAt     sluice.Time      // the earliest eventNotice
	inFlight     sluice.Bytes     // as Config.Steering knows it
	keys         [2]hashpath.Flow // of data and of what comes back
	_            [24]byte
}

// start prepares the flow of an index when its first byte is due.
func (s *Simulator) start(index int32) {
	s.started++
	s.lastNew = s.now
	if s.strand(index) {
		return
	}
	slot := s.takeSlot()
	s.slotOf[index] = slot
	in, f := &s.config.Flows[index], &s.flows[slot]
	*f = flow{
		index: index, bytes: in.Bytes, class: in.Class, group: s.groups[index],
		timerAt: sluice.Never, paceAt: sluice.Never, noticeAt: sluice.Never,
	}
	f.keys[0] = workload.Key(in, int(index))
	f.keys[1] = f.keys[0].Reverse()
	f.forward = s.steer(f, in.Src, in.Dst)
	f.back = s.route(in.Dst, f, 1)
	if s.err != nil {
		return
	}
	f.packets = int32((in.Bytes + s.config.Payload - 1) / s.config.Payload)
	f.source = s.portOf(in.Src, f.forward)
	f.sink = s.portOf(in.Dst, f.back)
	f.hash = s.hashOf(f)
	s.result.Flows[index].Ideal = s.ideal(in, index)
	s.transport.Start(s.now, slot, f.packets)
	line := s.rateOf(&s.ports[f.source])
	s.control.Stream(uint64(index))
	if in.Rate > 0 {
		s.control.StartFixed(s.now, slot, min(in.Rate, line))
	} else {
		s.control.Start(s.now, slot, line)
	}
	s.refill(slot)
	s.planTimeout(slot)
}

// hashOf returns Packet.Flow of a flow's data and of what comes back.
func (s *Simulator) hashOf(f *flow) (hash [2]uint64) {
	for i, key := range f.keys {
		if s.config.PairKeys {
			key.SrcPort, key.DstPort, key.Protocol = 0, 0, 0
		}
		hash[i] = key.Hash()
	}
	return hash
}

// route predicts the way of a flow's data (0), or of what comes back (1), from a host on.
func (s *Simulator) route(from sluice.SwitchID, f *flow, direction int) sluice.Path {
	path, status, ok := s.way(from, sluice.Local, &f.keys[direction])
	if !ok {
		s.fail("flow %d from node %d: %v", f.index, from, status)
	}
	return path
}

// portOf returns the port of a host by which a path leaves it.
func (s *Simulator) portOf(host sluice.SwitchID, path sluice.Path) int32 {
	return s.nodes[host].firstPort + int32(path.At(0).Port)
}

// none is the slot of a flow that is not under way.
const none = -1

// takeSlot returns the number of a flow that is not under way.
func (s *Simulator) takeSlot() int32 {
	if last := len(s.spare) - 1; last >= 0 {
		slot := s.spare[last]
		s.spare = s.spare[:last]
		return slot
	}
	s.flows = append(s.flows, flow{})
	return int32(len(s.flows) - 1)
}

// release gives a packet back.
func (s *Simulator) release(h handle) {
	c := s.arena.At(h).Value
	s.arena.release(h)
	if c.kind != controlPacket {
		s.leaveFlow(c.flow)
	}
}

// leaveFlow says that a packet of a flow is gone. With the last one of a flow that is done, its
// slot is free.
func (s *Simulator) leaveFlow(slot int32) {
	f := &s.flows[slot]
	f.underWay--
	if f.underWay > 0 || !f.arrived || !s.transport.Done(slot) {
		return
	}
	s.transport.Finish(slot)
	s.control.Finish(slot)
	s.slotOf[f.index] = none // events of it that are planned come to nothing
	s.spare = append(s.spare, slot)
}

// send puts a packet of a flow into the network at one of its hosts, or at a switch. It takes along
// the letter at hand.
func (s *Simulator) send(port, slot int32, p sluice.Packet, c cargo) bool {
	h, pkt := s.arena.take()
	pkt.Packet, pkt.Value = p, c
	if s.arena.letters != nil {
		s.arena.letters[h] = s.letter
	}
	pkt.Value.hopsLeft = s.config.HopLimit
	pkt.Value.flow = slot
	s.flows[slot].underWay++
	return s.enqueue(port, h, pkt)
}

// deliver takes a packet that reached a host.
func (s *Simulator) deliver(p *port, h handle, pkt *packet) {
	slot, size, c, ecn := pkt.Value.flow, pkt.Size, pkt.Value, pkt.ECN
	f := &s.flows[slot]
	if end := s.endOf(pkt); end != p.node {
		s.fail("a packet of flow %d came to node %d, its destination is %d", f.index, p.node, end)
		return
	}
	f.underWay++ // the flow lives until what follows is done
	if s.arena.letters != nil {
		s.letter = s.arena.letters[h]
	}
	s.release(h)
	switch c.kind {
	case dataPacket:
		s.receiveData(slot, size, &c, ecn)
	case ackPacket, nackPacket, sackPacket:
		s.receiveAnswer(slot, &c)
	case noticePacket:
		s.receiveNotice(slot, &c)
	}
	s.leaveFlow(slot)
}
