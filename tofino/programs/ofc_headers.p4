// Of ofc.p4: headers and metadata.

// Before data between ingress and egress, and before what comes back of it.
header bridge_h {
    bit<8> kind;
    bit<8> egress;
    bit<8> ingress;
    bit<5> class_pad;
    bit<3> class;
    bit<8> queue;   // 0, or the backup queue that the packet moved to
    bit<8> where;   // the row of flow_in_port_tab that has its flow, or 0
    bit<32> cells;
    bit<7> back_pad;
    bit<9> back;    // the port that it came by
    bit<7> port_pad;
    bit<9> port;
    bit<32> high;
    bit<32> low;
}

// A packet of the chip's own, which goes round; a mirrored copy begins with the same fields.
#define ORDER_FIELDS \
    bit<8> kind; \
    bit<8> egress; \
    bit<5> class_pad; \
    bit<3> class; \
    bit<8> ingress; \
    bit<7> back_pad; \
    bit<9> back;   /* the port upstream is at */ \
    bit<8> what;   /* a frame's type, or what it does in egress */ \
    bit<8> flag; \
    bit<8> queue; \
    bit<8> reserved; \
    bit<16> then;  /* 1 if a repeal follows; the number of a frame's flows */ \
    bit<16> at;    /* the cell of a walk; the length of a frame */ \
    bit<32> high; \
    bit<32> low;

header order_h {
    ORDER_FIELDS
}

header copy_h {
    ORDER_FIELDS
}

header timer_h {
    bit<8> app;
    bit<8> reserved;
    bit<16> batch;
    bit<16> packet;
}

header signal_h {
    FRAME_BEGINS
}

header subject_h {
    bit<5> class_pad;
    bit<3> class;
    bit<8> list;    // flags
    bit<16> count;  // of flows
}

// Which part of how many a frame is: there is one.
header series_h {
    bit<32> generation;
    bit<32> parts;
}

header flow_h {
    bit<32> flow_high;
    bit<32> flow_low;
}

header padding_h {
    bit<32> p0;
    bit<32> p1;
    bit<32> p2;
    bit<32> p3;
}

struct headers_t {
    bridge_h bridge;
    order_h order;
    copy_h copy;
    cut_h cut;
    timer_h timer;
    ethernet_h ethernet;
    ether_type_h ether_type;
    signal_h signal;
    subject_h subject;
    series_h series;
    flow_h flow;
    padding_h padding;
    ipv4_h ipv4;
    l4_h l4;
}

// What comparisons give comes in bits 4 to 19 of a word: no container of as many bits takes it.
@pa_container_size("ingress", "md.claimed", 16)
@pa_container_size("ingress", "md.named", 32)
// Fields of congested_flow_tab take the place of none that is read in the stage before.
@pa_no_overlay("ingress", "md.claimed")
@pa_no_overlay("ingress", "md.own_a")
@pa_no_overlay("ingress", "md.own_b")
@pa_no_overlay("ingress", "md.gone_a")
@pa_no_overlay("ingress", "md.gone_b")
@pa_auto_init_metadata
struct ingress_metadata_t {
    // What a packet is, and whose state it is about.
    bit<8> kind;
    bit<8> ingress;
    bit<8> egress;
    bit<3> class;
    bit<1> managed;      // the class is under OFC
    bit<9> port;
    bit<9> back;
    bit<8> base;         // the normal queue of the class
    bit<8> qid;          // the paused queue of the class, in the port's order
    bit<32> cells;
    bit<32> high;
    bit<32> low;
    bit<8> where;
    bit<16> at;
    bit<8> flag;
    bit<1> front;
    bit<32> came_by;     // the ingress, as wide as a register's input
    bit<1> routed;
    bit<8> gone;         // the backup queue that a packet left, or 0

    // Frames.
    bit<32> window_end;
    bit<1> fresh;
    bit<1> obeys;        // a frame that counts
    bit<32> stops;       // 1 in PAUSE, 0 in RESUME

    // Algorithm 1: thresholds and depths, differences with saturation, and what these say.
    bit<32> congested_limit; // X^c_OFF of q_in
    bit<32> all_limit;       // X_OFF
    bit<32> on_limit;        // X_ON
    bit<32> out_limit;       // X^c_OFF of q_out
    bit<32> q_in_now;
    bit<32> q_out_now;
    bit<32> over_in;
    bit<32> over_all;
    bit<32> over_out;
    bit<32> below;
    bit<1> beyond_in;
    bit<1> beyond_all;
    bit<1> beyond_out;
    bit<1> is_low;

    // flow_in_port_tab.
    bit<1> got_a;        // the flow has a cell of the first row
    bit<1> got_b;        // or of the second
    bit<1> found;
    bit<32> from;        // the ingress of the flow that a walk has met
    bit<32> unknown;     // packets of flows that have no cell
    bit<1> strangers;    // there are some

    // Queues and their rotation.
    bit<32> drains;      // 1 if a packet left a backup queue
    bit<1> rotating;
    bit<1> drained;
    bit<1> rotated;
    bit<8> paused_queue; // 1 or 2
    bit<8> other;        // the other backup queue
    bit<8> queue;        // whose gate is set

    // congested_flow_tab.
    bit<32> until;       // rotations that have ended
    bit<1> own_a;        // the flow is paused
    bit<1> own_b;
    bit<1> gone_a;       // the flow was resumed, in this row
    bit<1> gone_b;
    bit<8> claimed;      // what a PAUSE found
    bit<32> more;        // changes of paused_flows
    bit<32> less;
    bit<8> original;     // no flow is paused: an original congestion
    bit<8> any;

    // pause_frame_tab.
    bit<32> epoch;       // episodes of pause that have ended
    bit<1> was;          // one ends now
    bit<1> walk;
    bit<16> named;       // what was in the cell of a flow that is named
    bit<1> last;
    bit<1> repeals;
    bit<1> all_new;      // upstream shall hold the class
    bit<1> all_was;      // upstream holds the class

    bit<32> hold;        // 1 to hold a queue, 0 to release it
    bit<1> word;         // a word of flow control is said
    bit<8> session;
#if GHOST
    bit<32> depth0;
    bit<32> depth1;
    bit<32> depth2;
#endif
}

@pa_auto_init_metadata
struct egress_metadata_t {
    bit<32> until;
    bit<1> own_a;
    bit<1> own_b;
    bit<1> got;
    bit<32> high;
    bit<32> low;
    bit<8> session;
}
