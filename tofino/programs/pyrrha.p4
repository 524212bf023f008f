// Pyrrha: congestion-root-based flow control on the Tofino 2, with single-tier queues (Zhang, Liu,
// Cao and others: Analysis of Pyrrha: Congestion-Root-Based Flow Control Is Most Cost-Effective to
// Eliminate Head-of-Line Blocking). Sections are of that paper.
//
// A port at which traffic congests is a root. A switch knows which ports a packet will pass, and
// keeps what waits for different roots in different queues: the OQ, queue 0 of a port, has packets
// for no root; an isolation queue has the packets for one set of roots. Roots are in levels, by
// their distance: level 0 are ports of this switch, level n ports that packets pass n hops later. A
// root that is in use has a slot of its level, and at an egress port whose packets it concerns an
// IQ: a state (paused, resumed or merging) and a number of packets.
//
// What pauses an upstream, in the order of the packet that does it:
//
//	path tables         the ports that the packet will pass (section V-A)
//	find_root           the slots of those that are roots
//	enter_iq            the state of each root's IQ at the packet's egress port, if it has one
//	enter_output        the depth of the OQ, if no root has one: is it below K_pause?
//	pause_as_root       it is not: this port is a root, and pauses upstream (section IV-A)
//	wait_for            the cells from the packet's ingress that wait for the root: the packet that
//	                    finds K_pause pauses upstream (section IV-C)
//	forward_pausing     a copy of the packet becomes a thread, which goes round once for each root
//	send_about_root     and is mirrored there as an order for a frame (send_frame)
//	make_pause, signals the order becomes a PAUSE at the port that the packet came by
//
// What resumes it: egress notifies ingress of each packet that left (notify). The notice takes the
// packet off the same counters: wait_no_more_for finds that fewer than K_resume wait for a root,
// and leave_output that the OQ is below K_resume, whereupon a thread looks at every upstream of the
// port (resume_upstreams, resume_as_root).
//
// What is paused here: take_frame, obey_pause and named_root find the root that a PAUSE names, or
// give it a slot (pop_slot, and a second pass, OP_ENTER); turn_iq writes the state of its IQ.
// Threads look at each queue of the port (go_to_gates, read_queue_set, look_at_iq) and hold it if a
// root of its set is paused (hold_queue, afc). MERGE and RESUME come the same way, with obey_merge
// and obey_resume.
//
// The control of ingress is a line: every register has one place in it, which packets of all kinds
// pass in the same order, because a register is in one stage of the chip. It is here. Its
// registers, actions and tables are in pyrrha_packets.p4 (what a packet is), pyrrha_roots.p4
// (congestion-root table, trees, IQs), pyrrha_waiting.p4 (what pauses and resumes),
// pyrrha_queues.p4 (sets of roots) and pyrrha_ways.p4 (what goes where).
//
// Beside what common.p4 and path_tables.p4 name a configuration defines
//
//	LEVELS         levels behind this switch, 1 to 4
//	LEVEL_BITS     bits of a level's number
//	ROOTS_n        ports at level n, and NUMBER_BITS_n the bits of their numbers
//	SLOTS_IN_USE   roots of a level that may have a slot at a time, 255 at most
//	ROOT_NUMBERS   room for ports at all levels, as roots,
//	OLD_NUMBERS    and as old roots
//	LIMITS         pairs of rates of ports
//	THIS_SWITCH    the number of this switch
//	QUEUE_BITS     bits of a queue's number
//	SPILL          the last isolation queue: of sets that find none free, and never held
//	SIGNAL_QUEUE   the queue of frames
//	HELD_QUEUES    isolation queues that are held, of a port; WORDS of them at all ports
//	ROUND_PORT     the port by which packets go round
//	APART          1 if the class OTHER_CLASS is not under Pyrrha; it has the queue OTHER_QUEUE
//	DOUBLINGS      with ghost, whose unit is 1 << DOUBLINGS cells: 0 to 5

#include "config.p4h"
#include "common.p4"

const bit<8> PROTOCOL = 3;
const bit<8> PAUSE = 1;
const bit<8> RESUME = 2;
const bit<8> MERGE = 3;   // a root has found that it is upstream of another (section IV-A)
const bit<8> DEALLOC = 4; // an upstream has left the tree of a root

