// Of pyrrha.p4: headers and metadata.

#define SLOT_FIELD(n) bit<16> slot##n;

// Before data between ingress and egress, and before the notice that comes back of it.
header bridge_h {
    bit<8> kind;
    bit<16> egress;
    bit<16> ingress;
    bit<16> egress_class; // the first port of the egress port's rate
    bit<16> queue;
    bit<32> cells;
    bit<16> index;        // of the packet's set of roots
    EACH_LEVEL(SLOT_FIELD)
}

// A thread, in two headers: a packet whose upstream is paused is mirrored with the first alone,
// because a mirror copies 48 octets at most.
header thread_h {
    bit<8> kind;
    bit<8> op;
    bit<16> egress;
    bit<16> ingress;
    bit<16> egress_class;
    bit<8> type;          // of the frame that it sends or goes on with
    bit<8> to_send;       // sets of levels: the roots that still need a frame,
    bit<8> resumed;       // and in whose trees the upstream was, resumed
    bit<8> to_host;       // 1: the upstream is a host
    EACH_LEVEL(SLOT_FIELD)
}

// It is about a root, level and slot, or about two: a MERGE's old root too.
header about_h {
    bit<8> level;
    bit<8> level_set;     // the set of this level alone
    bit<16> number;
    bit<16> slot;
    bit<8> old_level;
    bit<16> old_number;
    bit<16> old_slot;
    bit<8> check;         // the set of levels that is left to free
    bit<8> todo_gates;    // what is left to do when the loop under way has ended
    bit<8> todo_merge;
    bit<8> todo_leaves;
    bit<16> at;           // the number of a copy: a port or queue
    bit<32> value;        // a depth, or the slots of a set
    bit<32> root_switch;
    bit<16> root_port;
    bit<32> old_switch;
    bit<16> old_port;
    bit<8> abdicates;     // bit 0: the port gives way to roots downstream of it
    bit<32> was;          // the last frame about the new root to the upstream that a MERGE goes to
}

header order_h {
    bit<8> kind;
    bit<8> type;
    bit<8> hop;           // the distance of the root from the receiver
    bit<8> reserved;
    bit<32> root_switch;
    bit<16> root_port;
    bit<32> old_switch;
    bit<16> old_port;
}

header signal_h {
    FRAME_BEGINS
}

header root_h {
    bit<32> root_switch;
    bit<16> root_port;
}

header old_h {
    bit<32> old_switch;
    bit<16> old_port;
}

header distance_h {
    bit<8> hop;
}

// What fills a frame of each type up to a word.
header pad_pause_h {
    bit<8> x0;
    bit<32> x1;
    bit<32> x2;
}

header pad_resume_h {
    bit<16> y0;
    bit<32> y1;
    bit<32> y2;
}

header pad_merge_h {
    bit<24> z0;
}

header padding_h {
    bit<32> p0;
    bit<32> p1;
    bit<32> p2;
    bit<32> p3;
    bit<32> p4;
}

struct headers_t {
    bridge_h bridge;
    thread_h thread;
    about_h about;
    order_h order;
    cut_h cut;
    ethernet_h ethernet;
    ether_type_h ether_type;
    signal_h signal;
    root_h root;
    old_h old;
    distance_h distance;
    pad_pause_h pad_pause;
    pad_resume_h pad_resume;
    pad_merge_h pad_merge;
    padding_h padding;
    ipv4_h ipv4;
    l4_h l4;
}

#define PATH_SRC hdr.ipv4.src
#define PATH_DST hdr.ipv4.dst
#define PATH_SRC_PORT hdr.l4.src
#define PATH_DST_PORT hdr.l4.dst
#define PATH_PROTOCOL hdr.ipv4.protocol

// Of each level: a root's slot, the state of its IQ, and sets of the one level, 1 << n or nothing.
#define LEVEL_FIELDS(n) \
    bit<16> slot##n; \
    bit<16> state##n; \
    bit<8> last##n;   /* the IQ's last packet leaves */ \
    bit<8> new##n;    /* upstream gets another frame than the last */ \
    bit<32> sent##n;  /* the last */ \
    bit<16> turn##n;  /* the state that the IQ gets, or the highest that is freed */ \
    bit<16> floor##n; /* the lowest state that is replaced */

