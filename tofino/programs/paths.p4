// A switch that does nothing but find paths: a packet leaves by the port that the path tables name,
// and a packet for which they name none is dropped. A program of one's own begins with it: the
// ports that the packet will pass behind this switch are in md.path_1_root, md.path_2_root and so
// on, as path_tables.p4 says, which names what a configuration defines. Beside that it defines
//
//	IPV6   1 for IPv6, 0 for IPv4

#include "config.p4h"
#include <core.p4>
#include <t2na.p4>

// ======== Headers and metadata ========

header ethernet_h {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

#if IPV6
header ipv6_h {
    bit<4> version;
    bit<8> traffic_class;
    bit<20> flow_label;
    bit<16> payload_length;
    bit<8> next_header;
    bit<8> hop_limit;
    bit<128> src_addr;
    bit<128> dst_addr;
}
#else
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
#endif

header ports_h {
    bit<16> src_port;
    bit<16> dst_port;
}

struct headers_t {
    ethernet_h ethernet;
#if IPV6
    ipv6_h ipv6;
#else
    ipv4_h ipv4;
#endif
    ports_h ports;
}

// What switches hash.
#if IPV6
#define PATH_SRC hdr.ipv6.src_addr
#define PATH_DST hdr.ipv6.dst_addr
#define PATH_PROTOCOL hdr.ipv6.next_header
#define PATH_FLOW_LABEL hdr.ipv6.flow_label
#else
#define PATH_SRC hdr.ipv4.src_addr
#define PATH_DST hdr.ipv4.dst_addr
#define PATH_PROTOCOL hdr.ipv4.protocol
#endif
#define PATH_SRC_PORT hdr.ports.src_port
#define PATH_DST_PORT hdr.ports.dst_port

@pa_auto_init_metadata // zeros to begin with
struct ingress_metadata_t {
#define PATHS PATH_FIELDS
#include "path_tables.p4"
}

struct egress_metadata_t {
}

// ======== Ingress ========

// Packets are IPv4, or IPv6, in untagged Ethernet frames. Ports are TCP's and UDP's, behind a
// header without options or extensions, and are zeros of other packets.
parser IngressParser(
        packet_in pkt,
        out headers_t hdr,
        out ingress_metadata_t md,
        out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition parse_ethernet;
    }

#if IPV6
    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x86DD: parse_ipv6;
            default: accept;
        }
    }

    state parse_ipv6 {
        pkt.extract(hdr.ipv6);
        transition select(hdr.ipv6.next_header) {
            6: parse_ports;
            17: parse_ports;
            default: accept;
        }
    }
#else
    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        pkt.extract(hdr.ipv4);
        transition select(hdr.ipv4.version_ihl) {
            0x45: parse_fragment;
            default: accept;
        }
    }

    state parse_fragment { // the only one, if neither a bit says that more come nor an offset
        transition select(hdr.ipv4.fragment) {
            0 &&& 0x3FFF: parse_protocol;
            default: accept;
        }
    }

    state parse_protocol {
        transition select(hdr.ipv4.protocol) {
            6: parse_ports;
            17: parse_ports;
            default: accept;
        }
    }
#endif

    state parse_ports {
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

#define PATHS PATH_TABLES
#include "path_tables.p4"

    action leave() { ig_tm_md.ucast_egress_port = md.path_port; }
    action drop() { ig_dprsr_md.drop_ctl = 1; }

    apply {
#define PATHS PATH_STEPS
#include "path_tables.p4"
        if (md.path_has_port == 1) {
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

// ======== Egress: nothing ========

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

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
    EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