// The lengths of the bodies of frames.
const bit<16> LENGTH_OF_RESUME = 6;
const bit<16> LENGTH_OF_PAUSE = LENGTH_OF_RESUME + 1;
const bit<16> LENGTH_OF_MERGE = 2 * LENGTH_OF_RESUME + 1;

// Kinds of packet inside the chip.
const bit<8> KIND_DATA = 1;
const bit<8> KIND_NOTICE = 2; // data has departed: what it counted is undone
const bit<8> KIND_PAUSES = 3; // the first header of a thread, of a packet whose upstream is paused
const bit<8> KIND_SIGNAL = 4; // an order for a frame
const bit<8> KIND_FRAME = 5;  // a frame that came in: of metadata alone
const bit<8> KIND_THREAD = 6; // a header alone, which goes round until nothing is left to do
const bit<8> KIND_PASS = 7;   // data of the class that is not under Pyrrha: no notice is taken

// What a thread does in its next pass.
const bit<8> OP_ENTER = 1;  // gives a root its slot, and goes on with the frame that names it
const bit<8> OP_SEND = 2;   // sends a frame about the first root of a set
const bit<8> OP_CHECK = 3;  // frees the IQ of the first root of a set, if nothing needs it
const bit<8> OP_LEAVES = 4; // the same of a root at every port
const bit<8> OP_TURN = 5;   // resumes upstreams that a port of this switch paused, at every ingress
const bit<8> OP_MERGE = 6;  // moves upstreams from one root's tree to another's, at every ingress
const bit<8> OP_GATES = 7;  // looks at every queue of a port
const bit<8> OP_GATE = 8;   // holds a queue or lets it go
const bit<8> OP_FORGET = 9; // gives up a root's slot
const bit<8> OP_JOIN = 10;  // goes on with the upstream that left one root's tree for another's

// States of a root's IQ at an egress port (section IV-C and Figure 6), and the last frame to an
// upstream about a root. A host that was resumed has left the tree, whatever is written here.
#define IQ_NONE 0
#define IQ_MERGING 1
#define IQ_RESUMED 2
#define IQ_PAUSED 3
#define SENT_NOTHING 0
#define SENT_RESUME 1
#define SENT_PAUSE 2
#define SENT_OTHER 3   // never

const bit<4> MIRROR = 1;         // of an order, of a notice
const bit<4> MIRROR_THREAD = 2;
const bit<8> THREAD_SESSION = 3;
const bit<16> GROUP_PORTS = 1;   // copies a thread for each port
const bit<16> GROUP_QUEUES = 2;  // and for each queue that is held

#define SLOTS 256                // of a level: number 0 is none
#define SETS (1 << 12)           // elements for sets of roots

typedef bit<PORT_BITS> port_at_t;
typedef bit<(LEVEL_BITS + 8)> slot_at_t;          // a slot of a level
typedef bit<(PORT_BITS + 8)> iq_at_t;             // a slot at a port
typedef bit<(2 * PORT_BITS)> pair_at_t;           // an own port as root, and an ingress
typedef bit<(PORT_BITS + QUEUE_BITS)> queue_at_t;
typedef bit<12> set_at_t;
typedef bit<ROOT_BITS> root_at_t;                 // the number of a port at a level

struct pair16_t {
    bit<16> low;
    bit<16> high;
}

// A copy by way of a hash that is the field itself. An ALU copies within a group of containers, and
// numbers of ports, slots and roots that are copied to each other are more than a group has.
#define COPY(bits, name) Hash<bit<bits>>(HashAlgorithm_t.IDENTITY) name;

