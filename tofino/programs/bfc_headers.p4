// Of bfc.p4: headers and metadata.

// From ingress to egress: what a packet counts. A notice brings it back.
header bridge_h {
    bit<8> kind;
    bit<8> egress;
    bit<8> ingress;
    bit<8> counted;    // 1 if the packet counts against the queue upstream
    bit<8> queue_high; // zeros: the shim's queue has 16 bits
    bit<8> queue;
    bit<16> upstream;
    bit<16> vfid;
    bit<7> back_pad;
    bit<9> back; // the chip's number of the ingress port
    bit<32> cells;
}

// A frame to be made.
header order_h {
    bit<8> kind;
    bit<8> type;
    bit<16> queue;
}

// What a packet says of the device upstream: the queue that it left.
header shim_h {
    bit<16> ether_type;
    bit<8> version;
    bit<8> reserved;
    bit<16> queue;
}

header signal_h {
    FRAME_BEGINS
    bit<16> count; // of queues: one
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

@pa_auto_init_metadata // zeros to begin with
struct ingress_metadata_t {
    bit<8> kind;
    bit<8> ingress;
    bit<8> egress; // of a frame, the port that it came by
    bit<8> queue;
    bit<16> upstream;
    bit<16> vfid;
    bit<32> cells;
    bit<9> back; // the chip's number of the ingress port,
    bit<9> port; // and of the egress port
    bit<1> front; // the packet came by a port of the switch
    bit<1> routed;
    bit<1> withheld;
    bit<PORT_BITS> ingress_class; // ports of a class have the same thresholds
    bit<PORT_BITS> egress_class;
    bit<32> sticky;
    bit<16> upstream_max; // queues of the device upstream
    bit<32> limit;
    bit<32> hold; // 1 in a frame that pauses
    bit<32> window_end;
    bit<1> fresh;
    bit<32> now;
    bit<32> last; // when a packet of the flow left last,
    bit<32> age;  // how long ago that was,
    bit<32> rest; // and how much longer than sticky
    bit<1> empty;  // the flow has no packet here
    bit<1> unused; // nor ever had
    bit<1> got;    // a free queue, at a position of the stack
    bit<8> position;
    bit<1> filled;  // the queue, which was empty
    bit<1> emptied; // the queue
    bit<1> busy;    // the queue of a frame has packets
    bit<1> was;     // on the stack before
    bit<1> paused;  // the queue, before
    bit<8> active;
    bit<32> depth;
    bit<32> excess;
    bit<16> known; // 0 if the device upstream has no such queue
    bit<1> over;   // the threshold
    bit<8> counted;
    bit<1> first; // packet counted against the queue upstream,
    bit<1> ended; // and the last
    bit<8> session;
}

@pa_auto_init_metadata
struct egress_metadata_t {
    bit<8> session;
}
