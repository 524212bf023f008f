// Program sluice_portfc for the Tofino 2, T2NA. Printed, not written: what fills its tables
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
const bit<8> KIND_REPLICA = 8w6;
const bit<8> COUNTS_IHFQ = 8w1;
const bit<8> COUNTS_DDQ = 8w2;
const bit<8> PAUSE = 8w1;
const bit<8> RESUME = 8w2;

// ======== Headers and metadata ========

header bridge_h {
    bit<8> kind;
    bit<8> class;
    bit<16> index;
    bit<32> cells;
}

header order_h {
    bit<8> kind;
    bit<8> type;
    bit<16> queue;
    bit<16> port;
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
    bit<16> queue;
    bit<16> port;
    bit<8> layer;
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

struct ingress_metadata_t {
    bit<8> kind;
    bit<8> class;
    bit<16> index;
    bit<16> from;
    bit<32> cells;
    bit<9> port;
    bit<7> qid;
    bit<32> mark;
    bit<16> told;
    bit<1> crossed;
    bit<32> window_end;
    bit<1> fresh;
    bit<8> session;
    bit<32> hold;
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
        md.class = 8w0;
        md.index = 16w0;
        md.from = 16w0;
        md.cells = 32w0;
        md.port = 9w0;
        md.qid = 7w0;
        md.mark = 32w0;
        md.told = 16w0;
        md.crossed = 1w0;
        md.window_end = 32w0;
        md.fresh = 1w0;
        md.session = 8w0;
        md.hold = 32w0;
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
            8w4: parse_order;
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

    state parse_order {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
        transition accept;
    }

    state parse_ip {
        pkt.extract(hdr.ipv4);
        transition accept;
    }

    state parse_nearest_bridge {
        transition select(pkt.lookahead<bit<16>>()) {
            16w0x88b5: parse_frame_type;
            default: parse_packet;
        }
    }

    state parse_frame_type {
        pkt.extract(hdr.ether_type);
        transition parse_frame;
    }

    state parse_frame {
        transition select(pkt.lookahead<bit<32>>()) {
            32w0x4010100: parse_frame_length;
            32w0x4010200: parse_frame_length;
            default: reject;
        }
    }

    state parse_frame_length {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            16w5: parse_zeros;
            default: reject;
        }
    }

    state parse_zeros {
        transition select(pkt.lookahead<bit<24>>()) {
            24w0: parse_zeros_2;
            default: reject;
        }
    }

    state parse_zeros_2 {
        pkt.advance(32w0x18);
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

struct ihfq_pair_t {
    bit<32> low;
    bit<32> high;
}

struct ddq_pair_t {
    bit<32> low;
    bit<32> high;
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

    // ihfq: cells in the IHFQs of a port, and whether they are paused (PortFC, Algorithm 1)
    Register<ihfq_pair_t, bit<2>>(32w4, {32w0, 32w0}) ihfq;
    // ddq: cells in the DDQ of a port, and whether it is paused (PortFC, Algorithm 2)
    Register<ddq_pair_t, bit<2>>(32w4, {32w0, 32w0}) ddq;
    // heard: the newest sequence number of a port
    Register<heard_pair_t, bit<2>>(32w4, {32w0, 32w0}) heard;

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

    RegisterAction<ihfq_pair_t, bit<2>, bit<1>>(ihfq) ihfq_add_ihfq = {
        void apply(inout ihfq_pair_t value, out bit<1> rv1) {
            ihfq_pair_t before = value;
            rv1 = 1w0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark) {
                value.high = 32w1;
            }
            if (before.low >= md.mark && before.high == 32w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<ihfq_pair_t, bit<2>, bit<1>>(ihfq) ihfq_take_ihfq = {
        void apply(inout ihfq_pair_t value, out bit<1> rv1) {
            ihfq_pair_t before = value;
            rv1 = 1w0;
            value.low = before.low - md.cells;
            if (before.low <= md.mark) {
                value.high = 32w0;
            }
            if (before.low <= md.mark && before.high != 32w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<ddq_pair_t, bit<2>, bit<1>>(ddq) ddq_add_ddq = {
        void apply(inout ddq_pair_t value, out bit<1> rv1) {
            ddq_pair_t before = value;
            rv1 = 1w0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark) {
                value.high = 32w1;
            }
            if (before.low >= md.mark && before.high == 32w0) {
                rv1 = 1w1;
            }
        }
    };

    RegisterAction<ddq_pair_t, bit<2>, bit<1>>(ddq) ddq_take_ddq = {
        void apply(inout ddq_pair_t value, out bit<1> rv1) {
            ddq_pair_t before = value;
            rv1 = 1w0;
            value.low = before.low - md.cells;
            if (before.low <= md.mark) {
                value.high = 32w0;
            }
            if (before.low <= md.mark && before.high != 32w0) {
                rv1 = 1w1;
            }
        }
    };

    // ---- Actions ----

    action drop() {
        ig_dprsr_md.drop_ctl = 3w1;
        md.kind = 8w0;
    }

    action nothing() {
    }

    action from_port(bit<16> index) {
        md.from = index;
    }

    action leave_by(bit<9> port, bit<16> index) {
        md.port = port;
        md.index = index;
    }

    action to_ihfq(bit<7> qid) {
        md.qid = qid;
        md.class = COUNTS_IHFQ;
    }

    action to_ddq() {
        md.qid = 7w3;
        md.class = COUNTS_DDQ;
    }

    action to_hq() {
        md.qid = 7w4;
        md.class = 8w0;
    }

    action takes_cells(bit<32> cells) {
        md.cells = cells;
    }

    action arrives(bit<32> limit, bit<16> queue_told) {
        md.told = queue_told;
        md.mark = limit |-| md.cells;
    }

    action leaves(bit<32> limit, bit<16> queue_told) {
        md.told = queue_told;
        md.mark = limit + md.cells;
    }

    action to_others(bit<16> group, bit<9> excluded) {
        ig_tm_md.mcast_grp_a = group;
        ig_tm_md.level2_exclusion_id = excluded;
        ig_tm_md.qid = 7w4;
    }

    action say_word(bit<32> word) {
        ig_dprsr_md.adv_flow_ctl = word + md.hold;
    }

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

    action take_packet() {
        md.kind = KIND_DATA;
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.hold = 32w1;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.hold = 32w0;
        md.window_end = hdr.signal.sequence + 32w0xffff;
    }

    action hear_wrapped_frame() {
        md.fresh = heard_hear_wrapped.execute(md.from[1:0]);
    }

    action hear_frame() {
        md.fresh = heard_hear.execute(md.from[1:0]);
    }

    action arrive_ihfq() {
        md.crossed = ihfq_add_ihfq.execute(md.index[1:0]);
    }

    action leave_ihfq() {
        md.crossed = ihfq_take_ihfq.execute(md.index[1:0]);
    }

    action arrive_ddq() {
        md.crossed = ddq_add_ddq.execute(md.index[1:0]);
    }

    action leave_ddq() {
        md.crossed = ddq_take_ddq.execute(md.index[1:0]);
    }

    action tell_pause() {
        hdr.order.queue = md.told;
        hdr.order.port = md.index;
        ig_dprsr_md.mirror_type = 4w1;
        md.session = 8w1;
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = PAUSE;
    }

    action tell_resume() {
        hdr.order.setValid();
        hdr.order.queue = md.told;
        hdr.order.port = md.index;
        md.kind = KIND_SIGNAL;
        hdr.order.kind = KIND_REPLICA;
        hdr.order.type = RESUME;
        hdr.bridge.setInvalid();
        hdr.cut.setInvalid();
    }

    action forward() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.class = md.class;
        hdr.bridge.index = md.index;
        hdr.bridge.cells = md.cells;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.qid;
    }

    action end() {
        ig_dprsr_md.drop_ctl = 3w1;
    }

    // ---- Tables ----

    // port_in: 4 of 4 entries; ports of the switch
    table port_in {
        key = {
            ig_intr_md.ingress_port : exact @name("port");
        }
        actions = {
            from_port;
            drop;
        }
        default_action = drop();
        size = 4;
    }

    // egress: 4 of 4 entries; the digit of this layer (PortFC, section IV-A)
    table egress {
        key = {
            hdr.ipv4.dst : ternary @name("dst");
        }
        actions = {
            leave_by;
            drop;
        }
        default_action = drop();
        size = 4;
    }

    // queue: 5 of 5 entries; the other digit: an IHFQ, or the DDQ if it is the next node's own (PortFC, section III-B); HQ by class
    table queue {
        key = {
            hdr.ipv4.dscp[7:5] : ternary @name("traffic_class");
            hdr.ipv4.dst : ternary @name("dst");
        }
        actions = {
            to_ihfq;
            to_ddq;
            to_hq;
            drop;
        }
        default_action = drop();
        size = 5;
    }

    // packet_cells: 9 of 9 entries; cells of 176 octets that a packet takes
    table packet_cells {
        key = {
            hdr.ipv4.total_length : range @name("total_length");
        }
        actions = {
            takes_cells;
            drop;
        }
        default_action = drop();
        size = 9;
    }

    // limits: 16 of 16 entries; X_off and X_on of the IHFQs and of the DDQ (PortFC, section IV)
    table limits {
        key = {
            md.kind[2:0] : exact @name("kind");
            md.class[1:0] : exact @name("queue_class");
            md.index[1:0] : exact @name("port");
        }
        actions = {
            arrives;
            leaves;
            drop;
        }
        default_action = drop();
        size = 16;
    }

    // others: 4 of 4 entries; all ports but the congested one (PortFC, Algorithms 1 and 2)
    table others {
        key = {
            md.index[1:0] : exact @name("port");
        }
        actions = {
            to_others;
            drop;
        }
        default_action = drop();
        size = 4;
    }

    // afc: 12 of 12 entries; words of flow control, RESUME; PAUSE is one more (PortFC, Algorithm 4)
    table afc {
        key = {
            md.from[1:0] : exact @name("congested");
            hdr.signal.queue : exact @name("queue");
            hdr.signal.port : exact @name("port");
            hdr.signal.layer : exact @name("layer");
        }
        actions = {
            say_word;
            nothing;
        }
        default_action = nothing();
        size = 12;
    }

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
                if ((md.window_end[31:16] == 16w0) && (md.window_end[15:0] != 16w0xffff)) {
                    hear_wrapped_frame();
                } else {
                    hear_frame();
                }
                if (md.fresh == 1w1) {
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

        // IHFQs and DDQ against X_off and X_on (Algorithms 1 and 2).
        if (((md.kind == KIND_DATA) || (md.kind == KIND_NOTICE)) && (md.class != 8w0)) {
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

        // On their way: packets, and signals to all ports but the congested one.
        if (md.crossed == 1w1) {
            if (md.kind == KIND_DATA) {
                tell_pause();
            } else {
                tell_resume();
            }
        }
        if (md.kind == KIND_DATA) {
            forward();
        } else if (md.kind == KIND_SIGNAL) {
            others.apply();
        } else if (md.kind != 8w0) {
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
        md.session = 8w0;
        transition parse_begin;
    }

    state parse_begin {
        transition select(pkt.lookahead<bit<8>>()) {
            8w1: parse_bridged;
            8w2: parse_bridged;
            8w4: parse_ordered;
            8w6: parse_ordered;
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
        hdr.padding.setValid();
        hdr.signal.sequence = sequence_number.execute(index);
        hdr.ethernet.dst = 48w0x180c200000e;
        hdr.ethernet.src = source;
        hdr.ether_type.value = 16w0x88b5;
        hdr.signal.protocol = 8w4;
        hdr.signal.version = 8w1;
        hdr.signal.type = hdr.order.type;
        hdr.signal.flags = 8w0;
        hdr.signal.length = 16w5;
        hdr.signal.queue = hdr.order.queue;
        hdr.signal.port = hdr.order.port;
        hdr.signal.layer = 8w1;
        hdr.padding.p0 = 24w0;
        hdr.padding.p1 = 32w0;
        hdr.padding.p2 = 32w0;
        hdr.padding.p3 = 32w0;
        hdr.padding.p4 = 32w0;
        hdr.padding.p5 = 32w0;
        hdr.padding.p6 = 32w0;
        hdr.padding.p7 = 32w0;
        hdr.order.setInvalid();
    }

    action unbridge() {
        hdr.bridge.setInvalid();
    }

    action notify() {
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 4w1;
        eg_dprsr_md.mirror_io_select = 1w1;
        md.session = 8w2;
        hdr.bridge.setInvalid();
    }

    // ---- Tables ----

    // signals: 4 of 4 entries; frames to the nodes
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
        // Frames to other nodes (section IV); packets, and notices that they have left.
        if (hdr.order.isValid() && (hdr.order.kind == KIND_REPLICA)) {
            signals.apply();
        } else if (hdr.bridge.isValid() && (hdr.bridge.kind == KIND_DATA)) {
            if (hdr.bridge.class == 8w0) {
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
    Mirror(4w1) mirror_1;

    apply {
        if (eg_dprsr_md.mirror_type == 4w1) {
            mirror_1.emit<bridge_h>(md.session,
                {hdr.bridge.kind, hdr.bridge.class, hdr.bridge.index, hdr.bridge.cells});
        }
        pkt.emit(hdr);
    }
}

// ======== The whole ========

Pipeline(
    IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
