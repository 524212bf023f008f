// A switch of PortFC (Cao, Ning, Zhao et al.: Revisiting Flow Control in Node-Centric Datacenter
// Networks, IEEE Transactions on Networking, 2026) in NDC(n,1). Sections and algorithms are of that
// paper.
//
// A port has n-1 queues for packets that the next node relays, one for each egress of the switch
// behind that node: IHFQs, numbers 0 to n-2. One queue is for packets to the next node itself: DDQ,
// number n-1. The last is for packets of high priority and for frames: HQ.
//
// What pauses an upstream, in the order of the packet that does it:
//
//	limits          the IHFQs of a port are together one detector, its DDQ is another: X_off
//	ihfq_add_ihfq   a packet adds its cells to the sum; from X_off on the flag is set (Algorithm 1)
//	send_pause      the packet that set it sends a mirrored copy round, which is an order
//	others          the order is copied to all ports but the congested one
//	signals         each copy becomes a frame to the node at its port, in egress
//
// What resumes it: egress notifies ingress of each packet that left (notify). The notice subtracts
// (ihfq_take_ihfq), and the one that comes down to X_on clears the flag (Algorithm 2) and becomes
// an order itself (send_resume).
//
// What is paused here: a frame from a node is about the IHFQ of one port (afc), which a word of
// flow control holds or releases in the traffic manager (Algorithm 4).
//
// A configuration defines, beside what common.p4 names:
//
//	LAYER         of this switch, 0 or 1
//	DDQ           number of that queue, n-1
//	HQ            number of that queue, n
//	HIGH_CLASSES  how many traffic classes take HQ

#include "config.p4h"
#include "common.p4"

const bit<8> PROTOCOL = 4;
const bit<8> PAUSE = 1;
const bit<8> RESUME = 2;
const bit<16> BODY = 5; // octets of a frame behind its sequence number

const bit<8> KIND_DATA = 1;
const bit<8> KIND_NOTICE = 2;  // a packet has left its queue
const bit<8> KIND_SIGNAL = 4;  // an order on its way to all ports but one
const bit<8> KIND_FRAME = 5;   // a frame that came in
const bit<8> KIND_REPLICA = 6; // an order at the port that sends its frame

const bit<8> COUNTS_IHFQ = 1; // the detector that a packet counts for, or none
const bit<8> COUNTS_DDQ = 2;

// ======== Headers and metadata ========

// From ingress to egress: what a packet counts. A notice brings it back.
header bridge_h {
    bit<8> kind;
    bit<8> class;  // the detector
    bit<16> index; // the egress port
    bit<32> cells;
}

// A frame to be made (GenFrame in Algorithms 1 and 2).
header order_h {
    bit<8> kind;
    bit<8> type;
    bit<16> queue; // the lowest that the detector counts
    bit<16> port;  // the congested one
}

header signal_h {
    FRAME_BEGINS
    bit<16> queue;
    bit<16> port;
    bit<8> layer; // of the switch whose port that is
}

header padding_h {
    bit<24> p0;
    bit<32> p1;
    bit<32> p2;
    bit<32> p3;
    bit<32> p4;
    bit<32> p5;
    bit<32> p6;
    bit<32> p7;
}

struct headers_t {
    bridge_h bridge;
    order_h order;
    cut_h cut;
    ethernet_h ethernet;
    ether_type_h ether_type;
    signal_h signal;
    padding_h padding;
    ipv4_h ipv4;
}

@pa_auto_init_metadata // zeros to begin with
struct ingress_metadata_t {
    bit<8> kind;
    bit<8> class;  // the detector
    bit<16> index; // the egress port
    bit<16> from;  // the ingress port
    bit<32> cells;
    bit<9> port; // the egress port's number on the chip
    bit<7> qid;
    bit<32> mark; // what the sum of cells is compared with
    bit<16> named; // the queue that a frame names
    bit<1> crossed; // X_off or X_on, for the first time
    bit<32> window_end;
    bit<1> fresh;
    bit<8> session;
    bit<32> hold; // 1 in a frame that pauses
#if GHOST
    bit<32> ddq_depth;
#endif
}

@pa_auto_init_metadata
struct egress_metadata_t {
    bit<8> session;
}

// ======== Ingress ========

