// Program sluice_bfc for the Tofino 2, T2NA. Printed, not written: what fills its tables
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
const bit<8> PAUSE = 8w1;
const bit<8> RESUME = 8w2;

// ======== Headers and metadata ========

header bridge_h {
    bit<8> kind;
    bit<8> egress;
    bit<8> ingress;
    bit<8> counted;
    bit<8> queue_high;
    bit<8> queue;
    bit<16> upstream;
    bit<16> vfid;
    bit<7> back_pad;
    bit<9> back;
    bit<32> cells;
}

header order_h {
    bit<8> kind;
    bit<8> type;
    bit<16> queue;
}

header cut_h {
    bit<112> octets;
}

header ethernet_h {
    bit<48> dst;
    bit<48> src;
}

header shim_h {
    bit<16> ether_type;
    bit<8> version;
    bit<8> reserved;
    bit<16> queue;
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
    bit<16> count;
    bit<16> queue;
}

header padding_h {
    bit<32> p0;
    bit<32> p1;
    bit<32> p2;
    bit<32> p3;
    bit<32> p4;
    bit<32> p5;
    bit<32> p6;
    bit<32> p7;
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
    cut_h cut;
    ethernet_h ethernet;
    shim_h shim;
    ether_type_h ether_type;
    signal_h signal;
    padding_h padding;
    ipv4_h ipv4;
    l4_h l4;
}