// What repeats for each level n: EACH_LEVEL(M) is M(1) to M(LEVELS), ANY_LEVEL(M) is true if M(n)
// is of one, LEVELS_UP and LEVELS_DOWN list M(n), ABOVE_n(M) is M of the levels above n.
// AT_LEVEL(when, level, act) does act_n, when it is to be done, for the level n that md.level says;
// AT_n is the same of levels up to n, and WITH_LEVELS_BELOW(M) is M(n, AT_m) for each level n, where
// m is n - 1. REST fills a set of levels up to an octet, and WHOLE_SET is the slots of a set in a
// word. Conditions stand side by side, because one that has others in it is a table more for the
// compiler.
#define AT_0(when, level, act)
#define AT_1(when, level, act) if (when && md.level == 1) { act##1(); }
#define AT_2(when, level, act) AT_1(when, level, act) else if (when && md.level == 2) { act##2(); }
#define AT_3(when, level, act) AT_2(when, level, act) else if (when && md.level == 3) { act##3(); }
#define AT_4(when, level, act) AT_3(when, level, act) else if (when && md.level == 4) { act##4(); }
#if LEVELS == 1
#define EACH_LEVEL(M) M(1)
#define ANY_LEVEL(M) (M(1))
#define LEVELS_UP(M) M(1)
#define LEVELS_DOWN(M) M(1)
#define REST 6w0
#define WHOLE_SET 24w0, LEVELS_DOWN(LOW_OCTET)
#define AT_LEVEL AT_1
#define WITH_LEVELS_BELOW(M) M(1, AT_0)
#elif LEVELS == 2
#define EACH_LEVEL(M) M(1) M(2)
#define ABOVE_1(M) M(2)
#define ANY_LEVEL(M) (M(1) || M(2))
#define LEVELS_UP(M) M(1), M(2)
#define LEVELS_DOWN(M) M(2), M(1)
#define REST 5w0
#define WHOLE_SET 16w0, LEVELS_DOWN(LOW_OCTET)
#define AT_LEVEL AT_2
#define WITH_LEVELS_BELOW(M) M(1, AT_0) M(2, AT_1)
#elif LEVELS == 3
#define EACH_LEVEL(M) M(1) M(2) M(3)
#define ABOVE_1(M) M(2) M(3)
#define ABOVE_2(M) M(3)
#define ANY_LEVEL(M) (M(1) || M(2) || M(3))
#define LEVELS_UP(M) M(1), M(2), M(3)
#define LEVELS_DOWN(M) M(3), M(2), M(1)
#define REST 4w0
#define WHOLE_SET 8w0, LEVELS_DOWN(LOW_OCTET)
#define AT_LEVEL AT_3
#define WITH_LEVELS_BELOW(M) M(1, AT_0) M(2, AT_1) M(3, AT_2)
#else
#define EACH_LEVEL(M) M(1) M(2) M(3) M(4)
#define ABOVE_1(M) M(2) M(3) M(4)
#define ABOVE_2(M) M(3) M(4)
#define ABOVE_3(M) M(4)
#define ANY_LEVEL(M) (M(1) || M(2) || M(3) || M(4))
#define LEVELS_UP(M) M(1), M(2), M(3), M(4)
#define LEVELS_DOWN(M) M(4), M(3), M(2), M(1)
#define REST 3w0
#define WHOLE_SET LEVELS_DOWN(LOW_OCTET)
#define AT_LEVEL AT_4
#define WITH_LEVELS_BELOW(M) M(1, AT_0) M(2, AT_1) M(3, AT_2) M(4, AT_3)
#endif

#include "pyrrha_headers.p4"

#if GHOST
// The depth of the OQ of a port, as ghost received it, in its unit.
Register<bit<32>, port_at_t>(PORTS, 0) oq;
#endif

#include "pyrrha_parsers.p4"

// Elements of registers: a slot of a level; a slot, whose low octet counts, at a port.
#define ROOT_AT(level, slot) level[LEVEL_BITS - 1:0] ++ slot[7:0]
#define AT_PORT(port, slot) INDEX_OF(port) ++ slot[7:0]

// A packet has a root that has an IQ; a root of a packet or queue is paused.
#define HAS_IQ(n) md.slot##n[7:0] != 0
#define ISOLATED ANY_LEVEL(HAS_IQ)
#define IS_PAUSED(n) md.state##n[1:0] == IQ_PAUSED

// The root that a frame names is behind this switch, as far as the frame says.
#define ROOT_IS_BEHIND md.named == 1 && md.level != 0 && md.level == hdr.distance.hop

// A frame is obeyed, and of a type.
#define OBEYED(what) (md.ready == 1 && md.type == what)
#define OBEYED_IN_TREE \
    (md.ready == 1 && (md.type == PAUSE || md.type == RESUME || md.type == MERGE))

// The last frame to the upstream at hand, by the bits of SENT_RESUME and SENT_PAUSE.
#define WAS_RESUMED md.was[0:0] == 1
#define WAS_PAUSED md.was[1:1] == 1
#define WAS_LISTED md.was[1:0] != 0

#define LEAVES_OR_CHECKS (md.op == OP_CHECK || md.op == OP_LEAVES)

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

