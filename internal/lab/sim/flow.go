package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// flow is what a part keeps of a transfer that is under way and begins or ends there. Its number,
// the slot, is also the number of its state in the part's transport and congestion control; when
// all is over the slot is free for another flow. A packet that comes to a host touches its first
// cache line, and the next one for the answer, or the one behind that for the next packet.
type flow struct {
	hash         [2]uint64
	timerAt      sluice.Time // the earliest eventRetransmit in the agenda, Never if none
	bytes        sluice.Bytes
	index        int32 // of the flow in the configuration
	source, sink int32 // ports of the hosts, where they are of this part
	packets      int32
	highest      int32 // largest sequence number that came, plus one
	underWay     int32 // its packets, of any kind, anywhere, less what another part has counted
	class        sluice.Class
	group        workload.Group
	inCard       bool // a data packet waits in the network card
	arrived      bool // all of it
	sends        bool // it begins here
	leaves       bool // it is in part.leaving
	unsent       bool // the packet in the card was never sent before
	injected     bool // its last packet was on the wire; the next flow begins with a cache line
	back         sluice.Path
	_            [15]byte
	forward      sluice.Path
	paceAt       sluice.Time      // the earliest eventPace
	noticeAt     sluice.Time      // the earliest eventNotice
	inFlight     sluice.Bytes     // as Config.Steering knows it
	keys         [2]hashpath.Flow // of data and of what comes back
	_            [24]byte
}

// ends is where a flow of the configuration begins and ends.
type ends struct{ node, slot [2]int32 }

// Indexes of ends.
const (
	sending = iota
	receiving
)

// none is the slot of a flow that is not under way.
const none = -1

// start prepares what a part has of the flow of an index when its first byte is due: the source,
// the destination, or both.
func (s *part) start(index int32) {
	known := s.endsAt(index)
	sends, receives := s.has(known.node[sending]), s.has(known.node[receiving])
	if sends {
		s.started++
		s.lastNew = s.now
	}
	if s.strand(index) {
		return
	}
	s.openFlow(index, s.now, sends, receives)
}

// openFlow makes the state of a flow that starts, or started at an instant, where it begins, ends,
// or both.
func (s *part) openFlow(index int32, at sluice.Time, sends, receives bool) {
	in, known := s.flowOf(index), s.endsAt(index)
	slot := s.takeSlot()
	f := &s.flows[slot]
	*f = flow{
		index: index, bytes: in.Bytes, class: in.Class, group: sampled(s.groupOf(index)), sends: sends,
		timerAt: sluice.Never, paceAt: sluice.Never, noticeAt: sluice.Never,
	}
	f.keys[0] = s.tuple(index)
	f.keys[1] = f.keys[0].Reverse()
	f.hash = s.hashesOf(index)
	f.packets = int32((in.Bytes + s.config.Payload - 1) / s.config.Payload)
	if sends {
		if known.slot[sending] = slot; s.config.Balance.Kind == PLB {
			s.startLabels(slot, index)
		}
		f.forward = s.steer(f, in.Src, in.Dst)
	}
	if receives {
		if known.slot[receiving] = slot; s.resequences() {
			s.startWaiting(slot)
		}
		f.back = s.route(in.Dst, f, 1)
	}
	if s.err != nil {
		return
	}
	s.transport.Start(at, slot, f.packets)
	s.control.Stream(s.numberOf(index))
	own := &f.sink
	if receives {
		f.sink = s.portOf(in.Dst, f.back)
	}
	if sends {
		f.source = s.portOf(in.Src, f.forward)
		own = &f.source
	}
	if line := s.rateOf(&s.ports[*own]); in.Rate > 0 {
		s.control.StartFixed(at, slot, min(in.Rate, line))
	} else {
		s.control.Start(at, slot, line)
	}
	if sends {
		s.resultOf(index).Ideal = s.ideal(in, index)
		s.refill(slot)
		s.planTimeout(slot)
	}
}

// hashesOf returns Packet.Flow of packets of a flow, and of what comes back.
func (s *part) hashesOf(index int32) [2]uint64 {
	key := workload.Key(s.flowOf(index), int(index))
	if s.config.PairKeys {
		key.SrcPort, key.DstPort, key.Protocol = 0, 0, 0
	}
	back := key.Reverse()
	return [2]uint64{key.Hash(), back.Hash()}
}

// route predicts the way of a flow's data (0), or of what comes back (1), from a host on.
func (s *part) route(from sluice.SwitchID, f *flow, direction int) sluice.Path {
	path, status, ok := s.way(from, sluice.Local, &f.keys[direction])
	if !ok {
		s.fail("flow %d from node %d: %v", f.index, from, status)
	}
	return path
}