@pa_auto_init_metadata
struct ingress_metadata_t {
#define PATHS PATH_FIELDS
#include "path_tables.p4"

    // What a packet is, and whose state it is about.
    bit<8> kind;
    bit<8> op;
    bit<16> port;          // by which it came, or which a notice's packet left by
    bit<16> egress;
    bit<16> ingress;
    bit<16> where;         // the port whose IQs and queues it is about
    bit<16> peer;          // the port whose other end it is about
    bit<16> egress_class;
    bit<16> ingress_class;
    bit<1> front;
    bit<1> hears;          // the device there speaks Pyrrha,
    bit<1> from_switch;    // and is no host
    bit<1> known;          // the port it leaves by
    bit<1> named;          // the root that it names
    bit<1> claims;         // its egress port may be a root
    bit<8> abdicates;
    bit<32> owner;         // the egress port as a key of sets
    bit<9> back;           // the peer's port of the chip
    bit<8> host;           // 1: the peer is a host
    bit<32> cells;         // of a packet; of frames and threads see move in pyrrha_waiting.p4

    // K_pause, K_resume and K_resume of the OQ, and comparisons by subtraction.
    bit<32> beyond;
    bit<32> resume;
    bit<32> most;
    bit<32> mark;          // K_pause less the packet's cells, or K_resume and its cells
    bit<32> own_mark;      // the same of the OQ
    bit<32> under;
    bit<8> below;
    bit<32> depth;

    // A frame, or the roots that a thread is about.
    bit<8> type;
    bit<32> window_end;
    bit<1> fresh;
    bit<1> ready;          // the frame is obeyed
    bit<1> asks;           // a thread asks which port its root is
    bit<8> level;
    bit<8> level_set;
    bit<16> number;
    bit<16> slot;
    bit<16> given;         // a free slot
    bit<32> root_switch;
    bit<16> root_port;
    bit<32> root_tail;     // port and number of a root, as identity has them
    bit<32> tail;
    bit<8> old_level;
    bit<16> old_number;
    bit<16> old_slot;
    bit<32> old_switch;
    bit<16> old_port;
    bit<8> nearer;         // by how much the old root is nearer
    bit<1> found;          // the root has a slot
    bit<1> in_tree;        // the frame is a PAUSE, RESUME or MERGE
    bit<16> to;            // the state that its IQ gets
    bit<16> least;         // if it is this state or higher
    bit<16> before;        // the state that it had
    bit<8> waits;          // packets wait there
    bit<16> old_before;
    bit<8> old_waits;

    // The tree of a root.
    bit<16> listed;
    bit<16> paused;
    bit<16> more_listed;
    bit<16> more_paused;
    bit<1> leaves;
    bit<1> tree_empties;
    bit<16> freed;         // the state of an IQ that was freed
    bit<8> iqs_left;
    bit<8> matched;        // the upstream was in it, resumed
    bit<32> was;           // the last frame about a root to the upstream of a frame or thread

    // The packet's set of roots, and its queue.
    bit<16> index;
    bit<32> set;
    bit<1> first;          // the set has no queue yet
    bit<1> other;          // another set has the element
    bit<1> emptied;
    bit<1> got;            // a number from a stack
    bit<8> position;       // in the stack of free queues,
    bit<8> place;          // of free slots
    bit<16> queue;
    bit<16> turned;        // the queue whose set changes, or is looked at
    bit<1> gates;          // the queue has a set
    bit<32> hold;          // 1 to hold a queue, because a root is paused, 0 to release it

    // Sets of levels, and what a thread does next.
    bit<8> changed;
    bit<8> were_resumed;
    bit<8> checks;
    bit<8> resumed;
    bit<8> to_host;
    bit<8> to_send;
    bit<8> check;
    bit<8> todo_gates;
    bit<8> todo_merge;
    bit<8> todo_leaves;
    bit<16> at;
    bit<32> value;
    bit<1> goes;
    bit<8> session;

    bit<8> new0;
    bit<32> sent0;
    EACH_LEVEL(LEVEL_FIELDS)
}

@pa_auto_init_metadata
struct egress_metadata_t {
    bit<8> session;
    bit<16> copy;
}