parser IngressParser(
        packet_in pkt,
        out headers_t hdr,
        out ingress_metadata_t md,
        out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition parse_begin;
    }

    PARSE_ARRIVAL

    state parse_round {
        transition select(pkt.lookahead<bit<8>>()) {
            KIND_NOTICE: parse_notice;
            KIND_SIGNAL: parse_order;
            default: reject;
        }
    }

    state parse_notice {
        pkt.extract(hdr.bridge);
        pkt.extract(hdr.cut);
        transition accept;
    }

    state parse_order {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
        transition accept;
    }

    state parse_packet {
        pkt.extract(hdr.ether_type);
        transition select(hdr.ether_type.value) {
            IPV4: parse_ip;
            default: accept;
        }
    }

    state parse_ip {
        pkt.extract(hdr.ipv4);
        transition accept;
    }

    // A frame is read to the last octet: one that says more than it may is refused.
    state parse_frame {
        transition select(pkt.lookahead<bit<32>>()) {
            PROTOCOL ++ FRAME_VERSION ++ PAUSE ++ 8w0: parse_frame_length;
            PROTOCOL ++ FRAME_VERSION ++ RESUME ++ 8w0: parse_frame_length;
            default: reject;
        }
    }

    state parse_frame_length {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            BODY: parse_zeros;
            default: reject;
        }
    }

    state parse_zeros {
        transition select(pkt.lookahead<bit<24>>()) {
            0: parse_zeros_2;
            default: reject;
        }
    }
    PARSE_ZEROS(parse_zeros_2, 24, 32, parse_zeros_3)
    PARSE_ZEROS(parse_zeros_3, 32, 32, parse_zeros_4)
    PARSE_ZEROS(parse_zeros_4, 32, 32, parse_zeros_5)
    PARSE_ZEROS(parse_zeros_5, 32, 32, parse_zeros_6)
    PARSE_ZEROS(parse_zeros_6, 32, 32, parse_zeros_7)
    PARSE_ZEROS(parse_zeros_7, 32, 32, parse_zeros_8)
    PARSE_ZEROS(parse_zeros_8, 32, 32, parse_padded)
    state parse_padded {
        pkt.advance(32);
        transition accept;
    }
}

#if GHOST
// The last depth of a port's DDQ that ghost received.
Register<bit<32>, bit<PORT_BITS>>(PORTS, 0) ddq_depth;
#endif

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    action drop() {
        ig_dprsr_md.drop_ctl = DROP;
        md.kind = 0;
    }

    action nothing() {}

    // ---- What a packet is ----

    action take_packet() { md.kind = KIND_DATA; }

    action take_notice() {
        md.kind = KIND_NOTICE;
        md.class = hdr.bridge.class;
        md.index = hdr.bridge.index;
        md.cells = hdr.bridge.cells;
    }

    action take_order() {
        md.kind = KIND_SIGNAL;
        md.index = hdr.order.port;
        hdr.order.kind = KIND_REPLICA;
        hdr.cut.setInvalid();
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.hold = 1;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.hold = 0;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action from_port(bit<16> index) { md.from = index; }

    table port_in {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { from_port; drop; }
        default_action = drop();
        size = PORTS;
    }

    // ---- Where it goes: digits of the destination (section IV-A) ----

    action leave_by(bit<9> port, bit<16> index) {
        md.port = port;
        md.index = index;
    }

    // The egress is the digit of this layer.
    table egress {
        key = { hdr.ipv4.dst : ternary @name("dst"); }
        actions = { leave_by; drop; }
        default_action = drop();
        size = PORTS;
    }

    action to_ihfq(bit<7> qid) {
        md.qid = qid;
        md.class = COUNTS_IHFQ;
    }

    action to_ddq() {
        md.qid = DDQ;
        md.class = COUNTS_DDQ;
    }

    action to_hq() {
        md.qid = HQ;
        md.class = 0;
    }

    // The queue is the other digit: an IHFQ, or the DDQ if that digit is the next node's own, and
    // HQ for some classes (GetQIdx in Algorithm 1, line 1; section III-B).
    table queue {
        key = {
            hdr.ipv4.dscp[7:5] : ternary @name("traffic_class");
            hdr.ipv4.dst : ternary @name("dst");
        }
        actions = { to_ihfq; to_ddq; to_hq; drop; }
        default_action = drop();
        size = PORTS + HIGH_CLASSES;
    }

    CELLS_TABLE(drop)

    // ---- Detectors: X_off and X_on (section IV-C, Algorithms 1 and 2) ----

    // A detector of a port has two words: the sum of cells, and the flag upstreamIsPaused. A packet
    // compares the sum before it with X_off less its own cells, a notice with X_on and its cells:
    // that is md.mark.
    Register<pair32_t, bit<PORT_BITS>>(PORTS, {0, 0}) ihfq;
    Register<pair32_t, bit<PORT_BITS>>(PORTS, {0, 0}) ddq;

    // A packet joins an IHFQ: Algorithm 1, lines 5 to 13.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ihfq) ihfq_add_ihfq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark) {
                value.high = 1;
            }
            if (before.low >= md.mark && before.high == 0) {
                crossed = 1;
            }
        }
    };

    // A packet has left an IHFQ: Algorithm 2, lines 1 to 10.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ihfq) ihfq_take_ihfq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low - md.cells;
            if (before.low <= md.mark) {
                value.high = 0;
            }
            if (before.low <= md.mark && before.high != 0) {
                crossed = 1;
            }
        }
    };

