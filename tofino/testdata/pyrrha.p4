// Program sluice_pyrrha for the Tofino 2, T2NA. Printed, not written: what fills its tables
// comes with it. It breaks no rule that its compiler is known to have; the compiler has not
// seen this text.

#include <core.p4>
#include <t2na.p4>

// ======== Values ========

const bit<8> KIND_DATA = 8w1;
const bit<8> KIND_NOTICE = 8w2;
const bit<8> KIND_FREED = 8w3;
const bit<8> KIND_SIGNAL = 8w4;
const bit<8> KIND_FRAME = 8w5;
const bit<8> KIND_THREAD = 8w6;
const bit<8> KIND_PASS = 8w7;
const bit<8> OP_ENTER = 8w1;
const bit<8> OP_TELL = 8w2;
const bit<8> OP_CHECK = 8w3;
const bit<8> OP_LEAVES = 8w4;
const bit<8> OP_TURN = 8w5;
const bit<8> OP_MERGE = 8w6;
const bit<8> OP_GATES = 8w7;
const bit<8> OP_GATE = 8w8;
const bit<8> OP_FORGET = 8w9;
const bit<8> OP_JOIN = 8w0xa;
const bit<8> PAUSE = 8w1;
const bit<8> RESUME = 8w2;
const bit<8> MERGE = 8w3;
const bit<8> DEALLOC = 8w4;

// ======== Headers and metadata ========

header bridge_h {
    bit<8> kind;
    bit<16> egress;
    bit<16> ingress;
    bit<16> egress_class;
    bit<16> queue;
    bit<32> cells;
    bit<16> index;
    bit<16> slot1;
    bit<16> slot2;
    bit<16> slot3;
    bit<16> slot4;
}

header thread_h {
    bit<8> kind;
    bit<8> op;
    bit<16> egress;
    bit<16> ingress;
    bit<16> egress_class;
    bit<8> type;
    bit<8> level;
    bit<16> number;
    bit<16> slot;
    bit<8> old_level;
    bit<16> old_number;
    bit<16> old_slot;
    bit<8> tell;
    bit<8> join;
    bit<8> check;
    bit<8> todo;
    bit<16> at;
    bit<32> value;
    bit<32> root_switch;
    bit<16> root_port;
    bit<32> old_switch;
    bit<16> old_port;
    bit<8> abdicates;
    bit<16> slot1;
    bit<16> slot2;
    bit<16> slot3;
    bit<16> slot4;
}

header order_h {
    bit<8> kind;
    bit<8> type;
    bit<8> hop;
    bit<8> reserved;
    bit<32> root_switch;
    bit<16> root_port;
    bit<32> old_switch;
    bit<16> old_port;
}

header cut_h {
    bit<112> octets;
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

header root_h {
    bit<32> root_switch;
    bit<16> root_port;
}

header old_h {
    bit<32> old_switch;
    bit<16> old_port;
}

header distance_h {
    bit<8> hop;
}

header pad_pause_h {
    bit<8> x0;
    bit<32> x1;
    bit<32> x2;
}

header pad_resume_h {
    bit<16> y0;
    bit<32> y1;
    bit<32> y2;
}

header pad_merge_h {
    bit<24> z0;
}

header padding_h {
    bit<32> p0;
    bit<32> p1;
    bit<32> p2;
    bit<32> p3;
    bit<32> p4;
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
    thread_h thread;
    order_h order;
    cut_h cut;
    ethernet_h ethernet;
    ether_type_h ether_type;
    signal_h signal;
    root_h root;
    old_h old;
    distance_h distance;
    pad_pause_h pad_pause;
    pad_resume_h pad_resume;
    pad_merge_h pad_merge;
    padding_h padding;
    ipv4_h ipv4;
    l4_h l4;
}

struct ingress_metadata_t {
    bit<9> path_port;
    bit<1> path_has_port;
    bit<2> path_block;
    bit<1> path_offset;
    bit<4> path_last;
    bit<1> path_has_last;
    bit<3> path_0_kind;
    bit<1> path_0_link;
    bit<1> path_0_group;
    bit<1> path_0_value;
    bit<3> path_1_kind;
    bit<2> path_1_link;
    bit<1> path_1_node;
    bit<1> path_1_class;
    bit<4> path_1_root;
    bit<1> path_1_has;
    bit<1> path_1_group;
    bit<1> path_1_value;
    bit<1> path_1_constant;
    bit<3> path_2_kind;
    bit<2> path_2_link;
    bit<2> path_2_node;
    bit<1> path_2_class;
    bit<4> path_2_root;
    bit<1> path_2_has;
    bit<3> path_3_kind;
    bit<2> path_3_link;
    bit<3> path_3_node;
    bit<2> path_3_class;
    bit<4> path_3_root;
    bit<1> path_3_has;
    bit<4> path_4_root;
    bit<1> path_4_has;
    bit<32> path_digest0;
    bit<8> kind;
    bit<8> op;
    bit<16> port;
    bit<16> egress;
    bit<16> ingress;
    bit<16> egress_class;
    bit<16> ingress_class;
    bit<1> front;
    bit<1> claims;
    bit<8> abdicates;
    bit<9> back;
    bit<1> host;
    bit<1> silent;
    bit<16> peer;
    bit<16> where;
    bit<32> cells;
    bit<32> beyond;
    bit<32> resume;
    bit<32> most;
    bit<32> mark;
    bit<32> under;
    bit<16> queue;
    bit<16> index;
    bit<1> first;
    bit<1> other;
    bit<1> got;
    bit<16> position;
    bit<32> set;
    bit<1> emptied;
    bit<1> gates;
    bit<32> depth;
    bit<1> last_copy;
    bit<8> type;
    bit<8> level;
    bit<16> number;
    bit<16> slot;
    bit<8> old_level;
    bit<16> old_number;
    bit<16> old_slot;
    bit<16> to;
    bit<16> least;
    bit<16> before;
    bit<8> waits;
    bit<16> old_before;
    bit<8> old_waits;
    bit<32> window_end;
    bit<1> fresh;
    bit<1> known;
    bit<32> root_switch;
    bit<16> root_port;
    bit<32> old_switch;
    bit<16> old_port;
    bit<32> root_tail;
    bit<32> tail;
    bit<8> tell;
    bit<8> join;
    bit<8> check;
    bit<8> todo;
    bit<16> at;
    bit<32> value;
    bit<16> listed;
    bit<16> paused;
    bit<16> more_listed;
    bit<16> more_paused;
    bit<16> freed;
    bit<8> iqs_left;
    bit<1> ready;
    bit<8> matched;
    bit<8> was;
    bit<8> new_paused;
    bit<8> was_paused;
    bit<8> was_listed;
    bit<8> session;
    bit<32> hold;
    bit<1> goes;
    bit<1> found;
    bit<1> leaves;
    bit<1> tree_empties;
    bit<1> below;
    bit<32> owner;
    bit<8> nearer;
    bit<16> set_high;
    bit<16> set_low;
    bit<8> told;
    bit<8> joined;
    bit<8> checks;
    bit<16> slot0;
    bit<16> state0;
    bit<8> last0;
    bit<8> new0;
    bit<8> joins0;
    bit<16> turn0;
    bit<16> floor0;
    bit<32> mark0;
    bit<16> slot1;
    bit<16> state1;
    bit<8> last1;
    bit<8> new1;
    bit<8> joins1;
    bit<16> turn1;
    bit<16> floor1;
    bit<32> mark1;
    bit<16> slot2;
    bit<16> state2;
    bit<8> last2;
    bit<8> new2;
    bit<8> joins2;
    bit<16> turn2;
    bit<16> floor2;
    bit<32> mark2;
    bit<16> slot3;
    bit<16> state3;
    bit<8> last3;
    bit<8> new3;
    bit<8> joins3;
    bit<16> turn3;
    bit<16> floor3;
    bit<32> mark3;
    bit<16> slot4;
    bit<16> state4;
    bit<8> last4;
    bit<8> new4;
    bit<8> joins4;
    bit<16> turn4;
    bit<16> floor4;
    bit<32> mark4;
}

struct egress_metadata_t {
    bit<8> session;
    bit<16> copy;
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
        md.path_port = 9w0;
        md.path_has_port = 1w0;
        md.path_block = 2w0;
        md.path_offset = 1w0;
        md.path_last = 4w0;
        md.path_has_last = 1w0;
        md.path_0_kind = 3w0;
        md.path_0_link = 1w0;
        md.path_0_group = 1w0;
        md.path_0_value = 1w0;
        md.path_1_kind = 3w0;
        md.path_1_link = 2w0;
        md.path_1_node = 1w0;
        md.path_1_class = 1w0;
        md.path_1_root = 4w0;
        md.path_1_has = 1w0;
        md.path_1_group = 1w0;
        md.path_1_value = 1w0;
        md.path_1_constant = 1w0;
        md.path_2_kind = 3w0;
        md.path_2_link = 2w0;
        md.path_2_node = 2w0;
        md.path_2_class = 1w0;
        md.path_2_root = 4w0;
        md.path_2_has = 1w0;
        md.path_3_kind = 3w0;
        md.path_3_link = 2w0;
        md.path_3_node = 3w0;
        md.path_3_class = 2w0;
        md.path_3_root = 4w0;
        md.path_3_has = 1w0;
        md.path_4_root = 4w0;
        md.path_4_has = 1w0;
        md.path_digest0 = 32w0;
        md.kind = 8w0;
        md.op = 8w0;
        md.port = 16w0;
        md.egress = 16w0;
        md.ingress = 16w0;
        md.egress_class = 16w0;
        md.ingress_class = 16w0;
        md.front = 1w0;
        md.claims = 1w0;
        md.abdicates = 8w0;
        md.back = 9w0;
        md.host = 1w0;
        md.silent = 1w0;
        md.peer = 16w0;
        md.where = 16w0;
        md.cells = 32w0;
        md.beyond = 32w0;
        md.resume = 32w0;
        md.most = 32w0;
        md.mark = 32w0;
        md.under = 32w0;
        md.queue = 16w0;
        md.index = 16w0;
        md.first = 1w0;
        md.other = 1w0;
        md.got = 1w0;
        md.position = 16w0;
        md.set = 32w0;
        md.emptied = 1w0;
        md.gates = 1w0;
        md.depth = 32w0;
        md.last_copy = 1w0;
        md.type = 8w0;
        md.level = 8w0;
        md.number = 16w0;
        md.slot = 16w0;
        md.old_level = 8w0;
        md.old_number = 16w0;
        md.old_slot = 16w0;
        md.to = 16w0;
        md.least = 16w0;
        md.before = 16w0;
        md.waits = 8w0;
        md.old_before = 16w0;
        md.old_waits = 8w0;
        md.window_end = 32w0;
        md.fresh = 1w0;
        md.known = 1w0;
        md.root_switch = 32w0;
        md.root_port = 16w0;
        md.old_switch = 32w0;
        md.old_port = 16w0;
        md.root_tail = 32w0;
        md.tail = 32w0;
        md.tell = 8w0;
        md.join = 8w0;
        md.check = 8w0;
        md.todo = 8w0;
        md.at = 16w0;
        md.value = 32w0;
        md.listed = 16w0;
        md.paused = 16w0;
        md.more_listed = 16w0;
        md.more_paused = 16w0;
        md.freed = 16w0;
        md.iqs_left = 8w0;
        md.ready = 1w0;
        md.matched = 8w0;
        md.was = 8w0;
        md.new_paused = 8w0;
        md.was_paused = 8w0;
        md.was_listed = 8w0;
        md.session = 8w0;
        md.hold = 32w0;
        md.goes = 1w0;
        md.found = 1w0;
        md.leaves = 1w0;
        md.tree_empties = 1w0;
        md.below = 1w0;
        md.owner = 32w0;
        md.nearer = 8w0;
        md.set_high = 16w0;
        md.set_low = 16w0;
        md.told = 8w0;
        md.joined = 8w0;
        md.checks = 8w0;
        md.slot0 = 16w0;
        md.state0 = 16w0;
        md.last0 = 8w0;
        md.new0 = 8w0;
        md.joins0 = 8w0;
        md.turn0 = 16w0;
        md.floor0 = 16w0;
        md.mark0 = 32w0;
        md.slot1 = 16w0;
        md.state1 = 16w0;
        md.last1 = 8w0;
        md.new1 = 8w0;
        md.joins1 = 8w0;
        md.turn1 = 16w0;
        md.floor1 = 16w0;
        md.mark1 = 32w0;
        md.slot2 = 16w0;
        md.state2 = 16w0;
        md.last2 = 8w0;
        md.new2 = 8w0;
        md.joins2 = 8w0;
        md.turn2 = 16w0;
        md.floor2 = 16w0;
        md.mark2 = 32w0;
        md.slot3 = 16w0;
        md.state3 = 16w0;
        md.last3 = 8w0;
        md.new3 = 8w0;
        md.joins3 = 8w0;
        md.turn3 = 16w0;
        md.floor3 = 16w0;
        md.mark3 = 32w0;
        md.slot4 = 16w0;
        md.state4 = 16w0;
        md.last4 = 8w0;
        md.new4 = 8w0;
        md.joins4 = 8w0;
        md.turn4 = 16w0;
        md.floor4 = 16w0;
        md.mark4 = 32w0;
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
            8w2: parse_notice;
            8w6: parse_thread;
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
        transition accept;
    }

    state parse_thread {
        pkt.extract(hdr.thread);
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
            32w0x3010100: parse_pause_length;
            32w0x3010200: parse_resume_length;
            32w0x3010300: parse_merge_length;
            32w0x3010400: parse_resume_length;
            default: reject;
        }
    }

    state parse_pause_length {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w7: parse_pause_body;
            default: reject;
        }
    }

    state parse_resume_length {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w6: parse_resume_body;
            default: reject;
        }
    }

    state parse_merge_length {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w0xd: parse_merge_body;
            default: reject;
        }
    }

    state parse_pause_body {
        pkt.extract(hdr.root);
        pkt.extract(hdr.distance);
        transition parse_zeros;
    }

    state parse_resume_body {
        pkt.extract(hdr.root);
        transition parse_zeros_2;
    }

    state parse_merge_body {
        pkt.extract(hdr.root);
        pkt.extract(hdr.old);
        pkt.extract(hdr.distance);
        transition parse_zeros_3;
    }

    state parse_zeros {
        transition select(pkt.lookahead<bit<8>>()) {
            8w0: parse_zeros_4;
            default: reject;
        }
    }

    state parse_zeros_2 {
        transition select(pkt.lookahead<bit<16>>()) {
            16w0: parse_zeros_5;
            default: reject;
        }
    }

    state parse_zeros_3 {
        transition select(pkt.lookahead<bit<24>>()) {
            24w0: parse_zeros_6;
            default: reject;
        }
    }

    state parse_zeros_4 {
        pkt.advance(32w8);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_7;
            default: reject;
        }
    }

    state parse_zeros_5 {
        pkt.advance(32w0x10);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_8;
            default: reject;
        }
    }

    state parse_zeros_6 {
        pkt.advance(32w0x18);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_9;
            default: reject;
        }
    }

    state parse_zeros_7 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_10;
            default: reject;
        }
    }

    state parse_zeros_8 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_11;
            default: reject;
        }
    }

    state parse_zeros_9 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_12;
            default: reject;
        }
    }

    state parse_zeros_10 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_13;
            default: reject;
        }
    }

    state parse_zeros_11 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_14;
            default: reject;
        }
    }

    state parse_zeros_12 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_15;
            default: reject;
        }
    }

    state parse_zeros_13 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_16;
            default: reject;
        }
    }

    state parse_zeros_14 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_17;
            default: reject;
        }
    }

    state parse_zeros_15 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_18;
            default: reject;
        }
    }

    state parse_zeros_16 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_19;
            default: reject;
        }
    }

    state parse_zeros_17 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_20;
            default: reject;
        }
    }

    state parse_zeros_18 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_padded;
            default: reject;
        }
    }

    state parse_zeros_19 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_21;
            default: reject;
        }
    }

    state parse_zeros_20 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_22;
            default: reject;
        }
    }

    state parse_padded {
        pkt.advance(32w0x20);
        transition accept;
    }

    state parse_zeros_21 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_padded_2;
            default: reject;
        }
    }

    state parse_zeros_22 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_padded_3;
            default: reject;
        }
    }

    state parse_padded_2 {
        pkt.advance(32w0x20);
        transition accept;
    }

    state parse_padded_3 {
        pkt.advance(32w0x20);
        transition accept;
    }
}

