package tofino

import (
	"math/bits"

	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Kinds of packet inside the chip: the first octet of those that are not from a front port.
const (
	kindNothing = iota
	kindData
	kindNotice // of a departure
	kindFreed  // a queue that emptied, on its second round
	kindSignal // a frame to be made
	kindFrame  // a frame that came in: of metadata alone
	bfcKinds
)

// kindNames are the names of the kinds in the text of a program.
var kindNames = map[uint64]string{kindData: "KIND_DATA", kindNotice: "KIND_NOTICE",
	kindFreed: "KIND_FREED", kindSignal: "KIND_SIGNAL", kindFrame: "KIND_FRAME"}

// bfcHeaders are those of packets and those that the chip puts in front.
type bfcHeaders struct {
	stack
	bridge, order, shim                          *ir.Header
	kind, egress, queue, ingress, upstream, vfid *ir.Field // of bridge
	back, cells, counted                         *ir.Field
}

// bfcMetadata are the fields of ingress, and of egress the session.
type bfcMetadata struct {
	kind, ingress, egress, queue, upstream, vfid, cells, back   *ir.Field
	front, routed, withheld                                     *ir.Field
	ingressClass, egressClass, limit, sticky, port, upstreamMax *ir.Field
	hold, windowEnd, fresh                                      *ir.Field
	now, last, age, rest, empty, unused, got, position          *ir.Field
	filled, emptied, busy, was, paused, active                  *ir.Field
	depth, excess, over, known, counted, first, ended           *ir.Field
	session, mirror                                             *ir.Field
}

// widths decides how many bits numbers have.
func (b *bfcBuilder) widths() {
	most := 1
	for at := range b.full.Ports {
		most = max(most, b.full.Ports[at].UpstreamQueues)
	}
	b.upstreamBits = width(most)
	b.queueBits, b.vfidBits = bits.Len(uint(b.full.Queues-1)), bits.Len(uint(b.full.VFIDs-1))
}

// declareHeaders declares headers in the order in which they are sent.
func (b *bfcBuilder) declareHeaders() {
	h := &b.headers
	h.kind, h.egress, h.queue, h.ingress = octet("kind"), octet("egress"), octet("queue"),
		octet("ingress")
	h.upstream, h.vfid, h.back = twoOctets("upstream"), twoOctets("vfid"), portNumber("back")
	h.cells, h.counted = fourOctets("cells"), octet("counted")
	h.bridge = header("bridge", h.kind, h.egress, h.ingress, h.counted, octet("queue_high"), h.queue,
		h.upstream, h.vfid, beside(h.back), h.back, h.cells)
	h.order = header("order", octet("kind"), octet("type"), twoOctets("queue"))
	h.shim = header(
		"shim", twoOctets("ether_type"), octet("version"), octet("reserved"), twoOctets("queue"),
	)
	h.stack = newStack([]*ir.Field{twoOctets("count"), twoOctets("queue")}, 8)
	b.p.Headers = []*ir.Header{h.bridge, h.order, h.cut, h.ethernet, h.shim, h.etherType, h.signal,
		h.padding, h.ip, h.l4}
}

// declareMetadata declares what a pass remembers.
func (b *bfcBuilder) declareMetadata() {
	m := &b.md
	in := func(name string, bits int) *ir.Field { return b.field(ir.Ingress, name, bits) }
	m.kind, m.ingress, m.egress = in("kind", 8), in("ingress", 8), in("egress", 8)
	m.queue, m.upstream, m.vfid = in("queue", 8), in("upstream", 16), in("vfid", 16)
	m.cells, m.back, m.port = in("cells", 32), in("back", 9), in("port", 9)
	m.front, m.routed, m.withheld = in("front", 1), in("routed", 1), in("withheld", 1)
	m.ingressClass, m.egressClass = in("ingress_class", b.portBits), in("egress_class", b.portBits)
	m.sticky, m.upstreamMax, m.limit = in("sticky", 32), in("upstream_max", 16), in("limit", 32)
	m.hold, m.windowEnd, m.fresh = in("hold", 32), in("window_end", 32), in("fresh", 1)
	m.now, m.last, m.age, m.rest = in("now", 32), in("last", 32), in("age", 32), in("rest", 32)
	m.empty, m.unused, m.got, m.position = in(
		"empty", 1,
	), in("unused", 1), in("got", 1), in("position", 8)
	m.filled, m.emptied, m.busy, m.was = in("filled", 1), in("emptied", 1), in("busy", 1), in("was", 1)
	m.paused, m.active = in("paused", 1), in("active", 8)
	m.depth, m.excess, m.known = in("depth", 32), in("excess", 32), in("known", 16)
	m.over, m.counted, m.first, m.ended = in("over", 1), in("counted", 8), in("first", 1),
		in("ended", 1)
	m.session = in("session", 8)
	m.mirror = b.field(ir.Egress, "session", 8)
}

// bfcRegisters are the registers and what is done to them.
type bfcRegisters struct {
	heard, last, size, freeTop, freeID, flowQueue, packets, listed, paused *ir.Register
	active, length, counter, sequence                                      *ir.Register
}

// never is the size of an entry that was never used, more than a queue can hold.
const never = 1 << 15

// declareRegisters declares the registers of the table in the documentation of [BFC].
func (b *bfcBuilder) declareRegisters() {
	type (
		test = []ir.Predicate
		then = []ir.Update
	)
	r, ports := &b.registers, len(b.full.Ports)
	flows, queues := ports<<b.vfidBits, ports<<b.queueBits
	r.heard = b.heard(ports)
	r.last = b.register("last", 32, flows, ir.Ingress, does("read_last", nil, nil, sayMemory),
		does("note_last", nil, then{setInput}))
	r.size = b.register("flow_size", 16, flows, ir.Ingress,
		does("join", test{isValue(0), isValue(never)}, then{
			counts(not(ir.Second), ir.Low, 1),
			becomes(ir.Second, ir.Low, 0, 1),
		}, sayIf(ir.First|ir.Second), sayIf(ir.Second)),
		does("leave", nil, then{oneLess}))
	r.size.Initial[0] = never
	r.freeTop = b.register("free_top", 8, ports, ir.Ingress,
		does("pop", test{isValue(0)}, then{counts(not(ir.First), ir.Low, -1)},
			sayIf(not(ir.First)), sayAfter),
		does("push", nil, then{oneMore}, sayMemory))
	r.freeTop.Initial[0] = uint32(b.full.Queues)
	r.freeID = b.register("free_id", 8, queues, ir.Ingress, does("read_id", nil, nil, sayMemory),
		does("write_id", nil, then{setInput}))
	r.flowQueue = b.register("flow_queue", 8, flows, ir.Ingress,
		does("read_queue", nil, nil, sayMemory),
		does("write_queue", nil, then{setInput}))
	r.packets = b.register("packets", 16, queues, ir.Ingress,
		does("add_packet", test{isValue(0)}, then{oneMore}, sayIf(ir.First)),
		does("take_packet", test{isValue(1)}, then{oneLess}, sayIf(ir.First)),
		does("has_packets", test{isValue(0)}, nil, sayIf(not(ir.First))))
	r.listed = b.register("listed", 1, queues, ir.Ingress, does("unlist", nil, then{set0}),
		does("list", nil, then{set1}, sayMemory))
	r.listed.Initial[0] = 1
	r.paused = b.register("paused", 1, queues, ir.Ingress,
		does("pause_queue", nil, then{set1}, sayMemory),
		does("resume_queue", nil, then{set0}, sayMemory), does("read_paused", nil, nil, sayMemory))
	r.active = b.register("active", 8, ports, ir.Ingress,
		does("activate", nil, then{oneMore}, sayAfter),
		does("deactivate", nil, then{oneLess}), does("read_active", nil, nil, sayMemory))
	b.declareLength(queues)
	counters := ports << b.upstreamBits
	r.counter = b.register("counter", 16, counters, ir.Ingress,
		does("count", test{isValue(0)}, then{oneMore}, sayIf(ir.First)),
		does("uncount", test{isValue(1)}, then{oneLess}, sayIf(ir.First)))
	r.sequence = b.numbers(ports)
}

// declareLength declares the register of depths, which ghost writes or packets and notices.
func (b *bfcBuilder) declareLength(queues int) {
	if b.Depth == Ghost {
		b.registers.length = b.told("length", queues)
		return
	}
	b.registers.length = b.register("length", 32, queues, ir.Ingress,
		does("add_cells", nil, []ir.Update{moreBy(ir.Low)}, sayAfter),
		does("take_cells", nil, []ir.Update{lessBy(ir.Low)}))
}

// Types of frames, as on the wire.
const (
	pauseType  = uint64(bfc.Pause)
	resumeType = uint64(bfc.Resume)
)
