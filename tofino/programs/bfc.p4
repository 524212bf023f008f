// Backpressure flow control (Goyal, Shah, Zhao, Nikolaidis, Alizadeh, Anderson: Backpressure Flow
// Control, NSDI 2022). Sections are of that paper.
//
// A flow has an entry in the flow table of its egress port, found by its VFID, and a queue there. A
// packet that finds too many cells in its queue is counted against the queue of the device upstream
// that it came from: the packet's shim says which. That queue waits while packets count against it.
//
// What pauses an upstream, in the order of the packet that does it:
//
//	join_flow .. write_flow_queue   the packet's queue, by its flow (section 3.2)
//	activate_queue                  N_active, the queues that have packets and do not wait
//	deepen, or read_depth           the cells in the packet's queue
//	threshold                       F x HRTT x rate / N_active (section 3.3)
//	count_packet                    the counter of the queue upstream; its first packet pauses it
//	send_pause                      a mirrored copy of the packet is an order, and goes back
//	signals                         the order becomes a frame at the port that the packet came by
//
// What resumes it: egress notifies ingress of each packet that left (stamp). The notice takes the
// packet off its counter (uncount_packet), and the last one resumes the queue upstream
// (send_resume).
//
// What is paused here: a frame names a queue of the port that it comes by (take_pause), a word of
// flow control holds the queue in the traffic manager (afc), and N_active is one less
// (deactivate_queue).
//
// A queue that empties is free again. Its notice goes round a second time (go_round), because a
// packet reads the stack of free queues before it can know its queue, and a register is in one
// stage of the chip.
//
// A configuration defines, beside what common.p4 names:
//
//	ROUTES          room for routes
//	DATA_QUEUES     of a port, a power of two; the queue behind them is for frames
//	QUEUE_BITS      bits of their numbers
//	VFID_BITS       bits of a VFID
//	UPSTREAM_BITS   bits of the number of a queue upstream
//	THRESHOLDS      room for thresholds
//	WITHHELD_PAIRS  pairs of ports that never pause, or 0
//	COUNT_LONE      1 if a flow's only packet counts too

#include "config.p4h"
#include "common.p4"

const bit<8> PROTOCOL = 1;
const bit<8> PAUSE = 1;
const bit<8> RESUME = 2;
const bit<16> BODY = 4;            // octets of a frame behind its sequence number: one queue
const bit<16> SHIM_TYPE = 0x88B6;  // EtherType of the shim: IEEE 802's for local experiments

const bit<8> KIND_DATA = 1;
const bit<8> KIND_NOTICE = 2; // a packet has left its queue
const bit<8> KIND_FREED = 3;  // the notice of a queue that emptied, on its second round
const bit<8> KIND_SIGNAL = 4; // an order of a frame
const bit<8> KIND_FRAME = 5;  // a frame that came in

const bit<16> NEVER = 1 << 15; // packets of an entry that no flow ever had: more than a queue holds

// Indexes of registers: a port with a VFID, or with one of its queues.
typedef bit<PORT_BITS> port_at_t;
typedef bit<(PORT_BITS + VFID_BITS)> flow_at_t;
typedef bit<(PORT_BITS + QUEUE_BITS)> queue_at_t;
typedef bit<(PORT_BITS + UPSTREAM_BITS)> upstream_at_t;
#define PORT_AT INDEX_OF(md.egress)
#define FLOW_AT (INDEX_OF(md.egress) ++ md.vfid[VFID_BITS - 1:0])
#define QUEUE_AT (INDEX_OF(md.egress) ++ md.queue[QUEUE_BITS - 1:0])
#define STACK_AT (INDEX_OF(md.egress) ++ md.position[QUEUE_BITS - 1:0])
#define UPSTREAM_AT (INDEX_OF(md.ingress) ++ md.upstream[UPSTREAM_BITS - 1:0])
#define FLOWS (PORTS << VFID_BITS)
#define QUEUES (PORTS << QUEUE_BITS)

// ======== Headers and metadata ========

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

// ======== Ingress ========

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