struct heard_pair_t {
    bit<32> low;
    bit<32> high;
}

struct tree_pair_t {
    bit<16> low;
    bit<16> high;
}

struct identity_pair_t {
    bit<32> low;
    bit<32> high;
}

struct iq1_pair_t {
    bit<16> low;
    bit<16> high;
}

struct iq2_pair_t {
    bit<16> low;
    bit<16> high;
}

struct iq3_pair_t {
    bit<16> low;
    bit<16> high;
}

struct iq4_pair_t {
    bit<16> low;
    bit<16> high;
}

struct up1_pair_t {
    bit<32> low;
    bit<32> high;
}

struct up2_pair_t {
    bit<32> low;
    bit<32> high;
}

struct up3_pair_t {
    bit<32> low;
    bit<32> high;
}

struct up4_pair_t {
    bit<32> low;
    bit<32> high;
}

struct set_key_pair_t {
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
    // tree: how many are in the tree of a root, and how many of them are paused (Pyrrha, section IV-C)
    Register<tree_pair_t, bit<11>>(32w0x500, {16w0, 16w0}) tree;
    // identity: switch and port of a root, and its number
    Register<identity_pair_t, bit<11>>(32w0x500, {32w0, 32w0}) identity;
    // roots1: the slot of a root by its number (Pyrrha, section V-A)
    Register<bit<16>, bit<4>>(32w6, 16w0) roots1;
    // roots2: the slot of a root by its number (Pyrrha, section V-A)
    Register<bit<16>, bit<4>>(32w0xe, 16w0) roots2;
    // roots3: the slot of a root by its number (Pyrrha, section V-A)
    Register<bit<16>, bit<4>>(32w0xc, 16w0) roots3;
    // roots4: the slot of a root by its number (Pyrrha, section V-A)
    Register<bit<16>, bit<4>>(32w0xc, 16w0) roots4;
    // slot_top: free slots of a level, a stack
    Register<bit<16>, bit<3>>(32w5, 16w0xff) slot_top;
    // slot_id: the slots on that stack
    Register<bit<16>, bit<11>>(32w0x500, 16w0) slot_id;
    // iq1: state of a root's IQ at a port, and the packets that wait there
    Register<iq1_pair_t, bit<10>>(32w0x400, {16w0, 16w0}) iq1;
    // iq2: state of a root's IQ at a port, and the packets that wait there
    Register<iq2_pair_t, bit<10>>(32w0x400, {16w0, 16w0}) iq2;
    // iq3: state of a root's IQ at a port, and the packets that wait there
    Register<iq3_pair_t, bit<10>>(32w0x400, {16w0, 16w0}) iq3;
    // iq4: state of a root's IQ at a port, and the packets that wait there
    Register<iq4_pair_t, bit<10>>(32w0x400, {16w0, 16w0}) iq4;
    // iqs: IQs of a root at all ports
    Register<bit<8>, bit<11>>(32w0x500, 8w0) iqs;
    // oq: depth of the OQ of a port in cells
    Register<bit<32>, bit<2>>(32w4, 32w0) oq;
    // own: what upstream was told of a port of this switch as a root
    Register<bit<8>, bit<4>>(32w0x10, 8w0) own;
    // up1: cells from an ingress that wait for a root, and what upstream was told
    Register<up1_pair_t, bit<10>>(32w0x400, {32w0, 32w0}) up1;
    // up2: cells from an ingress that wait for a root, and what upstream was told
    Register<up2_pair_t, bit<10>>(32w0x400, {32w0, 32w0}) up2;
    // up3: cells from an ingress that wait for a root, and what upstream was told
    Register<up3_pair_t, bit<10>>(32w0x400, {32w0, 32w0}) up3;
    // up4: cells from an ingress that wait for a root, and what upstream was told
    Register<up4_pair_t, bit<10>>(32w0x400, {32w0, 32w0}) up4;
    // set_packets: packets of a set of roots
    Register<bit<16>, bit<12>>(32w0x1000, 16w0) set_packets;
    // set_key: which set an element is of
    Register<set_key_pair_t, bit<12>>(32w0x1000, {32w0, 32w0}) set_key;
    // free_top: free queues of a port, a stack
    Register<bit<16>, bit<2>>(32w4, 16w0x63) free_top;
    // free_id: the queues on that stack
    Register<bit<16>, bit<9>>(32w0x200, 16w0) free_id;
    // set_queue: the queue of a set
    Register<bit<16>, bit<12>>(32w0x1000, 16w0) set_queue;
    // queue_set: the set of a queue
    Register<bit<32>, bit<9>>(32w0x200, 32w0) queue_set;
    // shared: sets that share a queue
    Register<bit<32>, bit<2>>(32w4, 32w0) shared;

    // ---- Hash functions ----

