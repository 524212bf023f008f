package portfc

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// In the worst case of these tests times are in bytes of a link, 80 ps each: a packet, a frame and
// the delay of a link are 84, so that what begins, ends and arrives coincides to the byte.
const (
	tightPacket = WireLength
	byteTime    = 80 * sluice.Picosecond
)

// Ranks of what happens at one instant. A transmitter that is free begins a packet just before a
// packet arrives, and that just before a frame does.
const (
	rankFree = iota
	rankPacket
	rankFrame
)

// race is a switch of layer 0, real nodes behind its ports except egress e, and the switches of
// layer 1 that these nodes relay for.
type race struct {
	*testing.T
	network  NDC
	sw       *Switch
	e        sluice.PortID // the last port
	nodes    []*Switch     // by port of sw
	upstream []*Switch     // of node i
	now      sluice.Bytes
	agenda   []racing
	lost     int
}

type racing struct {
	at   sluice.Bytes
	rank int
	do   func()
}

func newRace(t *testing.T, n int, buffer sluice.Bytes) *race {
	network := NDC{n, 1}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Time(tightPacket) * byteTime}
	r := &race{T: t, network: network, e: sluice.PortID(n - 1)}
	c := SwitchConfig(network, network.SwitchOf(0, 0), link)
	c.XOff, c.XOn, c.Buffer = sluice.Ratio{Num: 30, Den: 1}, sluice.Ratio{Num: 29, Den: 1}, buffer
	r.sw = mustNew(t, c)
	for i := range n - 1 {
		r.nodes = append(r.nodes, mustNew(t, NodeConfig(network, sluice.SwitchID(i), link)))
		r.upstream = append(
			r.upstream, mustNew(t, SwitchConfig(network, network.SwitchOf(sluice.SwitchID(i), 1), link)),
		)
	}
	// The node behind egress e says that its other switch is full, so that no IHFQ there is served.
	for far := 1; far < n; far++ {
		r.sw.Port(r.e).Receive(0, &Frame{
			Type: Pause, Sequence: uint32(far), Queue: network.DDQ(), Port: sluice.PortID(far), Layer: 1,
		})
	}
	return r
}

func (r *race) time() sluice.Time { return sluice.Time(r.now) * byteTime }

func (r *race) at(at sluice.Bytes, rank int, do func()) {
	r.agenda = append(r.agenda, racing{at, rank, do})
}

func (r *race) run() {
	for len(r.agenda) > 0 {
		slices.SortStableFunc(r.agenda, func(a, b racing) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
		})
		next := r.agenda[0]
		r.agenda = r.agenda[1:]
		r.now = next.at
		next.do()
	}
	require.NoError(r, r.sw.Audit())
}

// packet returns a packet at the switch for egress out: for the node behind it, or a packet that
// this node relays.
func (r *race) packet(out, ingress sluice.PortID, size sluice.Bytes, relayed bool) sluice.Packet {
	p := sluice.Packet{Size: size, Ingress: ingress}
	p.Path.Append(sluice.Hop{Switch: r.sw.config.Switch, Port: out})
	if relayed {
		node := sluice.SwitchID(out)
		p.Path.Append(sluice.Hop{Switch: node, Port: 1})
		p.Path.Append(sluice.Hop{Switch: r.network.SwitchOf(node, 1), Port: 1})
	}
	return p
}

// arrive takes a packet into the switch.
func (r *race) arrive(p sluice.Packet) {
	if v := r.sw.Port(p.Path.At(0).Port).Enqueue(r.time(), &p); v.Action() == sluice.Drop {
		require.Equal(r, sluice.BufferFull, v.Reason())
		r.lost++
	}
}

// fill takes in a number of bytes of one kind for an egress.
func (r *race) fill(out sluice.PortID, bytes sluice.Bytes, relayed bool) {
	ingress := r.e
	if out == r.e {
		ingress = 0
	}
	for ; bytes > 0; bytes -= tightPacket {
		r.arrive(r.packet(out, ingress, min(bytes, tightPacket), relayed))
	}
}

// leave has egress e send a packet of a full size.
func (r *race) leave(relayed bool) {
	p := r.packet(r.e, 0, tightPacket, relayed)
	port := r.sw.Port(r.e)
	q := port.place(&p)
	p.Note = port.note(q, p.Size)
	require.Equal(r, sluice.Transmit, port.Dequeue(r.time(), sluice.QueueID(q), &p).Action())
}

// tell delivers all frames that the switch owes, in no time.
func (r *race) tell() {
	var f Frame
	for i, node := range r.nodes {
		for r.sw.Port(sluice.PortID(i)).PollFrame(r.time(), &f) {
			node.Port(0).Receive(r.time(), &f)
		}
	}
}