#if GHOST
    // The sum of the DDQ is the last depth that ghost received, and md.mark is what the depth lacks
    // to X_off, or to one more than X_on.
    READ_ACTION(bit<32>, bit<PORT_BITS>, ddq_depth, read_depth)

    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_add_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            if (md.mark == 0) {
                value.high = 1;
            }
            if (md.mark == 0 && before.high == 0) {
                crossed = 1;
            }
        }
    };

    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_take_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            if (md.mark != 0) {
                value.high = 0;
            }
            if (md.mark != 0 && before.high != 0) {
                crossed = 1;
            }
        }
    };
#else
    // A packet joins the DDQ: Algorithm 1, lines 20 to 22.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_add_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark) {
                value.high = 1;
            }
            if (before.low >= md.mark && before.high == 0) {
                crossed = 1;
            }
        }
    };

    // A packet has left the DDQ: Algorithm 2, lines 17 to 19.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_take_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low - md.cells;
            if (before.low <= md.mark) {
                value.high = 0;
            }
            if (before.low <= md.mark && before.high != 0) {
                crossed = 1;
            }
        }
    };
#endif

    action arrives(bit<32> limit, bit<16> queue_named) {
        md.named = queue_named;
        md.mark = limit |-| md.cells;
    }

    action leaves(bit<32> limit, bit<16> queue_named) {
        md.named = queue_named;
        md.mark = limit + md.cells;
    }

#if GHOST
    action missing_to(bit<32> limit, bit<16> queue_named) {
        md.named = queue_named;
        md.mark = limit |-| md.ddq_depth;
    }

    action look_at_depth() { md.ddq_depth = ddq_depth_read_depth.execute(INDEX_OF(md.index)); }
#endif

    // X_off for packets and X_on for notices, of each detector of each port.
    table limits {
        key = {
            md.kind[2:0] : exact @name("kind");
            md.class[1:0] : exact @name("queue_class");
            INDEX_OF(md.index) : exact @name("port");
        }
#if GHOST
        actions = { arrives; leaves; drop; missing_to; }
#else
        actions = { arrives; leaves; drop; }
#endif
        default_action = drop();
        size = 4 * PORTS;
    }

    action arrive_ihfq() { md.crossed = ihfq_add_ihfq.execute(INDEX_OF(md.index)); }
    action leave_ihfq() { md.crossed = ihfq_take_ihfq.execute(INDEX_OF(md.index)); }
    action arrive_ddq() { md.crossed = ddq_add_ddq.execute(INDEX_OF(md.index)); }
    action leave_ddq() { md.crossed = ddq_take_ddq.execute(INDEX_OF(md.index)); }

    // ---- Orders: GenFrame and SendToUpstream (Algorithms 1 and 2) ----

    // The packet goes its way. Its mirrored copy goes round behind the order.
    action send_pause() {
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = PAUSE;
        hdr.order.queue = md.named;
        hdr.order.port = md.index;
        ig_dprsr_md.mirror_type = 1;
        md.session = SIGNAL_SESSION;
    }

    // The notice has nowhere to go: it becomes the order.
    action send_resume() {
        hdr.order.setValid();
        hdr.order.kind = KIND_REPLICA;
        hdr.order.type = RESUME;
        hdr.order.queue = md.named;
        hdr.order.port = md.index;
        md.kind = KIND_SIGNAL;
        hdr.bridge.setInvalid();
        hdr.cut.setInvalid();
    }

    action to_others(bit<16> group, bit<9> excluded) {
        ig_tm_md.mcast_grp_a = group;
        ig_tm_md.level2_exclusion_id = excluded;
        ig_tm_md.qid = HQ;
    }

    // "For all other ports": a multicast group of all, without the congested one.
    table others {
        key = { INDEX_OF(md.index) : exact @name("port"); }
        actions = { to_others; drop; }
        default_action = drop();
        size = PORTS;
    }

    // ---- Frames from nodes (Algorithm 4) ----

    HEARD_REGISTER(PORTS, md.from)
    WORD_ACTION

    // The IHFQ, of the port by which the frame came, for the port that the frame says is congested.
    // Only a full DDQ of the switch behind the node is relayed to here (Algorithm 3, line 21).
    table afc {
        key = {
            INDEX_OF(md.from) : exact @name("congested");
            hdr.signal.queue : exact @name("queue");
            hdr.signal.port : exact @name("port");
            hdr.signal.layer : exact @name("layer");
        }
        actions = { say_word; nothing; }
        default_action = nothing();
        size = PORTS * (PORTS - 1);
    }

    // ---- Packets on their way ----

    action forward() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.class = md.class;
        hdr.bridge.index = md.index;
        hdr.bridge.cells = md.cells;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.qid;
    }

    action end() { ig_dprsr_md.drop_ctl = DROP; }

    // A register is in one stage of the chip: all packets pass the same line of registers, and each
    // takes what concerns it.
    apply {
        // What a packet is, its egress and its queue (sections III-B and IV-A).
        if (hdr.bridge.isValid()) {
            take_notice();
        } else if (hdr.order.isValid()) {
            take_order();
        } else if (port_in.apply().hit) {
            if (hdr.signal.isValid()) {
                if (hdr.signal.type == PAUSE) {
                    take_pause();
                } else {
                    take_resume();
                }
                if (WINDOW_WRAPS) {
                    hear_wrapped_frame();
                } else {
                    hear_frame();
                }
                if (md.fresh == 1) {
                    afc.apply();
                }
            }
            if (hdr.ipv4.isValid()) {
                take_packet();
                egress.apply();
                queue.apply();
                packet_cells.apply();
            }
        }

        // The detectors against X_off and X_on (Algorithms 1 and 2).
#if GHOST
        if (md.class == COUNTS_DDQ) {
            look_at_depth();
        }
#endif
        if ((md.kind == KIND_DATA || md.kind == KIND_NOTICE) && md.class != 0) {
            limits.apply();
            if (md.class == COUNTS_IHFQ) {
                if (md.kind == KIND_DATA) {
                    arrive_ihfq();
                } else {
                    leave_ihfq();
                }
            } else if (md.kind == KIND_DATA) {
                arrive_ddq();
            } else {
                leave_ddq();
            }
        }

        // On their way: packets, and orders to all ports but the congested one.
        if (md.crossed == 1) {
            if (md.kind == KIND_DATA) {
                send_pause();
            } else {
                send_resume();
            }
        }
        if (md.kind == KIND_DATA) {
            forward();
        } else if (md.kind == KIND_SIGNAL) {
            others.apply();
        } else if (md.kind != 0) {
            end();
        }
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(1) signal;

    apply {
        if (ig_dprsr_md.mirror_type == 1) {
            signal.emit<order_h>(md.session,
                {hdr.order.kind, hdr.order.type, hdr.order.queue, hdr.order.port});
        }
        pkt.emit(hdr);
    }
}