// portOf returns the port of a host by which a path leaves it.
func (s *part) portOf(host sluice.SwitchID, path sluice.Path) int32 {
	return s.nodes[host].firstPort + int32(path.At(0).Port)
}

// takeSlot returns the number of a flow that is not under way.
func (s *part) takeSlot() int32 {
	if last := len(s.spare) - 1; last >= 0 {
		slot := s.spare[last]
		s.spare = s.spare[:last]
		return slot
	}
	s.flows = append(s.flows, flow{})
	return int32(len(s.flows) - 1)
}

// release gives a packet back.
func (s *part) release(h handle) {
	c := s.arena.At(h).Value
	s.arena.release(h)
	if c.kind != controlPacket {
		s.leaveFlow(c.flow)
	}
}

// account counts packets of a flow that begin to be under way here, or are no longer.
func (s *part) account(index, packets int32) {
	known := s.endsAt(index)
	switch {
	case s.has(known.node[sending]):
		s.flows[known.slot[sending]].underWay += packets
	case s.has(known.node[receiving]) && known.slot[receiving] != none:
		s.flows[known.slot[receiving]].underWay += packets
	default:
		s.strays = append(s.strays, stray{index, packets})
	}
}

// leaveFlow says that a packet of a flow is gone. With the last one of a flow that is done its slot
// is free; if another part has a share in it, that is found out between windows.
func (s *part) leaveFlow(index int32) {
	s.account(index, -1)
	known := s.endsAt(index)
	sends, receives := s.has(known.node[sending]), s.has(known.node[receiving])
	switch {
	case sends && receives:
		if f := &s.flows[known.slot[sending]]; f.underWay == 0 && f.arrived &&
			s.transport.Done(known.slot[sending]) {
			s.forget(known, sending)
			known.slot[receiving] = none
		}
	case sends && s.transport.Done(known.slot[sending]):
		s.mayLeave(known.slot[sending])
	case receives && known.slot[receiving] != none && s.flows[known.slot[receiving]].arrived:
		s.mayLeave(known.slot[receiving])
	}
}

// mayLeave remembers a flow that may be over.
func (s *part) mayLeave(slot int32) {
	if f := &s.flows[slot]; !f.leaves {
		f.leaves = true
		s.leaving = append(s.leaving, f.index)
	}
}

// forget frees the slot of one end of a flow. Events of it that are planned come to nothing.
func (s *part) forget(known *ends, end int) {
	slot := known.slot[end]
	s.transport.Finish(slot)
	s.control.Finish(slot)
	s.flows[slot].packets, s.flows[slot].paceAt = 0, sluice.Never
	known.slot[end] = none
	s.spare = append(s.spare, slot)
	switch index := s.flows[slot].index; {
	case s.live != nil:
		s.live.freeRow(index)
	case end == sending && s.isMessage(index) && s.over(index):
		s.pagesOver = append(s.pagesOver, (index-s.firstMessage)>>pageBits)
	}
}

// send puts a packet of a flow into the network at one of its hosts, or at a switch. It takes along
// the letter at hand.
func (s *part) send(port, index int32, p sluice.Packet, c cargo) bool {
	h, pkt := s.arena.take()
	pkt.Packet, pkt.Value = p, c
	if s.arena.letters != nil {
		s.arena.letters[h] = s.letter
	}
	pkt.Value.hopsLeft = s.config.HopLimit
	pkt.Value.flow = index
	s.account(index, 1)
	at := &s.sites[port]
	return s.enqueue(&s.nodes[at.node], at.id, h, pkt)
}

// deliver takes a packet that reached a host.
func (s *part) deliver(p *site, h handle, pkt *packet) {
	index, size, c, ecn := pkt.Value.flow, pkt.Size, pkt.Value, pkt.ECN
	end := endOf(c.kind)
	known := s.endsAt(index)
	if at := known.node[end]; at != p.node {
		s.fail("a packet of flow %d came to node %d, its destination is %d", index, p.node, at)
		return
	}
	slot := known.slot[end]
	if slot == none {
		slot = s.meet(index)
	}
	if s.arena.letters != nil {
		s.letter = s.arena.letters[h]
	}
	s.arena.Release(h) // the flow lives until what follows is done
	switch c.kind {
	case dataPacket:
		s.receiveData(slot, size, &c, ecn)
	case ackPacket, nackPacket, sackPacket:
		s.receiveAnswer(slot, &c)
	case noticePacket:
		s.receiveNotice(slot, &c)
	}
	s.leaveFlow(index)
}