#if GHOST
// The cells of a queue, as ghost received them last.
Register<bit<32>, queue_at_t>(QUEUES, 0) length;
#endif

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    action nothing() {}

    // ---- What a packet is, and whose state it is about ----

    action from_port(
            bit<8> index, bit<PORT_BITS> ingress_class, bit<32> sticky, bit<16> upstream_queues) {
        md.ingress = index;
        md.ingress_class = ingress_class;
        md.sticky = sticky;
        md.upstream_max = upstream_queues;
        md.front = 1;
    }

    // Ports of the switch. Sticky is two HRTT of the link (section 3.2).
    table port_in {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { from_port; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    action route_to(bit<9> port, bit<8> egress, bit<PORT_BITS> egress_class) {
        md.port = port;
        md.egress = egress;
        md.egress_class = egress_class;
        md.routed = 1;
    }

    table route {
        key = { hdr.ipv4.dst : lpm @name("dst"); }
        actions = { route_to; nothing; }
        default_action = nothing();
        size = ROUTES;
    }

    CELLS_TABLE(nothing)

    CRCPolynomial<bit<32>>(0x04C11DB7, true, false, false, 0xFFFFFFFF, 0xFFFFFFFF) flow_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_poly) flow_hash;

    action take_packet_in() {
        md.kind = KIND_DATA;
        md.back = ig_intr_md.ingress_port;
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
    }

    // The VFID is the low bits of a hash of the five-tuple (section 3.2). An action without a key
    // that hashes can have no constants: it stands alone.
    action find_vfid() {
        md.vfid = flow_hash.get({hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol,
            hdr.l4.src, hdr.l4.dst})[15:0];
    }

    action take_shim() {
        md.upstream = hdr.shim.queue;
        md.known = md.upstream_max |-| hdr.shim.queue;
    }

    action take_notice() {
        md.kind = hdr.bridge.kind;
        md.egress = hdr.bridge.egress;
        md.queue = hdr.bridge.queue;
        md.ingress = hdr.bridge.ingress;
        md.upstream = hdr.bridge.upstream;
        md.vfid = hdr.bridge.vfid;
        md.cells = hdr.bridge.cells;
        md.counted = hdr.bridge.counted;
        md.back = hdr.bridge.back;
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.queue = hdr.signal.queue[7:0];
        md.hold = 1;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.queue = hdr.signal.queue[7:0];
        md.hold = 0;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

#if WITHHELD_PAIRS
    action withholds() { md.withheld = 1; }

    // Pairs of ports of which the egress never pauses what came by the ingress.
    table withhold {
        key = {
            INDEX_OF(md.ingress) : exact @name("ingress");
            INDEX_OF(md.egress) : exact @name("egress");
        }
        actions = { withholds; nothing; }
        default_action = nothing();
        size = WITHHELD_PAIRS;
    }
#endif

    HEARD_REGISTER(PORTS, md.ingress)

    // A frame that is newer than those before it, about a queue that there is.
#define OBEYED (md.kind == KIND_FRAME && md.fresh == 1 && hdr.signal.queue[15:QUEUE_BITS] == 0)

    // ---- The flow table (section 3.2) ----

    // When a packet of the flow left last.
    Register<bit<32>, flow_at_t>(FLOWS, 0) last;

    READ_ACTION(bit<32>, flow_at_t, last, read_last)
    WRITE_ACTION(bit<32>, flow_at_t, last, note_last, md.now)

    action read_flow_time() { md.last = last_read_last.execute(FLOW_AT); }
    action note_flow_time() { last_note_last.execute(FLOW_AT); }
    action age_of_flow() { md.age = md.now - md.last; }
    action beyond_sticky() { md.rest = md.age |-| md.sticky; }

    // The flow's packets here.
    Register<bit<16>, flow_at_t>(FLOWS, NEVER) flow_size;

    RegisterAction2<bit<16>, flow_at_t, bit<1>, bit<1>>(flow_size) flow_size_join = {
        void apply(inout bit<16> value, out bit<1> empty, out bit<1> unused) {
            bit<16> before = value;
            empty = 0;
            unused = 0;
            if (before == 0 || before == NEVER) {
                empty = 1;
            }
            if (before == NEVER) {
                unused = 1;
                value = 1;
            } else {
                value = before + 1;
            }
        }
    };

    ADD_ACTION(bit<16>, flow_at_t, flow_size, leave, - 1)

    action join_flow() { md.empty = flow_size_join.execute(FLOW_AT, md.unused); }
    action leave_flow() { flow_size_leave.execute(FLOW_AT); }

    // ---- The flow's queue, or the one freed last (section 3.2) ----

    // A flow needs a queue if it has no packet here and had none for longer than sticky, or ever.
#define NEEDS_QUEUE (md.unused == 1 || (md.empty == 1 && md.rest != 0))

    // The free queues of a port are a stack: how many they are, and their numbers.
    Register<bit<8>, port_at_t>(PORTS, DATA_QUEUES) free_top;
    Register<bit<8>, queue_at_t>(QUEUES, 0) free_id;

    RegisterAction2<bit<8>, port_at_t, bit<1>, bit<8>>(free_top) free_top_pop = {
        void apply(inout bit<8> value, out bit<1> got, out bit<8> position) {
            got = 0;
            if (value != 0) {
                value = value - 1;
                got = 1;
            }
            position = value;
        }
    };

    RegisterAction<bit<8>, port_at_t, bit<8>>(free_top) free_top_push = {
        void apply(inout bit<8> value, out bit<8> position) {
            position = value;
            value = value + 1;
        }
    };

    action pop_queue() { md.got = free_top_pop.execute(PORT_AT, md.position); }
    action push_queue() { md.position = free_top_push.execute(PORT_AT); }

    READ_ACTION(bit<8>, queue_at_t, free_id, read_id)
    WRITE_ACTION(bit<8>, queue_at_t, free_id, write_id, md.queue)

    action read_free() { md.queue = free_id_read_id.execute(STACK_AT); }
    action write_free() { free_id_write_id.execute(STACK_AT); }

    // No queue is free: the flow shares one, by its VFID.
    action share_queue() { md.queue = md.vfid[7:0] & ((1 << QUEUE_BITS) - 1); }

    // The queue that a flow has.
    Register<bit<8>, flow_at_t>(FLOWS, 0) flow_queue;

    WRITE_ACTION(bit<8>, flow_at_t, flow_queue, write_queue, md.queue)
    READ_ACTION(bit<8>, flow_at_t, flow_queue, read_queue)

    action write_flow_queue() { flow_queue_write_queue.execute(FLOW_AT); }
    action read_flow_queue() { md.queue = flow_queue_read_queue.execute(FLOW_AT); }

    // Whether a queue is on the stack of free ones.
    Register<bit<1>, queue_at_t>(QUEUES, 1) listed;

    WRITE_ACTION(bit<1>, queue_at_t, listed, unlist, 0)

    RegisterAction<bit<1>, queue_at_t, bit<1>>(listed) listed_list = {
        void apply(inout bit<1> value, out bit<1> was) {
            was = value;
            value = 1;
        }
    };

    action off_the_stack() { listed_unlist.execute(QUEUE_AT); }
    action on_the_stack() { md.was = listed_list.execute(QUEUE_AT); }

    // ---- N_active: queues that have packets and are not paused (section 3.3) ----

    // Packets in a queue.
    Register<bit<16>, queue_at_t>(QUEUES, 0) packets;

    RegisterAction<bit<16>, queue_at_t, bit<1>>(packets) packets_add_packet = {
        void apply(inout bit<16> value, out bit<1> filled) {
            filled = 0;
            if (value == 0) {
                filled = 1;
            }
            value = value + 1;
        }
    };

    RegisterAction<bit<16>, queue_at_t, bit<1>>(packets) packets_take_packet = {
        void apply(inout bit<16> value, out bit<1> emptied) {
            emptied = 0;
            if (value == 1) {
                emptied = 1;
            }
            value = value - 1;
        }
    };

    RegisterAction<bit<16>, queue_at_t, bit<1>>(packets) packets_has_packets = {
        void apply(inout bit<16> value, out bit<1> busy) {
            busy = 0;
            if (value != 0) {
                busy = 1;
            }
        }
    };

    action enter_queue() { md.filled = packets_add_packet.execute(QUEUE_AT); }
    action leave_queue() { md.emptied = packets_take_packet.execute(QUEUE_AT); }
    action look_at_packets() { md.busy = packets_has_packets.execute(QUEUE_AT); }

    // Whether downstream has paused a queue.
    Register<bit<1>, queue_at_t>(QUEUES, 0) paused;

    READ_ACTION(bit<1>, queue_at_t, paused, read_paused)

    RegisterAction<bit<1>, queue_at_t, bit<1>>(paused) paused_pause_queue = {
        void apply(inout bit<1> value, out bit<1> was) {
            was = value;
            value = 1;
        }
    };

    RegisterAction<bit<1>, queue_at_t, bit<1>>(paused) paused_resume_queue = {
        void apply(inout bit<1> value, out bit<1> was) {
            was = value;
            value = 0;
        }
    };

    action look_at_pause() { md.paused = paused_read_paused.execute(QUEUE_AT); }
    action pause_it() { md.paused = paused_pause_queue.execute(QUEUE_AT); }
    action resume_it() { md.paused = paused_resume_queue.execute(QUEUE_AT); }

    // N_active of a port.
    Register<bit<8>, port_at_t>(PORTS, 0) active;

    SUM_ACTION(bit<8>, port_at_t, active, activate, + 1)
    ADD_ACTION(bit<8>, port_at_t, active, deactivate, - 1)
    READ_ACTION(bit<8>, port_at_t, active, read_active)

    action activate_queue() { md.active = active_activate.execute(PORT_AT); }
    action deactivate_queue() { active_deactivate.execute(PORT_AT); }
    action look_at_active() { md.active = active_read_active.execute(PORT_AT); }

    // ---- The threshold (section 3.3) ----

#if GHOST
    READ_ACTION(bit<32>, queue_at_t, length, read_length)

    action read_depth() { md.depth = length_read_length.execute(QUEUE_AT); }
#else
    // The cells of a queue.
    Register<bit<32>, queue_at_t>(QUEUES, 0) length;

    SUM_ACTION(bit<32>, queue_at_t, length, add_cells, + md.cells)
    ADD_ACTION(bit<32>, queue_at_t, length, take_cells, - md.cells)

    action deepen() { md.depth = length_add_cells.execute(QUEUE_AT); }
    action lower() { length_take_cells.execute(QUEUE_AT); }
#endif

    action limit_to(bit<32> limit) { md.limit = limit; }

    // F x HRTT x rate / N_active, in cells: HRTT is the ingress link's, the rate is the egress's.
    table threshold {
        key = {
            md.ingress_class : exact @name("ingress_class");
            md.egress_class : exact @name("egress_class");
            md.active[QUEUE_BITS:0] : exact @name("active");
        }
        actions = { limit_to; nothing; }
        default_action = nothing();
        size = THRESHOLDS;
    }

    action beyond_limit() { md.excess = md.depth |-| md.limit; }
    action over_threshold() { md.over = 1; }

    // ---- The pause counter of a queue upstream (section 3.3) ----

    // Packets over the threshold, by the queue upstream that they came from.
    Register<bit<16>, upstream_at_t>(PORTS << UPSTREAM_BITS, 0) counter;

    RegisterAction<bit<16>, upstream_at_t, bit<1>>(counter) counter_count = {
        void apply(inout bit<16> value, out bit<1> first) {
            first = 0;
            if (value == 0) {
                first = 1;
            }
            value = value + 1;
        }
    };

    RegisterAction<bit<16>, upstream_at_t, bit<1>>(counter) counter_uncount = {
        void apply(inout bit<16> value, out bit<1> ended) {
            ended = 0;
            if (value == 1) {
                ended = 1;
            }
            value = value - 1;
        }
    };

    action count_packet() {
        md.first = counter_count.execute(UPSTREAM_AT);
        md.counted = 1;
    }

    action uncount_packet() { md.ended = counter_uncount.execute(UPSTREAM_AT); }

    // What counts against the queue upstream, if the packet is over the threshold: not what names a
    // queue that the device upstream has not, nor a flow's only packet.
#if COUNT_LONE
#define COUNTS (md.known != 0 && md.withheld == 0)
#else
#define COUNTS (md.known != 0 && md.withheld == 0 && md.empty == 0)
#endif

    // ---- Orders, words and ways out ----

    // The packet goes its way. Its mirrored copy goes back to the port that it came by, behind the
    // order.
#define SIGNAL_UPSTREAM(what) \
    hdr.order.kind = KIND_SIGNAL; \
    hdr.order.type = what; \
    hdr.order.queue = md.upstream; \
    ig_dprsr_md.mirror_type = 1; \
    md.session = SIGNAL_SESSION; \
    ig_dprsr_md.mirror_egress_port = md.back; \
    ig_dprsr_md.mirror_qid = DATA_QUEUES;

    action send_pause() {
        SIGNAL_UPSTREAM(PAUSE)
    }

    action send_resume() {
        SIGNAL_UPSTREAM(RESUME)
    }

    WORD_ACTION

    // Holds or releases a queue, as a frame says.
    table afc {
        key = {
            ig_intr_md.ingress_port : exact @name("port");
            md.queue[QUEUE_BITS - 1:0] : exact @name("qid");
        }
        actions = { say_word; nothing; }
        default_action = nothing();
        size = PORTS * DATA_QUEUES;
    }

    action forward() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.egress = md.egress;
        hdr.bridge.queue = md.queue;
        hdr.bridge.queue_high = 0;
        hdr.bridge.ingress = md.ingress;
        hdr.bridge.upstream = md.upstream;
        hdr.bridge.vfid = md.vfid;
        hdr.bridge.back = md.back;
        hdr.bridge.cells = md.cells;
        hdr.bridge.counted = md.counted;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.queue[6:0];
    }

    action go_round() {
        hdr.bridge.kind = KIND_FREED;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    action end() { ig_dprsr_md.drop_ctl = DROP; }

    // A register is in one stage of the chip: packets, notices and frames pass the same line of
    // registers, and each does there what concerns it.
    apply {
        // What a packet is, and whose state it is about. A packet of data has a known port, route
        // and length.
        port_in.apply();
        if (hdr.ipv4.isValid()) {
            route.apply();
            packet_cells.apply();
        }
        if (hdr.bridge.isValid()) {
            take_notice();
        } else if (hdr.signal.isValid() && md.front == 1) {
            if (hdr.signal.type == PAUSE) {
                take_pause();
            } else {
                take_resume();
            }
        } else if (hdr.ipv4.isValid() && md.front == 1 && md.routed == 1 && md.cells != 0) {
            take_packet_in();
            find_vfid();
        }
        if (hdr.shim.isValid()) {
            take_shim();
        }
#if WITHHELD_PAIRS
        if (md.routed == 1) {
            withhold.apply();
        }
#endif

        // Whether a frame is newer than those heard.
        if (md.kind == KIND_FRAME) {
            if (WINDOW_WRAPS) {
                hear_wrapped_frame();
            } else {
                hear_frame();
            }
        }

        // Flow table: packets of the flow, and its rest beyond sticky (section 3.2).
        if (md.kind == KIND_DATA) {
            read_flow_time();
        } else if (md.kind == KIND_NOTICE) {
            note_flow_time();
        }
        if (md.kind == KIND_DATA) {
            join_flow();
        } else if (md.kind == KIND_NOTICE) {
            leave_flow();
        }
        if (md.kind == KIND_DATA) {
            age_of_flow();
            beyond_sticky();
        }

        // The flow's queue, or the one freed last (section 3.2).
        if (NEEDS_QUEUE) {
            pop_queue();
        } else if (md.kind == KIND_FREED) {
            push_queue();
        }
        if (md.got == 1) {
            read_free();
        } else if (md.kind == KIND_FREED) {
            write_free();
        } else if (md.kind == KIND_DATA) {
            share_queue();
        }
        if (md.kind == KIND_DATA) {
            if (NEEDS_QUEUE) {
                write_flow_queue();
            } else {
                read_flow_queue();
            }
        }

        // Packets of queues, and N_active (section 3.3).
        if (md.kind == KIND_DATA) {
            enter_queue();
        } else if (md.kind == KIND_NOTICE) {
            leave_queue();
        } else if (OBEYED) {
            look_at_packets();
        }
        if (md.got == 1) {
            off_the_stack();
        } else if (md.emptied == 1) {
            on_the_stack();
        }
        if (md.kind == KIND_DATA || md.kind == KIND_NOTICE) {
            look_at_pause();
        } else if (OBEYED) {
            if (md.hold == 1) {
                pause_it();
            } else {
                resume_it();
            }
        }
        if ((md.filled == 1 && md.paused == 0) ||
                (md.busy == 1 && md.hold == 0 && md.paused == 1)) {
            activate_queue();
        } else if (md.kind == KIND_DATA) {
            look_at_active();
        } else if ((md.emptied == 1 && md.paused == 0) ||
                (md.busy == 1 && md.hold == 1 && md.paused == 0)) {
            deactivate_queue();
        }

        // The threshold, and the pause counter of the queue upstream (section 3.3).
#if GHOST
        if (md.kind == KIND_DATA) {
            read_depth();
        }
#else
        if (md.kind == KIND_DATA) {
            deepen();
        } else if (md.kind == KIND_NOTICE) {
            lower();
        }
#endif
        if (md.kind == KIND_DATA) {
            threshold.apply();
            beyond_limit();
            if (md.excess != 0) {
                over_threshold();
            }
        }
        if (md.kind == KIND_DATA && md.over == 1 && COUNTS) {
            count_packet();
        } else if (md.kind == KIND_NOTICE && md.counted == 1) {
            uncount_packet();
        }

        // On their way: orders, words of flow control, packets, second rounds.
        if (md.first == 1) {
            send_pause();
        } else if (md.ended == 1) {
            send_resume();
        }
        if (OBEYED) {
            afc.apply();
        }
        if (md.kind == KIND_DATA) {
            forward();
        } else if (md.emptied == 1 && md.was == 0) {
            go_round();
        } else {
            end();
        }
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(1) signal;

    apply {
        if (ig_dprsr_md.mirror_type == 1) {
            signal.emit<order_h>(md.session, {hdr.order.kind, hdr.order.type, hdr.order.queue});
        }
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

control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {

    SEQUENCE_REGISTER(PORTS)

    action send_signal(port_at_t index, bit<48> source) {
        BEGIN_FRAME(hdr.order.type)
        hdr.signal.length = BODY;
        hdr.signal.count = 1;
        hdr.signal.queue = hdr.order.queue;
        hdr.padding.p0 = 0;
        hdr.padding.p1 = 0;
        hdr.padding.p2 = 0;
        hdr.padding.p3 = 0;
        hdr.padding.p4 = 0;
        hdr.padding.p5 = 0;
        hdr.padding.p6 = 0;
        hdr.padding.p7 = 0;
        hdr.order.setInvalid();
        hdr.cut.setInvalid();
    }

    SIGNALS_TABLE

    // The shim carries the packet's queue here to the next switch. The mirrored copy is the notice
    // of the departure: it goes round, to ingress.
    action stamp() {
        hdr.shim.setValid();
        hdr.shim.ether_type = SHIM_TYPE;
        hdr.shim.version = 1;
        hdr.shim.reserved = 0;
        hdr.shim.queue = hdr.bridge.queue_high ++ hdr.bridge.queue;
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 1;
        eg_dprsr_md.mirror_io_select = 1;
        md.session = NOTICE_SESSION;
        hdr.bridge.setInvalid();
    }

    apply {
        if (hdr.order.isValid()) {
            signals.apply();
        } else if (hdr.bridge.isValid() && hdr.bridge.kind == KIND_DATA) {
            stamp();
        }
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
            notice.emit<bridge_h>(md.session,
                {hdr.bridge.kind, hdr.bridge.egress, hdr.bridge.ingress, hdr.bridge.counted,
                 hdr.bridge.queue_high, hdr.bridge.queue, hdr.bridge.upstream, hdr.bridge.vfid,
                 hdr.bridge.back_pad, hdr.bridge.back, hdr.bridge.cells});
        }
        pkt.emit(hdr);
    }
}

#if GHOST
#define REPORTED_QUEUES (PORTS * DATA_QUEUES)
GHOST_CONTROL(length, length_report_length, (PORT_BITS + QUEUE_BITS))
#endif

PIPELINE
