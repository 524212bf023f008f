// Of bfc.p4: the parsers.

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
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_packet {
        transition select(pkt.lookahead<bit<16>>()) {
            SHIM_TYPE: parse_shim;
            default: parse_kind;
        }
    }

    state parse_shim {
        pkt.extract(hdr.shim);
        transition select(hdr.shim.version) {
            1: parse_kind;
            default: reject;
        }
    }

    state parse_kind {
        pkt.extract(hdr.ether_type);
        transition select(hdr.ether_type.value) {
            IPV4: parse_ip;
            default: accept;
        }
    }

    PARSE_IP_WITH_PORTS

    // A frame has one queue, to the octet: one that says more than it may is refused.
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
            BODY: parse_frame_count;
            default: reject;
        }
    }

    state parse_frame_count {
        transition select(hdr.signal.count) {
            1: parse_zeros;
            default: reject;
        }
    }

    state parse_zeros {
        transition select(pkt.lookahead<bit<32>>()) {
            0: parse_zeros_2;
            default: reject;
        }
    }
    PARSE_ZEROS(parse_zeros_2, 32, 32, parse_zeros_3)
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
            KIND_DATA: parse_packet;
            KIND_NOTICE: parse_round;
            KIND_FREED: parse_round;
            KIND_SIGNAL: parse_order;
            default: reject;
        }
    }

    // The shim of the switch before is read, to be written anew.
    state parse_packet {
        pkt.extract(hdr.bridge);
        pkt.extract(hdr.ethernet);
        transition select(pkt.lookahead<bit<16>>()) {
            SHIM_TYPE: parse_stamped;
            default: accept;
        }
    }

    state parse_stamped {
        pkt.extract(hdr.shim);
        transition accept;
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
}
