// A program that holds queues as frames of BFC tell it, with something of everything that programs
// can say.

#include <core.p4>
#include <t2na.p4>

// ======== Headers and metadata ========

header notice_h {
    bit<7> zero;
    bit<9> port;
}

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

header signal_h {
    bit<8> protocol;
    bit<8> version;
    bit<8> kind;
    bit<8> flags;
    bit<16> length;
    bit<32> sequence;
}

header listed_h {
    bit<16> count;
    bit<16> queue;
}

header ip_h {
    bit<8> version;
    bit<8> service;
    bit<16> length;
    bit<16> number;
    bit<16> fragment;
    bit<8> hops;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

struct headers_t {
    notice_h notice;
    ethernet_h ethernet;
    signal_h signal;
    listed_h listed;
    ip_h ip;
}

@pa_auto_init_metadata
struct ingress_metadata_t {
    bit<32> base;
    bit<32> depth;
    bit<9> slot;
    bit<1> fresh;
    bit<32> now;
}

@pa_auto_init_metadata
struct egress_metadata_t {
    bit<8> mirror_session;
    bit<9> port;
}

struct flows_pair_t {
    bit<32> low;
    bit<32> high;
}

// The depths of queues that ghost received.
Register<bit<32>, bit<6>>(64, 0) depths;

// States that both parsers have.
#define PARSE_ETHERNET \
    state parse_ethernet { \
        pkt.extract(hdr.ethernet); \
        transition select(hdr.ethernet.kind) { \
            0x88B5: parse_signal; \
            0x0800: parse_ip; \
            0x9000 &&& 0xF000: accept; \
            default: accept; \
        } \
    } \
    state parse_signal { \
        pkt.extract(hdr.signal); \
        transition select(hdr.signal.protocol) { \
            1: parse_listed; \
            default: reject; \
        } \
    } \
    state parse_listed { \
        pkt.extract(hdr.listed); \
        transition accept; \
    } \
    state parse_ip { \
        pkt.extract(hdr.ip); \
        transition accept; \
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
        transition parse_start;
    }

    state parse_start {
        transition select(pkt.lookahead<bit<8>>()) {
            0xFF: accept;
            default: parse_ethernet;
        }
    }

    PARSE_ETHERNET
}

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    Register<flows_pair_t, bit<9>>(512, {1, 0}) flows;

    Hash<bit<9>>(HashAlgorithm_t.IDENTITY) whole;

    RegisterAction2<flows_pair_t, bit<9>, bit<1>, bit<32>>(flows) flows_arrive = {
        void apply(inout flows_pair_t value, out bit<1> fresh, out bit<32> high) {
            flows_pair_t before = value;
            fresh = 0;
            high = 0;
            value.high = before.high |+| 1;
            if (before.high == 0 && before.low + 100 < md.now) {
                value.low = md.now;
                fresh = 1;
            }
            if ((before.high == 0 && before.low + 100 >= md.now) ||
                    (before.high != 0 && before.low + 100 < md.now)) {
                high = value.high;
            }
        }
    };

    RegisterAction<bit<32>, bit<6>, bit<32>>(depths) depths_look = {
        void apply(inout bit<32> value, out bit<32> depth) {
            depth = value;
        }
    };

    action nothing() {}
    action base_word(bit<32> word) { md.base = word; }

    action hold() {
        ig_dprsr_md.adv_flow_ctl = md.base + 1;
        ig_dprsr_md.drop_ctl = 1;
    }

    action release() {
        ig_dprsr_md.adv_flow_ctl = md.base;
        ig_dprsr_md.drop_ctl = 1;
    }

    // Queues that frames name.
    table afc {
        key = {
            ig_intr_md.ingress_port : exact @name("port");
            hdr.listed.queue[6:0] : exact @name("qid");
        }
        actions = { base_word; nothing; }
        default_action = nothing();
        size = 64;
    }

    action forward(bit<9> port, bit<7> qid) {
        ig_tm_md.ucast_egress_port = port;
        ig_tm_md.qid = qid;
        md.slot = whole.get({hdr.ip.dst[7:0], 1w0});
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
    }

    action everywhere(bit<16> group) {
        ig_tm_md.mcast_grp_a = group;
        ig_tm_md.level2_exclusion_id = ig_intr_md.ingress_port;
    }

    // Addresses.
    table route {
        key = { hdr.ip.dst : lpm @name("dst"); }
        actions = { forward; everywhere; nothing; }
        default_action = nothing();
        size = 16;
    }

    action arrive() { md.fresh = flows_arrive.execute(md.slot, md.depth); }
    action look() { md.depth = depths_look.execute(md.slot[5:0]); }
    action drop() { ig_dprsr_md.drop_ctl = 1; }

    // What a full queue drops.
    table levels {
        key = {
            hdr.ip.service : ternary @name("service");
            md.depth[17:0] : range @name("level");
        }
        actions = { drop; nothing; }
        default_action = nothing();
        size = 8;
    }

    apply {
        if (hdr.signal.isValid()) {
            if (afc.apply().hit) {
                if (hdr.signal.kind == 1) {
                    hold();
                } else {
                    release();
                }
            }
        } else {
            switch (route.apply().action_run) {
                forward: {
                    arrive();
                    if (md.fresh == 0 && md.depth > 7) {
                        look();
                        levels.apply();
                    }
                }
            }
        }
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
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
        transition parse_ethernet;
    }

    PARSE_ETHERNET
}

control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {

    Register<bit<1>, bit<9>>(512, 0) told;

    CRCPolynomial<bit<16>>(0x8005, true, false, false, 0, 0) crc16_poly;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, crc16_poly) crc16;

    RegisterAction<bit<1>, bit<9>, void>(told) told_claim = {
        void apply(inout bit<1> value) {
            value = 1;
        }
    };

    action claim() { told_claim.execute(eg_intr_md.egress_port); }

    action tell() {
        hdr.notice.zero = 0;
        hdr.notice.port = eg_intr_md.egress_port;
        eg_dprsr_md.mirror_type = 1;
        eg_dprsr_md.mirror_io_select = 1;
        md.mirror_session = 5;
        md.port = crc16.get({hdr.ip.src, hdr.ip.dst})[8:0];
        hdr.notice.setInvalid();
    }

    action quiet() {}

    // Ports whose departures egress reports.
    table watched {
        key = { eg_intr_md.egress_port : exact @name("port"); }
        actions = { tell; quiet; }
        default_action = quiet();
        size = 8;
    }

    apply {
        claim();
        watched.apply();
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
            notice.emit<notice_h>(md.mirror_session, {hdr.notice.zero, hdr.notice.port});
        }
        pkt.emit(hdr);
    }
}

// ======== Ghost ========

control Ghost(in ghost_intrinsic_metadata_t g_intr_md) {
    RegisterAction<bit<32>, bit<6>, void>(depths) depths_report = {
        void apply(inout bit<32> value) {
            value = (bit<32>)g_intr_md.qlength;
        }
    };

    action report(bit<6> index) { depths_report.execute(index); }
    action ignore() {}

    // Queues whose depth ghost reports.
    table depth {
        key = {
            g_intr_md.pipe_id : exact @name("pipe_id");
            g_intr_md.qid : exact @name("qid");
        }
        actions = { report; ignore; }
        default_action = ignore();
        size = 64;
    }

    apply {
        depth.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser(), Ghost()) pipe;
Switch(pipe) main;
