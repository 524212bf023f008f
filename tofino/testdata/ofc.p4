// Program sluice_ofc for the Tofino 2, T2NA. Printed, not written: what fills its tables
// comes with it. It breaks no rule that its compiler is known to have; the compiler has not
// seen this text.

#include <core.p4>
#include <t2na.p4>

// ======== Values ========

const bit<8> KIND_FRAME = 8w1;
const bit<8> KIND_TIMER = 8w2;
const bit<8> KIND_DATA = 8w0x43;
const bit<8> KIND_NOTICE = 8w0x44;
const bit<8> KIND_MOVED = 8w0x45;
const bit<8> KIND_WALK = 8w0x46;
const bit<8> KIND_REPEAL = 8w0x47;
const bit<8> KIND_TELL = 8w0x48;
const bit<8> KIND_TOLD = 8w0x49;
const bit<8> KIND_ORDER_MARK = 8w0x4a;
const bit<8> KIND_ENDED = 8w0x4b;
const bit<8> KIND_NEXT = 8w0x4c;
const bit<8> KIND_OPEN = 8w0x4d;
const bit<8> KIND_SIGNAL = 8w0x4e;
const bit<8> PAUSE = 8w1;
const bit<8> RESUME = 8w2;

// ======== Headers and metadata ========

header bridge_h {
    bit<8> kind;
    bit<8> egress;
    bit<8> ingress;
    bit<5> class_pad;
    bit<3> class;
    bit<8> queue;
    bit<8> where;
    bit<32> cells;
    bit<7> back_pad;
    bit<9> back;
    bit<7> port_pad;
    bit<9> port;
    bit<32> high;
    bit<32> low;
}

header order_h {
    bit<8> kind;
    bit<8> egress;
    bit<5> class_pad;
    bit<3> class;
    bit<8> ingress;
    bit<7> back_pad;
    bit<9> back;
    bit<8> what;
    bit<8> flag;
    bit<8> queue;
    bit<8> reserved;
    bit<16> then;
    bit<16> at;
    bit<32> high;
    bit<32> low;
}

header tell_h {
    bit<8> kind;
    bit<8> egress;
    bit<5> class_pad;
    bit<3> class;
    bit<8> ingress;
    bit<7> back_pad;
    bit<9> back;
    bit<8> what;
    bit<8> flag;
    bit<8> queue;
    bit<8> reserved;
    bit<16> then;
    bit<16> at;
    bit<32> high;
    bit<32> low;
}

header cut_h {
    bit<112> octets;
}

header timer_h {
    bit<8> app;
    bit<8> reserved;
    bit<16> batch;
    bit<16> packet;
}

header ethernet_h {
    bit<48> dst;
    bit<48> src;
}

header ether_type_h {
    bit<16> value;
}

header signal_h {
    bit<8> protocol;
    bit<8> version;
    bit<8> type;
    bit<8> flags;
    bit<16> length;
    bit<32> sequence;
}

header subject_h {
    bit<5> class_pad;
    bit<3> class;
    bit<8> list;
    bit<16> count;
}

header series_h {
    bit<32> generation;
    bit<32> parts;
}

header flow_h {
    bit<32> flow_high;
    bit<32> flow_low;
}

header padding_h {
    bit<32> p0;
    bit<32> p1;
    bit<32> p2;
    bit<32> p3;
}

header ipv4_h {
    bit<8> version_ihl;
    bit<8> dscp;
    bit<16> total_length;
    bit<16> id;
    bit<16> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header l4_h {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    bridge_h bridge;
    order_h order;
    tell_h tell;
    cut_h cut;
    timer_h timer;
    ethernet_h ethernet;
    ether_type_h ether_type;
    signal_h signal;
    subject_h subject;
    series_h series;
    flow_h flow;
    padding_h padding;
    ipv4_h ipv4;
    l4_h l4;
}

struct ingress_metadata_t {
    bit<8> kind;
    bit<8> ingress;
    bit<8> egress;
    bit<3> class;
    bit<1> managed;
    bit<9> port;
    bit<9> back;
    bit<8> base;
    bit<8> qid;
    bit<32> cells;
    bit<32> high;
    bit<32> low;
    bit<8> where;
    bit<16> at;
    bit<8> flag;
    bit<1> front;
    bit<32> came_by;
    bit<1> obeys;
    bit<32> stops;
    bit<1> beyond_in;
    bit<1> beyond_all;
    bit<1> beyond_out;
    bit<1> is_low;
    bit<1> strangers;
    bit<32> new_flow;
    bit<32> back_again;
    bit<32> gone_flows;
    bit<8> other;
    bit<1> routed;
    bit<8> gone;
    bit<32> congested_limit;
    bit<32> all_limit;
    bit<32> on_limit;
    bit<32> out_limit;
    bit<32> window_end;
    bit<1> fresh;
    bit<32> q_in_now;
    bit<32> q_out_now;
    bit<32> over_in;
    bit<32> over_all;
    bit<32> over_out;
    bit<32> below;
    bit<1> got_a;
    bit<1> got_b;
    bit<1> found;
    bit<32> from;
    bit<32> unknown;
    bit<32> drains;
    bit<1> rotating;
    bit<1> drained;
    bit<1> rotated;
    bit<8> paused_queue;
    bit<8> queue;
    bit<32> until;
    bit<1> own_a;
    bit<1> own_b;
    bit<32> gone_a;
    bit<32> gone_b;
    bit<32> more;
    bit<32> less;
    bit<8> original;
    bit<8> any;
    bit<32> epoch;
    bit<1> was;
    bit<1> walk;
    bit<1> room_a;
    bit<1> room_b;
    bit<1> fresh_a;
    bit<1> fresh_b;
    bit<1> last;
    bit<1> told;
    bit<1> all_new;
    bit<1> all_was;
    bit<32> hold;
    bit<1> word;
    bit<8> session;
}

struct egress_metadata_t {
    bit<32> until;
    bit<1> own_a;
    bit<1> own_b;
    bit<1> got;
    bit<32> high;
    bit<32> low;
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
        md.kind = 8w0;
        md.ingress = 8w0;
        md.egress = 8w0;
        md.class = 3w0;
        md.managed = 1w0;
        md.port = 9w0;
        md.back = 9w0;
        md.base = 8w0;
        md.qid = 8w0;
        md.cells = 32w0;
        md.high = 32w0;
        md.low = 32w0;
        md.where = 8w0;
        md.at = 16w0;
        md.flag = 8w0;
        md.front = 1w0;
        md.came_by = 32w0;
        md.obeys = 1w0;
        md.stops = 32w0;
        md.beyond_in = 1w0;
        md.beyond_all = 1w0;
        md.beyond_out = 1w0;
        md.is_low = 1w0;
        md.strangers = 1w0;
        md.new_flow = 32w0;
        md.back_again = 32w0;
        md.gone_flows = 32w0;
        md.other = 8w0;
        md.routed = 1w0;
        md.gone = 8w0;
        md.congested_limit = 32w0;
        md.all_limit = 32w0;
        md.on_limit = 32w0;
        md.out_limit = 32w0;
        md.window_end = 32w0;
        md.fresh = 1w0;
        md.q_in_now = 32w0;
        md.q_out_now = 32w0;
        md.over_in = 32w0;
        md.over_all = 32w0;
        md.over_out = 32w0;
        md.below = 32w0;
        md.got_a = 1w0;
        md.got_b = 1w0;
        md.found = 1w0;
        md.from = 32w0;
        md.unknown = 32w0;
        md.drains = 32w0;
        md.rotating = 1w0;
        md.drained = 1w0;
        md.rotated = 1w0;
        md.paused_queue = 8w0;
        md.queue = 8w0;
        md.until = 32w0;
        md.own_a = 1w0;
        md.own_b = 1w0;
        md.gone_a = 32w0;
        md.gone_b = 32w0;
        md.more = 32w0;
        md.less = 32w0;
        md.original = 8w0;
        md.any = 8w0;
        md.epoch = 32w0;
        md.was = 1w0;
        md.walk = 1w0;
        md.room_a = 1w0;
        md.room_b = 1w0;
        md.fresh_a = 1w0;
        md.fresh_b = 1w0;
        md.last = 1w0;
        md.told = 1w0;
        md.all_new = 1w0;
        md.all_was = 1w0;
        md.hold = 32w0;
        md.word = 1w0;
        md.session = 8w0;
        transition parse_begin;
    }

    state parse_begin {
        transition select(ig_intr_md.ingress_port[6:0]) {
            7w6: parse_round;
            default: parse_ethernet;
        }
    }

    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.dst[47:16]) {
            32w0x180c200: parse_reserved_address;
            default: parse_packet;
        }
    }

    state parse_round {
        transition select(pkt.lookahead<bit<8>>()) {
            8w0x44: parse_notice;
            8w0x45: parse_moved;
            8w0 &&& 8w0xc0: parse_timer;
            8w0x46: parse_order;
            8w0x47: parse_order;
            8w0x48: parse_order;
            8w0x49: parse_order;
            8w0x4a: parse_order;
            8w0x4b: parse_order;
            8w0x4c: parse_order;
            8w0x4d: parse_order;
            8w0x4e: parse_order;
            default: reject;
        }
    }

    state parse_packet {
        pkt.extract(hdr.ether_type);
        transition select(hdr.ether_type.value) {
            16w0x800: parse_ip;
            default: accept;
        }
    }

    state parse_reserved_address {
        transition select(hdr.ethernet.dst[15:0]) {
            16w0xe: parse_nearest_bridge;
            default: parse_packet;
        }
    }

    state parse_notice {
        pkt.extract(hdr.bridge);
        pkt.extract(hdr.cut);
        transition accept;
    }

    state parse_moved {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_timer {
        pkt.extract(hdr.timer);
        transition accept;
    }

    state parse_order {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
        transition accept;
    }

    state parse_ip {
        pkt.extract(hdr.ipv4);
        transition select(hdr.ipv4.version_ihl) {
            8w0x45: parse_protocol;
            default: accept;
        }
    }

    state parse_nearest_bridge {
        transition select(pkt.lookahead<bit<16>>()) {
            16w0x88b5: parse_frame_type;
            default: parse_packet;
        }
    }

    state parse_protocol {
        transition select(hdr.ipv4.protocol) {
            8w6: parse_ports;
            8w0x11: parse_ports;
            default: accept;
        }
    }

    state parse_frame_type {
        pkt.extract(hdr.ether_type);
        transition parse_frame;
    }

    state parse_ports {
        pkt.extract(hdr.l4);
        transition accept;
    }

    state parse_frame {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0x2010100: parse_pause;
            32w0x2010200: parse_resume;
            default: reject;
        }
    }

    state parse_pause {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w0xc: parse_whole;
            16w0x14: parse_one;
            default: reject;
        }
    }

    state parse_resume {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w0xc: parse_whole;
            16w0x14: parse_one_or_last;
            default: reject;
        }
    }

    state parse_whole {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0x10000 &&& 32w0xf8ffffff: parse_whole_subject;
            default: reject;
        }
    }

    state parse_one {
        transition select(pkt.lookahead<bit<32>>()) {
            32w1 &&& 32w0xf8ffffff: parse_one_subject;
            default: reject;
        }
    }

    state parse_one_or_last {
        transition select(pkt.lookahead<bit<32>>()) {
            32w1 &&& 32w0xf8ffffff: parse_one_or_last_subject;
            32w0x20001 &&& 32w0xf8ffffff: parse_one_or_last_subject;
            default: reject;
        }
    }

    state parse_whole_subject {
        pkt.extract(hdr.subject);
        transition parse_zeros;
    }

    state parse_one_subject {
        pkt.extract(hdr.subject);
        transition parse_zeros_2;
    }

    state parse_one_or_last_subject {
        pkt.extract(hdr.subject);
        transition parse_zeros_3;
    }

    state parse_zeros {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_4;
            default: reject;
        }
    }

    state parse_zeros_2 {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_5;
            default: reject;
        }
    }

    state parse_zeros_3 {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_6;
            default: reject;
        }
    }

    state parse_zeros_4 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_all_flows;
            default: reject;
        }
    }

    state parse_zeros_5 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_behind_zeros;
            default: reject;
        }
    }

    state parse_zeros_6 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_behind_zeros_2;
            default: reject;
        }
    }

    state parse_all_flows {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_all_flow_low;
            default: reject;
        }
    }

    state parse_behind_zeros {
        pkt.advance(32w0x20);
        transition parse_flow;
    }

    state parse_behind_zeros_2 {
        pkt.advance(32w0x20);
        transition parse_flow;
    }

    state parse_all_flow_low {
        pkt.extract(hdr.flow);
        transition select(hdr.flow.flow_low) {
            32w0: parse_zeros_7;
            default: reject;
        }
    }

    state parse_flow {
        pkt.extract(hdr.flow);
        transition parse_zeros_7;
    }

    state parse_zeros_7 {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_8;
            default: reject;
        }
    }

    state parse_zeros_8 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_9;
            default: reject;
        }
    }

    state parse_zeros_9 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_10;
            default: reject;
        }
    }

    state parse_zeros_10 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_padded;
            default: reject;
        }
    }

    state parse_padded {
        pkt.advance(32w0x20);
        transition accept;
    }
}