struct ingress_metadata_t {
    bit<8> kind;
    bit<8> ingress;
    bit<8> egress;
    bit<8> queue;
    bit<16> upstream;
    bit<16> vfid;
    bit<32> cells;
    bit<9> back;
    bit<9> port;
    bit<1> front;
    bit<1> routed;
    bit<1> withheld;
    bit<2> ingress_class;
    bit<2> egress_class;
    bit<32> sticky;
    bit<16> upstream_max;
    bit<32> limit;
    bit<32> hold;
    bit<32> window_end;
    bit<1> fresh;
    bit<32> now;
    bit<32> last;
    bit<32> age;
    bit<32> rest;
    bit<1> empty;
    bit<1> unused;
    bit<1> got;
    bit<8> position;
    bit<1> filled;
    bit<1> emptied;
    bit<1> busy;
    bit<1> was;
    bit<1> paused;
    bit<8> active;
    bit<32> depth;
    bit<32> excess;
    bit<16> known;
    bit<1> over;
    bit<8> counted;
    bit<1> first;
    bit<1> ended;
    bit<8> session;
}

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
        md.kind = 8w0;
        md.ingress = 8w0;
        md.egress = 8w0;
        md.queue = 8w0;
        md.upstream = 16w0;
        md.vfid = 16w0;
        md.cells = 32w0;
        md.back = 9w0;
        md.port = 9w0;
        md.front = 1w0;
        md.routed = 1w0;
        md.withheld = 1w0;
        md.ingress_class = 2w0;
        md.egress_class = 2w0;
        md.sticky = 32w0;
        md.upstream_max = 16w0;
        md.limit = 32w0;
        md.hold = 32w0;
        md.window_end = 32w0;
        md.fresh = 1w0;
        md.now = 32w0;
        md.last = 32w0;
        md.age = 32w0;
        md.rest = 32w0;
        md.empty = 1w0;
        md.unused = 1w0;
        md.got = 1w0;
        md.position = 8w0;
        md.filled = 1w0;
        md.emptied = 1w0;
        md.busy = 1w0;
        md.was = 1w0;
        md.paused = 1w0;
        md.active = 8w0;
        md.depth = 32w0;
        md.excess = 32w0;
        md.known = 16w0;
        md.over = 1w0;
        md.counted = 8w0;
        md.first = 1w0;
        md.ended = 1w0;
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
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_packet {
        transition select(pkt.lookahead<bit<16>>()) {
            16w0x88b6: parse_shim;
            default: parse_kind;
        }
    }

    state parse_reserved_address {
        transition select(hdr.ethernet.dst[15:0]) {
            16w0xe: parse_nearest_bridge;
            default: parse_packet;
        }
    }

    state parse_kind {
        pkt.extract(hdr.ether_type);
        transition select(hdr.ether_type.value) {
            16w0x800: parse_ip;
            default: accept;
        }
    }

    state parse_shim {
        pkt.extract(hdr.shim);
        transition select(hdr.shim.version) {
            8w1: parse_kind;
            default: reject;
        }
    }

    state parse_nearest_bridge {
        transition select(pkt.lookahead<bit<16>>()) {
            16w0x88b5: parse_frame_type;
            default: parse_packet;
        }
    }

    state parse_ip {
        pkt.extract(hdr.ipv4);
        transition select(hdr.ipv4.version_ihl) {
            8w0x45: parse_protocol;
            default: accept;
        }
    }

    state parse_frame_type {
        pkt.extract(hdr.ether_type);
        transition parse_frame;
    }

    state parse_protocol {
        transition select(hdr.ipv4.protocol) {
            8w6: parse_ports;
            8w0x11: parse_ports;
            default: accept;
        }
    }

    state parse_frame {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0x1010100: parse_frame_length;
            32w0x1010200: parse_frame_length;
            default: reject;
        }
    }

    state parse_ports {
        pkt.extract(hdr.l4);
        transition accept;
    }

    state parse_frame_length {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w4: parse_frame_count;
            default: reject;
        }
    }

    state parse_frame_count {
        transition select(hdr.signal.count) {
            16w1: parse_zeros;
            default: reject;
        }
    }

    state parse_zeros {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_2;
            default: reject;
        }
    }

    state parse_zeros_2 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_3;
            default: reject;
        }
    }

    state parse_zeros_3 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_4;
            default: reject;
        }
    }

    state parse_zeros_4 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_5;
            default: reject;
        }
    }

    state parse_zeros_5 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_6;
            default: reject;
        }
    }

    state parse_zeros_6 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_7;
            default: reject;
        }
    }

    state parse_zeros_7 {
        pkt.advance(32w0x20);
        transition select(pkt.lookahead<bit<32>>()) {
            32w0: parse_zeros_8;
            default: reject;
        }
    }

    state parse_zeros_8 {
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

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    // ---- Registers ----

    // heard: the newest sequence number of a port
    Register<heard_pair_t, bit<2>>(32w3, {32w0, 32w0}) heard;
    // last: when the last packet of a flow left
    Register<bit<32>, bit<13>>(32w0x1800, 32w0) last;
    // flow_size: packets of a flow here (BFC, section 3.2); 2^15 if there never was one
    Register<bit<16>, bit<13>>(32w0x1800, 16w0x8000) flow_size;
    // free_top: free queues of a port, a stack
    Register<bit<8>, bit<2>>(32w3, 8w0x10) free_top;
    // free_id: the queues on that stack
    Register<bit<8>, bit<6>>(32w0x30, 8w0) free_id;
    // flow_queue: the queue that a flow has (BFC, section 3.2)
    Register<bit<8>, bit<13>>(32w0x1800, 8w0) flow_queue;
    // packets: packets in a queue
    Register<bit<16>, bit<6>>(32w0x30, 16w0) packets;
    // listed: whether a queue is on the stack of free ones
    Register<bit<1>, bit<6>>(32w0x30, 1w1) listed;
    // paused: whether downstream has paused a queue
    Register<bit<1>, bit<6>>(32w0x30, 1w0) paused;
    // active: N_active of a port (BFC, section 3.3)
    Register<bit<8>, bit<2>>(32w3, 8w0) active;
    // length: depth of a queue in cells
    Register<bit<32>, bit<6>>(32w0x30, 32w0) length;
    // counter: packets over the threshold by the queue upstream that they came from (BFC, section 3.3)
    Register<bit<16>, bit<9>>(32w0x180, 16w0) counter;

    // ---- Hash functions ----

    CRCPolynomial<bit<32>>(32w0x4c11db7, true, false, false,
        32w0xffffffff, 32w0xffffffff) flow_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_poly) flow_hash;

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

    RegisterAction<bit<32>, bit<13>, bit<32>>(last) last_read_last = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<32>, bit<13>, void>(last) last_note_last = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = md.now;
        }
    };

    RegisterAction2<bit<16>, bit<13>, bit<1>, bit<1>>(flow_size) flow_size_join = {
        void apply(inout bit<16> value, out bit<1> rv1, out bit<1> rv2) {
            bit<16> before = value;
            rv1 = 1w0;
            rv2 = 1w0;
            if (before != 16w0x8000) {
                value = before + 16w1;
            }
            if (before == 16w0x8000) {
                value = 16w1;
            }
            if ((before == 16w0) || (before == 16w0x8000)) {
                rv1 = 1w1;
            }
            if (before == 16w0x8000) {
                rv2 = 1w1;
            }
        }
    };

    RegisterAction<bit<16>, bit<13>, void>(flow_size) flow_size_leave = {
        void apply(inout bit<16> value) {
            bit<16> before = value;
            value = before - 16w1;
        }
    };

    RegisterAction2<bit<8>, bit<2>, bit<1>, bit<8>>(free_top) free_top_pop = {
        void apply(inout bit<8> value, out bit<1> rv1, out bit<8> rv2) {
            bit<8> before = value;
            rv1 = 1w0;
            if (before != 8w0) {
                value = before - 8w1;
                rv1 = 1w1;
            }
            rv2 = value;
        }
    };

    RegisterAction<bit<8>, bit<2>, bit<8>>(free_top) free_top_push = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            value = before + 8w1;
            rv1 = before;
        }
    };

    RegisterAction<bit<8>, bit<6>, bit<8>>(free_id) free_id_read_id = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<8>, bit<6>, void>(free_id) free_id_write_id = {
        void apply(inout bit<8> value) {
            bit<8> before = value;
            value = md.queue;
        }
    };

    RegisterAction<bit<8>, bit<13>, void>(flow_queue) flow_queue_write_queue = {
        void apply(inout bit<8> value) {
            bit<8> before = value;
            value = md.queue;
        }
    };

    RegisterAction<bit<8>, bit<13>, bit<8>>(flow_queue) flow_queue_read_queue = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<16>, bit<6>, bit<1>>(packets) packets_add_packet = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            value = before + 16w1;
            if (before == 16w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<16>, bit<6>, bit<1>>(packets) packets_take_packet = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            value = before - 16w1;
            if (before == 16w1) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<16>, bit<6>, bit<1>>(packets) packets_has_packets = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            if (before != 16w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<1>, bit<6>, void>(listed) listed_unlist = {
        void apply(inout bit<1> value) {
            bit<1> before = value;
            value = 1w0;
        }
    };

    RegisterAction<bit<1>, bit<6>, bit<1>>(listed) listed_list = {
        void apply(inout bit<1> value, out bit<1> rv1) {
            bit<1> before = value;
            value = 1w1;
            rv1 = before;
        }
    };

    RegisterAction<bit<1>, bit<6>, bit<1>>(paused) paused_read_paused = {
        void apply(inout bit<1> value, out bit<1> rv1) {
            bit<1> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<1>, bit<6>, bit<1>>(paused) paused_pause_queue = {
        void apply(inout bit<1> value, out bit<1> rv1) {
            bit<1> before = value;
            value = 1w1;
            rv1 = before;
        }
    };

    RegisterAction<bit<1>, bit<6>, bit<1>>(paused) paused_resume_queue = {
        void apply(inout bit<1> value, out bit<1> rv1) {
            bit<1> before = value;
            value = 1w0;
            rv1 = before;
        }
    };

    RegisterAction<bit<8>, bit<2>, bit<8>>(active) active_activate = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            value = before + 8w1;
            rv1 = value;
        }
    };

    RegisterAction<bit<8>, bit<2>, bit<8>>(active) active_read_active = {
        void apply(inout bit<8> value, out bit<8> rv1) {
            bit<8> before = value;
            rv1 = before;
        }
    };

    RegisterAction<bit<8>, bit<2>, void>(active) active_deactivate = {
        void apply(inout bit<8> value) {
            bit<8> before = value;
            value = before - 8w1;
        }
    };

    RegisterAction<bit<16>, bit<9>, bit<1>>(counter) counter_count = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            value = before + 16w1;
            if (before == 16w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<bit<32>, bit<6>, bit<32>>(length) length_add_cells = {
        void apply(inout bit<32> value, out bit<32> rv1) {
            bit<32> before = value;
            value = before + md.cells;
            rv1 = value;
        }
    };

    RegisterAction<bit<32>, bit<6>, void>(length) length_take_cells = {
        void apply(inout bit<32> value) {
            bit<32> before = value;
            value = before - md.cells;
        }
    };

    RegisterAction<bit<16>, bit<9>, bit<1>>(counter) counter_uncount = {
        void apply(inout bit<16> value, out bit<1> rv1) {
            bit<16> before = value;
            rv1 = 1w0;
            value = before - 16w1;
            if (before == 16w1) {
                rv1 = 1w1;
            }
        }
    };

    // ---- Actions ----

    action nothing() {
    }

    action from_port(bit<8> index, bit<2> ingress_class, bit<32> sticky, bit<16> upstream_queues) {
        md.ingress = index;
        md.ingress_class = ingress_class;
        md.sticky = sticky;
        md.upstream_max = upstream_queues;
        md.front = 1w1;
    }

    action route_to(bit<9> port, bit<8> egress, bit<2> egress_class) {
        md.port = port;
        md.egress = egress;
        md.egress_class = egress_class;
        md.routed = 1w1;
    }

    action takes_cells(bit<32> cells) {
        md.cells = cells;
    }

    action limit_to(bit<32> limit) {
        md.limit = limit;
    }

    action withholds() {
        md.withheld = 1w1;
    }

    action say_word(bit<32> word) {
        ig_dprsr_md.adv_flow_ctl = word + md.hold;
    }

    action take_notice() {
        md.kind = hdr.bridge.kind;
        md.egress = hdr.bridge.egress;
        md.queue = hdr.bridge.queue;
        md.ingress = hdr.bridge.ingress;
        md.upstream = hdr.bridge.upstream;
        md.vfid = hdr.bridge.vfid;
        md.cells = hdr.bridge.cells;
        md.counted = hdr.bridge.counted;
        md.back = hdr.bridge.back;
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
    }

    action take_packet_in() {
        md.kind = KIND_DATA;
        md.back = ig_intr_md.ingress_port;
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
        md.vfid = flow_hash.get({hdr.ipv4.src,
            hdr.ipv4.dst,
            hdr.ipv4.protocol,
            hdr.l4.src,
            hdr.l4.dst})[15:0];
    }

    action take_shim() {
        md.upstream = hdr.shim.queue;
        md.known = md.upstream_max |-| hdr.shim.queue;
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.queue = hdr.signal.queue[7:0];
        md.hold = 32w1;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.queue = hdr.signal.queue[7:0];
        md.hold = 32w0;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action hear_wrapped_frame() {
        md.fresh = heard_hear_wrapped.execute(md.ingress[1:0]);
    }

    action hear_frame() {
        md.fresh = heard_hear.execute(md.ingress[1:0]);
    }

    action read_flow_time() {
        md.last = last_read_last.execute(md.egress[1:0] ++ md.vfid[10:0]);
    }

    action note_flow_time() {
        last_note_last.execute(md.egress[1:0] ++ md.vfid[10:0]);
    }

    action join_flow() {
        md.empty = flow_size_join.execute(md.egress[1:0] ++ md.vfid[10:0], md.unused);
    }

    action leave_flow() {
        flow_size_leave.execute(md.egress[1:0] ++ md.vfid[10:0]);
    }

    action age_of_flow() {
        md.age = md.now - md.last;
    }

    action beyond_sticky() {
        md.rest = md.age |-| md.sticky;
    }

    action pop_queue() {
        md.got = free_top_pop.execute(md.egress[1:0], md.position);
    }

    action push_queue() {
        md.position = free_top_push.execute(md.egress[1:0]);
    }

    action read_free() {
        md.queue = free_id_read_id.execute(md.egress[1:0] ++ md.position[3:0]);
    }

    action write_free() {
        free_id_write_id.execute(md.egress[1:0] ++ md.position[3:0]);
    }

    action share_queue() {
        md.queue = md.vfid[7:0] & 8w0xf;
    }

    action write_flow_queue() {
        flow_queue_write_queue.execute(md.egress[1:0] ++ md.vfid[10:0]);
    }

    action read_flow_queue() {
        md.queue = flow_queue_read_queue.execute(md.egress[1:0] ++ md.vfid[10:0]);
    }

    action enter_queue() {
        md.filled = packets_add_packet.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action leave_queue() {
        md.emptied = packets_take_packet.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action look_at_packets() {
        md.busy = packets_has_packets.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action off_the_stack() {
        listed_unlist.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action on_the_stack() {
        md.was = listed_list.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action look_at_pause() {
        md.paused = paused_read_paused.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action pause_it() {
        md.paused = paused_pause_queue.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action resume_it() {
        md.paused = paused_resume_queue.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action activate_queue() {
        md.active = active_activate.execute(md.egress[1:0]);
    }

    action look_at_active() {
        md.active = active_read_active.execute(md.egress[1:0]);
    }

    action deactivate_queue() {
        active_deactivate.execute(md.egress[1:0]);
    }

    action count_packet() {
        md.first = counter_count.execute(md.ingress[1:0] ++ md.upstream[6:0]);
        md.counted = 8w1;
    }

    action deepen() {
        md.depth = length_add_cells.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action lower() {
        length_take_cells.execute(md.egress[1:0] ++ md.queue[3:0]);
    }

    action beyond_limit() {
        md.excess = md.depth |-| md.limit;
    }

    action over_threshold() {
        md.over = 1w1;
    }

    action uncount_packet() {
        md.ended = counter_uncount.execute(md.ingress[1:0] ++ md.upstream[6:0]);
    }

    action forward() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.egress = md.egress;
        hdr.bridge.queue = md.queue;
        hdr.bridge.queue_high = 8w0;
        hdr.bridge.ingress = md.ingress;
        hdr.bridge.upstream = md.upstream;
        hdr.bridge.vfid = md.vfid;
        hdr.bridge.back = md.back;
        hdr.bridge.cells = md.cells;
        hdr.bridge.counted = md.counted;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.queue[6:0];
    }

    action go_round() {
        hdr.bridge.kind = KIND_FREED;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    action tell_pause() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x10;
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = PAUSE;
        hdr.order.queue = md.upstream;
    }

    action tell_resume() {
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        ig_dprsr_md.mirror_egress_port = md.back;
        ig_dprsr_md.mirror_qid = 7w0x10;
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = RESUME;
        hdr.order.queue = md.upstream;
    }

    action end() {
        ig_dprsr_md.drop_ctl = 3w1;
    }

    // ---- Tables ----

    // port_in: 3 of 3 entries; ports of the switch; sticky is two HRTT (BFC, section 3.2)
    table port_in {
        key = {
            ig_intr_md.ingress_port : exact @name("port");
        }
        actions = {
            from_port;
            nothing;
        }
        default_action = nothing();
        size = 3;
    }

    // route: 3 of 3 entries; where packets go
    table route {
        key = {
            hdr.ipv4.dst : lpm @name("dst");
        }
        actions = {
            route_to;
            nothing;
        }
        default_action = nothing();
        size = 3;
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

    // threshold: 17 of 17 entries; F x HRTT x rate / N_active (BFC, section 3.3)
    table threshold {
        key = {
            md.ingress_class : exact @name("ingress_class");
            md.egress_class : exact @name("egress_class");
            md.active[4:0] : exact @name("active");
        }
        actions = {
            limit_to;
            nothing;
        }
        default_action = nothing();
        size = 17;
    }

    // withhold: 1 of 1 entries; pairs of ports that never pause
    table withhold {
        key = {
            md.ingress[1:0] : exact @name("ingress");
            md.egress[1:0] : exact @name("egress");
        }
        actions = {
            withholds;
            nothing;
        }
        default_action = nothing();
        size = 1;
    }

    // afc: 48 of 48 entries; words of flow control, RESUME; PAUSE is one more
    table afc {
        key = {
            ig_intr_md.ingress_port : exact @name("port");
            md.queue[3:0] : exact @name("qid");
        }
        actions = {
            say_word;
            nothing;
        }
        default_action = nothing();
        size = 48;
    }

    apply {
        // What a packet is, and whose state it is about.
        port_in.apply();
        if (hdr.ipv4.isValid()) {
            route.apply();
            packet_cells.apply();
        }
        if (hdr.bridge.isValid()) {
            take_notice();
        } else if (hdr.signal.isValid() && (md.front == 1w1)) {
            if (hdr.signal.type == PAUSE) {
                take_pause();
            } else {
                take_resume();
            }
        } else if (hdr.ipv4.isValid() && (md.front == 1w1) && (md.routed == 1w1) && (md.cells != 32w0)) {
            take_packet_in();
        }
        if (hdr.shim.isValid()) {
            take_shim();
        }
        if (md.routed == 1w1) {
            withhold.apply();
        }

        // Whether a frame is newer than those heard.
        if (md.kind == KIND_FRAME) {
            if ((md.window_end[31:16] == 16w0) && (md.window_end[15:0] != 16w0xffff)) {
                hear_wrapped_frame();
            } else {
                hear_frame();
            }
        }

        // Flow table: packets of the flow, and its rest beyond sticky (section 3.2).
        if (md.kind == KIND_DATA) {
            read_flow_time();
        } else if (md.kind == KIND_NOTICE) {
            note_flow_time();
        }
        if (md.kind == KIND_DATA) {
            join_flow();
        } else if (md.kind == KIND_NOTICE) {
            leave_flow();
        }
        if (md.kind == KIND_DATA) {
            age_of_flow();
            beyond_sticky();
        }

        // The flow's queue, or the one freed last (section 3.2).
        if ((md.unused == 1w1) || ((md.empty == 1w1) && (md.rest != 32w0))) {
            pop_queue();
        } else if (md.kind == KIND_FREED) {
            push_queue();
        }
        if (md.got == 1w1) {
            read_free();
        } else if (md.kind == KIND_FREED) {
            write_free();
        } else if (md.kind == KIND_DATA) {
            share_queue();
        }
        if (md.kind == KIND_DATA) {
            if ((md.unused == 1w1) || ((md.empty == 1w1) && (md.rest != 32w0))) {
                write_flow_queue();
            } else {
                read_flow_queue();
            }
        }

        // Packets of queues, and N_active (section 3.3).
        if (md.kind == KIND_DATA) {
            enter_queue();
        } else if (md.kind == KIND_NOTICE) {
            leave_queue();
        } else if ((md.kind == KIND_FRAME) && (md.fresh == 1w1) && (hdr.signal.queue[15:4] == 12w0)) {
            look_at_packets();
        }
        if (md.got == 1w1) {
            off_the_stack();
        } else if (md.emptied == 1w1) {
            on_the_stack();
        }
        if ((md.kind == KIND_DATA) || (md.kind == KIND_NOTICE)) {
            look_at_pause();
        } else if ((md.kind == KIND_FRAME) && (md.fresh == 1w1) && (hdr.signal.queue[15:4] == 12w0)) {
            if (md.hold == 32w1) {
                pause_it();
            } else {
                resume_it();
            }
        }
        if (((md.filled == 1w1) && (md.paused == 1w0)) || ((md.busy == 1w1) && (md.hold == 32w0) && (md.paused == 1w1))) {
            activate_queue();
        } else if (md.kind == KIND_DATA) {
            look_at_active();
        } else if (((md.emptied == 1w1) && (md.paused == 1w0)) || ((md.busy == 1w1) && (md.hold == 32w1) && (md.paused == 1w0))) {
            deactivate_queue();
        }

        // Threshold, and the pause counter of the queue upstream (section 3.3).
        if (md.kind == KIND_DATA) {
            deepen();
        } else if (md.kind == KIND_NOTICE) {
            lower();
        }
        if (md.kind == KIND_DATA) {
            threshold.apply();
            beyond_limit();
            if (md.excess != 32w0) {
                over_threshold();
            }
        }
        if ((md.kind == KIND_DATA) && (md.over == 1w1) && (md.known != 16w0) && (md.withheld == 1w0) && (md.empty == 1w0)) {
            count_packet();
        } else if ((md.kind == KIND_NOTICE) && (md.counted == 8w1)) {
            uncount_packet();
        }

        // On their way: packets, signals, words of flow control, second rounds.
        if (md.first == 1w1) {
            tell_pause();
        } else if (md.ended == 1w1) {
            tell_resume();
        }
        if ((md.kind == KIND_FRAME) && (md.fresh == 1w1) && (hdr.signal.queue[15:4] == 12w0)) {
            afc.apply();
        }
        if (md.kind == KIND_DATA) {
            forward();
        } else if ((md.emptied == 1w1) && (md.was == 1w0)) {
            go_round();
        } else {
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
            mirror_1.emit<order_h>(md.session,
                {hdr.order.kind, hdr.order.type, hdr.order.queue});
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
        transition parse_begin;
    }

    state parse_begin {
        transition select(pkt.lookahead<bit<8>>()) {
            8w1: parse_packet;
            8w2: parse_round;
            8w3: parse_round;
            8w4: parse_order;
            default: reject;
        }
    }

    state parse_packet {
        pkt.extract(hdr.bridge);
        pkt.extract(hdr.ethernet);
        transition select(pkt.lookahead<bit<16>>()) {
            16w0x88b6: parse_stamped;
            default: accept;
        }
    }

    state parse_round {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_order {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
        transition accept;
    }

    state parse_stamped {
        pkt.extract(hdr.shim);
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
    Register<bit<32>, bit<2>>(32w3, 32w0) sequence;

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
        hdr.padding.setValid();
        hdr.signal.sequence = sequence_number.execute(index);
        hdr.ethernet.dst = 48w0x180c200000e;
        hdr.ethernet.src = source;
        hdr.ether_type.value = 16w0x88b5;
        hdr.signal.protocol = 8w1;
        hdr.signal.version = 8w1;
        hdr.signal.type = hdr.order.type;
        hdr.signal.flags = 8w0;
        hdr.signal.length = 16w4;
        hdr.signal.count = 16w1;
        hdr.signal.queue = hdr.order.queue;
        hdr.padding.p0 = 32w0;
        hdr.padding.p1 = 32w0;
        hdr.padding.p2 = 32w0;
        hdr.padding.p3 = 32w0;
        hdr.padding.p4 = 32w0;
        hdr.padding.p5 = 32w0;
        hdr.padding.p6 = 32w0;
        hdr.padding.p7 = 32w0;
        hdr.order.setInvalid();
        hdr.cut.setInvalid();
    }

    action stamp() {
        hdr.shim.setValid();
        hdr.shim.ether_type = 16w0x88b6;
        hdr.shim.version = 8w1;
        hdr.shim.reserved = 8w0;
        hdr.shim.queue = hdr.bridge.queue_high ++ hdr.bridge.queue;
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 4w1;
        eg_dprsr_md.mirror_io_select = 1w1;
        md.session = 8w2;
        hdr.bridge.setInvalid();
    }

    // ---- Tables ----

    // signals: 3 of 3 entries; frames to devices upstream
    table signals {
        key = {
            eg_intr_md.egress_port : exact @name("port");
        }
        actions = {
            send_signal;
            lose_signal;
        }
        default_action = lose_signal();
        size = 3;
    }

    apply {
        // Frames upstream (section 3.3); packets, with their queue for the next switch.
        if (hdr.order.isValid()) {
            signals.apply();
        } else if (hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) {
            stamp();
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
                 hdr.bridge.counted,
                 hdr.bridge.queue_high,
                 hdr.bridge.queue,
                 hdr.bridge.upstream,
                 hdr.bridge.vfid,
                 hdr.bridge.back_pad,
                 hdr.bridge.back,
                 hdr.bridge.cells});
        }
        pkt.emit(hdr);
    }
}

// ======== The whole ========

Pipeline(
    IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
