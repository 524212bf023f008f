// Of ofc.p4: the parsers. What comes from a front port is a packet or a frame; what goes round
// begins with its kind.

// Orders, by their kinds.
#define ORDERS(next) \
    KIND_WALK: next; \
    KIND_REPEAL: next; \
    KIND_UPDATE: next; \
    KIND_UPDATED: next; \
    KIND_ORDER_MARK: next; \
    KIND_ENDED: next; \
    KIND_NEXT: next; \
    KIND_OPEN: next; \
    KIND_SIGNAL: next;

// A frame is about a whole class or names one flow, and a RESUME may say that the flow is the last:
// protocol, version, type and flags, then the length, then class, flags and the number of flows.
// What the machine would refuse is refused here, to the octet.
#define FRAME_OF(type) PROTOCOL ++ FRAME_VERSION ++ type ++ 8w0
#define ANY_CLASS 0xF8FFFFFF

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
            KIND_MOVED: parse_moved;
            0 &&& 0xC0: parse_timer;
            ORDERS(parse_order)
            default: reject;
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

    state parse_packet {
        pkt.extract(hdr.ether_type);
        transition select(hdr.ether_type.value) {
            IPV4: parse_ip;
            default: accept;
        }
    }

    PARSE_IP_WITH_PORTS

    state parse_frame {
        transition select(pkt.lookahead<bit<32>>()) {
            FRAME_OF(PAUSE): parse_pause;
            FRAME_OF(RESUME): parse_resume;
            default: reject;
        }
    }

    state parse_pause {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            BODY: parse_whole;
            BODY + FLOW: parse_one;
            default: reject;
        }
    }

    state parse_resume {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            BODY: parse_whole;
            BODY + FLOW: parse_one_or_last;
            default: reject;
        }
    }

    state parse_whole {
        transition select(pkt.lookahead<bit<32>>()) {
            0x00010000 &&& ANY_CLASS: parse_whole_subject; // FLAG_ALL, no flow
            default: reject;
        }
    }

    state parse_one {
        transition select(pkt.lookahead<bit<32>>()) {
            0x00000001 &&& ANY_CLASS: parse_one_subject; // one flow
            default: reject;
        }
    }

    state parse_one_or_last {
        transition select(pkt.lookahead<bit<32>>()) {
            0x00000001 &&& ANY_CLASS: parse_one_subject;
            0x00020001 &&& ANY_CLASS: parse_one_subject; // FLAG_LAST
            default: reject;
        }
    }

    // Behind the subject are the series, which is zeros, and the flow; of a whole class zeros too.
    state parse_whole_subject {
        pkt.extract(hdr.subject);
        transition select(pkt.lookahead<bit<32>>()) {
            0: parse_whole_parts;
            default: reject;
        }
    }

    PARSE_ZEROS(parse_whole_parts, 32, 32, parse_all_flow_high)
    PARSE_ZEROS(parse_all_flow_high, 32, 32, parse_all_flow_low)

    state parse_all_flow_low {
        pkt.extract(hdr.flow);
        transition select(hdr.flow.flow_low) {
            0: parse_padding;
            default: reject;
        }
    }

    state parse_one_subject {
        pkt.extract(hdr.subject);
        transition select(pkt.lookahead<bit<32>>()) {
            0: parse_one_parts;
            default: reject;
        }
    }

    PARSE_ZEROS(parse_one_parts, 32, 32, parse_flow)

    state parse_flow {
        pkt.advance(32);
        pkt.extract(hdr.flow);
        transition parse_padding;
    }

    state parse_padding {
        transition select(pkt.lookahead<bit<32>>()) {
            0: parse_padding_1;
            default: reject;
        }
    }

    PARSE_ZEROS(parse_padding_1, 32, 32, parse_padding_2)
    PARSE_ZEROS(parse_padding_2, 32, 32, parse_padding_3)
    PARSE_ZEROS(parse_padding_3, 32, 32, parse_padded)

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
        transition select(pkt.lookahead<bit<8>>()) {
            KIND_DATA: parse_bridged;
            KIND_NOTICE: parse_bridged;
            KIND_MOVED: parse_bridged;
            ORDERS(parse_ordered)
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
