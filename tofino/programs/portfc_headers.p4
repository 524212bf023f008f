// Of portfc.p4: headers and metadata.

// From ingress to egress: what a packet counts. A notice brings it back.
header bridge_h {
    bit<8> kind;
    bit<8> class;  // the detector
    bit<16> index; // the egress port
    bit<32> cells;
}

// A frame to be made (GenFrame in Algorithms 1 and 2).
header order_h {
    bit<8> kind;
    bit<8> type;
    bit<16> queue; // the lowest that the detector counts
    bit<16> port;  // the congested one
}

header signal_h {
    FRAME_BEGINS
    bit<16> queue;
    bit<16> port;
    bit<8> layer; // of the switch whose port that is
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

@pa_auto_init_metadata // zeros to begin with
struct ingress_metadata_t {
    bit<8> kind;
    bit<8> class;  // the detector
    bit<16> index; // the egress port
    bit<16> from;  // the ingress port
    bit<32> cells;
    bit<9> port; // the egress port's number on the chip
    bit<7> qid;
    bit<32> mark; // what the sum of cells is compared with
    bit<16> named; // the queue that a frame names
    bit<1> crossed; // X_off or X_on, for the first time
    bit<32> window_end;
    bit<1> fresh;
    bit<8> session;
    bit<32> hold; // 1 in a frame that pauses
#if GHOST
    bit<32> ddq_depth;
#endif
}

@pa_auto_init_metadata
struct egress_metadata_t {
    bit<8> session;
}