// window plans the instant t0 at which a detector of e fires: every port has just begun a packet,
// and until that is sent all other detectors change: the detector of e for the other kind by a
// packet that leaves, if it is to, and the detectors of other egresses by packets that come in by
// e.
func (r *race) window(t0 sluice.Bytes, others, other bool) {
	n := r.network.N
	for i := range r.nodes {
		r.at(t0+tightPacket, rankFree, func() { r.sendFrames(i) })
	}
	if other {
		r.at(t0+1, rankFree, func() { r.leave(others) })
	}
	for k := range 2 * (n - 1) {
		size := tightPacket / sluice.Bytes(2*(n-1))
		r.at(t0+sluice.Bytes(k)*size, rankPacket, func() {
			if !r.sw.Port(sluice.PortID(k / 2)).pauses(uint8(k % 2)) {
				r.arrive(r.packet(sluice.PortID(k/2), r.e, size, k%2 == 1))
			}
		})
	}
}

// sendFrames has the switch send what it owes node i, frame by frame.
func (r *race) sendFrames(i int) {
	var f Frame
	if !r.sw.Port(sluice.PortID(i)).PollFrame(r.time(), &f) {
		return
	}
	r.at(r.now+2*tightPacket, rankFrame, func() { r.hear(i, f) })
	r.at(r.now+tightPacket, rankFree, func() { r.sendFrames(i) })
}

// hear has a node obey a frame. Its port to the switch upstream has just begun a packet, after
// which it passes the frame on.
func (r *race) hear(i int, f Frame) {
	node := r.nodes[i]
	node.Port(0).Receive(r.time(), &f)
	if node.Port(1).Owes() {
		r.at(r.now+tightPacket, rankFree, func() {
			var f Frame
			for sent := r.now; node.Port(1).PollFrame(r.time(), &f); sent += tightPacket {
				f := f
				r.at(sent+2*tightPacket, rankFrame, func() {
					r.upstream[i].Port(r.upstreamPort(i)).Receive(r.time(), &f)
				})
			}
		})
	}
}

// upstreamPort is the port of the switch of layer 1 that leads to node i: its digit is 0.
func (r *race) upstreamPort(i int) sluice.PortID {
	return sluice.PortID(r.network.Digit(sluice.SwitchID(i), 1))
}

// stream has node i send packets without a break, so that the first is all there at t0: its own,
// which another node will relay, or what comes from the switch upstream for the node behind e.
func (r *race) stream(i int, t0 sluice.Bytes, relayed bool) {
	const onTheWay = 2 * tightPacket // on the link, and its delay
	if !relayed {
		r.at(t0-onTheWay, rankFree, func() { r.sendFromNode(i, true) })
		return
	}
	r.at(t0-2*onTheWay-tightPacket, rankFree, func() { r.sendUpstream(i) })
	r.at(t0-onTheWay, rankFree, func() { r.sendFromNode(i, false) })
}

// sendFromNode sends the node's next packet, if none of its queues is held; refill gives it another
// of its own before.
func (r *race) sendFromNode(i int, refill bool) {
	port := r.nodes[i].Port(0)
	own := r.packet(r.e, sluice.PortID(i), tightPacket, refill)
	at := own
	at.Path = sluice.Path{}
	at.Path.Append(port.self())
	for _, hop := range own.Path.Hops() {
		at.Path.Append(hop)
	}
	at.Ingress = 1
	if refill {
		at.Ingress = sluice.Local
		require.Equal(r, sluice.Append, port.Enqueue(r.time(), &at).Action())
	}
	q, ok := port.Next(r.time())
	if !ok {
		return
	}
	at.Note = port.note(int(q), at.Size)
	require.Equal(r, sluice.Transmit, port.Dequeue(r.time(), q, &at).Action())
	r.at(r.now+2*tightPacket, rankPacket, func() { r.arrive(own) })
	r.at(r.now+tightPacket, rankFree, func() { r.sendFromNode(i, refill) })
}

// sendUpstream sends the next packet of the switch upstream to node i, which relays it.
func (r *race) sendUpstream(i int) {
	node := r.nodes[i].Port(0)
	port := r.upstream[i].Port(r.upstreamPort(i))
	p := sluice.Packet{Size: tightPacket, Ingress: 1}
	p.Path.Append(port.self())
	p.Path.Append(node.self())
	p.Path.Append(sluice.Hop{Switch: r.sw.config.Switch, Port: r.e})
	require.Equal(r, sluice.Append, port.Enqueue(r.time(), &p).Action())
	q, ok := port.Next(r.time())
	if !ok {
		return
	}
	require.Equal(r, sluice.Transmit, port.Dequeue(r.time(), q, &p).Action())
	p.Path.Advance()
	r.at(r.now+2*tightPacket, rankPacket, func() {
		require.Equal(r, sluice.Append, node.Enqueue(r.time(), &p).Action())
	})
	r.at(r.now+tightPacket, rankFree, func() { r.sendUpstream(i) })
}