#include "pyrrha_packets.p4"
#include "pyrrha_roots.p4"
#include "pyrrha_waiting.p4"
#include "pyrrha_queues.p4"
#include "pyrrha_ways.p4"

    apply {
        // What a packet is, and whose state it is about; a data packet's path. The paths are found
        // before it is known from where a packet is, which port_in says: port_in is a stage.
        port_in.apply();
        if (hdr.bridge.isValid()) {
            take_notice();
        } else if (hdr.thread.isValid()) {
            take_thread();
            if (hdr.about.isValid()) { take_about(); }
            if (md.op == OP_SEND) {
                if (md.to_send[0:0] == 1) {
                    slot_of_own();
                    send_about_root0();
                }
                else if (md.to_send[1:1] == 1) { send_about_root1(); }
#if LEVELS > 1
                else if (md.to_send[2:2] == 1) { send_about_root2(); }
#endif
#if LEVELS > 2
                else if (md.to_send[3:3] == 1) { send_about_root3(); }
#endif
#if LEVELS > 3
                else if (md.to_send[4:4] == 1) { send_about_root4(); }
#endif
            } else if (md.op == OP_CHECK) {
                if (md.check[1:1] == 1) { check_root1(); }
#if LEVELS > 1
                else if (md.check[2:2] == 1) { check_root2(); }
#endif
#if LEVELS > 2
                else if (md.check[3:3] == 1) { check_root3(); }
#endif
#if LEVELS > 3
                else if (md.check[4:4] == 1) { check_root4(); }
#endif
            } else if (md.op == OP_LEAVES) {
                leaves_of_port();
            } else if (md.op == OP_TURN || md.op == OP_MERGE) {
                upstream_of_port();
            } else if (md.op == OP_JOIN) {
                upstream_that_left();
            } else if (md.op == OP_GATES || md.op == OP_GATE) {
                queue_of_copy();
            } else if (md.op == OP_ENTER) {
                where_it_came();
            } else if (md.op == OP_FORGET) {
                slot_to_forget();
            }
            if (md.op == OP_GATE && md.value != 0) { queue_has_set(); }
        } else if (hdr.ipv4.isValid()) {
#define PATHS PATH_STEPS
#include "path_tables.p4"
            if (md.front == 1) {
                from_device();
                if (md.path_has_port == 1) { port_out.apply(); }
                packet_cells.apply();
                if (md.known == 1 && md.cells != 0) {
#if APART
                    if (hdr.ipv4.dscp[7:5] == OTHER_CLASS) { take_other(); }
                    else { take_packet(); }
#else
                    take_packet();
#endif
                }
            }
        } else if (hdr.signal.isValid() && md.front == 1) {
            take_frame();
            root_number.apply();
            old_number.apply();
            how_much_nearer();
        }
        peers.apply();
        if (md.kind == KIND_DATA || md.kind == KIND_NOTICE || md.op == OP_TURN) { limits.apply(); }
        if (md.kind == KIND_DATA) { pause_mark(); }
        else if (md.kind == KIND_NOTICE) { resume_mark(); }
        else if (md.op == OP_TURN) { turn_mark(); }

        // Whether a frame is newer than those heard, and which port it names. A PAUSE that names a
        // port of this switch is ignored (section IV-E, "Deadlock prevention").
        if (md.op == OP_ENTER) {
            if (md.type == PAUSE) { obey_pause(); }
            else { obey_merge(); }
        } else if (hdr.signal.isValid() && md.hears == 1) {
            if (WINDOW_WRAPS) { hear_wrapped_frame(); }
            else { hear_frame(); }
            if (md.fresh == 1 && md.type == PAUSE && ROOT_IS_BEHIND) { obey_pause(); }
            else if (md.fresh == 1 && md.type == MERGE && ROOT_IS_BEHIND && md.nearer != 0) {
                obey_merge();
            }
            else if (md.fresh == 1 && md.type == RESUME) { obey_resume(); }
            else if (md.fresh == 1 && md.type == DEALLOC && md.named == 1 && md.from_switch == 1) {
                obey_dealloc();
            }
        }

        // The tree of a root: upstreams join and leave it (section IV-C).
#define SENDS(what) md.op == OP_SEND && md.type == what
        if (SENDS(PAUSE) && md.matched == 0) { pause_joins(); }
        else if (SENDS(PAUSE)) { pause_again(); }
        else if (SENDS(RESUME) && md.to_host == 1) { host_leaves(); }
        else if (SENDS(RESUME)) { resume_stays(); }
        else if (SENDS(0)) { dealloc_leaves(); }
        else if (SENDS(MERGE) && md.to_host == 1 && WAS_PAUSED) { merge_host(); }
        else if (SENDS(MERGE) && md.to_host == 0 && WAS_PAUSED) { merge_paused(); }
        else if (SENDS(MERGE) && md.to_host == 0 && md.was[1:0] == 0) { merge_joins(); }
        if (md.op == OP_SEND || LEAVES_OR_CHECKS) { tree_of_root(); }
        else if (md.op == OP_MERGE && md.at == 0) { tree_moves(); }
        else if (hdr.bridge.isValid() || OBEYED(PAUSE)) { tree_of_own(); }
        if (md.op == OP_SEND && md.type != MERGE && md.leaves == 1 && md.level != 0 &&
                md.listed == 0) { // the tree of another switch's root
            tree_empties();
        }

        // Which port a root is.
#define ASKED (md.asks == 1 && md.type != MERGE)
        if (md.op == OP_ENTER) { put_identity(); }
        if (md.op == OP_ENTER) { write_identity(); }
        else if (ASKED && md.level != 0) { read_identity(); }
        else if (ASKED && md.level == 0) { own_identity(); }
        if (ASKED && md.level != 0) { split_identity(); }

        // What the IQs of roots may become.
#if LEVELS > 1
        if (OBEYED(MERGE) && md.old_level == 1) { iq_merges1(); } else
#endif
#if LEVELS > 2
        if (OBEYED(MERGE) && md.old_level == 2) { iq_merges2(); } else
#endif
#if LEVELS > 3
        if (OBEYED(MERGE) && md.old_level == 3) { iq_merges3(); } else
#endif
        if (OBEYED_IN_TREE) { iq_obeys_frame(); }
        else if (LEAVES_OR_CHECKS && md.listed == 0) { iq_of_leaf(); }
        else if (LEAVES_OR_CHECKS) { iq_of_no_leaf(); }
        else if (md.op == OP_GATE) { iq_is_read(); }

        // Congestion-root table: slots of roots (section V-A). A MERGE looks for its old root too.
#define FIND_ROOT(n) \
            if (md.path_##n##_has == 1) { find_root##n(); }
#define NAMED_ROOT(n, BELOW) \
        else if (md.level == n) { \
            if (md.op == OP_ENTER) { enter_root##n(); } \
            else if (md.ready == 1) { named_root##n(); } \
            else if (md.op == OP_FORGET) { forget_root##n(); } \
            BELOW(OBEYED(MERGE), old_level, old_root) \
        }
        if (md.kind == KIND_DATA) { EACH_LEVEL(FIND_ROOT) }
        WITH_LEVELS_BELOW(NAMED_ROOT)
        if (md.ready == 1 && md.slot != 0) { root_is_known(); }

        // IQs of roots at the egress port (section IV-C).
#define COUNT_IN_IQ(n) \
            if (md.kind == KIND_DATA && md.slot##n != 0) { enter_iq##n(); } \
            else if (md.kind == KIND_NOTICE && md.slot##n != 0) { leave_iq##n(); }
#define LOOK_AT_IQ(n) \
            if (MEMBER(n) != 0) { look_at_iq##n(); }
#define TURN_IQ(n, BELOW) \
        else if (md.level == n) { \
            if (md.in_tree == 1 && md.slot##n != 0) { \
                turn_iq##n(); \
                BELOW(md.old_slot != 0, old_level, merge_iq) \
            } else if (LEAVES_OR_CHECKS) { free_iq##n(); } \
        }
        if (md.kind == KIND_DATA || md.kind == KIND_NOTICE) { EACH_LEVEL(COUNT_IN_IQ) }
        else if (md.op == OP_GATE) { EACH_LEVEL(LOOK_AT_IQ) }
        WITH_LEVELS_BELOW(TURN_IQ)
        if (md.found == 1 && (md.type == PAUSE || md.type == MERGE) && md.before == IQ_NONE) {
            iq_more();
        } else if (md.freed != 0) {
            iq_less();
        } else if (md.tree_empties == 1) {
            iq_count();
        }

        // Slots for roots that have none.
        if (md.ready == 1 && (md.type == PAUSE || md.type == MERGE) && md.op != OP_ENTER &&
                md.slot == 0) {
            pop_slot();
        } else if (md.op == OP_FORGET) {
            push_slot();
        }
        if (md.ready == 1 && md.got == 1) { read_slot(); }
        else if (md.op == OP_FORGET) { write_slot(); }

        // The OQ, and the last frames about ports of this switch (section IV-A).
#define IN_OQ(sort) (md.kind == sort && !ISOLATED)
#if GHOST
        if (md.kind == KIND_DATA || md.kind == KIND_NOTICE) {
            read_output();
#if DOUBLINGS > 0
            units_in_cells();
#endif
#if DOUBLINGS > 1
            units_in_cells();
#endif
#if DOUBLINGS > 2
            units_in_cells();
#endif
#if DOUBLINGS > 3
            units_in_cells();
#endif
#if DOUBLINGS > 4
            units_in_cells();
#endif
#if DOUBLINGS > 5
#error DOUBLINGS: must be at most 5
#endif
        }
        if (IN_OQ(KIND_NOTICE)) { below_resume(); }
        else if (IN_OQ(KIND_DATA)) { below_pause(); }
        if (md.under != 0) { is_below(); }
#else
        if (IN_OQ(KIND_DATA)) { enter_output(); }
        else if (IN_OQ(KIND_NOTICE)) { leave_output(); }
#endif
        if (IN_OQ(KIND_NOTICE)) { keep_depth(); }
        if (ANY_LEVEL(IS_PAUSED)) { hold_queue(); }

        // What waits for roots, by ingress, against K_pause and K_resume (section IV-C). While a
        // root of a packet is paused, only paused roots pause the packet's upstream. A MERGE takes
        // an upstream out of the tree of the old root, and a round later into the new root's.
#define MOVES (OBEYED(DEALLOC) || md.op == OP_JOIN)
#define WAITS_FOR(sort, n) (md.kind == sort && HAS_IQ(n))
#define WAITS(n) \
            if (WAITS_FOR(KIND_NOTICE, n)) { wait_no_more_for##n(); } \
            else if (md.kind == KIND_DATA && (IS_PAUSED(n) || \
                    (md.state##n[1:0] == IQ_RESUMED && !ANY_LEVEL(IS_PAUSED)))) { \
                wait_for##n(); \
            } else if (WAITS_FOR(KIND_DATA, n)) { wait_unpaused##n(); }
        if (md.kind == KIND_DATA || md.kind == KIND_NOTICE) {
            EACH_LEVEL(WAITS)
            if (IN_OQ(KIND_DATA) && md.below == 0 && md.claims == 1) { pause_as_root(); }
        }
        else if (OBEYED(DEALLOC) && md.level == 0) { leaves_tree0(); }
        else if (md.op == OP_MERGE && md.old_level == 0) { leaves_old0(); }
        else if (md.op == OP_TURN && md.under != 0) { resume_as_root(); }
        else AT_LEVEL(MOVES, level, moves)
        else AT_LEVEL(md.op == OP_MERGE, old_level, leaves_old)

        // The queue of a set of roots: IsAssigned, QueueId (section V-A).
        if (md.kind == KIND_DATA) {
            name_set();
            whole_set();
        }
        if (md.kind == KIND_DATA && ISOLATED) { enter_set_of(); }
        else if (md.kind == KIND_NOTICE && md.queue != 0) { leave_set_of(); }
        if (md.kind == KIND_DATA && ISOLATED) {
            if (md.first == 1) { claim_set_key(); }
            else { compare_set_key(); }
        }
        if (md.kind == KIND_DATA && ISOLATED && md.first == 1) { pop_queue(); }
        else if (md.emptied == 1 && md.queue != SPILL) { push_queue(); }
        if (md.kind == KIND_DATA && md.got == 1) { read_free(); }
        else if (md.emptied == 1 && md.queue != SPILL) { write_free(); }
        else if (md.kind == KIND_DATA && ISOLATED && md.first == 1) { spill_queue(); }
        // A notice that empties a queue has no set: it writes 0.
        if ((md.kind == KIND_DATA && md.got == 1) || md.emptied == 1) { write_queue_set(); }
        else if (md.op == OP_GATES) { read_queue_set(); }
        if (md.kind == KIND_DATA && ISOLATED) {
            if (md.first == 1) { write_set_queue(); }
            else { read_set_queue(); }
        }
        if (md.kind == KIND_DATA && (md.other == 1 || md.queue == SPILL)) { share_queue(); }
        if ((md.kind == KIND_DATA && md.got == 1) || md.gates == 1) { afc.apply(); }

        // On their way: packets, frames, threads.
        all_levels();
        if (md.op == OP_SEND && md.type != 0) { send_frame(); }
        else if (md.freed == IQ_RESUMED) { send_dealloc(); }
        else if (OBEYED(RESUME) && md.before == IQ_NONE) { answer(); }

        // What a frame leads to.
#define FINDS(what) md.found == 1 && md.type == what
        if (FINDS(PAUSE) && md.before != IQ_NONE && md.before != IQ_PAUSED && md.waits != 0) {
            look_at_gates();
        } else if (md.found == 1 && (md.type == RESUME || md.type == MERGE) &&
                md.before == IQ_PAUSED && md.waits != 0) {
            look_at_gates();
        } else if (FINDS(MERGE) && md.old_before == IQ_PAUSED && md.old_waits != 0) {
            look_at_gates();
        }
        if (FINDS(PAUSE) && md.before == IQ_NONE && md.abdicates[0:0] == 1 && md.listed != 0) {
            give_up_port();
            abdicate();
        } else if (FINDS(MERGE) && md.old_before != IQ_NONE) {
            merge_trees();
        }
        // An IQ that was resumed or paused, bit 1 of the state, may be freed.
#define MAY_BE_FREED \
        (md.found == 1 && (md.type == MERGE || (md.type == RESUME && md.before[1:1] == 1)))
        if (MAY_BE_FREED) { check_named(); }

        // What a thread does next, or that no thread begins or goes on. A thread that looks at all
        // queues goes on to each queue: there it is found out whether a set has the queue.
        if (md.ready == 1 && md.got == 1) { give_slot(); }
        else if (md.op == OP_GATES) { look_at_gate(); }
        else if ((md.freed != 0 && md.listed == 0 && md.iqs_left == 0) ||
                (md.tree_empties == 1 && md.iqs_left == 0)) {
            forget();
        }
        else if (md.tree_empties == 1) { look_at_leaves(); }
        else if (md.kind == KIND_NOTICE && md.paused != 0 && md.below == 1) { // no IQ
            resume_upstreams();
        }
        else if (md.kind == KIND_NOTICE && md.changed != 0) { notice_sends(); }
        else if (md.kind == KIND_NOTICE && md.checks != 0) { notice_checks(); }
        else if (OBEYED(DEALLOC) && WAS_RESUMED && md.level == 0) { left_tree0(); }
        else if (OBEYED(DEALLOC) && WAS_RESUMED) { left_tree(); } // out of the count
        else if (md.op == OP_TURN && WAS_PAUSED) { send_own(); }
        else if (md.op == OP_MERGE && ((md.host == 0 && WAS_LISTED) ||
                (md.host == 1 && WAS_PAUSED))) {
            go_join();
        }
        else if (md.op == OP_JOIN) { send_merge(); }
        else if (md.to_send != 0) { go_send(); }
        else if (md.todo_gates == 1) { go_to_gates(); }
        else if (md.todo_merge == 1) { go_merge(); }
        else if (md.todo_leaves == 1) { go_to_leaves(); }
        else if (md.check != 0) { go_check(); }

        if (md.goes == 1) { send_round(); }
        else if (md.kind == KIND_DATA && md.changed != 0 && md.host == 1) { forward_pausing_host(); }
        else if (md.kind == KIND_DATA && md.changed != 0) { forward_pausing(); }
        else if (md.kind == KIND_DATA) { forward(); }
        else if (md.kind == KIND_PASS) { forward_other(); }
        else { end(); }
    }
}

#define SLOT_OF_THREAD(n) hdr.thread.slot##n
#define SLOT_OF_BRIDGE(n) hdr.bridge.slot##n

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(MIRROR) mirror_1;
    Mirror(MIRROR_THREAD) mirror_2;

    apply {
        if (ig_dprsr_md.mirror_type == MIRROR) {
            mirror_1.emit<order_h>(md.session, {
                hdr.order.kind, hdr.order.type, hdr.order.hop, hdr.order.reserved,
                hdr.order.root_switch, hdr.order.root_port, hdr.order.old_switch,
                hdr.order.old_port});
        }
        if (ig_dprsr_md.mirror_type == MIRROR_THREAD) {
            mirror_2.emit<thread_h>(md.session, {
                hdr.thread.kind, hdr.thread.op, hdr.thread.egress, hdr.thread.ingress,
                hdr.thread.egress_class, hdr.thread.type, hdr.thread.to_send, hdr.thread.resumed,
                hdr.thread.to_host, LEVELS_UP(SLOT_OF_THREAD)});
        }
        pkt.emit(hdr);
    }
}

// Egress: frames (section IV-C), copies of threads, packets and notices.
control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {

    // An order becomes a frame of its type.
    action make_pause() {
        hdr.distance.setValid();
        hdr.pad_pause.setValid();
        hdr.signal.length = LENGTH_OF_PAUSE;
    }
    action make_merge() {
        hdr.old.setValid();
        hdr.distance.setValid();
        hdr.pad_merge.setValid();
        hdr.signal.length = LENGTH_OF_MERGE;
    }
    action make_resume() { // or DEALLOC
        hdr.pad_resume.setValid();
        hdr.signal.length = LENGTH_OF_RESUME;
    }

    SEQUENCE_REGISTER(PORTS)

    action send_signal(bit<PORT_BITS> index, bit<48> source) {
        BEGIN_FRAME(hdr.order.type)
        hdr.root.setValid();
        hdr.root.root_switch = hdr.order.root_switch;
        hdr.root.root_port = hdr.order.root_port;
        hdr.old.old_switch = hdr.order.old_switch;
        hdr.old.old_port = hdr.order.old_port;
        hdr.distance.hop = hdr.order.hop;
        hdr.pad_pause.x0 = 0;
        hdr.pad_pause.x1 = 0;
        hdr.pad_pause.x2 = 0;
        hdr.pad_resume.y0 = 0;
        hdr.pad_resume.y1 = 0;
        hdr.pad_resume.y2 = 0;
        hdr.pad_merge.z0 = 0;
        hdr.padding.p0 = 0;
        hdr.padding.p1 = 0;
        hdr.padding.p2 = 0;
        hdr.padding.p3 = 0;
        hdr.padding.p4 = 0;
        hdr.order.setInvalid();
        hdr.cut.setInvalid();
    }

    SIGNALS_TABLE

    // A packet that leaves sends a notice round.
    action notify() {
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = MIRROR;
        eg_dprsr_md.mirror_io_select = 1;
        md.session = NOTICE_SESSION;
        hdr.bridge.setInvalid();
    }
    action unbridge() { hdr.bridge.setInvalid(); }

    // Copies of a thread have numbers from 1 on. The last one goes on with what is left to do.
    action copy_number() { md.copy = eg_intr_md.egress_rid; }
    action number_copy() { hdr.about.at = md.copy - 1; }
    action nothing_is_left() {
        hdr.thread.to_send = 0;
        hdr.about.check = 0;
        hdr.about.todo_gates = 0;
        hdr.about.todo_merge = 0;
        hdr.about.todo_leaves = 0;
    }

    apply {
        if (hdr.order.isValid()) {
            if (hdr.order.type == PAUSE) { make_pause(); }
            else if (hdr.order.type == MERGE) { make_merge(); }
            else if (hdr.order.type != PAUSE) { make_resume(); }
            signals.apply();
        } else if (hdr.thread.isValid()) {
            copy_number();
            if (md.copy != 0) { number_copy(); }
            if ((hdr.thread.op == OP_LEAVES || hdr.thread.op == OP_MERGE) && md.copy != 0 &&
                    md.copy != PORTS) {
                nothing_is_left();
            } else if (hdr.thread.op == OP_GATES && md.copy != 0 && md.copy != HELD_QUEUES) {
                nothing_is_left();
            }
        } else if (hdr.bridge.isValid()) {
            if (hdr.bridge.kind == KIND_DATA) { notify(); }
            else if (hdr.bridge.kind == KIND_PASS) { unbridge(); }
        }
    }
}

control EgressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in egress_metadata_t md,
        in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror(MIRROR) mirror_1;

    apply {
        if (eg_dprsr_md.mirror_type == MIRROR) {
            mirror_1.emit<bridge_h>(md.session, {
                hdr.bridge.kind, hdr.bridge.egress, hdr.bridge.ingress, hdr.bridge.egress_class,
                hdr.bridge.queue, hdr.bridge.cells, hdr.bridge.index, LEVELS_UP(SLOT_OF_BRIDGE)});
        }
        pkt.emit(hdr);
    }
}

#if GHOST
GHOST_CONTROL(oq, oq_report, PORT_BITS)
#endif

PIPELINE