    CRCPolynomial<bit<32>>(32w0x4c11db7, true, false, false,
        32w0, 32w0) path_hash0_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, path_hash0_poly) path_hash0;
    CRCPolynomial<bit<32>>(32w0x4c11db7, true, false, false,
        32w0xffffffff, 32w0xffffffff) set_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, set_hash_poly) set_hash;

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

    RegisterAction2<tree_pair_t, bit<11>, bit<16>, bit<16>>(tree) tree_change_tree = {
        void apply(inout tree_pair_t value, out bit<16> rv1, out bit<16> rv2) {
            tree_pair_t before = value;
            value.low = before.low + md.more_listed;
            value.high = before.high + md.more_paused;
            rv1 = value.low;
            rv2 = value.high;
        }
    };

    RegisterAction<tree_pair_t, bit<11>, void>(tree) tree_clear_tree = {
        void apply(inout tree_pair_t value) {
            tree_pair_t before = value;
            value.low = 16w0;
            value.high = 16w0;
        }
    };

    RegisterAction<identity_pair_t, bit<11>, void>(identity) identity_write_identity = {
        void apply(inout identity_pair_t value) {
            identity_pair_t before = value;
            value.low = md.root_switch;
            value.high = md.tail;
        }
    };

    RegisterAction2<identity_pair_t, bit<11>, bit<32>, bit<32>>(identity) identity_read_identity = {
        void apply(inout identity_pair_t value, out bit<32> rv1, out bit<32> rv2) {
            identity_pair_t before = value;
            rv1 = before.low;
            rv2 = before.high;
        }
    };

    RegisterAction2<bit<16>, bit<4>, bit<16>, bit<16>>(roots1) roots1_find_roots1 = {
        void apply(inout bit<16> value, out bit<16> rv1, out bit<16> rv2) {
            bit<16> before = value;
            rv1 = before;
            rv2 = before;
        }
    };

    RegisterAction2<bit<16>, bit<4>, bit<16>, bit<16>>(roots2) roots2_find_roots2 = {
        void apply(inout bit<16> value, out bit<16> rv1, out bit<16> rv2) {
            bit<16> before = value;
            rv1 = before;
            rv2 = before;
        }
    };

    RegisterAction2<bit<16>, bit<4>, bit<16>, bit<16>>(roots3) roots3_find_roots3 = {
        void apply(inout bit<16> value, out bit<16> rv1, out bit<16> rv2) {
            bit<16> before = value;
            rv1 = before;
            rv2 = before;
        }
    };

    RegisterAction2<bit<16>, bit<4>, bit<16>, bit<16>>(roots4) roots4_find_roots4 = {
        void apply(inout bit<16> value, out bit<16> rv1, out bit<16> rv2) {
            bit<16> before = value;
            rv1 = before;
            rv2 = before;
        }
    };

    RegisterAction<bit<16>, bit<4>, bit<16>>(roots1) roots1_read_roots1 = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<4>, bit<16>>(roots2) roots2_read_roots2 = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<4>, bit<16>>(roots3) roots3_read_roots3 = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots1) roots1_write_roots1 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.slot;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots2) roots2_write_roots2 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.slot;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots3) roots3_write_roots3 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.slot;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots4) roots4_write_roots4 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.slot;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots1) roots1_write_roots1_2 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = 16w0;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots2) roots2_write_roots2_2 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = 16w0;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots3) roots3_write_roots3_2 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = 16w0;
        }
    };

    RegisterAction<bit<16>, bit<4>, void>(roots4) roots4_write_roots4_2 = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = 16w0;
        }
    };

    RegisterAction2<iq1_pair_t, bit<10>, bit<16>, bit<16>>(iq1) iq1_enter_iq1 = {
        void apply(inout iq1_pair_t value, out bit<16> rv1, out bit<16> rv2) {
            iq1_pair_t before = value;
            rv2 = 16w0;
            if (before.low != 16w0) {
                value.high = before.high + 16w1;
            }
            rv1 = before.low;
            if (before.low != 16w0) {
                rv2 = md.turn1;
            }
        }
    };

    RegisterAction2<iq1_pair_t, bit<10>, bit<16>, bit<8>>(iq1) iq1_leave_iq1 = {
        void apply(inout iq1_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq1_pair_t before = value;
            rv2 = 8w0;
            value.high = before.high - 16w1;
            rv1 = before.low;
            if (before.high == 16w1) {
                rv2 = 8w2;
            }
        }
    };

    RegisterAction2<iq1_pair_t, bit<10>, bit<16>, bit<8>>(iq1) iq1_turn_iq1 = {
        void apply(inout iq1_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq1_pair_t before = value;
            rv2 = 8w0;
            if (before.low >= md.floor1) {
                value.low = md.turn1;
            }
            rv1 = before.low;
            if (before.high != 16w0) {
                rv2 = 8w2;
            }
        }
    };

    RegisterAction2<iq2_pair_t, bit<10>, bit<16>, bit<16>>(iq2) iq2_enter_iq2 = {
        void apply(inout iq2_pair_t value, out bit<16> rv1, out bit<16> rv2) {
            iq2_pair_t before = value;
            rv2 = 16w0;
            if (before.low != 16w0) {
                value.high = before.high + 16w1;
            }
            rv1 = before.low;
            if (before.low != 16w0) {
                rv2 = md.turn2;
            }
        }
    };

    RegisterAction2<iq2_pair_t, bit<10>, bit<16>, bit<8>>(iq2) iq2_leave_iq2 = {
        void apply(inout iq2_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq2_pair_t before = value;
            rv2 = 8w0;
            value.high = before.high - 16w1;
            rv1 = before.low;
            if (before.high == 16w1) {
                rv2 = 8w4;
            }
        }
    };

    RegisterAction2<iq2_pair_t, bit<10>, bit<16>, bit<8>>(iq2) iq2_turn_iq2 = {
        void apply(inout iq2_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq2_pair_t before = value;
            rv2 = 8w0;
            if (before.low >= md.floor2) {
                value.low = md.turn2;
            }
            rv1 = before.low;
            if (before.high != 16w0) {
                rv2 = 8w4;
            }
        }
    };

    RegisterAction2<iq3_pair_t, bit<10>, bit<16>, bit<16>>(iq3) iq3_enter_iq3 = {
        void apply(inout iq3_pair_t value, out bit<16> rv1, out bit<16> rv2) {
            iq3_pair_t before = value;
            rv2 = 16w0;
            if (before.low != 16w0) {
                value.high = before.high + 16w1;
            }
            rv1 = before.low;
            if (before.low != 16w0) {
                rv2 = md.turn3;
            }
        }
    };

    RegisterAction2<iq3_pair_t, bit<10>, bit<16>, bit<8>>(iq3) iq3_leave_iq3 = {
        void apply(inout iq3_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq3_pair_t before = value;
            rv2 = 8w0;
            value.high = before.high - 16w1;
            rv1 = before.low;
            if (before.high == 16w1) {
                rv2 = 8w8;
            }
        }
    };

    RegisterAction2<iq3_pair_t, bit<10>, bit<16>, bit<8>>(iq3) iq3_turn_iq3 = {
        void apply(inout iq3_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq3_pair_t before = value;
            rv2 = 8w0;
            if (before.low >= md.floor3) {
                value.low = md.turn3;
            }
            rv1 = before.low;
            if (before.high != 16w0) {
                rv2 = 8w8;
            }
        }
    };

    RegisterAction2<iq4_pair_t, bit<10>, bit<16>, bit<16>>(iq4) iq4_enter_iq4 = {
        void apply(inout iq4_pair_t value, out bit<16> rv1, out bit<16> rv2) {
            iq4_pair_t before = value;
            rv2 = 16w0;
            if (before.low != 16w0) {
                value.high = before.high + 16w1;
            }
            rv1 = before.low;
            if (before.low != 16w0) {
                rv2 = md.turn4;
            }
        }
    };

    RegisterAction2<iq4_pair_t, bit<10>, bit<16>, bit<8>>(iq4) iq4_leave_iq4 = {
        void apply(inout iq4_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq4_pair_t before = value;
            rv2 = 8w0;
            value.high = before.high - 16w1;
            rv1 = before.low;
            if (before.high == 16w1) {
                rv2 = 8w0x10;
            }
        }
    };

    RegisterAction2<iq4_pair_t, bit<10>, bit<16>, bit<8>>(iq4) iq4_turn_iq4 = {
        void apply(inout iq4_pair_t value, out bit<16> rv1, out bit<8> rv2) {
            iq4_pair_t before = value;
            rv2 = 8w0;
            if (before.low >= md.floor4) {
                value.low = md.turn4;
            }
            rv1 = before.low;
            if (before.high != 16w0) {
                rv2 = 8w0x10;
            }
        }
    };

    RegisterAction<iq1_pair_t, bit<10>, bit<16>>(iq1) iq1_free_iq1 = {
        void apply(inout iq1_pair_t value, out bit<16> rv1) {
            iq1_pair_t before = value;
            rv1 = 16w0;
            if (before.high == 16w0 && before.low != 16w0 && before.low <= md.turn1) {
                value.low = 16w0;
                rv1 = before.low;
            }
        }
    };

    RegisterAction<iq2_pair_t, bit<10>, bit<16>>(iq2) iq2_free_iq2 = {
        void apply(inout iq2_pair_t value, out bit<16> rv1) {
            iq2_pair_t before = value;
            rv1 = 16w0;
            if (before.high == 16w0 && before.low != 16w0 && before.low <= md.turn2) {
                value.low = 16w0;
                rv1 = before.low;
            }
        }
    };

    RegisterAction<iq3_pair_t, bit<10>, bit<16>>(iq3) iq3_free_iq3 = {
        void apply(inout iq3_pair_t value, out bit<16> rv1) {
            iq3_pair_t before = value;
            rv1 = 16w0;
            if (before.high == 16w0 && before.low != 16w0 && before.low <= md.turn3) {
                value.low = 16w0;
                rv1 = before.low;
            }
        }
    };

    RegisterAction<iq4_pair_t, bit<10>, bit<16>>(iq4) iq4_free_iq4 = {
        void apply(inout iq4_pair_t value, out bit<16> rv1) {
            iq4_pair_t before = value;
            rv1 = 16w0;
            if (before.high == 16w0 && before.low != 16w0 && before.low <= md.turn4) {
                value.low = 16w0;
                rv1 = before.low;
            }
        }
    };

    RegisterAction<bit<8>, bit<11>, bit<8>>(iqs) iqs_add_iqs = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            value = before + 8w1;
            rv1 = value;
        }
    };

    RegisterAction<bit<8>, bit<11>, bit<8>>(iqs) iqs_add_iqs_2 = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            value = before + 8w0xff;
            rv1 = value;
        }
    };

    RegisterAction<bit<8>, bit<11>, bit<8>>(iqs) iqs_add_iqs_3 = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            value = before + 8w0;
            rv1 = value;
        }
    };

    RegisterAction2<bit<16>, bit<3>, bit<1>, bit<16>>(slot_top) slot_top_pop_slot_top = {
        void apply(inout bit<16> value, out bit<1> rv1, out bit<16> rv2) {
            bit<16> before = value;
            rv1 = 1w0;
            if (before != 16w0) {
                value = before - 16w1;
                rv1 = 1w1;
            }
            rv2 = value;
        }
    };

    RegisterAction<bit<16>, bit<3>, bit<16>>(slot_top) slot_top_push_slot_top = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            value = before + 16w1;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<11>, bit<16>>(slot_id) slot_id_read_slot_id = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<11>, void>(slot_id) slot_id_write_slot_id = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.slot;
        }
    };

    RegisterAction<bit<32>, bit<2>, bit<32>>(oq) oq_enter_oq = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before + md.cells;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<2>, bit<32>>(oq) oq_leave_oq = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before - md.cells;
            rv1 = value;
        }
    };

    RegisterAction2<up1_pair_t, bit<10>, bit<8>, bit<8>>(up1) up1_enter_up1 = {
        void apply(inout up1_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up1_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark1 && before.high != 32w2) {
                value.high = 32w2;
                rv1 = 8w2;
            }
            if (before.low >= md.mark1 && before.high == 32w0) {
                rv2 = 8w2;
            }
        }
    };

    RegisterAction<up1_pair_t, bit<10>, bit<8>>(up1) up1_leave_up1 = {
        void apply(inout up1_pair_t value, out bit<8> rv1) {
            up1_pair_t before = value;
            rv1 = 8w0;
            value.low = before.low - md.cells;
            if (before.low < md.mark1 && before.high == 32w2) {
                value.high = 32w1;
                rv1 = 8w2;
            }
        }
    };

    RegisterAction2<up2_pair_t, bit<10>, bit<8>, bit<8>>(up2) up2_enter_up2 = {
        void apply(inout up2_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up2_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark2 && before.high != 32w2) {
                value.high = 32w2;
                rv1 = 8w4;
            }
            if (before.low >= md.mark2 && before.high == 32w0) {
                rv2 = 8w4;
            }
        }
    };

    RegisterAction<up2_pair_t, bit<10>, bit<8>>(up2) up2_leave_up2 = {
        void apply(inout up2_pair_t value, out bit<8> rv1) {
            up2_pair_t before = value;
            rv1 = 8w0;
            value.low = before.low - md.cells;
            if (before.low < md.mark2 && before.high == 32w2) {
                value.high = 32w1;
                rv1 = 8w4;
            }
        }
    };

    RegisterAction2<up3_pair_t, bit<10>, bit<8>, bit<8>>(up3) up3_enter_up3 = {
        void apply(inout up3_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up3_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark3 && before.high != 32w2) {
                value.high = 32w2;
                rv1 = 8w8;
            }
            if (before.low >= md.mark3 && before.high == 32w0) {
                rv2 = 8w8;
            }
        }
    };

    RegisterAction<up3_pair_t, bit<10>, bit<8>>(up3) up3_leave_up3 = {
        void apply(inout up3_pair_t value, out bit<8> rv1) {
            up3_pair_t before = value;
            rv1 = 8w0;
            value.low = before.low - md.cells;
            if (before.low < md.mark3 && before.high == 32w2) {
                value.high = 32w1;
                rv1 = 8w8;
            }
        }
    };

    RegisterAction2<up4_pair_t, bit<10>, bit<8>, bit<8>>(up4) up4_enter_up4 = {
        void apply(inout up4_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up4_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark4 && before.high != 32w2) {
                value.high = 32w2;
                rv1 = 8w0x10;
            }
            if (before.low >= md.mark4 && before.high == 32w0) {
                rv2 = 8w0x10;
            }
        }
    };

    RegisterAction<up4_pair_t, bit<10>, bit<8>>(up4) up4_leave_up4 = {
        void apply(inout up4_pair_t value, out bit<8> rv1) {
            up4_pair_t before = value;
            rv1 = 8w0;
            value.low = before.low - md.cells;
            if (before.low < md.mark4 && before.high == 32w2) {
                value.high = 32w1;
                rv1 = 8w0x10;
            }
        }
    };

    RegisterAction2<bit<8>, bit<4>, bit<8>, bit<8>>(own) own_pause_own = {
        void apply(inout bit<8> value, out bit<8> rv1, out bit<8> rv2) {
            bit<8> before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            if (before != 8w2) {
                value = 8w2;
                rv1 = 8w1;
            }
            if (before == 8w0) {
                rv2 = 8w1;
            }
        }
    };

    RegisterAction<bit<8>, bit<4>, bit<8>>(own) own_turn_own = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            rv1 = 8w0;
            if (before == 8w1) {
                value = 8w0;
                rv1 = 8w1;
            }
        }
    };

    RegisterAction<up1_pair_t, bit<10>, bit<8>>(up1) up1_turn_up1 = {
        void apply(inout up1_pair_t value, out bit<8> rv1) {
            up1_pair_t before = value;
            rv1 = 8w0;
            if (before.high == 32w1) {
                value.high = 32w0;
                rv1 = 8w2;
            }
        }
    };

    RegisterAction<up2_pair_t, bit<10>, bit<8>>(up2) up2_turn_up2 = {
        void apply(inout up2_pair_t value, out bit<8> rv1) {
            up2_pair_t before = value;
            rv1 = 8w0;
            if (before.high == 32w1) {
                value.high = 32w0;
                rv1 = 8w4;
            }
        }
    };

    RegisterAction<up3_pair_t, bit<10>, bit<8>>(up3) up3_turn_up3 = {
        void apply(inout up3_pair_t value, out bit<8> rv1) {
            up3_pair_t before = value;
            rv1 = 8w0;
            if (before.high == 32w1) {
                value.high = 32w0;
                rv1 = 8w8;
            }
        }
    };

    RegisterAction<up4_pair_t, bit<10>, bit<8>>(up4) up4_turn_up4 = {
        void apply(inout up4_pair_t value, out bit<8> rv1) {
            up4_pair_t before = value;
            rv1 = 8w0;
            if (before.high == 32w1) {
                value.high = 32w0;
                rv1 = 8w0x10;
            }
        }
    };

    RegisterAction2<bit<8>, bit<4>, bit<8>, bit<8>>(own) own_move_own = {
        void apply(inout bit<8> value, out bit<8> rv1, out bit<8> rv2) {
            bit<8> before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value = 8w0;
            if (before != 8w0) {
                rv1 = 8w1;
            }
            if (before == 8w2) {
                rv2 = 8w1;
            }
        }
    };

    RegisterAction2<up1_pair_t, bit<10>, bit<8>, bit<8>>(up1) up1_move_up1 = {
        void apply(inout up1_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up1_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.high = md.mark1;
            if (before.high != 32w0) {
                rv1 = 8w2;
            }
            if (before.high == 32w2) {
                rv2 = 8w2;
            }
        }
    };

    RegisterAction2<up2_pair_t, bit<10>, bit<8>, bit<8>>(up2) up2_move_up2 = {
        void apply(inout up2_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up2_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.high = md.mark2;
            if (before.high != 32w0) {
                rv1 = 8w4;
            }
            if (before.high == 32w2) {
                rv2 = 8w4;
            }
        }
    };

    RegisterAction2<up3_pair_t, bit<10>, bit<8>, bit<8>>(up3) up3_move_up3 = {
        void apply(inout up3_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up3_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.high = md.mark3;
            if (before.high != 32w0) {
                rv1 = 8w8;
            }
            if (before.high == 32w2) {
                rv2 = 8w8;
            }
        }
    };

    RegisterAction2<up4_pair_t, bit<10>, bit<8>, bit<8>>(up4) up4_move_up4 = {
        void apply(inout up4_pair_t value, out bit<8> rv1, out bit<8> rv2) {
            up4_pair_t before = value;
            rv1 = 8w0;
            rv2 = 8w0;
            value.high = md.mark4;
            if (before.high != 32w0) {
                rv1 = 8w0x10;
            }
            if (before.high == 32w2) {
                rv2 = 8w0x10;
            }
        }
    };

    RegisterAction<bit<8>, bit<4>, bit<8>>(own) own_turn_own_2 = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            rv1 = 8w0;
            if (before == 8w2) {
                value = 8w1;
                rv1 = 8w1;
            }
        }
    };

    RegisterAction<bit<16>, bit<12>, bit<1>>(set_packets) set_packets_enter_set = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            value = before + 16w1;
            if (before == 16w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<16>, bit<12>, bit<1>>(set_packets) set_packets_leave_set = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            value = before - 16w1;
            if (before == 16w1) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<set_key_pair_t, bit<12>, void>(set_key) set_key_claim_set = {
        void apply(inout set_key_pair_t value) {
            set_key_pair_t before = value;
            value.low = md.set;
            value.high = md.owner;
        }
    };

    RegisterAction<set_key_pair_t, bit<12>, bit<1>>(set_key) set_key_compare_set = {
        void apply(inout set_key_pair_t value, out bit<1> rv1) {
            set_key_pair_t before = value;
            rv1 = 1w0;
            if ((before.low != md.set) || (before.high != md.owner)) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction2<bit<16>, bit<2>, bit<1>, bit<16>>(free_top) free_top_pop_free_top = {
        void apply(inout bit<16> value, out bit<1> rv1, out bit<16> rv2) {
            bit<16> before = value;
            rv1 = 1w0;
            if (before != 16w0) {
                value = before - 16w1;
                rv1 = 1w1;
            }
            rv2 = value;
        }
    };

    RegisterAction<bit<16>, bit<2>, bit<16>>(free_top) free_top_push_free_top = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            value = before + 16w1;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<9>, bit<16>>(free_id) free_id_read_free_id = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<9>, void>(free_id) free_id_write_free_id = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.queue;
        }
    };

    RegisterAction<bit<32>, bit<9>, void>(queue_set) queue_set_write_queue_set = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = md.set;
        }
    };

    RegisterAction<bit<32>, bit<9>, void>(queue_set) queue_set_write_queue_set_2 = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = 32w0;
        }
    };

    RegisterAction<bit<32>, bit<9>, bit<32>>(queue_set) queue_set_read_queue_set = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<12>, void>(set_queue) set_queue_write_set_queue = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = md.queue;
        }
    };

    RegisterAction<bit<16>, bit<12>, bit<16>>(set_queue) set_queue_read_set_queue = {
        void apply(inout bit<16> value, out bit<16> rv1) {
            bit<16> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<32>, bit<2>, void>(shared) shared_count_shared = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = before + 32w1;
        }
    };

    // ---- Actions ----

    action path_digest0() {
        md.path_digest0 = path_hash0.get({hdr.ipv4.src,
            hdr.ipv4.dst,
            hdr.l4.src,
            hdr.l4.dst,
            hdr.ipv4.protocol});
    }

    action path_to(bit<2> block, bit<1> offset, bit<4> last) {
        md.path_block = block;
        md.path_offset = offset;
        md.path_last = last;
        md.path_has_last = 1w1;
        md.path_0_kind = 3w3;
    }

    action path_toward(bit<2> block, bit<1> offset) {
        md.path_block = block;
        md.path_offset = offset;
        md.path_0_kind = 3w3;
    }

    action path_local(bit<9> port) {
        md.path_port = port;
        md.path_has_port = 1w1;
    }

    action path_unknown() {
    }

    action path_0_to_link(bit<1> link) {
        md.path_0_link = link;
        md.path_0_kind = 3w1;
    }

    action path_0_to_detail() {
        md.path_0_kind = 3w3;
    }

    action path_0_nothing() {
        md.path_0_kind = 3w0;
    }

    action path_0_to_group(bit<1> group) {
        md.path_0_group = group;
        md.path_0_value = md.path_digest0[0:0];
        md.path_0_kind = 3w2;
    }

    action path_0_pick(bit<1> link) {
        md.path_0_link = link;
        md.path_0_kind = 3w1;
    }

    action path_0_leave(bit<9> port, bit<1> next_node, bit<1> next_class, bit<1> constant) {
        md.path_port = port;
        md.path_has_port = 1w1;
        md.path_1_node = next_node;
        md.path_1_class = next_class;
        md.path_1_constant = constant;
        md.path_1_kind = 3w3;
    }

    action path_1_arrive() {
        md.path_1_root = md.path_last;
        md.path_1_has = md.path_has_last;
        md.path_1_kind = 3w0;
    }

    action path_1_to_link(bit<2> link) {
        md.path_1_link = link;
        md.path_1_kind = 3w1;
    }

    action path_1_to_detail() {
        md.path_1_kind = 3w3;
    }

    action path_1_nothing() {
        md.path_1_kind = 3w0;
    }

    action path_1_to_group(bit<1> group) {
        md.path_1_group = group;
        md.path_1_value = md.path_digest0[0:0] ^ md.path_1_constant;
        md.path_1_kind = 3w2;
    }

    action path_1_pick(bit<2> link) {
        md.path_1_link = link;
        md.path_1_kind = 3w1;
    }

    action path_1_leave(bit<4> root, bit<2> next_node, bit<1> next_class) {
        md.path_1_root = root;
        md.path_1_has = 1w1;
        md.path_2_node = next_node;
        md.path_2_class = next_class;
        md.path_2_kind = 3w3;
    }

    action path_2_arrive() {
        md.path_2_root = md.path_last;
        md.path_2_has = md.path_has_last;
        md.path_2_kind = 3w0;
    }

    action path_2_to_link(bit<2> link) {
        md.path_2_link = link;
        md.path_2_kind = 3w1;
    }

    action path_2_to_detail() {
        md.path_2_kind = 3w3;
    }

    action path_2_nothing() {
        md.path_2_kind = 3w0;
    }

    action path_2_leave(bit<4> root, bit<3> next_node, bit<2> next_class) {
        md.path_2_root = root;
        md.path_2_has = 1w1;
        md.path_3_node = next_node;
        md.path_3_class = next_class;
        md.path_3_kind = 3w3;
    }

    action path_3_arrive() {
        md.path_3_root = md.path_last;
        md.path_3_has = md.path_has_last;
        md.path_3_kind = 3w0;
    }

    action path_3_to_link(bit<2> link) {
        md.path_3_link = link;
        md.path_3_kind = 3w1;
    }

    action path_3_to_detail() {
        md.path_3_kind = 3w3;
    }

    action path_3_nothing() {
        md.path_3_kind = 3w0;
    }

    action path_3_leave(bit<4> root) {
        md.path_3_root = root;
        md.path_3_has = 1w1;
        md.path_4_root = md.path_last;
        md.path_4_has = md.path_has_last;
    }

    action nothing() {
    }

    action from_port(bit<16> to_port, bit<8> to_abdicates) {
        md.port = to_port;
        md.abdicates = to_abdicates;
        md.front = 1w1;
    }

    action peer_is(bit<9> to_back, bit<16> to_ingress_class, bit<1> to_host, bit<1> to_silent) {
        md.back = to_back;
        md.ingress_class = to_ingress_class;
        md.host = to_host;
        md.silent = to_silent;
    }

    action leave_by(bit<16> to_egress, bit<16> to_egress_class, bit<1> to_claims, bit<32> to_owner) {
        md.egress = to_egress;
        md.egress_class = to_egress_class;
        md.claims = to_claims;
        md.owner = to_owner;
        md.known = 1w1;
    }

    action limits_are(bit<32> to_beyond, bit<32> to_resume, bit<32> to_most) {
        md.beyond = to_beyond;
        md.resume = to_resume;
        md.most = to_most;
    }

    action takes_cells(bit<32> to_cells) {
        md.cells = to_cells;
    }

    action root_at(bit<8> to_level, bit<16> to_number) {
        md.level = to_level;
        md.number = to_number;
        md.known = 1w1;
    }

    action old_at(bit<8> to_old_level, bit<16> to_old_number) {
        md.old_level = to_old_level;
        md.old_number = to_old_number;
    }

    action say_word(bit<32> word) {
        ig_dprsr_md.adv_flow_ctl = word + md.hold;
    }

    action take_notice() {
        md.kind = KIND_NOTICE;
        md.where = hdr.bridge.egress;
        md.peer = hdr.bridge.ingress;
        md.egress = hdr.bridge.egress;
        md.ingress = hdr.bridge.ingress;
        md.egress_class = hdr.bridge.egress_class;
        md.queue = hdr.bridge.queue;
        md.cells = hdr.bridge.cells;
        md.index = hdr.bridge.index;
        md.slot1 = hdr.bridge.slot1;
        md.slot2 = hdr.bridge.slot2;
        md.slot3 = hdr.bridge.slot3;
        md.slot4 = hdr.bridge.slot4;
    }

    action take_thread() {
        md.kind = KIND_THREAD;
        md.op = hdr.thread.op;
        md.egress = hdr.thread.egress;
        md.ingress = hdr.thread.ingress;
        md.egress_class = hdr.thread.egress_class;
        md.type = hdr.thread.type;
        md.level = hdr.thread.level;
        md.number = hdr.thread.number;
        md.slot = hdr.thread.slot;
        md.old_level = hdr.thread.old_level;
        md.old_number = hdr.thread.old_number;
        md.old_slot = hdr.thread.old_slot;
        md.tell = hdr.thread.tell;
        md.join = hdr.thread.join;
        md.check = hdr.thread.check;
        md.todo = hdr.thread.todo;
        md.at = hdr.thread.at;
        md.value = hdr.thread.value;
        md.root_switch = hdr.thread.root_switch;
        md.root_port = hdr.thread.root_port;
        md.old_switch = hdr.thread.old_switch;
        md.old_port = hdr.thread.old_port;
        md.abdicates = hdr.thread.abdicates;
        md.slot1 = hdr.thread.slot1;
        md.slot2 = hdr.thread.slot2;
        md.slot3 = hdr.thread.slot3;
        md.slot4 = hdr.thread.slot4;
    }

    action take_frame() {
        md.kind = KIND_FRAME;
        md.type = hdr.signal.type;
        md.egress = md.port;
        md.ingress = md.port;
        md.where = md.port;
        md.peer = md.port;
        md.root_switch = hdr.root.root_switch;
        md.root_port = hdr.root.root_port;
        md.old_switch = hdr.old.old_switch;
        md.old_port = hdr.old.old_port;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action take_packet() {
        md.kind = KIND_DATA;
        md.where = md.egress;
    }

    action from_device() {
        md.ingress = md.port;
        md.peer = md.port;
    }

    action tell_of_root0() {
        md.level = 8w0;
        md.slot = md.egress;
        md.tell = md.tell & 8w0xfe;
        md.matched = md.join & 8w1;
        md.peer = md.ingress;
        md.where = md.egress;
    }

    action tell_of_root1() {
        md.level = 8w1;
        md.slot = md.slot1;
        md.tell = md.tell & 8w0xfd;
        md.matched = md.join & 8w2;
        md.peer = md.ingress;
        md.where = md.egress;
    }

    action tell_of_root2() {
        md.level = 8w2;
        md.slot = md.slot2;
        md.tell = md.tell & 8w0xfb;
        md.matched = md.join & 8w4;
        md.peer = md.ingress;
        md.where = md.egress;
    }

    action tell_of_root3() {
        md.level = 8w3;
        md.slot = md.slot3;
        md.tell = md.tell & 8w0xf7;
        md.matched = md.join & 8w8;
        md.peer = md.ingress;
        md.where = md.egress;
    }

    action tell_of_root4() {
        md.level = 8w4;
        md.slot = md.slot4;
        md.tell = md.tell & 8w0xef;
        md.matched = md.join & 8w0x10;
        md.peer = md.ingress;
        md.where = md.egress;
    }

    action check_root1() {
        md.level = 8w1;
        md.slot = md.slot1;
        md.check = md.check & 8w0xfd;
        md.matched = md.join & 8w2;
        md.peer = md.egress;
        md.where = md.egress;
    }

    action check_root2() {
        md.level = 8w2;
        md.slot = md.slot2;
        md.check = md.check & 8w0xfb;
        md.matched = md.join & 8w4;
        md.peer = md.egress;
        md.where = md.egress;
    }

    action check_root3() {
        md.level = 8w3;
        md.slot = md.slot3;
        md.check = md.check & 8w0xf7;
        md.matched = md.join & 8w8;
        md.peer = md.egress;
        md.where = md.egress;
    }

    action check_root4() {
        md.level = 8w4;
        md.slot = md.slot4;
        md.check = md.check & 8w0xef;
        md.matched = md.join & 8w0x10;
        md.peer = md.egress;
        md.where = md.egress;
    }

    action leaves_of_port() {
        md.peer = md.at;
        md.where = md.at;
    }

    action upstream_of_port() {
        md.peer = md.at;
        md.ingress = md.at;
    }

    action upstream_that_left() {
        md.peer = md.ingress;
    }

    action gates_of_queue() {
        md.where = md.egress;
        md.queue = md.at + 16w1;
    }

    action gate_of_queue() {
        md.gates = 1w1;
        md.where = md.egress;
        md.queue = md.at + 16w1;
    }

    action gate_of_none() {
        md.where = md.egress;
        md.queue = md.at + 16w1;
    }

    action where_it_came() {
        md.peer = md.egress;
        md.where = md.egress;
        md.port = md.egress;
        md.ingress = md.egress;
    }

    action nothing_after_this_port() {
        md.tell = 8w0;
        md.check = 8w0;
        md.todo = 8w0;
    }

    action nothing_after_this_queue() {
        md.tell = 8w0;
        md.check = 8w0;
        md.todo = 8w0;
    }

    action how_much_nearer() {
        md.nearer = md.level |-| md.old_level;
    }

    action pause_mark() {
        md.mark = md.beyond |-| md.cells;
    }

    action resume_mark() {
        md.mark = md.resume + md.cells;
    }

    action turn_mark() {
        md.under = md.resume |-| md.value;
    }

    action obey() {
        md.ready = 1w1;
    }

    action hear_wrapped_frame() {
        md.fresh = heard_hear_wrapped.execute(md.port[1:0]);
    }

    action hear_frame() {
        md.fresh = heard_hear.execute(md.port[1:0]);
    }

    action obey_pause() {
        md.ready = 1w1;
        md.to = 16w3;
        md.least = 16w0;
    }

    action obey_merge() {
        md.ready = 1w1;
        md.to = 16w2;
        md.least = 16w0;
    }

    action obey_resume() {
        md.ready = 1w1;
        md.to = 16w2;
        md.least = 16w2;
    }

    action obey_again() {
        md.kind = KIND_FRAME;
        md.ready = 1w1;
        md.least = 16w0;
    }

    action enter_paused() {
        md.to = 16w3;
    }

    action enter_resumed() {
        md.to = 16w2;
    }

    action merge_listed() {
        md.more_listed = 16w0;
        md.more_paused = 16w0;
    }

    action merge_joins() {
        md.more_listed = 16w1;
        md.more_paused = 16w0;
    }

    action merge_host() {
        md.more_listed = 16w0xffff;
        md.more_paused = 16w0xffff;
        md.leaves = 1w1;
    }

    action merge_paused() {
        md.more_paused = 16w0xffff;
    }

    action pause_joins() {
        md.more_listed = 16w1;
        md.more_paused = 16w1;
    }

    action pause_again() {
        md.more_listed = 16w0;
        md.more_paused = 16w1;
    }

    action host_leaves() {
        md.more_listed = 16w0xffff;
        md.more_paused = 16w0xffff;
        md.leaves = 1w1;
    }

    action resume_stays() {
        md.more_listed = 16w0;
        md.more_paused = 16w0xffff;
    }

    action dealloc_leaves() {
        md.more_listed = 16w0xffff;
        md.more_paused = 16w0;
        md.leaves = 1w1;
    }

    action tree_of_root() {
        md.listed = tree_change_tree.execute(md.level[2:0] ++ md.slot[7:0], md.paused);
    }

    action tree_moves() {
        tree_clear_tree.execute(md.old_level[2:0] ++ md.old_slot[7:0]);
    }

    action tree_of_own() {
        md.listed = tree_change_tree.execute(3w0 ++ md.egress[7:0], md.paused);
    }

    action leaf() {
        md.least = 16w2;
    }

    action no_leaf() {
        md.least = 16w1;
    }

    action tree_empties() {
        md.tree_empties = 1w1;
    }

    action put_identity() {
        md.tail = md.root_port ++ md.number;
    }

    action write_identity() {
        identity_write_identity.execute(md.level[2:0] ++ md.slot[7:0]);
    }

    action read_identity() {
        md.root_switch = identity_read_identity.execute(md.level[2:0] ++ md.slot[7:0], md.root_tail);
    }

    action split_identity() {
        md.root_port = md.root_tail[31:16];
        md.number = md.root_tail[15:0];
    }

    action own_identity() {
        md.root_switch = 32w0x10;
        md.root_port = md.slot;
    }

    action iq_obeys_frame1() {
        md.turn1 = md.to;
        md.floor1 = md.least;
    }

    action iq_becomes_merging1() {
        md.turn1 = 16w1;
        md.floor1 = 16w1;
    }

    action iq_may_be_freed1() {
        md.turn1 = md.least;
        md.floor1 = 16w1;
    }

    action iq_is_read1() {
        md.turn1 = 16w0;
        md.floor1 = 16w4;
    }

    action iq_obeys_frame2() {
        md.turn2 = md.to;
        md.floor2 = md.least;
    }

    action iq_becomes_merging2() {
        md.turn2 = 16w1;
        md.floor2 = 16w1;
    }

    action iq_may_be_freed2() {
        md.turn2 = md.least;
        md.floor2 = 16w1;
    }

    action iq_is_read2() {
        md.turn2 = 16w0;
        md.floor2 = 16w4;
    }

    action iq_obeys_frame3() {
        md.turn3 = md.to;
        md.floor3 = md.least;
    }

    action iq_becomes_merging3() {
        md.turn3 = 16w1;
        md.floor3 = 16w1;
    }

    action iq_may_be_freed3() {
        md.turn3 = md.least;
        md.floor3 = 16w1;
    }

    action iq_is_read3() {
        md.turn3 = 16w0;
        md.floor3 = 16w4;
    }

    action iq_obeys_frame4() {
        md.turn4 = md.to;
        md.floor4 = md.least;
    }

    action iq_becomes_merging4() {
        md.turn4 = 16w1;
        md.floor4 = 16w1;
    }

    action iq_may_be_freed4() {
        md.turn4 = md.least;
        md.floor4 = 16w1;
    }

    action iq_is_read4() {
        md.turn4 = 16w0;
        md.floor4 = 16w4;
    }

    action find_root1() {
        md.slot1 = roots1_find_roots1.execute(md.path_1_root, md.turn1);
    }

    action find_root2() {
        md.slot2 = roots2_find_roots2.execute(md.path_2_root, md.turn2);
    }

    action find_root3() {
        md.slot3 = roots3_find_roots3.execute(md.path_3_root, md.turn3);
    }

    action find_root4() {
        md.slot4 = roots4_find_roots4.execute(md.path_4_root, md.turn4);
    }

    action old_root1() {
        md.old_slot = roots1_read_roots1.execute((bit<4>)(md.old_number[2:0]));
    }

    action old_root2() {
        md.old_slot = roots2_read_roots2.execute(md.old_number[3:0]);
    }

    action old_root3() {
        md.old_slot = roots3_read_roots3.execute(md.old_number[3:0]);
    }

    action enter_root1() {
        roots1_write_roots1.execute((bit<4>)(md.number[2:0]));
        md.slot1 = md.slot;
    }

    action enter_root2() {
        roots2_write_roots2.execute(md.number[3:0]);
        md.slot2 = md.slot;
    }

    action enter_root3() {
        roots3_write_roots3.execute(md.number[3:0]);
        md.slot3 = md.slot;
    }

    action enter_root4() {
        roots4_write_roots4.execute(md.number[3:0]);
        md.slot4 = md.slot;
    }

    action named_root1() {
        md.slot1 = roots1_find_roots1.execute((bit<4>)(md.number[2:0]), md.slot);
    }

    action named_root2() {
        md.slot2 = roots2_find_roots2.execute(md.number[3:0], md.slot);
    }

    action named_root3() {
        md.slot3 = roots3_find_roots3.execute(md.number[3:0], md.slot);
    }

    action named_root4() {
        md.slot4 = roots4_find_roots4.execute(md.number[3:0], md.slot);
    }

    action forget_root1() {
        roots1_write_roots1_2.execute((bit<4>)(md.number[2:0]));
    }

    action forget_root2() {
        roots2_write_roots2_2.execute(md.number[3:0]);
    }

    action forget_root3() {
        roots3_write_roots3_2.execute(md.number[3:0]);
    }

    action forget_root4() {
        roots4_write_roots4_2.execute(md.number[3:0]);
    }

    action root_is_known() {
        md.found = 1w1;
    }

    action enter_iq1() {
        md.state1 = iq1_enter_iq1.execute(md.where[1:0] ++ md.slot1[7:0], md.slot1);
    }

    action leave_iq1() {
        md.state1 = iq1_leave_iq1.execute(md.where[1:0] ++ md.slot1[7:0], md.last1);
    }

    action look_at_iq1() {
        bit<8> iq1_turn_iq1_rv2;
        md.state1 = iq1_turn_iq1.execute(md.where[1:0] ++ md.value[7:0], iq1_turn_iq1_rv2);
    }

    action enter_iq2() {
        md.state2 = iq2_enter_iq2.execute(md.where[1:0] ++ md.slot2[7:0], md.slot2);
    }

    action leave_iq2() {
        md.state2 = iq2_leave_iq2.execute(md.where[1:0] ++ md.slot2[7:0], md.last2);
    }

    action look_at_iq2() {
        bit<8> iq2_turn_iq2_rv2;
        md.state2 = iq2_turn_iq2.execute(md.where[1:0] ++ md.value[15:8], iq2_turn_iq2_rv2);
    }

    action enter_iq3() {
        md.state3 = iq3_enter_iq3.execute(md.where[1:0] ++ md.slot3[7:0], md.slot3);
    }

    action leave_iq3() {
        md.state3 = iq3_leave_iq3.execute(md.where[1:0] ++ md.slot3[7:0], md.last3);
    }

    action look_at_iq3() {
        bit<8> iq3_turn_iq3_rv2;
        md.state3 = iq3_turn_iq3.execute(md.where[1:0] ++ md.value[23:16], iq3_turn_iq3_rv2);
    }

    action enter_iq4() {
        md.state4 = iq4_enter_iq4.execute(md.where[1:0] ++ md.slot4[7:0], md.slot4);
    }

    action leave_iq4() {
        md.state4 = iq4_leave_iq4.execute(md.where[1:0] ++ md.slot4[7:0], md.last4);
    }

    action look_at_iq4() {
        bit<8> iq4_turn_iq4_rv2;
        md.state4 = iq4_turn_iq4.execute(md.where[1:0] ++ md.value[31:24], iq4_turn_iq4_rv2);
    }

    action merge_iq1() {
        md.state1 = iq1_turn_iq1.execute(md.where[1:0] ++ md.old_slot[7:0], md.last1);
    }

    action merge_iq2() {
        md.state2 = iq2_turn_iq2.execute(md.where[1:0] ++ md.old_slot[7:0], md.last2);
    }

    action merge_iq3() {
        md.state3 = iq3_turn_iq3.execute(md.where[1:0] ++ md.old_slot[7:0], md.last3);
    }

    action turn_iq1() {
        md.state1 = iq1_turn_iq1.execute(md.where[1:0] ++ md.slot1[7:0], md.last1);
    }

    action turn_iq2() {
        md.state2 = iq2_turn_iq2.execute(md.where[1:0] ++ md.slot2[7:0], md.last2);
    }

    action turn_iq3() {
        md.state3 = iq3_turn_iq3.execute(md.where[1:0] ++ md.slot3[7:0], md.last3);
    }

    action turn_iq4() {
        md.state4 = iq4_turn_iq4.execute(md.where[1:0] ++ md.slot4[7:0], md.last4);
    }

    action free_iq1() {
        md.freed = iq1_free_iq1.execute(md.where[1:0] ++ md.slot[7:0]);
    }

    action free_iq2() {
        md.freed = iq2_free_iq2.execute(md.where[1:0] ++ md.slot[7:0]);
    }

    action free_iq3() {
        md.freed = iq3_free_iq3.execute(md.where[1:0] ++ md.slot[7:0]);
    }

    action free_iq4() {
        md.freed = iq4_free_iq4.execute(md.where[1:0] ++ md.slot[7:0]);
    }

    action state_before1() {
        md.before = md.state1;
        md.waits = md.last1;
    }

    action state_before2() {
        md.before = md.state2;
        md.waits = md.last2;
    }

    action state_before3() {
        md.before = md.state3;
        md.waits = md.last3;
    }

    action state_before4() {
        md.before = md.state4;
        md.waits = md.last4;
    }

    action old_before1() {
        md.old_before = md.state1;
        md.old_waits = md.last1;
    }

    action old_before2() {
        md.old_before = md.state2;
        md.old_waits = md.last2;
    }

    action old_before3() {
        md.old_before = md.state3;
        md.old_waits = md.last3;
    }

    action old_before4() {
        md.old_before = md.state4;
        md.old_waits = md.last4;
    }

    action iq_more() {
        md.iqs_left = iqs_add_iqs.execute(md.level[2:0] ++ md.slot[7:0]);
    }

    action iq_less() {
        md.iqs_left = iqs_add_iqs_2.execute(md.level[2:0] ++ md.slot[7:0]);
    }

    action iq_count() {
        md.iqs_left = iqs_add_iqs_3.execute(md.level[2:0] ++ md.slot[7:0]);
    }

    action pop_slot() {
        md.got = slot_top_pop_slot_top.execute(md.level[2:0], md.position);
    }

    action push_slot() {
        md.position = slot_top_push_slot_top.execute(md.level[2:0]);
    }

    action read_slot() {
        md.slot = slot_id_read_slot_id.execute(md.level[2:0] ++ md.position[7:0]);
    }

    action write_slot() {
        slot_id_write_slot_id.execute(md.level[2:0] ++ md.position[7:0]);
    }

    action enter_output() {
        md.depth = oq_enter_oq.execute(md.egress[1:0]);
    }

    action leave_output() {
        md.depth = oq_leave_oq.execute(md.egress[1:0]);
    }

    action below_resume() {
        md.value = md.depth;
        md.under = md.most |-| md.depth;
    }

    action below_pause() {
        md.under = md.beyond |-| md.depth;
    }

    action is_below() {
        md.below = 1w1;
    }

    action k_of_root1() {
        md.mark1 = md.mark;
    }

    action pauses_nobody1() {
        md.mark1 = 32w0xffffffff;
    }

    action wait_for1() {
        md.new1 = up1_enter_up1.execute(md.ingress[1:0] ++ md.slot1[7:0], md.joins1);
    }

    action wait_no_more_for1() {
        md.new1 = up1_leave_up1.execute(md.ingress[1:0] ++ md.slot1[7:0]);
    }

    action k_of_root2() {
        md.mark2 = md.mark;
    }

    action pauses_nobody2() {
        md.mark2 = 32w0xffffffff;
    }

    action wait_for2() {
        md.new2 = up2_enter_up2.execute(md.ingress[1:0] ++ md.slot2[7:0], md.joins2);
    }

    action wait_no_more_for2() {
        md.new2 = up2_leave_up2.execute(md.ingress[1:0] ++ md.slot2[7:0]);
    }

    action k_of_root3() {
        md.mark3 = md.mark;
    }

    action pauses_nobody3() {
        md.mark3 = 32w0xffffffff;
    }

    action wait_for3() {
        md.new3 = up3_enter_up3.execute(md.ingress[1:0] ++ md.slot3[7:0], md.joins3);
    }

    action wait_no_more_for3() {
        md.new3 = up3_leave_up3.execute(md.ingress[1:0] ++ md.slot3[7:0]);
    }

    action k_of_root4() {
        md.mark4 = md.mark;
    }

    action pauses_nobody4() {
        md.mark4 = 32w0xffffffff;
    }

    action wait_for4() {
        md.new4 = up4_enter_up4.execute(md.ingress[1:0] ++ md.slot4[7:0], md.joins4);
    }

    action wait_no_more_for4() {
        md.new4 = up4_leave_up4.execute(md.ingress[1:0] ++ md.slot4[7:0]);
    }

    action pause_as_root() {
        md.new0 = own_pause_own.execute(md.egress[1:0] ++ md.ingress[1:0], md.joins0);
    }

    action leaves_tree0() {
        md.matched = own_turn_own.execute(md.number[1:0] ++ md.ingress[1:0]);
    }

    action leaves_tree1() {
        md.matched = up1_turn_up1.execute(md.ingress[1:0] ++ md.slot1[7:0]);
    }

    action leaves_tree2() {
        md.matched = up2_turn_up2.execute(md.ingress[1:0] ++ md.slot2[7:0]);
    }

    action leaves_tree3() {
        md.matched = up3_turn_up3.execute(md.ingress[1:0] ++ md.slot3[7:0]);
    }

    action leaves_tree4() {
        md.matched = up4_turn_up4.execute(md.ingress[1:0] ++ md.slot4[7:0]);
    }

    action leaves_old0() {
        md.was_listed = own_move_own.execute(md.old_slot[1:0] ++ md.ingress[1:0], md.was_paused);
    }

    action leaves_old1() {
        md.was_listed = up1_move_up1.execute(md.ingress[1:0] ++ md.old_slot[7:0], md.was_paused);
    }

    action leaves_old2() {
        md.was_listed = up2_move_up2.execute(md.ingress[1:0] ++ md.old_slot[7:0], md.was_paused);
    }

    action leaves_old3() {
        md.was_listed = up3_move_up3.execute(md.ingress[1:0] ++ md.old_slot[7:0], md.was_paused);
    }

    action leaves_old4() {
        md.was_listed = up4_move_up4.execute(md.ingress[1:0] ++ md.old_slot[7:0], md.was_paused);
    }

    action resumed_in_new1() {
        md.mark1 = 32w1;
    }

    action resumed_in_new2() {
        md.mark2 = 32w1;
    }

    action resumed_in_new3() {
        md.mark3 = 32w1;
    }

    action resumed_in_new4() {
        md.mark4 = 32w1;
    }

    action joins_new1() {
        md.was = up1_move_up1.execute(md.ingress[1:0] ++ md.slot[7:0], md.new_paused);
    }

    action joins_new2() {
        md.was = up2_move_up2.execute(md.ingress[1:0] ++ md.slot[7:0], md.new_paused);
    }

    action joins_new3() {
        md.was = up3_move_up3.execute(md.ingress[1:0] ++ md.slot[7:0], md.new_paused);
    }

    action joins_new4() {
        md.was = up4_move_up4.execute(md.ingress[1:0] ++ md.slot[7:0], md.new_paused);
    }

    action resume_as_root() {
        md.matched = own_turn_own_2.execute(md.slot[1:0] ++ md.ingress[1:0]);
    }

    action name_set() {
        md.index = set_hash.get({md.egress,
            md.slot4[7:0],
            md.slot3[7:0],
            md.slot2[7:0],
            md.slot1[7:0]})[15:0];
    }

    action halves_of_set() {
        md.set_low = md.slot2[7:0] ++ md.slot1[7:0];
        md.set_high = md.slot4[7:0] ++ md.slot3[7:0];
    }

    action whole_set() {
        md.set = md.set_high ++ md.set_low;
    }

    action enter_set_of() {
        md.first = set_packets_enter_set.execute(md.index[11:0]);
    }

    action leave_set_of() {
        md.emptied = set_packets_leave_set.execute(md.index[11:0]);
    }

    action claim_set_key() {
        set_key_claim_set.execute(md.index[11:0]);
    }

    action compare_set_key() {
        md.other = set_key_compare_set.execute(md.index[11:0]);
    }

    action pop_queue() {
        md.got = free_top_pop_free_top.execute(md.egress[1:0], md.position);
    }

    action push_queue() {
        md.position = free_top_push_free_top.execute(md.egress[1:0]);
    }

    action read_free() {
        md.queue = free_id_read_free_id.execute(md.egress[1:0] ++ md.position[6:0]);
    }

    action write_free() {
        free_id_write_free_id.execute(md.egress[1:0] ++ md.position[6:0]);
    }

    action spill_queue() {
        md.queue = 16w0x64;
    }

    action write_queue_set() {
        queue_set_write_queue_set.execute(md.where[1:0] ++ md.queue[6:0]);
    }

    action clear_queue_set() {
        queue_set_write_queue_set_2.execute(md.where[1:0] ++ md.queue[6:0]);
    }

    action read_queue_set() {
        md.value = queue_set_read_queue_set.execute(md.where[1:0] ++ md.queue[6:0]);
    }

    action write_set_queue() {
        set_queue_write_set_queue.execute(md.index[11:0]);
    }

    action read_set_queue() {
        md.queue = set_queue_read_set_queue.execute(md.index[11:0]);
    }

    action share_queue() {
        shared_count_shared.execute(md.egress[1:0]);
    }

    action hold_queue() {
        md.hold = 32w1;
    }

    action tell() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x65;
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = md.type;
        hdr.order.hop = md.level + 8w1;
        hdr.order.root_switch = md.root_switch;
        hdr.order.root_port = md.root_port;
        hdr.order.old_switch = md.old_switch;
        hdr.order.old_port = md.old_port;
    }

    action tell_freed() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x65;
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = DEALLOC;
        hdr.order.hop = 8w0;
        hdr.order.root_switch = md.root_switch;
        hdr.order.root_port = md.root_port;
        hdr.order.old_switch = md.old_switch;
        hdr.order.old_port = md.old_port;
    }

    action answer() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x65;
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = DEALLOC;
        hdr.order.hop = 8w0;
        hdr.order.root_switch = md.root_switch;
        hdr.order.root_port = md.root_port;
        hdr.order.old_switch = md.old_switch;
        hdr.order.old_port = md.old_port;
    }

    action abdicate() {
        md.old_level = 8w0;
        md.old_slot = md.egress;
        md.old_switch = 32w0x10;
        md.old_port = md.egress;
        md.todo = md.todo | 8w2;
    }

    action look_at_gates() {
        md.todo = md.todo | 8w1;
    }

    action merge_trees() {
        md.todo = md.todo | 8w6;
    }

    action check_named1() {
        md.check = 8w2;
    }

    action check_named2() {
        md.check = 8w4;
    }

    action check_named3() {
        md.check = 8w8;
    }

    action check_named4() {
        md.check = 8w0x10;
    }

    action give_slot() {
        md.op = OP_ENTER;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action look_at_gate() {
        md.op = OP_GATE;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action forget() {
        md.op = OP_FORGET;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action look_at_leaves() {
        md.op = OP_LEAVES;
        md.goes = 1w1;
        ig_tm_md.mcast_grp_a = 16w1;
    }

    action resume_upstreams() {
        md.level = 8w0;
        md.slot = md.egress;
        md.op = OP_TURN;
        md.goes = 1w1;
        ig_tm_md.mcast_grp_a = 16w1;
    }

    action notice_tells() {
        md.tell = md.told;
        md.check = md.checks;
        md.type = RESUME;
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action notice_checks() {
        md.check = md.checks;
        md.type = RESUME;
        md.op = OP_CHECK;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action left_tree0() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w1;
        md.type = 8w0;
        md.egress = md.number;
    }

    action left_tree1() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w2;
        md.type = 8w0;
    }

    action left_tree2() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w4;
        md.type = 8w0;
    }

    action left_tree3() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w8;
        md.type = 8w0;
    }

    action left_tree4() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w0x10;
        md.type = 8w0;
    }

    action tell_own() {
        md.tell = 8w1;
        md.type = RESUME;
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action go_join() {
        md.op = OP_JOIN;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action tell_merge1() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w2;
        md.slot1 = md.slot;
        md.type = MERGE;
    }

    action tell_merge2() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w4;
        md.slot2 = md.slot;
        md.type = MERGE;
    }

    action tell_merge3() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w8;
        md.slot3 = md.slot;
        md.type = MERGE;
    }

    action tell_merge4() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
        md.tell = 8w0x10;
        md.slot4 = md.slot;
        md.type = MERGE;
    }

    action was_paused_there() {
        md.join = 8w3;
    }

    action was_listed_there() {
        md.join = 8w1;
    }

    action was_not_there() {
        md.join = 8w0;
    }

    action go_tell() {
        md.op = OP_TELL;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action go_to_gates() {
        md.todo = md.todo & 8w0xfe;
        md.op = OP_GATES;
        md.goes = 1w1;
        ig_tm_md.mcast_grp_a = 16w2;
    }

    action go_merge() {
        md.todo = md.todo & 8w0xfd;
        md.op = OP_MERGE;
        md.goes = 1w1;
        ig_tm_md.mcast_grp_a = 16w1;
    }

    action go_to_leaves() {
        md.todo = md.todo & 8w0xfb;
        md.level = md.old_level;
        md.slot = md.old_slot;
        md.type = RESUME;
        md.op = OP_LEAVES;
        md.goes = 1w1;
        ig_tm_md.mcast_grp_a = 16w1;
    }

    action go_check() {
        md.op = OP_CHECK;
        md.goes = 1w1;
        ig_tm_md.ucast_egress_port = 9w0x86;
    }

    action forward_other() {
        hdr.bridge.setValid();
        ig_tm_md.ucast_egress_port = md.path_port;
        ig_tm_md.qid = md.queue[6:0];
        hdr.bridge.egress = md.egress;
        hdr.bridge.ingress = md.ingress;
        hdr.bridge.egress_class = md.egress_class;
        hdr.bridge.queue = md.queue;
        hdr.bridge.cells = md.cells;
        hdr.bridge.index = md.index;
        hdr.bridge.slot1 = md.slot1;
        hdr.bridge.slot2 = md.slot2;
        hdr.bridge.slot3 = md.slot3;
        hdr.bridge.slot4 = md.slot4;
        hdr.bridge.kind = KIND_PASS;
    }

    action send_round() {
        hdr.thread.setValid();
        hdr.thread.kind = KIND_THREAD;
        hdr.thread.op = md.op;
        hdr.thread.egress = md.egress;
        hdr.thread.ingress = md.ingress;
        hdr.thread.egress_class = md.egress_class;
        hdr.thread.type = md.type;
        hdr.thread.level = md.level;
        hdr.thread.number = md.number;
        hdr.thread.slot = md.slot;
        hdr.thread.old_level = md.old_level;
        hdr.thread.old_number = md.old_number;
        hdr.thread.old_slot = md.old_slot;
        hdr.thread.tell = md.tell;
        hdr.thread.join = md.join;
        hdr.thread.check = md.check;
        hdr.thread.todo = md.todo;
        hdr.thread.at = md.at;
        hdr.thread.value = md.value;
        hdr.thread.root_switch = md.root_switch;
        hdr.thread.root_port = md.root_port;
        hdr.thread.old_switch = md.old_switch;
        hdr.thread.old_port = md.old_port;
        hdr.thread.abdicates = md.abdicates;
        hdr.thread.slot1 = md.slot1;
        hdr.thread.slot2 = md.slot2;
        hdr.thread.slot3 = md.slot3;
        hdr.thread.slot4 = md.slot4;
        hdr.bridge.setInvalid();
        hdr.ethernet.setInvalid();
        hdr.ether_type.setInvalid();
        hdr.signal.setInvalid();
        hdr.root.setInvalid();
        hdr.old.setInvalid();
        hdr.distance.setInvalid();
        hdr.pad_pause.setInvalid();
        hdr.pad_resume.setInvalid();
        hdr.pad_merge.setInvalid();
        hdr.padding.setInvalid();
    }

    action end() {
        ig_dprsr_md.drop_ctl = 3w1;
    }

    action levels_in_pairs() {
        md.new1 = md.new1 | md.new2;
        md.new3 = md.new3 | md.new4;
        md.joins1 = md.joins1 | md.joins2;
        md.joins3 = md.joins3 | md.joins4;
        md.last1 = md.last1 | md.last2;
        md.last3 = md.last3 | md.last4;
    }

    action all_levels() {
        md.told = md.new1 | md.new3;
        md.joined = md.joins1 | md.joins3;
        md.checks = md.last1 | md.last3;
    }

    action own_port_too() {
        md.told = md.told | md.new0;
        md.joined = md.joined | md.joins0;
    }

    action host_is_told() {
        hdr.thread.kind = KIND_THREAD;
        ig_dprsr_md.mirror_type = 4w2;
        md.session = 8w3;
        hdr.thread.op = OP_TELL;
        hdr.thread.egress = md.egress;
        hdr.thread.ingress = md.ingress;
        hdr.thread.egress_class = md.egress_class;
        hdr.thread.type = PAUSE;
        hdr.thread.level = md.level;
        hdr.thread.number = md.number;
        hdr.thread.slot = md.slot;
        hdr.thread.old_level = md.old_level;
        hdr.thread.old_number = md.old_number;
        hdr.thread.old_slot = md.old_slot;
        hdr.thread.tell = md.told;
        hdr.thread.join = md.told;
        hdr.thread.check = md.check;
        hdr.thread.todo = md.todo;
        hdr.thread.at = md.at;
        hdr.thread.value = md.value;
        hdr.thread.root_switch = md.root_switch;
        hdr.thread.root_port = md.root_port;
        hdr.thread.old_switch = md.old_switch;
        hdr.thread.old_port = md.old_port;
        hdr.thread.abdicates = md.abdicates;
        hdr.thread.slot1 = md.slot1;
        hdr.thread.slot2 = md.slot2;
        hdr.thread.slot3 = md.slot3;
        hdr.thread.slot4 = md.slot4;
    }

    action upstream_is_told() {
        hdr.thread.kind = KIND_THREAD;
        ig_dprsr_md.mirror_type = 4w2;
        md.session = 8w3;
        hdr.thread.op = OP_TELL;
        hdr.thread.egress = md.egress;
        hdr.thread.ingress = md.ingress;
        hdr.thread.egress_class = md.egress_class;
        hdr.thread.type = PAUSE;
        hdr.thread.level = md.level;
        hdr.thread.number = md.number;
        hdr.thread.slot = md.slot;
        hdr.thread.old_level = md.old_level;
        hdr.thread.old_number = md.old_number;
        hdr.thread.old_slot = md.old_slot;
        hdr.thread.tell = md.told;
        hdr.thread.join = md.joined;
        hdr.thread.check = md.check;
        hdr.thread.todo = md.todo;
        hdr.thread.at = md.at;
        hdr.thread.value = md.value;
        hdr.thread.root_switch = md.root_switch;
        hdr.thread.root_port = md.root_port;
        hdr.thread.old_switch = md.old_switch;
        hdr.thread.old_port = md.old_port;
        hdr.thread.abdicates = md.abdicates;
        hdr.thread.slot1 = md.slot1;
        hdr.thread.slot2 = md.slot2;
        hdr.thread.slot3 = md.slot3;
        hdr.thread.slot4 = md.slot4;
    }

    action forward() {
        hdr.bridge.setValid();
        ig_tm_md.ucast_egress_port = md.path_port;
        ig_tm_md.qid = md.queue[6:0];
        hdr.bridge.egress = md.egress;
        hdr.bridge.ingress = md.ingress;
        hdr.bridge.egress_class = md.egress_class;
        hdr.bridge.queue = md.queue;
        hdr.bridge.cells = md.cells;
        hdr.bridge.index = md.index;
        hdr.bridge.slot1 = md.slot1;
        hdr.bridge.slot2 = md.slot2;
        hdr.bridge.slot3 = md.slot3;
        hdr.bridge.slot4 = md.slot4;
        hdr.bridge.kind = KIND_DATA;
    }

    // ---- Tables ----

    // path_dst: 16 of 16 entries; addresses of the network, by switch and port
    table path_dst {
        key = {
            hdr.ipv4.dst : exact @name("dst");
        }
        actions = {
            path_to;
            path_toward;
            path_local;
            path_unknown;
        }
        default_action = path_unknown();
        size = 16;
    }

    // path0_route: 4 of 4 entries; forwarding tables of the nodes at this hop
    table path0_route {
        key = {
            md.path_block : exact @name("block");
        }
        actions = {
            path_0_to_link;
            path_0_to_detail;
            path_0_nothing;
            path_0_to_group;
        }
        default_action = path_0_nothing();
        size = 4;
    }

    // path0_member: 2 of 2 entries; members of groups by hash value
    table path0_member {
        key = {
            md.path_0_group : exact @name("group");
            md.path_0_value : exact @name("value");
        }
        actions = {
            path_0_pick;
            path_0_nothing;
        }
        default_action = path_0_nothing();
        size = 2;
    }

    // path0_link: 2 of 2 entries; links of the nodes at this hop
    table path0_link {
        key = {
            md.path_0_link : exact @name("link");
        }
        actions = {
            path_0_leave;
            path_0_nothing;
        }
        default_action = path_0_nothing();
        size = 2;
    }

    // path1_route: 4 of 4 entries; forwarding tables of the nodes at this hop
    table path1_route {
        key = {
            md.path_1_class : exact @name("node_class");
            md.path_block : exact @name("block");
        }
        actions = {
            path_1_to_link;
            path_1_to_detail;
            path_1_nothing;
            path_1_arrive;
            path_1_to_group;
        }
        default_action = path_1_arrive();
        size = 4;
    }

    // path1_member: 2 of 2 entries; members of groups by hash value
    table path1_member {
        key = {
            md.path_1_group : exact @name("group");
            md.path_1_value : exact @name("value");
        }
        actions = {
            path_1_pick;
            path_1_nothing;
        }
        default_action = path_1_nothing();
        size = 2;
    }

    // path1_link: 6 of 6 entries; links of the nodes at this hop
    table path1_link {
        key = {
            md.path_1_node : exact @name("node");
            md.path_1_link : exact @name("link");
        }
        actions = {
            path_1_leave;
            path_1_nothing;
        }
        default_action = path_1_nothing();
        size = 6;
    }

    // path2_route: 3 of 3 entries; forwarding tables of the nodes at this hop
    table path2_route {
        key = {
            md.path_2_class : exact @name("node_class");
            md.path_block : exact @name("block");
        }
        actions = {
            path_2_to_link;
            path_2_to_detail;
            path_2_nothing;
            path_2_arrive;
        }
        default_action = path_2_arrive();
        size = 3;
    }

    // path2_link: 12 of 12 entries; links of the nodes at this hop
    table path2_link {
        key = {
            md.path_2_node : exact @name("node");
            md.path_2_link : exact @name("link");
        }
        actions = {
            path_2_leave;
            path_2_nothing;
        }
        default_action = path_2_nothing();
        size = 12;
    }

    // path3_route: 3 of 3 entries; forwarding tables of the nodes at this hop
    table path3_route {
        key = {
            md.path_3_class : exact @name("node_class");
            md.path_block : exact @name("block");
        }
        actions = {
            path_3_to_link;
            path_3_to_detail;
            path_3_nothing;
            path_3_arrive;
        }
        default_action = path_3_arrive();
        size = 3;
    }

    // path3_detail: 6 of 6 entries; where a block does not go one way
    table path3_detail {
        key = {
            md.path_3_class : exact @name("node_class");
            md.path_offset : exact @name("offset");
        }
        actions = {
            path_3_to_link;
            path_3_nothing;
            path_3_arrive;
        }
        default_action = path_3_arrive();
        size = 6;
    }

    // path3_link: 12 of 12 entries; links of the nodes at this hop
    table path3_link {
        key = {
            md.path_3_node : exact @name("node");
            md.path_3_link : exact @name("link");
        }
        actions = {
            path_3_leave;
            path_3_nothing;
        }
        default_action = path_3_nothing();
        size = 12;
    }

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

    // peers: 4 of 4 entries; what is at the other end of a port
    table peers {
        key = {
            md.peer[1:0] : exact @name("index");
        }
        actions = {
            peer_is;
            nothing;
        }
        default_action = nothing();
        size = 4;
    }

    // port_out: 4 of 4 entries; ports of the switch
    table port_out {
        key = {
            md.path_port : exact @name("port");
        }
        actions = {
            leave_by;
            nothing;
        }
        default_action = nothing();
        size = 4;
    }

    // limits: 1 of 1 entries; K_pause and K_resume of pairs of ports (Pyrrha, sections IV-A and VIII)
    table limits {
        key = {
            md.egress_class[1:0] : exact @name("egress_class");
            md.ingress_class[1:0] : exact @name("ingress_class");
        }
        actions = {
            limits_are;
            nothing;
        }
        default_action = nothing();
        size = 1;
    }

    // packet_cells: 53 of 53 entries; cells of 176 octets that a packet takes
    table packet_cells {
        key = {
            hdr.ipv4.total_length : range @name("total_length");
        }
        actions = {
            takes_cells;
            nothing;
        }
        default_action = nothing();
        size = 53;
    }

    // root_number: 48 of 48 entries; ports behind the switch, by distance (Pyrrha, section V-A)
    table root_number {
        key = {
            hdr.root.root_switch : exact @name("root_switch");
            hdr.root.root_port : exact @name("root_port");
        }
        actions = {
            root_at;
            nothing;
        }
        default_action = nothing();
        size = 48;
    }

    // old_number: 48 of 48 entries; the same of a MERGE's old root
    table old_number {
        key = {
            hdr.old.old_switch : exact @name("old_switch");
            hdr.old.old_port : exact @name("old_port");
        }
        actions = {
            old_at;
            nothing;
        }
        default_action = nothing();
        size = 48;
    }

    // afc: 396 of 396 entries; words of flow control, RESUME; PAUSE is one more
    table afc {
        key = {
            md.where[1:0] : exact @name("egress");
            md.queue[6:0] : exact @name("qid");
        }
        actions = {
            say_word;
            nothing;
        }
        default_action = nothing();
        size = 396;
    }

    apply {
        // What a packet is, and whose state it is about; a data packet's path.
        port_in.apply();
        if (hdr.bridge.isValid()) {
            take_notice();
        } else if (hdr.thread.isValid()) {
            take_thread();
            if (md.op == OP_TELL) {
                if (md.tell[0:0] == 1w1) {
                    tell_of_root0();
                } else if (md.tell[1:1] == 1w1) {
                    tell_of_root1();
                } else if (md.tell[2:2] == 1w1) {
                    tell_of_root2();
                } else if (md.tell[3:3] == 1w1) {
                    tell_of_root3();
                } else if (md.tell[4:4] == 1w1) {
                    tell_of_root4();
                }
            } else if (md.op == OP_CHECK) {
                if (md.check[1:1] == 1w1) {
                    check_root1();
                } else if (md.check[2:2] == 1w1) {
                    check_root2();
                } else if (md.check[3:3] == 1w1) {
                    check_root3();
                } else if (md.check[4:4] == 1w1) {
                    check_root4();
                }
            } else if (md.op == OP_LEAVES) {
                leaves_of_port();
            } else if ((md.op == OP_TURN) || (md.op == OP_MERGE)) {
                upstream_of_port();
            } else if (md.op == OP_JOIN) {
                upstream_that_left();
            } else if (md.op == OP_GATES) {
                gates_of_queue();
            } else if (md.op == OP_GATE) {
                if (md.value != 32w0) {
                    gate_of_queue();
                } else {
                    gate_of_none();
                }
            } else if (md.op == OP_ENTER) {
                where_it_came();
            }
            if ((md.op == OP_LEAVES) || (md.op == OP_MERGE)) {
                if (md.at != 16w3) {
                    nothing_after_this_port();
                }
            }
            if (md.op == OP_GATES) {
                if (md.at != 16w0x62) {
                    nothing_after_this_queue();
                }
            }
        } else if (hdr.ipv4.isValid()) {
            path_digest0();
            path_dst.apply();
            if (md.path_0_kind == 3w3) {
                path0_route.apply();
                if (md.path_0_kind == 3w2) {
                    path0_member.apply();
                }
                if (md.path_0_kind == 3w1) {
                    path0_link.apply();
                }
            }
            if (md.path_1_kind == 3w3) {
                path1_route.apply();
                if (md.path_1_kind == 3w2) {
                    path1_member.apply();
                }
                if (md.path_1_kind == 3w1) {
                    path1_link.apply();
                }
            }
            if (md.path_2_kind == 3w3) {
                path2_route.apply();
                if (md.path_2_kind == 3w1) {
                    path2_link.apply();
                }
            }
            if (md.path_3_kind == 3w3) {
                path3_route.apply();
                if (md.path_3_kind == 3w3) {
                    path3_detail.apply();
                }
                if (md.path_3_kind == 3w1) {
                    path3_link.apply();
                }
            }
            if (md.front == 1w1) {
                from_device();
                if (md.path_has_port == 1w1) {
                    port_out.apply();
                }
                packet_cells.apply();
                if ((md.known == 1w1) && (md.cells != 32w0)) {
                    take_packet();
                }
            }
        } else if (hdr.signal.isValid() && (md.front == 1w1)) {
            take_frame();
            root_number.apply();
            old_number.apply();
            how_much_nearer();
        }
        peers.apply();
        if ((md.kind == KIND_DATA) || (md.kind == KIND_NOTICE) || (md.op == OP_TURN)) {
            limits.apply();
        }
        if (md.kind == KIND_DATA) {
            pause_mark();
        } else if (md.kind == KIND_NOTICE) {
            resume_mark();
        } else if (md.op == OP_TURN) {
            turn_mark();
        }

        // Whether a frame is newer than those heard, and which port it names.
        if (md.op == OP_ENTER) {
            obey_again();
            if (md.type == PAUSE) {
                enter_paused();
            } else {
                enter_resumed();
            }
        } else if (hdr.signal.isValid() && (md.front == 1w1) && (md.silent == 1w0)) {
            if ((md.window_end[31:16] == 16w0) && (md.window_end[15:0] != 16w0xffff)) {
                hear_wrapped_frame();
            } else {
                hear_frame();
            }
            if (md.fresh == 1w1) {
                if (md.type == PAUSE) {
                    if ((md.known == 1w1) && (md.level != 8w0) && (md.level == hdr.distance.hop)) {
                        obey_pause();
                    }
                } else if (md.type == MERGE) {
                    if ((md.known == 1w1) && (md.level != 8w0) && (md.level == hdr.distance.hop) && (md.nearer != 8w0)) {
                        obey_merge();
                    }
                } else if (md.type == RESUME) {
                    obey_resume();
                } else if ((md.known == 1w1) && (md.host == 1w0)) {
                    obey();
                }
            }
        }

        // The tree of a root: who joins and leaves (section IV-C).
        if (md.op == OP_TELL) {
            if (md.type == PAUSE) {
                if (md.matched != 8w0) {
                    pause_joins();
                } else {
                    pause_again();
                }
            } else if (md.type == RESUME) {
                if (md.host == 1w1) {
                    host_leaves();
                } else {
                    resume_stays();
                }
            } else if (md.type == 8w0) {
                dealloc_leaves();
            }
            if (md.type == MERGE) {
                if (md.host == 1w0) {
                    if (md.join[0:0] == 1w1) {
                        merge_listed();
                    } else {
                        merge_joins();
                    }
                }
                if (md.join[1:1] == 1w1) {
                    if (md.host == 1w1) {
                        merge_host();
                    } else {
                        merge_paused();
                    }
                }
            }
        }
        if ((md.op == OP_TELL) || (md.op == OP_CHECK) || (md.op == OP_LEAVES)) {
            tree_of_root();
        } else if ((md.op == OP_MERGE) && (md.at == 16w0)) {
            tree_moves();
        } else if ((md.kind == KIND_NOTICE) || ((md.ready == 1w1) && (md.type == PAUSE))) {
            tree_of_own();
        }
        if ((md.op == OP_CHECK) || (md.op == OP_LEAVES)) {
            if (md.listed == 16w0) {
                leaf();
            } else {
                no_leaf();
            }
        }
        if ((md.op == OP_TELL) && (md.type != MERGE) && (md.leaves == 1w1) && (md.level != 8w0) && (md.listed == 16w0)) {
            tree_empties();
        }

        // Which port a root is.
        if (md.op == OP_ENTER) {
            put_identity();
        }
        if (md.op == OP_ENTER) {
            write_identity();
        } else if (((md.op == OP_TELL) || (md.op == OP_CHECK) || (md.op == OP_LEAVES) || (md.op == OP_FORGET)) && (md.type != MERGE) && (md.level != 8w0)) {
            read_identity();
        } else if (((md.op == OP_TELL) || (md.op == OP_CHECK) || (md.op == OP_LEAVES) || (md.op == OP_FORGET)) && (md.type != MERGE) && (md.level == 8w0)) {
            own_identity();
        }
        if (((md.op == OP_TELL) || (md.op == OP_CHECK) || (md.op == OP_LEAVES) || (md.op == OP_FORGET)) && (md.type != MERGE) && (md.level != 8w0)) {
            split_identity();
        }

        // What the IQs of roots may become.
        if (((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == RESUME) || (md.type == MERGE))) && (md.level == 8w1)) {
            iq_obeys_frame1();
        } else if (((md.ready == 1w1) && (md.type == MERGE)) && (md.old_level == 8w1)) {
            iq_becomes_merging1();
        } else if (((md.op == OP_CHECK) || (md.op == OP_LEAVES)) && (md.level == 8w1)) {
            iq_may_be_freed1();
        } else if (md.op == OP_GATE) {
            iq_is_read1();
        }
        if (((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == RESUME) || (md.type == MERGE))) && (md.level == 8w2)) {
            iq_obeys_frame2();
        } else if (((md.ready == 1w1) && (md.type == MERGE)) && (md.old_level == 8w2)) {
            iq_becomes_merging2();
        } else if (((md.op == OP_CHECK) || (md.op == OP_LEAVES)) && (md.level == 8w2)) {
            iq_may_be_freed2();
        } else if (md.op == OP_GATE) {
            iq_is_read2();
        }
        if (((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == RESUME) || (md.type == MERGE))) && (md.level == 8w3)) {
            iq_obeys_frame3();
        } else if (((md.ready == 1w1) && (md.type == MERGE)) && (md.old_level == 8w3)) {
            iq_becomes_merging3();
        } else if (((md.op == OP_CHECK) || (md.op == OP_LEAVES)) && (md.level == 8w3)) {
            iq_may_be_freed3();
        } else if (md.op == OP_GATE) {
            iq_is_read3();
        }
        if (((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == RESUME) || (md.type == MERGE))) && (md.level == 8w4)) {
            iq_obeys_frame4();
        } else if (((md.ready == 1w1) && (md.type == MERGE)) && (md.old_level == 8w4)) {
            iq_becomes_merging4();
        } else if (((md.op == OP_CHECK) || (md.op == OP_LEAVES)) && (md.level == 8w4)) {
            iq_may_be_freed4();
        } else if (md.op == OP_GATE) {
            iq_is_read4();
        }

        // Congestion-root table: slots of roots (section V-A).
        if (md.kind == KIND_DATA) {
            if (md.path_1_has == 1w1) {
                find_root1();
            }
            if (md.path_2_has == 1w1) {
                find_root2();
            }
            if (md.path_3_has == 1w1) {
                find_root3();
            }
            if (md.path_4_has == 1w1) {
                find_root4();
            }
        } else if (md.op == OP_ENTER) {
            if (md.level == 8w1) {
                enter_root1();
            } else if (md.level == 8w2) {
                enter_root2();
                if ((md.ready == 1w1) && (md.type == MERGE)) {
                    if (md.old_level == 8w1) {
                        old_root1();
                    }
                }
            } else if (md.level == 8w3) {
                enter_root3();
                if ((md.ready == 1w1) && (md.type == MERGE)) {
                    if (md.old_level == 8w1) {
                        old_root1();
                    } else if (md.old_level == 8w2) {
                        old_root2();
                    }
                }
            } else if (md.level == 8w4) {
                enter_root4();
                if ((md.ready == 1w1) && (md.type == MERGE)) {
                    if (md.old_level == 8w1) {
                        old_root1();
                    } else if (md.old_level == 8w2) {
                        old_root2();
                    } else if (md.old_level == 8w3) {
                        old_root3();
                    }
                }
            }
        } else if (md.ready == 1w1) {
            if (md.level == 8w1) {
                named_root1();
            } else if (md.level == 8w2) {
                named_root2();
                if ((md.ready == 1w1) && (md.type == MERGE)) {
                    if (md.old_level == 8w1) {
                        old_root1();
                    }
                }
            } else if (md.level == 8w3) {
                named_root3();
                if ((md.ready == 1w1) && (md.type == MERGE)) {
                    if (md.old_level == 8w1) {
                        old_root1();
                    } else if (md.old_level == 8w2) {
                        old_root2();
                    }
                }
            } else if (md.level == 8w4) {
                named_root4();
                if ((md.ready == 1w1) && (md.type == MERGE)) {
                    if (md.old_level == 8w1) {
                        old_root1();
                    } else if (md.old_level == 8w2) {
                        old_root2();
                    } else if (md.old_level == 8w3) {
                        old_root3();
                    }
                }
            }
        } else if (md.op == OP_FORGET) {
            if (md.level == 8w1) {
                forget_root1();
            } else if (md.level == 8w2) {
                forget_root2();
            } else if (md.level == 8w3) {
                forget_root3();
            } else if (md.level == 8w4) {
                forget_root4();
            }
        }
        if ((md.ready == 1w1) && (md.slot != 16w0)) {
            root_is_known();
        }

        // IQs of roots at the egress port.
        if ((md.kind == KIND_DATA) || (md.kind == KIND_NOTICE)) {
            if (md.slot1 != 16w0) {
                if (md.kind == KIND_DATA) {
                    enter_iq1();
                } else {
                    leave_iq1();
                }
            }
            if (md.slot2 != 16w0) {
                if (md.kind == KIND_DATA) {
                    enter_iq2();
                } else {
                    leave_iq2();
                }
            }
            if (md.slot3 != 16w0) {
                if (md.kind == KIND_DATA) {
                    enter_iq3();
                } else {
                    leave_iq3();
                }
            }
            if (md.slot4 != 16w0) {
                if (md.kind == KIND_DATA) {
                    enter_iq4();
                } else {
                    leave_iq4();
                }
            }
        } else if ((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == RESUME) || (md.type == MERGE))) {
            if ((md.level == 8w1) && (md.slot1 != 16w0)) {
                turn_iq1();
            } else if ((md.level == 8w2) && (md.slot2 != 16w0)) {
                turn_iq2();
                if ((md.type == MERGE) && (md.old_slot != 16w0)) {
                    if (md.old_level == 8w1) {
                        merge_iq1();
                    }
                }
            } else if ((md.level == 8w3) && (md.slot3 != 16w0)) {
                turn_iq3();
                if ((md.type == MERGE) && (md.old_slot != 16w0)) {
                    if (md.old_level == 8w1) {
                        merge_iq1();
                    } else if (md.old_level == 8w2) {
                        merge_iq2();
                    }
                }
            } else if ((md.level == 8w4) && (md.slot4 != 16w0)) {
                turn_iq4();
                if ((md.type == MERGE) && (md.old_slot != 16w0)) {
                    if (md.old_level == 8w1) {
                        merge_iq1();
                    } else if (md.old_level == 8w2) {
                        merge_iq2();
                    } else if (md.old_level == 8w3) {
                        merge_iq3();
                    }
                }
            }
        } else if ((md.op == OP_CHECK) || (md.op == OP_LEAVES)) {
            if (md.level == 8w1) {
                free_iq1();
            } else if (md.level == 8w2) {
                free_iq2();
            } else if (md.level == 8w3) {
                free_iq3();
            } else if (md.level == 8w4) {
                free_iq4();
            }
        } else if (md.op == OP_GATE) {
            if (md.value[7:0] != 8w0) {
                look_at_iq1();
            }
            if (md.value[15:8] != 8w0) {
                look_at_iq2();
            }
            if (md.value[23:16] != 8w0) {
                look_at_iq3();
            }
            if (md.value[31:24] != 8w0) {
                look_at_iq4();
            }
        }
        if ((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == RESUME) || (md.type == MERGE))) {
            if (md.level == 8w1) {
                state_before1();
            } else if (md.level == 8w2) {
                state_before2();
            } else if (md.level == 8w3) {
                state_before3();
            } else if (md.level == 8w4) {
                state_before4();
            }
        }
        if ((md.ready == 1w1) && (md.type == MERGE)) {
            if (md.old_level == 8w1) {
                old_before1();
            } else if (md.old_level == 8w2) {
                old_before2();
            } else if (md.old_level == 8w3) {
                old_before3();
            } else if (md.old_level == 8w4) {
                old_before4();
            }
        }
        if ((md.found == 1w1) && ((md.type == PAUSE) || (md.type == MERGE)) && (md.before == 16w0)) {
            iq_more();
        } else if (md.freed != 16w0) {
            iq_less();
        } else if (md.tree_empties == 1w1) {
            iq_count();
        }

        // Slots for roots that have none.
        if (((md.ready == 1w1) && ((md.type == PAUSE) || (md.type == MERGE))) && (md.op != OP_ENTER) && (md.slot == 16w0)) {
            pop_slot();
        } else if (md.op == OP_FORGET) {
            push_slot();
        }
        if ((md.ready == 1w1) && (md.got == 1w1)) {
            read_slot();
        } else if (md.op == OP_FORGET) {
            write_slot();
        }

        // The OQ, and what upstreams were told of ports of this switch.
        if ((md.kind == KIND_DATA) && !((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            enter_output();
        } else if ((md.kind == KIND_NOTICE) && !((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            leave_output();
        }
        if ((md.kind == KIND_NOTICE) && !((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            below_resume();
        } else if ((md.kind == KIND_DATA) && !((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            below_pause();
        }
        if (md.under != 32w0) {
            is_below();
        }

        // What waits for roots, by ingress, against K_pause and K_resume.
        if ((md.kind == KIND_DATA) || (md.kind == KIND_NOTICE)) {
            if (((md.kind == KIND_DATA) && (md.slot1[7:0] != 8w0) && (md.silent == 1w0) && ((md.state1 == 16w3) || (!((md.state1[1:0] == 2w3) || (md.state2[1:0] == 2w3) || (md.state3[1:0] == 2w3) || (md.state4[1:0] == 2w3)) && (md.state1 == 16w2)))) || ((md.kind == KIND_NOTICE) && (md.slot1[7:0] != 8w0))) {
                k_of_root1();
            } else if ((md.kind == KIND_DATA) && (md.slot1[7:0] != 8w0)) {
                pauses_nobody1();
            }
            if ((md.kind == KIND_DATA) && (md.slot1[7:0] != 8w0)) {
                wait_for1();
            } else if ((md.kind == KIND_NOTICE) && (md.slot1[7:0] != 8w0)) {
                wait_no_more_for1();
            }
            if (((md.kind == KIND_DATA) && (md.slot2[7:0] != 8w0) && (md.silent == 1w0) && ((md.state2 == 16w3) || (!((md.state1[1:0] == 2w3) || (md.state2[1:0] == 2w3) || (md.state3[1:0] == 2w3) || (md.state4[1:0] == 2w3)) && (md.state2 == 16w2)))) || ((md.kind == KIND_NOTICE) && (md.slot2[7:0] != 8w0))) {
                k_of_root2();
            } else if ((md.kind == KIND_DATA) && (md.slot2[7:0] != 8w0)) {
                pauses_nobody2();
            }
            if ((md.kind == KIND_DATA) && (md.slot2[7:0] != 8w0)) {
                wait_for2();
            } else if ((md.kind == KIND_NOTICE) && (md.slot2[7:0] != 8w0)) {
                wait_no_more_for2();
            }
            if (((md.kind == KIND_DATA) && (md.slot3[7:0] != 8w0) && (md.silent == 1w0) && ((md.state3 == 16w3) || (!((md.state1[1:0] == 2w3) || (md.state2[1:0] == 2w3) || (md.state3[1:0] == 2w3) || (md.state4[1:0] == 2w3)) && (md.state3 == 16w2)))) || ((md.kind == KIND_NOTICE) && (md.slot3[7:0] != 8w0))) {
                k_of_root3();
            } else if ((md.kind == KIND_DATA) && (md.slot3[7:0] != 8w0)) {
                pauses_nobody3();
            }
            if ((md.kind == KIND_DATA) && (md.slot3[7:0] != 8w0)) {
                wait_for3();
            } else if ((md.kind == KIND_NOTICE) && (md.slot3[7:0] != 8w0)) {
                wait_no_more_for3();
            }
            if (((md.kind == KIND_DATA) && (md.slot4[7:0] != 8w0) && (md.silent == 1w0) && ((md.state4 == 16w3) || (!((md.state1[1:0] == 2w3) || (md.state2[1:0] == 2w3) || (md.state3[1:0] == 2w3) || (md.state4[1:0] == 2w3)) && (md.state4 == 16w2)))) || ((md.kind == KIND_NOTICE) && (md.slot4[7:0] != 8w0))) {
                k_of_root4();
            } else if ((md.kind == KIND_DATA) && (md.slot4[7:0] != 8w0)) {
                pauses_nobody4();
            }
            if ((md.kind == KIND_DATA) && (md.slot4[7:0] != 8w0)) {
                wait_for4();
            } else if ((md.kind == KIND_NOTICE) && (md.slot4[7:0] != 8w0)) {
                wait_no_more_for4();
            }
            if ((md.kind == KIND_DATA) && !((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0)) && (md.below == 1w0) && (md.claims == 1w1) && (md.silent == 1w0)) {
                pause_as_root();
            }
        } else if ((md.ready == 1w1) && (md.type == DEALLOC)) {
            if (md.level == 8w0) {
                leaves_tree0();
            } else if (md.level == 8w1) {
                leaves_tree1();
            } else if (md.level == 8w2) {
                leaves_tree2();
            } else if (md.level == 8w3) {
                leaves_tree3();
            } else if (md.level == 8w4) {
                leaves_tree4();
            }
        } else if (md.op == OP_MERGE) {
            if (md.old_level == 8w0) {
                leaves_old0();
            } else if (md.old_level == 8w1) {
                leaves_old1();
            } else if (md.old_level == 8w2) {
                leaves_old2();
            } else if (md.old_level == 8w3) {
                leaves_old3();
            } else if (md.old_level == 8w4) {
                leaves_old4();
            }
        } else if (md.op == OP_JOIN) {
            if (md.level == 8w1) {
                resumed_in_new1();
            } else if (md.level == 8w2) {
                resumed_in_new2();
            } else if (md.level == 8w3) {
                resumed_in_new3();
            } else if (md.level == 8w4) {
                resumed_in_new4();
            }
            if (md.level == 8w1) {
                joins_new1();
            } else if (md.level == 8w2) {
                joins_new2();
            } else if (md.level == 8w3) {
                joins_new3();
            } else if (md.level == 8w4) {
                joins_new4();
            }
        } else if ((md.op == OP_TURN) && (md.under != 32w0)) {
            resume_as_root();
        }

        // The queue of a set of roots: IsAssigned, QueueId (section V-A).
        if (md.kind == KIND_DATA) {
            name_set();
            halves_of_set();
            whole_set();
        }
        if ((md.kind == KIND_DATA) && ((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            enter_set_of();
        } else if ((md.kind == KIND_NOTICE) && (md.queue != 16w0)) {
            leave_set_of();
        }
        if ((md.kind == KIND_DATA) && ((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            if (md.first == 1w1) {
                claim_set_key();
            } else {
                compare_set_key();
            }
        }
        if ((md.kind == KIND_DATA) && ((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0)) && (md.first == 1w1)) {
            pop_queue();
        } else if ((md.emptied == 1w1) && (md.queue != 16w0x64)) {
            push_queue();
        }
        if ((md.kind == KIND_DATA) && (md.got == 1w1)) {
            read_free();
        } else if ((md.emptied == 1w1) && (md.queue != 16w0x64)) {
            write_free();
        } else if ((md.kind == KIND_DATA) && ((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0)) && (md.first == 1w1)) {
            spill_queue();
        }
        if ((md.kind == KIND_DATA) && (md.got == 1w1)) {
            write_queue_set();
        } else if (md.emptied == 1w1) {
            clear_queue_set();
        } else if (md.op == OP_GATES) {
            read_queue_set();
        }
        if ((md.kind == KIND_DATA) && ((md.slot1[7:0] != 8w0) || (md.slot2[7:0] != 8w0) || (md.slot3[7:0] != 8w0) || (md.slot4[7:0] != 8w0))) {
            if (md.first == 1w1) {
                write_set_queue();
            } else {
                read_set_queue();
            }
        }
        if ((md.kind == KIND_DATA) && ((md.other == 1w1) || (md.queue == 16w0x64))) {
            share_queue();
        }
        if ((md.state1[1:0] == 2w3) || (md.state2[1:0] == 2w3) || (md.state3[1:0] == 2w3) || (md.state4[1:0] == 2w3)) {
            hold_queue();
        }
        if (((md.kind == KIND_DATA) && (md.got == 1w1)) || (md.gates == 1w1)) {
            afc.apply();
        }

        // On their way: packets, frames, threads.
        levels_in_pairs();
        all_levels();
        if (md.kind == KIND_DATA) {
            own_port_too();
            if (md.told != 8w0) {
                if (md.host == 1w1) {
                    host_is_told();
                } else {
                    upstream_is_told();
                }
            }
            forward();
        } else {
            if ((md.op == OP_TELL) && (md.kind == KIND_THREAD) && (md.type != 8w0)) {
                tell();
            } else if ((md.kind == KIND_THREAD) && (md.freed == 16w2)) {
                tell_freed();
            } else if (((md.ready == 1w1) && (md.type == RESUME)) && (md.before == 16w0)) {
                answer();
            }
            if (md.ready == 1w1) {
                if ((md.type == PAUSE) && (md.found == 1w1) && (md.before != 16w0) && (md.before != 16w3) && (md.waits != 8w0)) {
                    look_at_gates();
                } else if ((md.type == RESUME) && (md.found == 1w1) && (md.before == 16w3) && (md.waits != 8w0)) {
                    look_at_gates();
                } else if ((md.type == MERGE) && (md.found == 1w1) && (md.before == 16w3) && (md.waits != 8w0)) {
                    look_at_gates();
                } else if ((md.type == MERGE) && (md.found == 1w1) && (md.old_before == 16w3) && (md.old_waits != 8w0)) {
                    look_at_gates();
                }
                if ((md.type == PAUSE) && (md.found == 1w1) && (md.before == 16w0) && (md.abdicates[0:0] == 1w1) && (md.listed != 16w0)) {
                    abdicate();
                }
                if ((md.type == MERGE) && (md.found == 1w1) && (md.old_before != 16w0)) {
                    merge_trees();
                }
                if (((md.type == MERGE) && (md.found == 1w1)) || ((md.type == RESUME) && (md.found == 1w1) && (md.before != 16w0) && (md.before != 16w1))) {
                    if (md.level == 8w1) {
                        check_named1();
                    } else if (md.level == 8w2) {
                        check_named2();
                    } else if (md.level == 8w3) {
                        check_named3();
                    } else if (md.level == 8w4) {
                        check_named4();
                    }
                }
            }
            if ((md.ready == 1w1) && (md.got == 1w1)) {
                give_slot();
            } else if (md.op == OP_GATES) {
                look_at_gate();
            } else if (((md.freed != 16w0) && (md.listed == 16w0) && (md.iqs_left == 8w0)) || ((md.tree_empties == 1w1) && (md.iqs_left == 8w0))) {
                forget();
            } else if (md.tree_empties == 1w1) {
                look_at_leaves();
            } else if ((md.kind == KIND_NOTICE) && (md.paused != 16w0) && (md.below == 1w1)) {
                resume_upstreams();
            } else if ((md.kind == KIND_NOTICE) && (md.told != 8w0)) {
                notice_tells();
            } else if ((md.kind == KIND_NOTICE) && (md.checks != 8w0)) {
                notice_checks();
            } else if (((md.ready == 1w1) && (md.type == DEALLOC)) && (md.matched != 8w0)) {
                if (md.level == 8w0) {
                    left_tree0();
                } else if (md.level == 8w1) {
                    left_tree1();
                } else if (md.level == 8w2) {
                    left_tree2();
                } else if (md.level == 8w3) {
                    left_tree3();
                } else if (md.level == 8w4) {
                    left_tree4();
                }
            } else if ((md.op == OP_TURN) && (md.matched != 8w0)) {
                tell_own();
            } else if ((md.op == OP_MERGE) && (((md.host == 1w0) && (md.was_listed != 8w0)) || ((md.host == 1w1) && (md.was_paused != 8w0)))) {
                go_join();
            } else if (md.op == OP_JOIN) {
                if (md.level == 8w1) {
                    tell_merge1();
                } else if (md.level == 8w2) {
                    tell_merge2();
                } else if (md.level == 8w3) {
                    tell_merge3();
                } else if (md.level == 8w4) {
                    tell_merge4();
                }
                if (md.new_paused != 8w0) {
                    was_paused_there();
                } else if (md.was != 8w0) {
                    was_listed_there();
                } else {
                    was_not_there();
                }
            } else if (md.tell != 8w0) {
                go_tell();
            } else if (md.todo[0:0] == 1w1) {
                go_to_gates();
            } else if (md.todo[1:1] == 1w1) {
                go_merge();
            } else if (md.todo[2:2] == 1w1) {
                go_to_leaves();
            } else if (md.check != 8w0) {
                go_check();
            }
            if (md.kind == KIND_PASS) {
                forward_other();
            } else if (md.goes == 1w1) {
                send_round();
            } else if (md.goes == 1w0) {
                end();
            }
        }
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(4w1) mirror_1;
    Mirror(4w2) mirror_2;

    apply {
        if (ig_dprsr_md.mirror_type == 4w1) {
            mirror_1.emit<order_h>(md.session,
                {hdr.order.kind,
                 hdr.order.type,
                 hdr.order.hop,
                 hdr.order.reserved,
                 hdr.order.root_switch,
                 hdr.order.root_port,
                 hdr.order.old_switch,
                 hdr.order.old_port});
        }
        if (ig_dprsr_md.mirror_type == 4w2) {
            mirror_2.emit<thread_h>(md.session,
                {hdr.thread.kind,
                 hdr.thread.op,
                 hdr.thread.egress,
                 hdr.thread.ingress,
                 hdr.thread.egress_class,
                 hdr.thread.type,
                 hdr.thread.level,
                 hdr.thread.number,
                 hdr.thread.slot,
                 hdr.thread.old_level,
                 hdr.thread.old_number,
                 hdr.thread.old_slot,
                 hdr.thread.tell,
                 hdr.thread.join,
                 hdr.thread.check,
                 hdr.thread.todo,
                 hdr.thread.at,
                 hdr.thread.value,
                 hdr.thread.root_switch,
                 hdr.thread.root_port,
                 hdr.thread.old_switch,
                 hdr.thread.old_port,
                 hdr.thread.abdicates,
                 hdr.thread.slot1,
                 hdr.thread.slot2,
                 hdr.thread.slot3,
                 hdr.thread.slot4});
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
        md.session = 8w0;
        md.copy = 16w0;
        transition parse_begin;
    }

    state parse_begin {
        transition select(pkt.lookahead<bit<8>>()) {
            8w1: parse_bridged;
            8w2: parse_bridged;
            8w7: parse_bridged;
            8w6: parse_threaded;
            8w4: parse_ordered;
            default: reject;
        }
    }

    state parse_bridged {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_threaded {
        pkt.extract(hdr.thread);
        transition accept;
    }

    state parse_ordered {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
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

    // ---- Registers ----

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

    // ---- Actions ----

    action lose_signal() {
        eg_dprsr_md.drop_ctl = 3w1;
    }

    action send_signal(bit<2> index, bit<48> source) {
        hdr.ethernet.setValid();
        hdr.ether_type.setValid();
        hdr.signal.setValid();
        hdr.root.setValid();
        hdr.padding.setValid();
        hdr.signal.sequence = sequence_number.execute(index);
        hdr.ethernet.dst = 48w0x180c200000e;
        hdr.ethernet.src = source;
        hdr.ether_type.value = 16w0x88b5;
        hdr.signal.protocol = 8w3;
        hdr.signal.version = 8w1;
        hdr.signal.type = hdr.order.type;
        hdr.signal.flags = 8w0;
        hdr.root.root_switch = hdr.order.root_switch;
        hdr.root.root_port = hdr.order.root_port;
        hdr.old.old_switch = hdr.order.old_switch;
        hdr.old.old_port = hdr.order.old_port;
        hdr.distance.hop = hdr.order.hop;
        hdr.pad_pause.x0 = 8w0;
        hdr.pad_pause.x1 = 32w0;
        hdr.pad_pause.x2 = 32w0;
        hdr.pad_resume.y0 = 16w0;
        hdr.pad_resume.y1 = 32w0;
        hdr.pad_resume.y2 = 32w0;
        hdr.pad_merge.z0 = 24w0;
        hdr.padding.p0 = 32w0;
        hdr.padding.p1 = 32w0;
        hdr.padding.p2 = 32w0;
        hdr.padding.p3 = 32w0;
        hdr.padding.p4 = 32w0;
        hdr.order.setInvalid();
        hdr.cut.setInvalid();
    }

    action notify() {
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 4w1;
        eg_dprsr_md.mirror_io_select = 1w1;
        md.session = 8w2;
        hdr.bridge.setInvalid();
    }

    action unbridge() {
        hdr.bridge.setInvalid();
    }

    action copy_number() {
        md.copy = eg_intr_md.egress_rid;
    }

    action number_copy() {
        hdr.thread.at = md.copy - 16w1;
    }

    action make_pause() {
        hdr.distance.setValid();
        hdr.pad_pause.setValid();
        hdr.signal.length = 16w7;
    }

    action make_merge() {
        hdr.old.setValid();
        hdr.distance.setValid();
        hdr.pad_merge.setValid();
        hdr.signal.length = 16w0xd;
    }

    action make_resume() {
        hdr.pad_resume.setValid();
        hdr.signal.length = 16w6;
    }

    // ---- Tables ----

    // signals: 4 of 4 entries; frames to other devices
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
        // Frames (section IV-C); copies of threads; packets, and notices that they have left.
        if (hdr.order.isValid()) {
            if (hdr.order.type == PAUSE) {
                make_pause();
            } else if (hdr.order.type == MERGE) {
                make_merge();
            } else if (hdr.order.type != PAUSE) {
                make_resume();
            }
            signals.apply();
        } else if (hdr.thread.isValid()) {
            copy_number();
            if (md.copy != 16w0) {
                number_copy();
            }
        } else if (hdr.bridge.isValid()) {
            if (hdr.bridge.kind == KIND_DATA) {
                notify();
            } else if (hdr.bridge.kind == KIND_PASS) {
                unbridge();
            }
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
                 hdr.bridge.egress_class,
                 hdr.bridge.queue,
                 hdr.bridge.cells,
                 hdr.bridge.index,
                 hdr.bridge.slot1,
                 hdr.bridge.slot2,
                 hdr.bridge.slot3,
                 hdr.bridge.slot4});
        }
        pkt.emit(hdr);
    }
}

// ======== The whole ========

Pipeline(
    IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
