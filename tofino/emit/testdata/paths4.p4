// Program sluice_paths for the Tofino 2, T2NA. Printed, not written: what fills its tables
// comes with it. It breaks no rule that its compiler is known to have; the compiler has not
// seen this text.

#include <core.p4>
#include <t2na.p4>

// ======== Headers and metadata ========

header ethernet_h {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

header ipv4_h {
    bit<8> version_ihl;
    bit<8> tos;
    bit<16> total_length;
    bit<16> identification;
    bit<16> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src_addr;
    bit<32> dst_addr;
}

header ports_h {
    bit<16> src_port;
    bit<16> dst_port;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h ipv4;
    ports_h ports;
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
}

struct egress_metadata_t {
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
        transition parse_start;
    }

    state parse_start {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            16w0x800: parse_parse_ipv4;
            default: accept;
        }
    }

    state parse_parse_ipv4 {
        pkt.extract(hdr.ipv4);
        transition select(hdr.ipv4.version_ihl) {
            8w0x45: parse_parse_fragment;
            default: accept;
        }
    }

    state parse_parse_fragment {
        transition select(hdr.ipv4.fragment) {
            16w0 &&& 16w0x3fff: parse_parse_protocol;
            default: accept;
        }
    }

    state parse_parse_protocol {
        transition select(hdr.ipv4.protocol) {
            8w6: parse_parse_ports;
            8w0x11: parse_parse_ports;
            default: accept;
        }
    }

    state parse_parse_ports {
        pkt.extract(hdr.ports);
        transition accept;
    }
}

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    // ---- Hash functions ----

    CRCPolynomial<bit<32>>(32w0x4c11db7, true, false, false,
        32w0, 32w0) path_hash0_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, path_hash0_poly) path_hash0;

    // ---- Actions ----

    action path_digest0() {
        md.path_digest0 = path_hash0.get({hdr.ipv4.src_addr,
            hdr.ipv4.dst_addr,
            hdr.ports.src_port,
            hdr.ports.dst_port,
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

    action leave() {
        ig_tm_md.ucast_egress_port = md.path_port;
    }

    action drop() {
        ig_dprsr_md.drop_ctl = 3w1;
    }

    // ---- Tables ----

    // path_dst: 16 of 16 entries; addresses of the network, by switch and port
    table path_dst {
        key = {
            hdr.ipv4.dst_addr : exact @name("dst");
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

    apply {
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
        if (md.path_has_port == 1w1) {
            leave();
        } else {
            drop();
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

    apply {
    }
}

control EgressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in egress_metadata_t md,
        in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

// ======== The whole ========

Pipeline(
    IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