struct heard_pair_t {
    bit<32> low;
    bit<32> high;
}

struct flow_a_pair_t {
    bit<32> low;
    bit<32> high;
}

struct seen_a_pair_t {
    bit<32> low;
    bit<32> high;
}

struct flow_b_pair_t {
    bit<32> low;
    bit<32> high;
}

struct seen_b_pair_t {
    bit<32> low;
    bit<32> high;
}

struct backup_pair_t {
    bit<32> low;
    bit<32> high;
}

struct congested_a_pair_t {
    bit<32> low;
    bit<32> high;
}

struct congested_b_pair_t {
    bit<32> low;
    bit<32> high;
}

struct paused_flows_pair_t {
    bit<32> low;
    bit<32> high;
}

struct episode_pair_t {
    bit<32> low;
    bit<32> high;
}

struct told_a_pair_t {
    bit<32> low;
    bit<32> high;
}

struct told_b_pair_t {
    bit<32> low;
    bit<32> high;
}

struct held_pair_t {
    bit<32> low;
    bit<32> high;
}

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    // ---- Registers ----

    // heard: the newest sequence number of a port
    Register<heard_pair_t, bit<2>>(32w4, {32w0, 32w0}) heard;
    // q_in: cells that came by an ingress (OFC, Algorithm 1)
    Register<bit<32>, bit<5>>(32w0x20, 32w0) q_in;
    // q_out: cells in the queues of an egress (OFC, Algorithm 1)
    Register<bit<32>, bit<5>>(32w0x20, 32w0) q_out;
    // flow_a: flow_in_port_tab: half of a flow, and its packets
    Register<flow_a_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) flow_a;
    // seen_a: the other half of that flow, and the port that it came by
    Register<seen_a_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) seen_a;
    // flow_b: flow_in_port_tab: half of a flow, and its packets
    Register<flow_b_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) flow_b;
    // seen_b: the other half of that flow, and the port that it came by
    Register<seen_b_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) seen_b;
    // unknown: packets of flows that flow_in_port_tab has no room for
    Register<bit<32>, bit<5>>(32w0x20, 32w0) unknown;
    // backup: packets in the paused queue and in the other backup queue (OFC, Algorithm 3)
    Register<backup_pair_t, bit<5>>(32w0x20, {32w0, 32w0}) backup;
    // side: which of the backup queues is the paused one
    Register<bit<8>, bit<5>>(32w0x20, 8w1) side;
    // ended: how many rotations have ended
    Register<bit<32>, bit<5>>(32w0x20, 32w0) ended;
    // congested_a: congested_flow_tab: half of a flow, and until which rotation it is paused
    Register<congested_a_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) congested_a;
    // congested_b: congested_flow_tab: half of a flow, and until which rotation it is paused
    Register<congested_b_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) congested_b;
    // paused_flows: paused flows, and those that are paused until the rotation's end
    Register<paused_flows_pair_t, bit<5>>(32w0x20, {32w0, 32w0}) paused_flows;
    // episode: how often upstream was resumed, and whether it was paused since
    Register<episode_pair_t, bit<5>>(32w0x20, {32w1, 32w0}) episode;
    // walked: the episode in which all flows of a queue were named
    Register<bit<32>, bit<7>>(32w0x80, 32w0) walked;
    // told_a: pause_frame_tab: a flow that upstream was told of, or how many there are
    Register<told_a_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) told_a;
    // told_b: pause_frame_tab: a flow that upstream was told of, or how many there are
    Register<told_b_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) told_b;
    // told: pause_frame_tab: a flow that upstream was told of, or how many there are
    Register<bit<32>, bit<5>>(32w0x20, 32w0) told;
    // all_held: whether upstream was told to hold the whole class
    Register<bit<1>, bit<5>>(32w0x20, 1w0) all_held;
    // held: what holds a class: a frame, or want of room
    Register<held_pair_t, bit<5>>(32w0x20, {32w0, 32w0}) held;

    // ---- Hash functions ----

    CRCPolynomial<bit<32>>(32w0x4c11db7, true, false, false,
        32w0xffffffff, 32w0xffffffff) flow_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_poly) flow_hash;
    CRCPolynomial<bit<32>>(32w0x1edc6f41, true, false, false,
        32w0xffffffff, 32w0xffffffff) flow_hash_high_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_high_poly) flow_hash_high;

    // ---- What packets do to registers ----

    RegisterAction<heard_pair_t, bit<2>, bit<1>>(heard) heard_hear_wrapped = {
        void apply(inout heard_pair_t value, out bit<1> rv1) {
            heard_pair_t before = value;
            rv1 = 1w0;
            if ((before.high == 32w0) ||
                    (before.low < hdr.signal.sequence && before.low > md.window_end)) {
                value.low = hdr.signal.sequence;
                value.high = 32w1;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<heard_pair_t, bit<2>, bit<1>>(heard) heard_hear = {
        void apply(inout heard_pair_t value, out bit<1> rv1) {
            heard_pair_t before = value;
            rv1 = 1w0;
            if ((before.low < hdr.signal.sequence) ||
                    (before.low > md.window_end) ||
                    (before.high == 32w0)) {
                value.low = hdr.signal.sequence;
                value.high = 32w1;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(q_in) q_in_fill_q_in = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before + md.cells;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(q_in) q_in_drain_q_in = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before - md.cells;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(q_out) q_out_fill_q_out = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before + md.cells;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(q_out) q_out_drain_q_out = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before - md.cells;
            rv1 = value;
        }
    };

    RegisterAction<flow_a_pair_t, bit<8>, bit<1>>(flow_a) flow_a_join_a = {
        void apply(inout flow_a_pair_t value, out bit<1> rv1) {
            flow_a_pair_t before = value;
            rv1 = 1w0;
            if (before.high == 32w0) {
                value.low = md.high;
            }
            if ((before.high == 32w0) || (before.low == md.high)) {
                value.high = before.high + 32w1;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<flow_a_pair_t, bit<8>, void>(flow_a) flow_a_leave_a = {
        void apply(inout flow_a_pair_t value) {
            flow_a_pair_t before = value;
            value.high = before.high - 32w1;
        }
    };

    RegisterAction2<flow_a_pair_t, bit<8>, bit<32>, bit<1>>(flow_a) flow_a_read_a = {
        void apply(inout flow_a_pair_t value, out bit<32> rv1, out bit<1> rv2) {
            flow_a_pair_t before = value;
            rv1 = 32w0;
            rv2 = 1w0;
            if (before.high != 32w0) {
                rv1 = before.low;
                rv2 = 1w1;
            }
        }
    };

    RegisterAction<flow_b_pair_t, bit<8>, bit<1>>(flow_b) flow_b_join_b = {
        void apply(inout flow_b_pair_t value, out bit<1> rv1) {
            flow_b_pair_t before = value;
            rv1 = 1w0;
            if (before.high == 32w0) {
                value.low = md.low;
            }
            if ((before.high == 32w0) || (before.low == md.low)) {
                value.high = before.high + 32w1;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<flow_b_pair_t, bit<8>, void>(flow_b) flow_b_leave_b = {
        void apply(inout flow_b_pair_t value) {
            flow_b_pair_t before = value;
            value.high = before.high - 32w1;
        }
    };

    RegisterAction2<flow_b_pair_t, bit<8>, bit<32>, bit<1>>(flow_b) flow_b_read_b = {
        void apply(inout flow_b_pair_t value, out bit<32> rv1, out bit<1> rv2) {
            flow_b_pair_t before = value;
            rv1 = 32w0;
            rv2 = 1w0;
            if (before.high != 32w0) {
                rv1 = before.low;
                rv2 = 1w1;
            }
        }
    };

    RegisterAction<seen_a_pair_t, bit<8>, void>(seen_a) seen_a_note_a = {
        void apply(inout seen_a_pair_t value) {
            seen_a_pair_t before = value;
            value.low = md.low;
            value.high = md.came_by;
        }
    };

    RegisterAction2<seen_a_pair_t, bit<8>, bit<32>, bit<32>>(seen_a) seen_a_recall_a = {
        void apply(inout seen_a_pair_t value, out bit<32> rv1, out bit<32> rv2) {
            seen_a_pair_t before = value;
            rv1 = before.low;
            rv2 = before.high;
        }
    };

    RegisterAction<seen_b_pair_t, bit<8>, void>(seen_b) seen_b_note_b = {
        void apply(inout seen_b_pair_t value) {
            seen_b_pair_t before = value;
            value.low = md.high;
            value.high = md.came_by;
        }
    };

    RegisterAction2<seen_b_pair_t, bit<8>, bit<32>, bit<32>>(seen_b) seen_b_recall_b = {
        void apply(inout seen_b_pair_t value, out bit<32> rv1, out bit<32> rv2) {
            seen_b_pair_t before = value;
            rv1 = before.low;
            rv2 = before.high;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(unknown) unknown_add_unknown = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before + 32w1;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(unknown) unknown_look_at_unknown = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<32>, bit<5>, void>(unknown) unknown_take_unknown = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = before - 32w1;
        }
    };

    RegisterAction<backup_pair_t, bit<5>, bit<1>>(backup) backup_wait = {
        void apply(inout backup_pair_t value, out bit<1> rv1) {
            backup_pair_t before = value;
            rv1 = 1w0;
            value.low = before.low + 32w1;
            value.high = before.high - md.drains;
            if (before.high == md.drains) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<backup_pair_t, bit<5>, bit<1>>(backup) backup_drain = {
        void apply(inout backup_pair_t value, out bit<1> rv1) {
            backup_pair_t before = value;
            rv1 = 1w0;
            value.high = before.high - 32w1;
            if (before.high == 32w1) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<backup_pair_t, bit<5>, bit<1>>(backup) backup_rotate = {
        void apply(inout backup_pair_t value, out bit<1> rv1) {
            backup_pair_t before = value;
            rv1 = 1w0;
            if (before.high == 32w0 && before.low > 32w0) {
                value.high = before.low;
                value.low = 32w0;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<backup_pair_t, bit<5>, bit<1>>(backup) backup_look_at_backup = {
        void apply(inout backup_pair_t value, out bit<1> rv1) {
            backup_pair_t before = value;
            rv1 = 1w0;
            if (before.high != 32w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<8>, bit<5>, bit<8>>(side) side_turn = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            if (before == 8w1) {
                value = 8w2;
            }
            if (before != 8w1) {
                value = 8w1;
            }
            rv1 = before;
        }
    };

    RegisterAction<bit<8>, bit<5>, bit<8>>(side) side_look_at_side = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<32>, bit<5>, void>(ended) ended_end_rotation = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = before + 32w1;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(ended) ended_look_at_ended = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            rv1 = before;
        }
    };

    RegisterAction<congested_a_pair_t, bit<8>, bit<1>>(congested_a) congested_a_is_paused_a = {
        void apply(inout congested_a_pair_t value, out bit<1> rv1) {
            congested_a_pair_t before = value;
            rv1 = 1w0;
            if (before.low == md.high && before.high > md.until) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction3<congested_a_pair_t, bit<8>, bit<1>, bit<32>, bit<32>>(congested_a) congested_a_claim_a = {
        void apply(inout congested_a_pair_t value, out bit<1> rv1, out bit<32> rv2, out bit<32> rv3) {
            congested_a_pair_t before = value;
            rv1 = 1w0;
            rv2 = 32w0;
            rv3 = 32w0;
            if ((before.low == md.high) || (before.high <= md.until)) {
                value.low = md.high;
                value.high = 32w0x7fffffff;
                rv1 = 1w1;
            }
            if (before.high <= md.until) {
                rv2 = 32w1;
            }
            if (before.low == md.high && before.high > md.until && before.high != 32w0x7fffffff) {
                rv3 = 32w1;
            }
        }
    };

    RegisterAction<congested_a_pair_t, bit<8>, bit<32>>(congested_a) congested_a_clear_a = {
        void apply(inout congested_a_pair_t value, out bit<32> rv1) {
            congested_a_pair_t before = value;
            rv1 = 32w0;
            if (before.low == md.high && before.high > md.until) {
                value.high = md.until;
                rv1 = 32w1;
            }
        }
    };

    RegisterAction<congested_a_pair_t, bit<8>, bit<32>>(congested_a) congested_a_defer_a = {
        void apply(inout congested_a_pair_t value, out bit<32> rv1) {
            congested_a_pair_t before = value;
            rv1 = 32w0;
            if (before.low == md.high && before.high > md.until && before.high == 32w0x7fffffff) {
                value.high = md.until + 32w1;
                rv1 = 32w1;
            }
        }
    };

    RegisterAction<congested_b_pair_t, bit<8>, bit<1>>(congested_b) congested_b_is_paused_b = {
        void apply(inout congested_b_pair_t value, out bit<1> rv1) {
            congested_b_pair_t before = value;
            rv1 = 1w0;
            if (before.low == md.low && before.high > md.until) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction3<congested_b_pair_t, bit<8>, bit<1>, bit<32>, bit<32>>(congested_b) congested_b_claim_b = {
        void apply(inout congested_b_pair_t value, out bit<1> rv1, out bit<32> rv2, out bit<32> rv3) {
            congested_b_pair_t before = value;
            rv1 = 1w0;
            rv2 = 32w0;
            rv3 = 32w0;
            if ((before.low == md.low) || (before.high <= md.until)) {
                value.low = md.low;
                value.high = 32w0x7fffffff;
                rv1 = 1w1;
            }
            if (before.high <= md.until) {
                rv2 = 32w1;
            }
            if (before.low == md.low && before.high > md.until && before.high != 32w0x7fffffff) {
                rv3 = 32w1;
            }
        }
    };

    RegisterAction<congested_b_pair_t, bit<8>, bit<32>>(congested_b) congested_b_clear_b = {
        void apply(inout congested_b_pair_t value, out bit<32> rv1) {
            congested_b_pair_t before = value;
            rv1 = 32w0;
            if (before.low == md.low && before.high > md.until) {
                value.high = md.until;
                rv1 = 32w1;
            }
        }
    };

    RegisterAction<congested_b_pair_t, bit<8>, bit<32>>(congested_b) congested_b_defer_b = {
        void apply(inout congested_b_pair_t value, out bit<32> rv1) {
            congested_b_pair_t before = value;
            rv1 = 32w0;
            if (before.low == md.low && before.high > md.until && before.high == 32w0x7fffffff) {
                value.high = md.until + 32w1;
                rv1 = 32w1;
            }
        }
    };

    RegisterAction<paused_flows_pair_t, bit<5>, void>(paused_flows) paused_flows_count_paused = {
        void apply(inout paused_flows_pair_t value) {
            paused_flows_pair_t before = value;
            value.low = before.low + md.more;
            value.high = before.high - md.less;
        }
    };

    RegisterAction<paused_flows_pair_t, bit<5>, void>(paused_flows) paused_flows_count_resumed = {
        void apply(inout paused_flows_pair_t value) {
            paused_flows_pair_t before = value;
            value.low = before.low - md.more;
            value.high = before.high + md.less;
        }
    };

    RegisterAction<paused_flows_pair_t, bit<5>, bit<8>>(paused_flows) paused_flows_resume_deferred = {
        void apply(inout paused_flows_pair_t value, out bit<8> rv1) {
            paused_flows_pair_t before = value;
            rv1 = 8w0;
            value.high = 32w0;
            if (before.high != 32w0) {
                rv1 = 8w1;
            }
        }
    };

    RegisterAction<paused_flows_pair_t, bit<5>, bit<8>>(paused_flows) paused_flows_is_original = {
        void apply(inout paused_flows_pair_t value, out bit<8> rv1) {
            paused_flows_pair_t before = value;
            rv1 = 8w0;
            if (before.low == 32w0 && before.high == 32w0) {
                rv1 = 8w1;
            }
        }
    };

    RegisterAction<episode_pair_t, bit<5>, bit<32>>(episode) episode_begin_episode = {
        void apply(inout episode_pair_t value, out bit<32> rv1) {
            episode_pair_t before = value;
            value.high = 32w1;
            rv1 = before.low;
        }
    };

    RegisterAction<episode_pair_t, bit<5>, bit<1>>(episode) episode_end_episode = {
        void apply(inout episode_pair_t value, out bit<1> rv1) {
            episode_pair_t before = value;
            rv1 = 1w0;
            if (before.high != 32w0) {
                value.low = before.low + 32w1;
            }
            value.high = 32w0;
            if (before.high != 32w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<32>, bit<7>, bit<1>>(walked) walked_walk_once = {
        void apply(inout bit<32> value, out bit<1> rv1) {
            bit<32> before = value;
            rv1 = 1w0;
            value = md.epoch;
            if (before != md.epoch) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction2<told_a_pair_t, bit<8>, bit<1>, bit<1>>(told_a) told_a_tell_a = {
        void apply(inout told_a_pair_t value, out bit<1> rv1, out bit<1> rv2) {
            told_a_pair_t before = value;
            rv1 = 1w0;
            rv2 = 1w0;
            if (before.low == 32w0 && before.high == 32w0) {
                value.low = md.low;
                value.high = md.high;
            }
            if ((before.low == md.low && before.high == md.high) ||
                    (before.low == 32w0 && before.high == 32w0)) {
                rv1 = 1w1;
            }
            if (before.low == 32w0 && before.high == 32w0) {
                rv2 = 1w1;
            }
        }
    };

    RegisterAction3<told_a_pair_t, bit<8>, bit<32>, bit<32>, bit<1>>(told_a) told_a_take_a = {
        void apply(inout told_a_pair_t value, out bit<32> rv1, out bit<32> rv2, out bit<1> rv3) {
            told_a_pair_t before = value;
            rv3 = 1w0;
            value.low = 32w0;
            value.high = 32w0;
            rv1 = before.low;
            rv2 = before.high;
            if ((before.low != 32w0) || (before.high != 32w0)) {
                rv3 = 1w1;
            }
        }
    };

    RegisterAction2<told_b_pair_t, bit<8>, bit<1>, bit<1>>(told_b) told_b_tell_b = {
        void apply(inout told_b_pair_t value, out bit<1> rv1, out bit<1> rv2) {
            told_b_pair_t before = value;
            rv1 = 1w0;
            rv2 = 1w0;
            if (before.low == 32w0 && before.high == 32w0) {
                value.low = md.low;
                value.high = md.high;
            }
            if ((before.low == md.low && before.high == md.high) ||
                    (before.low == 32w0 && before.high == 32w0)) {
                rv1 = 1w1;
            }
            if (before.low == 32w0 && before.high == 32w0) {
                rv2 = 1w1;
            }
        }
    };

    RegisterAction3<told_b_pair_t, bit<8>, bit<32>, bit<32>, bit<1>>(told_b) told_b_take_b = {
        void apply(inout told_b_pair_t value, out bit<32> rv1, out bit<32> rv2, out bit<1> rv3) {
            told_b_pair_t before = value;
            rv3 = 1w0;
            value.low = 32w0;
            value.high = 32w0;
            rv1 = before.low;
            rv2 = before.high;
            if ((before.low != 32w0) || (before.high != 32w0)) {
                rv3 = 1w1;
            }
        }
    };

    RegisterAction<bit<32>, bit<5>, void>(told) told_add_told = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = before + 32w1;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<1>>(told) told_take_told = {
        void apply(inout bit<32> value, out bit<1> rv1) {
            bit<32> before = value;
            rv1 = 1w0;
            value = before - 32w1;
            if (before == 32w1) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<1>>(told) told_look_at_told = {
        void apply(inout bit<32> value, out bit<1> rv1) {
            bit<32> before = value;
            rv1 = 1w0;
            if (before != 32w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<1>, bit<5>, bit<1>>(all_held) all_held_hold_all = {
        void apply(inout bit<1> value, out bit<1> rv1) {
            bit<1> before = value;
            value = 1w1;
            rv1 = before;
        }
    };

    RegisterAction<bit<1>, bit<5>, bit<1>>(all_held) all_held_release_all = {
        void apply(inout bit<1> value, out bit<1> rv1) {
            bit<1> before = value;
            value = 1w0;
            rv1 = before;
        }
    };

    RegisterAction<held_pair_t, bit<5>, bit<32>>(held) held_look_at_held = {
        void apply(inout held_pair_t value, out bit<32> rv1) {
            held_pair_t before = value;
            rv1 = 32w0;
            if ((before.low != 32w0) || (before.high != 32w0)) {
                rv1 = 32w1;
            }
        }
    };

    RegisterAction<held_pair_t, bit<5>, bit<32>>(held) held_hold_by_frame = {
        void apply(inout held_pair_t value, out bit<32> rv1) {
            held_pair_t before = value;
            rv1 = 32w0;
            value.low = md.stops;
            if ((md.stops != 32w0) || (before.high != 32w0)) {
                rv1 = 32w1;
            }
        }
    };

    RegisterAction<held_pair_t, bit<5>, bit<32>>(held) held_hold_for_room = {
        void apply(inout held_pair_t value, out bit<32> rv1) {
            held_pair_t before = value;
            rv1 = 32w0;
            value.high = md.stops;
            if ((md.stops != 32w0) || (before.low != 32w0)) {
                rv1 = 32w1;
            }
        }
    };

    // ---- Actions ----

    action nothing() {
    }

    action from_port(bit<8> index, bit<32> number) {
        md.ingress = index;
        md.came_by = number;
        md.front = 1w1;
    }

    action route_to(bit<9> port, bit<8> egress) {
        md.port = port;
        md.egress = egress;
        md.routed = 1w1;
    }

    action takes_cells(bit<32> cells) {
        md.cells = cells;
    }

    action under_ofc(bit<8> queue) {
        md.base = queue;
        md.managed = 1w1;
    }

    action not_under_ofc(bit<8> queue) {
        md.base = queue;
    }

    action limit_to(bit<32> congested, bit<32> all_limit, bit<32> resume, bit<32> queue) {
        md.congested_limit = congested;
        md.all_limit = all_limit;
        md.on_limit = resume;
        md.out_limit = queue;
    }

    action say_word(bit<32> word) {
        ig_dprsr_md.adv_flow_ctl = word + md.hold;
    }

    action take_bridged() {
        md.kind = hdr.bridge.kind;
        md.egress = hdr.bridge.egress;
        md.ingress = hdr.bridge.ingress;
        md.class = hdr.bridge.class;
        md.gone = hdr.bridge.queue;
        md.where = hdr.bridge.where;
        md.cells = hdr.bridge.cells;
        md.back = hdr.bridge.back;
        md.port = hdr.bridge.port;
        md.high = hdr.bridge.high;
        md.low = hdr.bridge.low;
    }

    action take_order() {
        md.kind = hdr.order.kind;
        md.egress = hdr.order.egress;
        md.class = hdr.order.class;
        md.ingress = hdr.order.ingress;
        md.back = hdr.order.back;
        md.flag = hdr.order.flag;
        md.queue = hdr.order.queue;
        md.at = hdr.order.at;
        md.high = hdr.order.high;
        md.low = hdr.order.low;
    }

    action take_packet_in() {
        md.kind = KIND_DATA;
        md.back = ig_intr_md.ingress_port;
        md.class = hdr.ipv4.dscp[7:5];
        md.low = flow_hash.get({hdr.ipv4.dst,
            hdr.ipv4.protocol,
            hdr.ipv4.src,
            hdr.l4.src,
            hdr.l4.dst});
        md.high = flow_hash_high.get({hdr.ipv4.dst,
            hdr.ipv4.protocol,
            hdr.ipv4.src,
            hdr.l4.src,
            hdr.l4.dst});
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.class = hdr.subject.class;
        md.high = hdr.flow.flow_high;
        md.low = hdr.flow.flow_low;
        md.stops = 32w1;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.class = hdr.subject.class;
        md.high = hdr.flow.flow_high;
        md.low = hdr.flow.flow_low;
        md.stops = 32w0;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action hold_first_backup() {
        md.kind = KIND_TIMER;
        md.egress = hdr.timer.batch[7:0];
        md.class = hdr.timer.packet[3:1];
        md.hold = 32w1;
        md.word = 1w1;
        md.queue = 8w1;
    }

    action hold_second_backup() {
        md.kind = KIND_TIMER;
        md.egress = hdr.timer.batch[7:0];
        md.class = hdr.timer.packet[3:1];
        md.hold = 32w1;
        md.word = 1w1;
        md.queue = 8w2;
    }

    action hear_wrapped_frame() {
        md.fresh = heard_hear_wrapped.execute(md.egress[1:0]);
    }

    action hear_frame() {
        md.fresh = heard_hear.execute(md.egress[1:0]);
    }

    action obey() {
        md.obeys = 1w1;
    }

    action fill_q_in() {
        md.q_in_now = q_in_fill_q_in.execute(md.ingress[1:0] ++ md.class);
    }

    action drain_q_in() {
        md.q_in_now = q_in_drain_q_in.execute(md.ingress[1:0] ++ md.class);
    }

    action fill_q_out() {
        md.q_out_now = q_out_fill_q_out.execute(md.egress[1:0] ++ md.class);
    }

    action drain_q_out() {
        md.q_out_now = q_out_drain_q_out.execute(md.egress[1:0] ++ md.class);
    }

    action compare() {
        md.over_in = md.q_in_now |-| md.congested_limit;
        md.over_all = md.q_in_now |-| md.all_limit;
        md.over_out = md.q_out_now |-| md.out_limit;
    }

    action compare_low() {
        md.below = md.on_limit |-| md.q_in_now;
    }

    action q_in_beyond_congested() {
        md.beyond_in = 1w1;
    }

    action q_in_beyond() {
        md.beyond_all = 1w1;
    }

    action q_out_beyond() {
        md.beyond_out = 1w1;
    }

    action q_in_low() {
        md.is_low = 1w1;
    }

    action join_a() {
        md.got_a = flow_a_join_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0]);
    }

    action leave_a() {
        flow_a_leave_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0]);
    }

    action read_a() {
        md.high = flow_a_read_a.execute((md.egress[1:0] ++ md.class) ++ md.at[2:0], md.found);
    }

    action join_b() {
        md.got_b = flow_b_join_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0]);
    }

    action leave_b() {
        flow_b_leave_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0]);
    }

    action read_b() {
        md.low = flow_b_read_b.execute((md.egress[1:0] ++ md.class) ++ md.at[2:0], md.found);
    }

    action note_a() {
        seen_a_note_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0]);
    }

    action recall_a() {
        md.low = seen_a_recall_a.execute((md.egress[1:0] ++ md.class) ++ md.at[2:0], md.from);
    }

    action note_b() {
        seen_b_note_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0]);
    }

    action recall_b() {
        md.high = seen_b_recall_b.execute((md.egress[1:0] ++ md.class) ++ md.at[2:0], md.from);
    }

    action add_unknown() {
        md.unknown = unknown_add_unknown.execute(md.ingress[1:0] ++ md.class);
    }

    action look_at_unknown() {
        md.unknown = unknown_look_at_unknown.execute(md.ingress[1:0] ++ md.class);
    }

    action take_unknown() {
        unknown_take_unknown.execute(md.ingress[1:0] ++ md.class);
    }

    action has_strangers() {
        md.strangers = 1w1;
    }

    action in_first_row() {
        md.where = 8w1;
    }

    action in_second_row() {
        md.where = 8w2;
    }

    action from_backup() {
        md.drains = 32w1;
    }

    action wait() {
        md.drained = backup_wait.execute(md.egress[1:0] ++ md.class);
    }

    action drain() {
        md.drained = backup_drain.execute(md.egress[1:0] ++ md.class);
    }

    action rotate() {
        md.rotated = backup_rotate.execute(md.egress[1:0] ++ md.class);
    }

    action look_at_backup() {
        md.rotating = backup_look_at_backup.execute(md.egress[1:0] ++ md.class);
    }

    action turn() {
        md.paused_queue = side_turn.execute(md.egress[1:0] ++ md.class);
    }

    action look_at_side() {
        md.paused_queue = side_look_at_side.execute(md.egress[1:0] ++ md.class);
    }

    action other_backup_queue() {
        md.other = 8w3 - md.paused_queue;
        md.qid = md.base + md.paused_queue;
    }

    action end_rotation() {
        ended_end_rotation.execute(md.egress[1:0] ++ md.class);
    }

    action look_at_ended() {
        md.until = ended_look_at_ended.execute(md.egress[1:0] ++ md.class);
    }

    action is_paused_a() {
        md.own_a = congested_a_is_paused_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0]);
    }

    action claim_a() {
        md.room_a = congested_a_claim_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0], md.new_flow, md.back_again);
    }

    action clear_a() {
        md.gone_a = congested_a_clear_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0]);
    }

    action defer_a() {
        md.gone_a = congested_a_defer_a.execute((md.egress[1:0] ++ md.class) ++ md.low[2:0]);
    }

    action is_paused_b() {
        md.own_b = congested_b_is_paused_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0]);
    }

    action claim_b() {
        md.room_b = congested_b_claim_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0], md.new_flow, md.back_again);
    }

    action clear_b() {
        md.gone_b = congested_b_clear_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0]);
    }

    action defer_b() {
        md.gone_b = congested_b_defer_b.execute((md.egress[1:0] ++ md.class) ++ md.high[2:0]);
    }

    action flows_resumed() {
        md.gone_flows = md.gone_a + md.gone_b;
    }

    action paused_more() {
        md.more = md.new_flow + md.back_again;
        md.less = md.back_again;
    }

    action paused_less() {
        md.more = md.gone_flows;
        md.less = 32w0;
    }

    action paused_until() {
        md.more = md.gone_flows;
        md.less = md.gone_flows;
    }

    action count_paused() {
        paused_flows_count_paused.execute(md.egress[1:0] ++ md.class);
    }

    action count_resumed() {
        paused_flows_count_resumed.execute(md.egress[1:0] ++ md.class);
    }

    action resume_deferred() {
        md.any = paused_flows_resume_deferred.execute(md.egress[1:0] ++ md.class);
    }

    action is_original() {
        md.original = paused_flows_is_original.execute(md.egress[1:0] ++ md.class);
    }

    action begin_episode() {
        md.epoch = episode_begin_episode.execute(md.ingress[1:0] ++ md.class);
    }

    action end_episode() {
        md.was = episode_end_episode.execute(md.ingress[1:0] ++ md.class);
    }

    action walk_once() {
        md.walk = walked_walk_once.execute(md.egress[1:0] ++ md.ingress[1:0] ++ md.class);
    }

    action no_room() {
        md.all_new = 1w1;
    }

    action tell_a() {
        md.room_a = told_a_tell_a.execute((md.ingress[1:0] ++ md.class) ++ md.low[2:0], md.fresh_a);
    }

    action take_a() {
        md.low = told_a_take_a.execute((md.ingress[1:0] ++ md.class) ++ md.at[2:0], md.high, md.found);
    }

    action tell_b() {
        md.room_b = told_b_tell_b.execute((md.ingress[1:0] ++ md.class) ++ md.high[2:0], md.fresh_b);
    }

    action take_b() {
        md.low = told_b_take_b.execute((md.ingress[1:0] ++ md.class) ++ md.at[2:0], md.high, md.found);
    }

    action add_told() {
        told_add_told.execute(md.ingress[1:0] ++ md.class);
    }

    action take_told() {
        md.last = told_take_told.execute(md.ingress[1:0] ++ md.class);
    }

    action look_at_told() {
        md.told = told_look_at_told.execute(md.ingress[1:0] ++ md.class);
    }

    action hold_all() {
        md.all_was = all_held_hold_all.execute(md.ingress[1:0] ++ md.class);
    }

    action release_all() {
        md.all_was = all_held_release_all.execute(md.ingress[1:0] ++ md.class);
    }

    action look_at_held() {
        md.hold = held_look_at_held.execute(md.egress[1:0] ++ md.class);
    }

    action as_frame_says() {
        md.hold = held_hold_by_frame.execute(md.egress[1:0] ++ md.class);
        md.word = 1w1;
    }

    action as_there_is_room() {
        md.hold = held_hold_for_room.execute(md.egress[1:0] ++ md.class);
        md.word = 1w1;
    }

    action gate_of_draining() {
        md.queue = md.other;
    }

    action gate_of_normal() {
        md.queue = 8w0;
    }

    action shut_normal() {
        md.queue = 8w0;
        md.hold = 32w1;
        md.word = 1w1;
    }

    action shut_drained() {
        md.queue = md.other;
        md.hold = 32w1;
        md.word = 1w1;
    }

    action open_it() {
        md.word = 1w1;
    }

    action pause_flow() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x18;
        hdr.tell.kind = KIND_SIGNAL;
        hdr.tell.what = 8w1;
        hdr.tell.class = md.class;
        hdr.tell.flag = 8w0;
        hdr.tell.at = 16w0x14;
        hdr.tell.then = 16w1;
        hdr.tell.high = md.high;
        hdr.tell.low = md.low;
    }

    action pause_all() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x18;
        hdr.tell.kind = KIND_SIGNAL;
        hdr.tell.what = 8w1;
        hdr.tell.class = md.class;
        hdr.tell.flag = 8w1;
        hdr.tell.at = 16w0xc;
        hdr.tell.then = 16w0;
    }

    action resume_all() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x18;
        hdr.tell.kind = KIND_SIGNAL;
        hdr.tell.what = 8w2;
        hdr.tell.class = md.class;
        hdr.tell.flag = 8w1;
        hdr.tell.at = 16w0xc;
        hdr.tell.then = 16w0;
    }

    action resume_last_flow() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x18;
        hdr.tell.kind = KIND_SIGNAL;
        hdr.tell.what = 8w2;
        hdr.tell.class = md.class;
        hdr.tell.flag = 8w2;
        hdr.tell.at = 16w0x14;
        hdr.tell.then = 16w1;
        hdr.tell.high = md.high;
        hdr.tell.low = md.low;
    }

    action resume_flow() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x18;
        hdr.tell.kind = KIND_SIGNAL;
        hdr.tell.what = 8w2;
        hdr.tell.class = md.class;
        hdr.tell.flag = 8w0;
        hdr.tell.at = 16w0x14;
        hdr.tell.then = 16w1;
        hdr.tell.high = md.high;
        hdr.tell.low = md.low;
    }

    action walk_flows() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w3;
        hdr.tell.kind = KIND_WALK;
        hdr.tell.egress = md.egress;
        hdr.tell.class = md.class;
        hdr.tell.ingress = md.ingress;
        hdr.tell.back = md.back;
        hdr.tell.flag = md.original;
    }

    action moved_last() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w3;
        hdr.tell.kind = KIND_ENDED;
        hdr.tell.egress = md.egress;
        hdr.tell.class = md.class;
    }

    action end() {
        ig_dprsr_md.drop_ctl = 3w1;
    }

    action forward() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.egress = md.egress;
        hdr.bridge.ingress = md.ingress;
        hdr.bridge.class = md.class;
        hdr.bridge.queue = 8w0;
        hdr.bridge.where = md.where;
        hdr.bridge.cells = md.cells;
        hdr.bridge.back = md.back;
        hdr.bridge.port = md.port;
        hdr.bridge.high = md.high;
        hdr.bridge.low = md.low;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.base[6:0];
    }

    action to_paused_queue() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.egress = md.egress;
        hdr.bridge.ingress = md.ingress;
        hdr.bridge.class = md.class;
        hdr.bridge.queue = md.paused_queue;
        hdr.bridge.where = md.where;
        hdr.bridge.cells = md.cells;
        hdr.bridge.back = md.back;
        hdr.bridge.port = md.port;
        hdr.bridge.high = md.high;
        hdr.bridge.low = md.low;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.qid[6:0];
    }

    action drained_then_repeal() {
        hdr.order.setValid();
        hdr.order.kind = KIND_ENDED;
        hdr.order.egress = md.egress;
        hdr.order.class = md.class;
        hdr.order.ingress = md.ingress;
        hdr.order.back = md.back;
        hdr.order.what = 8w0;
        hdr.order.flag = 8w0;
        hdr.order.queue = 8w0;
        hdr.order.then = 16w1;
        hdr.order.at = 16w0;
        hdr.order.high = 32w0;
        hdr.order.low = 32w0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.bridge.setInvalid();
    }

    action drained() {
        hdr.order.setValid();
        hdr.order.kind = KIND_ENDED;
        hdr.order.egress = md.egress;
        hdr.order.class = md.class;
        hdr.order.ingress = md.ingress;
        hdr.order.back = md.back;
        hdr.order.what = 8w0;
        hdr.order.flag = 8w0;
        hdr.order.queue = 8w0;
        hdr.order.then = 16w0;
        hdr.order.at = 16w0;
        hdr.order.high = 32w0;
        hdr.order.low = 32w0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.bridge.setInvalid();
    }

    action repeal() {
        hdr.order.setValid();
        hdr.order.kind = KIND_REPEAL;
        hdr.order.egress = md.egress;
        hdr.order.class = md.class;
        hdr.order.ingress = md.ingress;
        hdr.order.back = md.back;
        hdr.order.what = 8w0;
        hdr.order.flag = 8w0;
        hdr.order.queue = 8w0;
        hdr.order.then = 16w0;
        hdr.order.at = 16w0;
        hdr.order.high = 32w0;
        hdr.order.low = 32w0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.bridge.setInvalid();
    }

    action tell_egress_pause() {
        hdr.order.setValid();
        hdr.cut.setValid();
        hdr.order.kind = KIND_TELL;
        hdr.order.egress = md.egress;
        hdr.order.class = md.class;
        hdr.order.ingress = 8w0;
        hdr.order.back = 9w0;
        hdr.order.what = 8w1;
        hdr.order.flag = 8w0;
        hdr.order.queue = 8w0;
        hdr.order.then = 16w0;
        hdr.order.at = 16w0;
        hdr.order.high = md.high;
        hdr.order.low = md.low;
        ig_tm_md.ucast_egress_port = 9w6;
        hdr.ethernet.setInvalid();
        hdr.ether_type.setInvalid();
        hdr.signal.setInvalid();
        hdr.subject.setInvalid();
        hdr.flow.setInvalid();
    }

    action tell_egress_defer() {
        hdr.order.setValid();
        hdr.cut.setValid();
        hdr.order.kind = KIND_TELL;
        hdr.order.egress = md.egress;
        hdr.order.class = md.class;
        hdr.order.ingress = 8w0;
        hdr.order.back = 9w0;
        hdr.order.what = 8w3;
        hdr.order.flag = 8w0;
        hdr.order.queue = 8w0;
        hdr.order.then = 16w0;
        hdr.order.at = 16w0;
        hdr.order.high = md.high;
        hdr.order.low = md.low;
        ig_tm_md.ucast_egress_port = 9w6;
        hdr.ethernet.setInvalid();
        hdr.ether_type.setInvalid();
        hdr.signal.setInvalid();
        hdr.subject.setInvalid();
        hdr.flow.setInvalid();
    }

    action tell_egress_resume() {
        hdr.order.setValid();
        hdr.cut.setValid();
        hdr.order.kind = KIND_TELL;
        hdr.order.egress = md.egress;
        hdr.order.class = md.class;
        hdr.order.ingress = 8w0;
        hdr.order.back = 9w0;
        hdr.order.what = 8w2;
        hdr.order.flag = 8w1;
        hdr.order.queue = 8w0;
        hdr.order.then = 16w0;
        hdr.order.at = 16w0;
        hdr.order.high = md.high;
        hdr.order.low = md.low;
        ig_tm_md.ucast_egress_port = 9w6;
        hdr.ethernet.setInvalid();
        hdr.ether_type.setInvalid();
        hdr.signal.setInvalid();
        hdr.subject.setInvalid();
        hdr.flow.setInvalid();
    }

    action mark_order() {
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.order.kind = KIND_ORDER_MARK;
    }

    action open_paused() {
        hdr.order.queue = md.paused_queue;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.order.kind = KIND_OPEN;
    }

    action next_rotation() {
        hdr.order.flag = md.any;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.order.kind = KIND_NEXT;
    }

    action open_next() {
        hdr.order.queue = md.paused_queue;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.order.kind = KIND_OPEN;
    }

    action open_normal() {
        hdr.order.queue = 8w0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.order.kind = KIND_OPEN;
    }

    action repeal_then() {
        hdr.order.at = 16w0;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
        hdr.order.kind = KIND_REPEAL;
    }

    action walk_on() {
        hdr.order.at = hdr.order.at + 16w1;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    // ---- Tables ----

    // port_in: 4 of 4 entries; ports of the switch
    table port_in {
        key = {
            ig_intr_md.ingress_port : exact @name("port");
        }
        actions = {
            from_port;
            nothing;
        }
        default_action = nothing();
        size = 4;
    }

    // route: 4 of 4 entries; where packets go
    table route {
        key = {
            hdr.ipv4.dst : lpm @name("dst");
        }
        actions = {
            route_to;
            nothing;
        }
        default_action = nothing();
        size = 4;
    }

    // packet_cells: 9 of 9 entries; cells of 176 octets that a packet takes
    table packet_cells {
        key = {
            hdr.ipv4.total_length : range @name("total_length");
        }
        actions = {
            takes_cells;
            nothing;
        }
        default_action = nothing();
        size = 9;
    }

    // class_queue: 8 of 8 entries; the normal queue of a class, and whether it is under OFC (OFC, section III-B)
    table class_queue {
        key = {
            md.class : exact @name("traffic_class");
        }
        actions = {
            under_ofc;
            not_under_ofc;
            nothing;
        }
        default_action = nothing();
        size = 8;
    }

    // limits: 4 of 4 entries; X^c_OFF, X_OFF and X_ON (OFC, section III-C)
    table limits {
        key = {
            md.ingress[1:0] : exact @name("ingress");
        }
        actions = {
            limit_to;
            nothing;
        }
        default_action = nothing();
        size = 4;
    }

    // afc: 96 of 96 entries; words of flow control, RESUME; PAUSE is one more
    table afc {
        key = {
            md.egress[1:0] : exact @name("port");
            md.class : exact @name("traffic_class");
            md.queue[1:0] : exact @name("queue");
        }
        actions = {
            say_word;
            nothing;
        }
        default_action = nothing();
        size = 96;
    }

    apply {
        // What a packet is, and whose state it is about.
        if (hdr.bridge.isValid()) {
            take_bridged();
        } else if (hdr.order.isValid()) {
            take_order();
        } else if (hdr.timer.isValid()) {
            if (hdr.timer.packet[0:0] == 1w0) {
                hold_first_backup();
            } else {
                hold_second_backup();
            }
        } else if (!hdr.timer.isValid()) {
            if (port_in.apply().hit) {
                if (hdr.ipv4.isValid()) {
                    route.apply();
                    packet_cells.apply();
                }
                if (hdr.signal.isValid()) {
                    if (hdr.signal.type == PAUSE) {
                        take_pause();
                    } else {
                        take_resume();
                    }
                } else if (hdr.ipv4.isValid() && (md.routed == 1w1) && (md.cells != 32w0)) {
                    take_packet_in();
                }
            }
        }
        class_queue.apply();

        // Whether a frame is newer than those heard.
        if (md.kind == KIND_FRAME) {
            if ((md.window_end[31:16] == 16w0) && (md.window_end[15:0] != 16w0xffff)) {
                hear_wrapped_frame();
            } else {
                hear_frame();
            }
            if ((md.fresh == 1w1) && (md.managed == 1w1)) {
                obey();
            }
        }

        // q_in and q_out against X^c_OFF, X_OFF and X_ON (Algorithm 1).
        if ((md.kind == KIND_DATA) || (md.kind == KIND_NOTICE)) {
            limits.apply();
        }
        if (md.kind == KIND_DATA) {
            fill_q_in();
        } else if (md.kind == KIND_NOTICE) {
            drain_q_in();
        }
        if (md.kind == KIND_DATA) {
            fill_q_out();
        } else if (md.kind == KIND_NOTICE) {
            drain_q_out();
        }
        if ((md.kind == KIND_DATA) && (md.managed == 1w1)) {
            compare();
        }
        if ((md.kind == KIND_NOTICE) && (md.managed == 1w1)) {
            compare_low();
        }
        if (md.over_in != 32w0) {
            q_in_beyond_congested();
        }
        if (md.over_all != 32w0) {
            q_in_beyond();
        }
        if (md.over_out != 32w0) {
            q_out_beyond();
        }
        if (md.below != 32w0) {
            q_in_low();
        }

        // flow_in_port_tab: the flow's cell, or unknown flows.
        if ((md.kind == KIND_DATA) && (md.managed == 1w1)) {
            join_a();
        } else if (((md.kind == KIND_NOTICE) && (md.managed == 1w1)) && (md.where == 8w1)) {
            leave_a();
        } else if ((md.kind == KIND_WALK) && !(md.at[3:3] == 1w1)) {
            read_a();
        }
        if (((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.got_a == 1w0)) {
            join_b();
        } else if (((md.kind == KIND_NOTICE) && (md.managed == 1w1)) && (md.where == 8w2)) {
            leave_b();
        } else if ((md.kind == KIND_WALK) && (md.at[3:3] == 1w1)) {
            read_b();
        }
        if (md.got_a == 1w1) {
            note_a();
        } else if ((md.kind == KIND_WALK) && !(md.at[3:3] == 1w1)) {
            recall_a();
        }
        if (md.got_b == 1w1) {
            note_b();
        } else if ((md.kind == KIND_WALK) && (md.at[3:3] == 1w1)) {
            recall_b();
        }
        if ((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.got_a == 1w0)) && (md.got_b == 1w0)) {
            add_unknown();
        } else if ((md.kind == KIND_DATA) && (md.managed == 1w1)) {
            look_at_unknown();
        } else if (((md.kind == KIND_NOTICE) && (md.managed == 1w1)) && (md.where == 8w0)) {
            take_unknown();
        }
        if (md.unknown != 32w0) {
            has_strangers();
        }
        if (md.got_a == 1w1) {
            in_first_row();
        } else if (md.got_b == 1w1) {
            in_second_row();
        }

        // Backup queues, and their roles (Algorithm 3).
        if (((md.kind == KIND_MOVED) || (md.kind == KIND_NOTICE)) && (md.gone != 8w0)) {
            from_backup();
        }
        if (md.kind == KIND_MOVED) {
            wait();
        } else if ((md.kind == KIND_NOTICE) && (md.drains == 32w1)) {
            drain();
        } else if ((md.kind == KIND_ORDER_MARK) || ((md.kind == KIND_NEXT) && (md.flag == 8w1))) {
            rotate();
        } else if (md.obeys == 1w1) {
            look_at_backup();
        }
        if (md.rotated == 1w1) {
            turn();
        } else if ((md.kind == KIND_MOVED) || (md.kind == KIND_NEXT) || (md.obeys == 1w1)) {
            look_at_side();
        }
        other_backup_queue();

        // congested_flow_tab (Algorithm 2).
        if (md.kind == KIND_ENDED) {
            end_rotation();
        } else if ((((md.kind == KIND_DATA) && (md.managed == 1w1)) || (md.kind == KIND_WALK)) || (md.obeys == 1w1)) {
            look_at_ended();
        }
        if (((md.kind == KIND_DATA) && (md.managed == 1w1)) || (md.kind == KIND_WALK)) {
            is_paused_a();
        } else if ((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w0)) {
            claim_a();
        } else if (((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) && (md.rotating == 1w0)) {
            clear_a();
        } else if ((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) {
            defer_a();
        }
        if (((md.kind == KIND_DATA) && (md.managed == 1w1)) || (md.kind == KIND_WALK)) {
            is_paused_b();
        } else if (((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w0)) && (md.room_a == 1w0)) {
            claim_b();
        } else if (((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) && (md.rotating == 1w0)) {
            clear_b();
        } else if ((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) {
            defer_b();
        }
        if ((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) {
            flows_resumed();
        }
        if ((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w0)) {
            paused_more();
        } else if (((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) && (md.rotating == 1w0)) {
            paused_less();
        } else if ((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) {
            paused_until();
        }
        if ((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w0)) {
            count_paused();
        } else if ((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) {
            count_resumed();
        } else if (md.kind == KIND_ENDED) {
            resume_deferred();
        } else if ((md.kind == KIND_DATA) && (md.managed == 1w1)) {
            is_original();
        }

        // What is paused upstream, or may be resumed (Algorithm 1).
        if ((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_in == 1w1) && (md.beyond_out == 1w1) && (md.beyond_all == 1w0)) || (((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_all == 1w1))) {
            begin_episode();
        } else if (((md.kind == KIND_NOTICE) && (md.managed == 1w1)) && (md.is_low == 1w1)) {
            end_episode();
        }
        if ((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_in == 1w1) && (md.beyond_out == 1w1) && (md.beyond_all == 1w0)) && (md.strangers == 1w0)) {
            walk_once();
        }

        // pause_frame_tab.
        if (((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_in == 1w1) && (md.beyond_out == 1w1) && (md.beyond_all == 1w0)) && (md.strangers == 1w0) && (md.walk == 1w0) && ((md.original == 8w1) || ((md.own_a == 1w1) || (md.own_b == 1w1)))) || ((md.kind == KIND_WALK) && (md.found == 1w1) && (md.from[1:0] == md.ingress[1:0]) && ((md.flag == 8w1) || ((md.own_a == 1w1) || (md.own_b == 1w1))))) {
            tell_a();
        } else if ((md.kind == KIND_REPEAL) && !(md.at[3:3] == 1w1)) {
            take_a();
        }
        if ((((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_in == 1w1) && (md.beyond_out == 1w1) && (md.beyond_all == 1w0)) && (md.strangers == 1w0) && (md.walk == 1w0) && ((md.original == 8w1) || ((md.own_a == 1w1) || (md.own_b == 1w1)))) || ((md.kind == KIND_WALK) && (md.found == 1w1) && (md.from[1:0] == md.ingress[1:0]) && ((md.flag == 8w1) || ((md.own_a == 1w1) || (md.own_b == 1w1))))) && (md.room_a == 1w0)) {
            tell_b();
        } else if ((md.kind == KIND_REPEAL) && (md.at[3:3] == 1w1)) {
            take_b();
        }
        if ((md.fresh_a == 1w1) || (md.fresh_b == 1w1)) {
            add_told();
        } else if ((md.kind == KIND_REPEAL) && (md.found == 1w1)) {
            take_told();
        } else if (md.was == 1w1) {
            look_at_told();
        }
        if ((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_all == 1w1)) || ((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_in == 1w1) && (md.beyond_out == 1w1) && (md.beyond_all == 1w0)) && (md.strangers == 1w1)) || (((((md.kind == KIND_DATA) && (md.managed == 1w1)) && (md.beyond_in == 1w1) && (md.beyond_out == 1w1) && (md.beyond_all == 1w0)) && (md.strangers == 1w0) && (md.walk == 1w0) && ((md.original == 8w1) || ((md.own_a == 1w1) || (md.own_b == 1w1)))) && (md.room_a == 1w0) && (md.room_b == 1w0))) {
            no_room();
        }
        if (md.all_new == 1w1) {
            hold_all();
        } else if (md.was == 1w1) {
            release_all();
        }

        // What holds a class, and the gate of a queue.
        if (((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w1)) || ((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w1))) {
            as_frame_says();
        } else if ((((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w0)) && (md.room_a == 1w0) && (md.room_b == 1w0)) || (((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) && (hdr.subject.list[1:1] == 1w1))) {
            as_there_is_room();
        } else if (md.kind == KIND_OPEN) {
            look_at_held();
        }
        if ((md.obeys == 1w1) && (md.rotating == 1w1)) {
            gate_of_draining();
        } else if (md.obeys == 1w1) {
            gate_of_normal();
        } else if ((md.kind == KIND_ORDER_MARK) && (md.rotated == 1w1)) {
            shut_normal();
        } else if (md.kind == KIND_NEXT) {
            shut_drained();
        } else if ((md.kind == KIND_OPEN) && (md.hold == 32w0)) {
            open_it();
        }
        if (md.word == 1w1) {
            afc.apply();
        }

        // On their way: packets, signals, and what goes round.
        if ((md.fresh_a == 1w1) || (md.fresh_b == 1w1)) {
            pause_flow();
        } else if ((md.all_new == 1w1) && (md.all_was == 1w0)) {
            pause_all();
        } else if ((md.was == 1w1) && (md.all_was == 1w1)) {
            resume_all();
        } else if ((md.kind == KIND_REPEAL) && (md.found == 1w1)) {
            if (md.last == 1w1) {
                resume_last_flow();
            } else {
                resume_flow();
            }
        }
        if (md.walk == 1w1) {
            walk_flows();
        } else if ((md.kind == KIND_MOVED) && (md.drains == 32w1) && (md.drained == 1w1)) {
            moved_last();
        }
        if (md.kind == KIND_DATA) {
            forward();
        } else if (md.kind == KIND_MOVED) {
            to_paused_queue();
        } else if (md.kind == KIND_NOTICE) {
            if (((md.drains == 32w1) && (md.drained == 1w1)) && ((md.was == 1w1) && (md.told == 1w1))) {
                drained_then_repeal();
            } else if ((md.drains == 32w1) && (md.drained == 1w1)) {
                drained();
            } else if ((md.was == 1w1) && (md.told == 1w1)) {
                repeal();
            } else if (md.kind == KIND_NOTICE) {
                end();
            }
        } else if ((md.obeys == 1w1) && (hdr.signal.type == PAUSE) && (hdr.subject.list[0:0] == 1w0)) {
            tell_egress_pause();
        } else if (((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) && (md.rotating == 1w1)) {
            tell_egress_defer();
        } else if (((md.obeys == 1w1) && (hdr.signal.type == RESUME) && (hdr.subject.list[0:0] == 1w0)) && (md.gone_flows != 32w0)) {
            tell_egress_resume();
        } else if (md.kind == KIND_TOLD) {
            mark_order();
        } else if ((md.kind == KIND_ORDER_MARK) && (md.rotated == 1w1)) {
            open_paused();
        } else if (md.kind == KIND_ENDED) {
            next_rotation();
        } else if ((md.kind == KIND_NEXT) && (md.rotated == 1w1)) {
            open_next();
        } else if (md.kind == KIND_NEXT) {
            open_normal();
        } else if ((md.kind == KIND_OPEN) && (hdr.order.then == 16w1)) {
            repeal_then();
        } else if (((md.kind == KIND_WALK) && (md.at != 16w0xf)) || ((md.kind == KIND_REPEAL) && (md.at != 16w0xf) && (md.last == 1w0))) {
            walk_on();
        } else if (md.kind != KIND_DATA) {
            end();
        }
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(4w1) mirror_1;

    apply {
        if (ig_dprsr_md.mirror_type == 4w1) {
            mirror_1.emit<tell_h>(md.session,
                {hdr.tell.kind,
                 hdr.tell.egress,
                 hdr.tell.class_pad,
                 hdr.tell.class,
                 hdr.tell.ingress,
                 hdr.tell.back_pad,
                 hdr.tell.back,
                 hdr.tell.what,
                 hdr.tell.flag,
                 hdr.tell.queue,
                 hdr.tell.reserved,
                 hdr.tell.then,
                 hdr.tell.at,
                 hdr.tell.high,
                 hdr.tell.low});
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
        md.until = 32w0;
        md.own_a = 1w0;
        md.own_b = 1w0;
        md.got = 1w0;
        md.high = 32w0;
        md.low = 32w0;
        md.session = 8w0;
        transition parse_begin;
    }

    state parse_begin {
        transition select(pkt.lookahead<bit<8>>()) {
            8w0x43: parse_bridged;
            8w0x44: parse_bridged;
            8w0x45: parse_bridged;
            8w0x46: parse_ordered;
            8w0x47: parse_ordered;
            8w0x48: parse_ordered;
            8w0x49: parse_ordered;
            8w0x4a: parse_ordered;
            8w0x4b: parse_ordered;
            8w0x4c: parse_ordered;
            8w0x4d: parse_ordered;
            8w0x4e: parse_ordered;
            default: reject;
        }
    }

    state parse_bridged {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_ordered {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
        transition accept;
    }
}

struct congested_out_a_pair_t {
    bit<32> low;
    bit<32> high;
}

struct congested_out_b_pair_t {
    bit<32> low;
    bit<32> high;
}

control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {

    // ---- Registers ----

    // ended_out: the same in egress
    Register<bit<32>, bit<5>>(32w0x20, 32w0) ended_out;
    // congested_out_a: the copy of congested_flow_tab in egress
    Register<congested_out_a_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) congested_out_a;
    // congested_out_b: the copy of congested_flow_tab in egress
    Register<congested_out_b_pair_t, bit<8>>(32w0x100, {32w0, 32w0}) congested_out_b;
    // sequence: the number of a port's next frame
    Register<bit<32>, bit<2>>(32w4, 32w0) sequence;

    // ---- What packets do to registers ----

    RegisterAction<bit<32>, bit<2>, bit<32>>(sequence) sequence_number = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before + 32w1;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<5>, bit<32>>(ended_out) ended_out_look_at_ended_out = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<32>, bit<5>, void>(ended_out) ended_out_end_rotation_out = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = before + 32w1;
        }
    };

    RegisterAction<congested_out_a_pair_t, bit<8>, bit<1>>(congested_out_a) congested_out_a_is_paused_out_a = {
        void apply(inout congested_out_a_pair_t value, out bit<1> rv1) {
            congested_out_a_pair_t before = value;
            rv1 = 1w0;
            if (before.low == md.high && before.high > md.until) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<congested_out_a_pair_t, bit<8>, bit<1>>(congested_out_a) congested_out_a_claim_out_a = {
        void apply(inout congested_out_a_pair_t value, out bit<1> rv1) {
            congested_out_a_pair_t before = value;
            rv1 = 1w0;
            if ((before.low == md.high) || (before.high <= md.until)) {
                value.low = md.high;
                value.high = 32w0x7fffffff;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<congested_out_a_pair_t, bit<8>, void>(congested_out_a) congested_out_a_clear_out_a = {
        void apply(inout congested_out_a_pair_t value) {
            congested_out_a_pair_t before = value;
            if (before.low == md.high && before.high > md.until) {
                value.high = md.until;
            }
        }
    };

    RegisterAction<congested_out_a_pair_t, bit<8>, void>(congested_out_a) congested_out_a_defer_out_a = {
        void apply(inout congested_out_a_pair_t value) {
            congested_out_a_pair_t before = value;
            if (before.low == md.high && before.high > md.until && before.high == 32w0x7fffffff) {
                value.high = md.until + 32w1;
            }
        }
    };

    RegisterAction<congested_out_b_pair_t, bit<8>, bit<1>>(congested_out_b) congested_out_b_is_paused_out_b = {
        void apply(inout congested_out_b_pair_t value, out bit<1> rv1) {
            congested_out_b_pair_t before = value;
            rv1 = 1w0;
            if (before.low == md.low && before.high > md.until) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<congested_out_b_pair_t, bit<8>, bit<1>>(congested_out_b) congested_out_b_claim_out_b = {
        void apply(inout congested_out_b_pair_t value, out bit<1> rv1) {
            congested_out_b_pair_t before = value;
            rv1 = 1w0;
            if ((before.low == md.low) || (before.high <= md.until)) {
                value.low = md.low;
                value.high = 32w0x7fffffff;
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<congested_out_b_pair_t, bit<8>, void>(congested_out_b) congested_out_b_clear_out_b = {
        void apply(inout congested_out_b_pair_t value) {
            congested_out_b_pair_t before = value;
            if (before.low == md.low && before.high > md.until) {
                value.high = md.until;
            }
        }
    };

    RegisterAction<congested_out_b_pair_t, bit<8>, void>(congested_out_b) congested_out_b_defer_out_b = {
        void apply(inout congested_out_b_pair_t value) {
            congested_out_b_pair_t before = value;
            if (before.low == md.low && before.high > md.until && before.high == 32w0x7fffffff) {
                value.high = md.until + 32w1;
            }
        }
    };

    // ---- Actions ----

    action lose_signal() {
        eg_dprsr_md.drop_ctl = 3w1;
    }

    action send_signal(bit<2> index, bit<48> source) {
        hdr.ethernet.setValid();
        hdr.ether_type.setValid();
        hdr.signal.setValid();
        hdr.subject.setValid();
        hdr.series.setValid();
        hdr.flow.setValid();
        hdr.padding.setValid();
        hdr.signal.sequence = sequence_number.execute(index);
        hdr.ethernet.dst = 48w0x180c200000e;
        hdr.ethernet.src = source;
        hdr.ether_type.value = 16w0x88b5;
        hdr.signal.protocol = 8w2;
        hdr.signal.version = 8w1;
        hdr.signal.type = hdr.order.what;
        hdr.signal.flags = 8w0;
        hdr.signal.length = hdr.order.at;
        hdr.subject.class_pad = 5w0;
        hdr.subject.class = hdr.order.class;
        hdr.subject.list = hdr.order.flag;
        hdr.subject.count = hdr.order.then;
        hdr.flow.flow_high = hdr.order.high;
        hdr.flow.flow_low = hdr.order.low;
        hdr.series.generation = 32w0;
        hdr.series.parts = 32w0;
        hdr.padding.p0 = 32w0;
        hdr.padding.p1 = 32w0;
        hdr.padding.p2 = 32w0;
        hdr.padding.p3 = 32w0;
        hdr.order.setInvalid();
        hdr.cut.setInvalid();
    }

    action flow_of_packet() {
        md.until = ended_out_look_at_ended_out.execute(hdr.bridge.egress[1:0] ++ hdr.bridge.class[2:0]);
        md.high = hdr.bridge.high;
        md.low = hdr.bridge.low;
    }

    action flow_of_frame() {
        md.until = ended_out_look_at_ended_out.execute(hdr.order.egress[1:0] ++ hdr.order.class[2:0]);
        md.high = hdr.order.high;
        md.low = hdr.order.low;
    }

    action end_rotation_out() {
        ended_out_end_rotation_out.execute(hdr.order.egress[1:0] ++ hdr.order.class[2:0]);
    }

    action is_paused_out_a() {
        md.own_a = congested_out_a_is_paused_out_a.execute((hdr.bridge.egress[1:0] ++ hdr.bridge.class[2:0]) ++ md.low[2:0]);
    }

    action claim_out_a() {
        md.got = congested_out_a_claim_out_a.execute((hdr.order.egress[1:0] ++ hdr.order.class[2:0]) ++ md.low[2:0]);
    }

    action clear_out_a() {
        congested_out_a_clear_out_a.execute((hdr.order.egress[1:0] ++ hdr.order.class[2:0]) ++ md.low[2:0]);
    }

    action defer_out_a() {
        congested_out_a_defer_out_a.execute((hdr.order.egress[1:0] ++ hdr.order.class[2:0]) ++ md.low[2:0]);
    }

    action is_paused_out_b() {
        md.own_b = congested_out_b_is_paused_out_b.execute((hdr.bridge.egress[1:0] ++ hdr.bridge.class[2:0]) ++ md.high[2:0]);
    }

    action claim_out_b() {
        md.got = congested_out_b_claim_out_b.execute((hdr.order.egress[1:0] ++ hdr.order.class[2:0]) ++ md.high[2:0]);
    }

    action clear_out_b() {
        congested_out_b_clear_out_b.execute((hdr.order.egress[1:0] ++ hdr.order.class[2:0]) ++ md.high[2:0]);
    }

    action defer_out_b() {
        congested_out_b_defer_out_b.execute((hdr.order.egress[1:0] ++ hdr.order.class[2:0]) ++ md.high[2:0]);
    }

    action move() {
        eg_dprsr_md.drop_ctl = 3w1;
        hdr.bridge.kind = KIND_MOVED;
        eg_dprsr_md.mirror_type = 4w1;
        eg_dprsr_md.mirror_io_select = 1w1;
        md.session = 8w4;
        hdr.bridge.setInvalid();
    }

    action notify() {
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 4w1;
        eg_dprsr_md.mirror_io_select = 1w1;
        md.session = 8w2;
        hdr.bridge.setInvalid();
    }

    action told_egress() {
        hdr.order.kind = KIND_TOLD;
    }

    action end_frame() {
        eg_dprsr_md.drop_ctl = 3w1;
    }

    // ---- Tables ----

    // signals: 4 of 4 entries; frames to devices upstream
    table signals {
        key = {
            eg_intr_md.egress_port : exact @name("port");
        }
        actions = {
            send_signal;
            lose_signal;
        }
        default_action = lose_signal();
        size = 4;
    }

    apply {
        // Whose state it is about, and how many rotations have ended.
        if (hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) {
            flow_of_packet();
        } else if (hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) {
            flow_of_frame();
        } else if (hdr.order.isValid() && (hdr.order.kind == KIND_ENDED)) {
            end_rotation_out();
        }

        // The copy of congested_flow_tab (Algorithm 2).
        if (hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) {
            is_paused_out_a();
        } else if ((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.what == 8w1)) {
            claim_out_a();
        } else if ((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.what == 8w2)) {
            clear_out_a();
        } else if ((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.what == 8w3)) {
            defer_out_a();
        }
        if (hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) {
            is_paused_out_b();
        } else if (((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.what == 8w1)) && (md.got == 1w0)) {
            claim_out_b();
        } else if ((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.what == 8w2)) {
            clear_out_b();
        } else if ((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.what == 8w3)) {
            defer_out_b();
        }

        // On their way: frames, packets of paused flows and others (Algorithm 3).
        if (hdr.order.isValid() && (hdr.order.kind == KIND_SIGNAL)) {
            signals.apply();
        } else if ((hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) && ((md.own_a == 1w1) || (md.own_b == 1w1))) {
            move();
        } else if (hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) {
            notify();
        } else if ((hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) && (hdr.order.flag == 8w1)) {
            told_egress();
        } else if (hdr.order.isValid() && (hdr.order.kind == KIND_TELL)) {
            end_frame();
        }
    }
}

control EgressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in egress_metadata_t md,
        in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror(4w1) mirror_1;

    apply {
        if (eg_dprsr_md.mirror_type == 4w1) {
            mirror_1.emit<bridge_h>(md.session,
                {hdr.bridge.kind,
                 hdr.bridge.egress,
                 hdr.bridge.ingress,
                 hdr.bridge.class_pad,
                 hdr.bridge.class,
                 hdr.bridge.queue,
                 hdr.bridge.where,
                 hdr.bridge.cells,
                 hdr.bridge.back_pad,
                 hdr.bridge.back,
                 hdr.bridge.port_pad,
                 hdr.bridge.port,
                 hdr.bridge.high,
                 hdr.bridge.low});
        }
        pkt.emit(hdr);
    }
}

// ======== The whole ========

Pipeline(
    IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
