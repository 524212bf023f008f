package tofino

import (
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Kinds of packet inside the chip, the first octet of those that are not from a front port; those
// of the generator begin with less than 64.
const (
	ofcNothing = iota
	ofcFrame   // a frame that came in: of metadata alone
	ofcTimer   // of the generator: of metadata alone

	ofcData   = 0x40 + iota // data on its way to egress
	ofcNotice               // of a departure
	ofcMoved                // data on its way to the paused queue
	ofcWalk                 // to name all flows of an egress queue that came by an ingress
	ofcRepeal               // to resume all flows that were told
	ofcTell                 // a frame, on its way to the egress copy of congested_flow_tab
	ofcTold                 // it has been there
	ofcMark                 // and is behind all that moved before: the order mark
	ofcEnded                // a rotation has ended
	ofcNext                 // the next may begin
	ofcOpen                 // a queue is to be served
	ofcSignal               // a frame to be made
)

// ofcKinds are their names in the text of the program.
var ofcKinds = map[uint64]string{ofcFrame: "KIND_FRAME", ofcTimer: "KIND_TIMER",
	ofcData: "KIND_DATA", ofcNotice: "KIND_NOTICE", ofcMoved: "KIND_MOVED", ofcWalk: "KIND_WALK",
	ofcRepeal: "KIND_REPEAL", ofcTell: "KIND_TELL", ofcTold: "KIND_TOLD", ofcMark: "KIND_ORDER_MARK",
	ofcEnded: "KIND_ENDED", ofcNext: "KIND_NEXT", ofcOpen: "KIND_OPEN", ofcSignal: "KIND_SIGNAL"}

// What a frame does to congested_flow_tab.
const (
	tellPause = 1 + iota
	tellResume
	tellDefer // resume when the rotation ends
)

// ofcBridgeOctets is the length of the header that data has inside the chip.
const ofcBridgeOctets = 22

// ofcBody and ofcFlow are the length of a frame's body without flows, and of a flow in it.
const (
	protocolOFC = 2
	ofcBody     = 12
	ofcFlow     = 8
	ofcAll      = 1 // flags
	ofcLast     = 2
)

// ofcOrder are the fields of an order, a packet of the chip's own.
type ofcOrder struct {
	header                                 *ir.Header
	kind, egress, class, ingress, back     *ir.Field
	what, flag, queue, then, at, high, low *ir.Field
}

// ofcHeaders are those of packets and those that the chip puts in front.
type ofcHeaders struct {
	stack
	bridge, timer                                   *ir.Header
	subject, series, flow                           *ir.Header // of signal
	kind, egress, ingress, class, queue, where      *ir.Field  // of bridge
	cells, back, port, high, low                    *ir.Field
	order                                           ofcOrder // of a packet
	tell                                            ofcOrder // before a mirrored copy
	batch, packet                                   *ir.Field
	signalClass, list, count, signalHigh, signalLow *ir.Field
}

// ofcMetadata are the fields of ingress.
type ofcMetadata struct {
	kind, ingress, egress, class, managed, port, back, base, cells         *ir.Field
	high, low, where, at, flag, front, routed, gone                        *ir.Field
	congestedLimit, allLimit, onLimit                                      *ir.Field
	windowEnd, fresh                                                       *ir.Field
	in, out, overIn, overAll, overOut, low0                                *ir.Field
	gotA, gotB, found, from, unknown, drains                               *ir.Field
	rotating, ended, rotated, side, queue                                  *ir.Field
	until, ownA, ownB, goneA, goneB, newFlow, backAgain, goneFlows         *ir.Field
	qid, cameBy, obeys, stops, isIn, isAll, isOut, isLow, strangers, other *ir.Field
	more, less, original, any, epoch, was, walk                            *ir.Field
	roomA, roomB, freshA, freshB, last, told, allNew, allWas               *ir.Field
	hold, word, session                                                    *ir.Field
	outLimit                                                               *ir.Field

	depths [ofc.QueuesPerClass]*ir.Field
}

// ofcEgress are the fields of egress.
type ofcEgress struct {
	until, high, low, ownA, ownB, got, session *ir.Field
}

func (b *ofcBuilder) newOrder(name string) ofcOrder {
	o := ofcOrder{
		kind: octet("kind"), egress: octet("egress"), class: classNumber("class"),
		ingress: octet("ingress"), back: portNumber("back"), what: octet("what"), flag: octet("flag"),
		queue: octet("queue"), then: twoOctets("then"), at: twoOctets("at"), high: fourOctets("high"),
		low: fourOctets("low"),
	}
	o.header = header(name, o.kind, o.egress, beside(o.class), o.class, o.ingress, beside(o.back),
		o.back, o.what, o.flag, o.queue, octet("reserved"), o.then, o.at, o.high, o.low)
	return o
}

// classNumber is a field of a class.
func classNumber(name string) *ir.Field { return &ir.Field{Name: name, Bits: 3} }

// declareHeaders declares headers in the order in which they are sent.
func (b *ofcBuilder) declareHeaders() {
	h := &b.headers
	h.kind, h.egress, h.ingress = octet("kind"), octet("egress"), octet("ingress")
	h.class, h.queue, h.where = classNumber("class"), octet("queue"), octet("where")
	h.cells, h.back, h.port = fourOctets("cells"), portNumber("back"), portNumber("port")
	h.high, h.low = fourOctets("high"), fourOctets("low")
	h.bridge = header("bridge", h.kind, h.egress, h.ingress, beside(h.class), h.class, h.queue,
		h.where, h.cells, beside(h.back), h.back, beside(h.port), h.port, h.high, h.low)
	h.order, h.tell = b.newOrder("order"), b.newOrder("tell")
	h.stack = newStack(nil, 4)
	h.batch, h.packet = twoOctets("batch"), twoOctets("packet")
	h.timer = header("timer", octet("app"), octet("reserved"), h.batch, h.packet)
	h.signalClass, h.list, h.count = classNumber("class"), octet("list"), twoOctets("count")
	h.signalHigh, h.signalLow = fourOctets("flow_high"), fourOctets("flow_low")
	h.subject = header("subject", beside(h.signalClass), h.signalClass, h.list, h.count)
	h.series = header("series", fourOctets("generation"), fourOctets("parts"))
	h.flow = header("flow", h.signalHigh, h.signalLow)
	b.p.Headers = []*ir.Header{h.bridge, h.order.header, h.tell.header, h.cut, h.timer, h.ethernet,
		h.etherType, h.signal, h.subject, h.series, h.flow, h.padding, h.ip, h.l4}
}

// declareMetadata declares what a pass remembers.
func (b *ofcBuilder) declareMetadata() {
	m, e := &b.md, &b.eg
	in := func(name string, bits int) *ir.Field { return b.field(ir.Ingress, name, bits) }
	bit := func(name string) *ir.Field { return in(name, 1) }
	number := func(name string) *ir.Field { return in(name, 32) }
	m.kind, m.ingress, m.egress = in("kind", 8), in("ingress", 8), in("egress", 8)
	m.class, m.managed, m.port, m.back = in("class", 3), bit("managed"), in("port", 9), in("back", 9)
	m.base, m.qid, m.cells, m.high, m.low = in("base", 8), in("qid", 8), number("cells"),
		number("high"), number("low")
	m.where, m.at, m.flag, m.front = in("where", 8), in("at", 16), in("flag", 8), bit("front")
	m.cameBy, m.obeys, m.stops = number("came_by"), bit("obeys"), number("stops")
	m.isIn, m.isAll, m.isOut, m.isLow = bit("beyond_in"), bit("beyond_all"), bit("beyond_out"),
		bit("is_low")
	m.strangers, m.newFlow, m.backAgain, m.goneFlows = bit("strangers"), number("new_flow"),
		number("back_again"), number("gone_flows")
	m.other = in("other", 8)
	m.routed, m.gone = bit("routed"), in("gone", 8)
	m.congestedLimit, m.allLimit, m.onLimit = number("congested_limit"), number("all_limit"),
		number("on_limit")
	m.outLimit = number("out_limit")
	m.windowEnd, m.fresh = number("window_end"), bit("fresh")
	m.in, m.out = number("q_in_now"), number("q_out_now")
	m.overIn, m.overAll, m.overOut = number("over_in"), number("over_all"), number("over_out")
	m.low0, m.gotA, m.gotB, m.found = number("below"), bit("got_a"), bit("got_b"), bit("found")
	m.from, m.unknown, m.drains = number("from"), number("unknown"), number("drains")
	m.rotating, m.ended, m.rotated = bit("rotating"), bit("drained"), bit("rotated")
	m.side, m.queue, m.until = in("paused_queue", 8), in("queue", 8), number("until")
	m.ownA, m.ownB, m.goneA, m.goneB = bit("own_a"), bit("own_b"), number("gone_a"), number("gone_b")
	m.more, m.less, m.original = number("more"), number("less"), in("original", 8)
	m.any, m.epoch, m.was, m.walk = in("any", 8), number("epoch"), bit("was"), bit("walk")
	m.roomA, m.roomB, m.freshA = bit("room_a"), bit("room_b"), bit("fresh_a")
	m.freshB, m.last, m.told = bit("fresh_b"), bit("last"), bit("told")
	m.allNew, m.allWas, m.hold, m.word = bit("all_new"), bit("all_was"), number("hold"), bit("word")
	m.session = in("session", 8)
	out := func(name string, bits int) *ir.Field { return b.field(ir.Egress, name, bits) }
	e.until, e.ownA, e.ownB, e.got = out("until", 32), out("own_a", 1), out("own_b", 1), out("got", 1)
	e.high, e.low, e.session = out("high", 32), out("low", 32), out("session", 8)
}

// The types of frames that the program knows.
const (
	ofcPause  = uint64(ofc.Pause)
	ofcResume = uint64(ofc.Resume)
)
