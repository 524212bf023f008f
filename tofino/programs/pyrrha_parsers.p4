// Of pyrrha.p4: the parsers. What comes from a front port is a packet or a frame, what goes round a
// notice or a thread.

// Protocol, version, type and flags. A frame is taken to the octet: what the machine would refuse
// is refused here.
#define FRAME_OF(type) PROTOCOL ++ FRAME_VERSION ++ type ++ 8w0

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
            KIND_PAUSES: parse_pauses;
            KIND_THREAD: parse_thread;
            default: reject;
        }
    }

    state parse_notice {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_pauses {
        pkt.extract(hdr.thread);
        transition accept;
    }

    state parse_thread {
        pkt.extract(hdr.thread);
        pkt.extract(hdr.about);
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
            FRAME_OF(MERGE): parse_merge;
            FRAME_OF(DEALLOC): parse_resume;
            default: reject;
        }
    }

    state parse_pause {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            LENGTH_OF_PAUSE: parse_pause_body;
            default: reject;
        }
    }

    state parse_resume {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            LENGTH_OF_RESUME: parse_resume_body;
            default: reject;
        }
    }

    state parse_merge {
        pkt.extract(hdr.signal);
        transition select(hdr.signal.length) {
            LENGTH_OF_MERGE: parse_merge_body;
            default: reject;
        }
    }

    state parse_pause_body {
        pkt.extract(hdr.root);
        pkt.extract(hdr.distance);
        transition select(pkt.lookahead<bit<8>>()) {
            0: parse_pause_padding;
            default: reject;
        }
    }

    state parse_resume_body {
        pkt.extract(hdr.root);
        transition select(pkt.lookahead<bit<16>>()) {
            0: parse_resume_padding;
            default: reject;
        }
    }

    state parse_merge_body {
        pkt.extract(hdr.root);
        pkt.extract(hdr.old);
        pkt.extract(hdr.distance);
        transition select(pkt.lookahead<bit<24>>()) {
            0: parse_merge_padding;
            default: reject;
        }
    }

    // Then words of zeros: seven behind PAUSE, RESUME and DEALLOC, five behind MERGE.
    PARSE_ZEROS(parse_pause_padding, 8, 32, parse_zeros_6)
    PARSE_ZEROS(parse_resume_padding, 16, 32, parse_zeros_6)
    PARSE_ZEROS(parse_merge_padding, 24, 32, parse_zeros_4)
    PARSE_ZEROS(parse_zeros_6, 32, 32, parse_zeros_5)
    PARSE_ZEROS(parse_zeros_5, 32, 32, parse_zeros_4)
    PARSE_ZEROS(parse_zeros_4, 32, 32, parse_zeros_3)
    PARSE_ZEROS(parse_zeros_3, 32, 32, parse_zeros_2)
    PARSE_ZEROS(parse_zeros_2, 32, 32, parse_zeros_1)
    PARSE_ZEROS(parse_zeros_1, 32, 32, parse_padded)

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
            KIND_PASS: parse_bridged;
            KIND_PAUSES: parse_pauses;
            KIND_THREAD: parse_threaded;
            KIND_SIGNAL: parse_ordered;
            default: reject;
        }
    }

    state parse_bridged {
        pkt.extract(hdr.bridge);
        transition accept;
    }

    state parse_pauses {
        pkt.extract(hdr.thread);
        transition accept;
    }

    state parse_threaded {
        pkt.extract(hdr.thread);
        pkt.extract(hdr.about);
        transition accept;
    }

    state parse_ordered {
        pkt.extract(hdr.order);
        pkt.extract(hdr.cut);
        transition accept;
    }
}