// nearly leaves the detectors of other egresses a byte below X_off, and the detector of e for one
// kind, which told the nodes last that it pauses and resumes, so that its frame is the last of the
// due frames. The other detector of e pauses, if it is to.
func (r *race) nearly(relayed, other bool) {
	off := r.sw.ports[r.e].limitsOf(0).off
	for out := range r.e {
		r.fill(out, off-1, false)
		r.fill(out, off-1, true)
	}
	if other {
		r.fill(r.e, off, !relayed)
		r.tell()
	}
	r.fill(r.e, off, relayed)
	r.tell()
	r.leave(relayed)
	r.tell()
	r.fill(r.e, tightPacket-1, relayed)
}

// driveA takes the IHFQs of e to X_off while the nodes send for them as fast as they can.
func (r *race) driveA(t0 sluice.Bytes, other bool) {
	for i := range r.nodes {
		r.stream(i, t0, false)
	}
	r.window(t0, false, other)
	r.run()
}

// driveB takes the DDQ of e to X_off while the nodes relay for it as fast as they can.
func (r *race) driveB(t0 sluice.Bytes, other bool) {
	for i := range r.nodes {
		r.stream(i, t0, true)
	}
	r.window(t0, true, other)
	r.run()
}

func (r *race) bound() Bound {
	c := r.sw.Config()
	relay := Relay{Link: c.Ports[0].Link}
	for _, node := range r.nodes {
		relay.Backlog = max(relay.Backlog, node.Port(0).Counters().RelayPeak)
	}
	bound, err := c.Headroom(tightPacket, relay)
	require.NoError(r, err)
	return bound
}

// The IHFQs of an egress hold as much as Headroom says, to the byte, when everything that it counts
// comes together; and with a byte less of buffer the switch loses a packet.
func TestHeadroomOfIHFQsIsExact(t *testing.T) {
	for _, n := range []int{2, 3, 4} {
		drive := func(buffer sluice.Bytes) *race {
			r := newRace(t, n, buffer)
			r.nearly(true, true)
			r.driveA(10_000, true)
			return r
		}
		r := drive(0)
		require.Equal(t, r.bound().IHFQ, r.sw.Port(r.e).Counters().IHFQPeak, "n = %d", n)
		require.Zero(t, r.lost)
		most := r.sw.Counters().BufferPeak
		require.Zero(t, drive(most).lost)
		require.Equal(t, 1, drive(most-1).lost)
	}
}

// The same of the DDQ, fed through relays, in NDC(2,1). With more ports a frame of another DDQ
// either delays ours at the switch or the frame that the node passes on, not both: what is held is
// less than the bound by a frame for each.
func TestHeadroomOfTheDDQIsExact(t *testing.T) {
	for _, n := range []int{2, 3, 4} {
		drive := func(buffer sluice.Bytes) *race {
			r := newRace(t, n, buffer)
			r.nearly(false, true)
			r.driveB(10_000, true)
			return r
		}
		r := drive(0)
		bound := r.bound()
		require.Positive(t, r.nodes[0].Port(0).Counters().RelayPeak)
		short := sluice.Bytes((n-1)*(n-2)) * WireLength
		require.Equal(t, bound.DDQ-short, r.sw.Port(r.e).Counters().DDQPeak, "n = %d", n)
		most := r.sw.Counters().BufferPeak
		require.Zero(t, drive(most).lost)
		require.Equal(t, 1, drive(most-1).lost)
	}
}

// Both detectors of an egress, one after the other. The second does not wait for a frame of the
// first, which pauses all the while: a frame less from every other port.
func TestHeadroomOfBothIsExact(t *testing.T) {
	drive := func(buffer sluice.Bytes) *race {
		r := newRace(t, 2, buffer)
		r.nearly(true, true)
		r.driveA(10_000, true)
		off := r.sw.ports[r.e].limitsOf(0).off
		r.fill(r.e, off-1-r.sw.Port(r.e).detectors[0].bytes, false)
		r.driveB(20_000, false)
		return r
	}
	r := drive(0)
	bound := r.bound()
	held := r.sw.Port(r.e).detectors[0].bytes + r.sw.Port(r.e).detectors[1].bytes
	require.Equal(t, bound.IHFQ+bound.DDQ-WireLength, held)
	require.Equal(t, bound.Total, 2*held, "of a switch: every egress in that state")
	most := r.sw.Counters().BufferPeak
	require.Zero(t, drive(most).lost)
	require.Equal(t, 1, drive(most-1).lost)
}