// ======== Egress ========

parser EgressParser(
        packet_in pkt,
        out headers_t hdr,
        out egress_metadata_t md,
        out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        transition parse_begin;
    }

    state parse_begin {
        transition select(pkt.lookahead<bit<8>>()) {
            KIND_DATA: parse_bridged;
            KIND_NOTICE: parse_bridged;
            KIND_SIGNAL: parse_ordered;
            KIND_REPLICA: parse_ordered;
            default: reject;
        }
    }

    state parse_bridged {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_ordered {
        pkt.extract(hdr.order);
        transition accept;
    }
}

control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {

    SEQUENCE_REGISTER(PORTS)

    action send_signal(bit<PORT_BITS> index, bit<48> source) {
        BEGIN_FRAME(hdr.order.type)
        hdr.signal.length = BODY;
        hdr.signal.queue = hdr.order.queue;
        hdr.signal.port = hdr.order.port;
        hdr.signal.layer = LAYER;
        hdr.padding.p0 = 0;
        hdr.padding.p1 = 0;
        hdr.padding.p2 = 0;
        hdr.padding.p3 = 0;
        hdr.padding.p4 = 0;
        hdr.padding.p5 = 0;
        hdr.padding.p6 = 0;
        hdr.padding.p7 = 0;
        hdr.order.setInvalid();
    }

    SIGNALS_TABLE

    action unbridge() { hdr.bridge.setInvalid(); }

    // The mirrored copy is the notice: it goes round, to ingress.
    action notify() {
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 1;
        eg_dprsr_md.mirror_io_select = 1;
        md.session = NOTICE_SESSION;
        hdr.bridge.setInvalid();
    }

    apply {
        if (hdr.order.isValid() && hdr.order.kind == KIND_REPLICA) {
            signals.apply();
        } else if (hdr.bridge.isValid() && hdr.bridge.kind == KIND_DATA) {
            if (hdr.bridge.class == 0) { // HQ counts for nothing (Algorithm 2, line 26)
                unbridge();
            } else {
                notify();
            }
        }
    }
}

control EgressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in egress_metadata_t md,
        in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror(1) notice;

    apply {
        if (eg_dprsr_md.mirror_type == 1) {
            notice.emit<bridge_h>(md.session,
                {hdr.bridge.kind, hdr.bridge.class, hdr.bridge.index, hdr.bridge.cells});
        }
        pkt.emit(hdr);
    }
}

#if GHOST
#define REPORTED_QUEUES PORTS
GHOST_CONTROL(ddq_depth, ddq_depth_report_depth, PORT_BITS)
#endif

PIPELINE
