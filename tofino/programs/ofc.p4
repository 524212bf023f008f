// OFC: original-congestion-based flow control on the Tofino 2 (Xiao, Yang, Cao, Liu, Zhao, Wang:
// OFC: An Original Congestion-based Fine-grained Priority Flow Control). Algorithms and sections
// are of that paper.
//
// What pauses an upstream, in the order of the packet that does it (Algorithm 1):
//
//	fill_q_in            the cells of its class that came by its ingress: q_in
//	fill_q_out           the cells of its class that wait at its egress port: q_out
//	compare              against X^c_OFF, X_OFF: see CONGESTED and OVERFULL
//	join_a, join_b       flow_in_port_tab counts its flow
//	is_paused_a, _b      whether its flow is in congested_flow_tab
//	is_original          whether no flow is, so that the congestion is an original one
//	walk_once            the first such packet sends a copy round that names all flows of its queue
//	name_a, name_b       pause_frame_tab gets a flow that no frame has paused: see NAMES
//	hold_all             q_in is over X_OFF, or flows cannot be named: the whole class is paused
//	pause_flow, pause_all  a mirrored copy is an order, to the port that the packet came by
//	signals              and becomes a PAUSE there, in egress
//
// What resumes it: egress notifies ingress of each packet that left (notify). The notice takes the
// packet off the same counters; one that finds q_in down to X_ON (end_episode) resumes the class
// (resume_all) and goes round itself, to resume all flows in pause_frame_tab (repeal, take_a,
// take_b, resume_flow).
//
// What is paused here: a PAUSE puts a flow into congested_flow_tab (claim_a, claim_b) and goes to
// the copy of that table in egress (update_egress_pause, Algorithm 2). Packets of the flow that
// leave the normal queue are dropped there, and their copies come round into the paused queue, one
// of two backup queues (move, to_paused_queue). After a RESUME the queues rotate (mark_order,
// rotate, turn, Algorithm 3): words of flow control hold and release the three queues (afc).
//
// The control of ingress is a line: every register has one place in it, which packets of all kinds
// pass in the same order, because a register is in one stage of the chip. It is here. Its
// registers, actions and tables are in ofc_packets.p4 (what a packet is, q_in and q_out),
// ofc_flows.p4 (flow_in_port_tab, backup queues), ofc_congested.p4 (congested_flow_tab),
// ofc_upstream.p4 (pause_frame_tab) and ofc_ways.p4 (gates, and what goes where).
//
// A flow is two CRCs of its five-tuple, md.low and md.high. Each table of flows has two rows: a
// flow is in the first at a cell that bits of its low half choose, and there its high half is
// written; or in the second at a cell that bits of its high half choose, and there its low half is
// written.
//
// Beside what common.p4 names a configuration defines
//
//	CELL_BITS        bits of a cell's number in a row of a table of flows, of a port and class
//	ROUTES           prefixes that are routed
//	SIGNAL_QUEUE     the queue of frames, of every port
//	ROUND_PORT       the port by which packets go round
//	UNDISTINGUISHED  1 if every congestion is taken for an original one, else 0

#include "config.p4h"
#include "common.p4"

const bit<8> PROTOCOL = 2;
const bit<8> PAUSE = 1;
const bit<8> RESUME = 2;

// Kinds of packet inside the chip: the first octet of packets that are not from a front port.
// Packets of the packet generator begin with less than 64.
const bit<8> KIND_FRAME = 1;       // a frame that came in: of metadata alone
const bit<8> KIND_TIMER = 2;       // of the generator: of metadata alone
const bit<8> KIND_DATA = 67;       // data on its way to egress
const bit<8> KIND_NOTICE = 68;     // data has departed: what it counted is undone
const bit<8> KIND_MOVED = 69;      // data of a paused flow, on its way to the paused queue
const bit<8> KIND_WALK = 70;       // names all flows of an egress queue that came by an ingress
const bit<8> KIND_REPEAL = 71;     // resumes all flows that frames paused
const bit<8> KIND_UPDATE = 72;     // a frame, on its way to egress and its congested_flow_tab
const bit<8> KIND_UPDATED = 73;    // it has been there
const bit<8> KIND_ORDER_MARK = 74; // and is behind all that moved before: OFC's order mark
const bit<8> KIND_ENDED = 75;      // a rotation of the queues has ended
const bit<8> KIND_NEXT = 76;       // the next may begin
const bit<8> KIND_OPEN = 77;       // a queue is to be served
const bit<8> KIND_SIGNAL = 78;     // a frame to be made

// What a frame does to congested_flow_tab in egress; deferred flows resume when the rotation ends.
const bit<8> UPDATE_PAUSE = 1;
const bit<8> UPDATE_RESUME = 2;
const bit<8> UPDATE_DEFER = 3;

// The length of a frame's body without flows, of a flow in it, and its flags.
const bit<16> BODY = 12;
const bit<16> FLOW = 8;
const bit<8> FLAG_NONE = 0;
const bit<8> FLAG_ALL = 1;  // the frame is about the whole class
const bit<8> FLAG_LAST = 2; // no flow stays paused

const bit<4> MIRROR = 1;          // the only type of mirror
const bit<8> ROUND_SESSION = 3;   // copies that go round in ingress
const bit<8> MOVED_SESSION = 4;   // packets that move to the paused queue
const bit<32> FOR_GOOD = 0x7FFFFFFF; // a flow is paused until a frame resumes it

// Registers have an element for each port and class, or a row of cells for each.
#define CLASSES (8 << PORT_BITS)
#define CELLS (CLASSES << CELL_BITS)
typedef bit<(PORT_BITS + 3)> class_at_t;
typedef bit<(PORT_BITS + 3 + CELL_BITS)> cell_at_t;

#include "ofc_headers.p4"

#if GHOST
// The depths of the queues of a class, normal and backup, as ghost received them.
Register<bit<32>, class_at_t>(CLASSES, 0) depth0;
Register<bit<32>, class_at_t>(CLASSES, 0) depth1;
Register<bit<32>, class_at_t>(CLASSES, 0) depth2;
#endif

#include "ofc_parsers.p4"

// Elements of registers: of an egress port and class, of an ingress port and class; and the cell of
// a row that a half of a flow chooses, or that a walk is at, which goes through both rows.
#define OF_EGRESS (INDEX_OF(md.egress) ++ md.class)
#define OF_INGRESS (INDEX_OF(md.ingress) ++ md.class)
#define CELL(number) number[CELL_BITS - 1:0]
#define IN_SECOND_ROW (md.at[CELL_BITS:CELL_BITS] == 1)
#define AT_LAST_CELL ((1 << (CELL_BITS + 1)) - 1)

// Whether a packet is of a kind and of a class under OFC, and whether a frame counts, is of a type,
// and is about one flow or all.
#define COUNTED(sort) (md.kind == sort && md.managed == 1)
#define FRAME_SAYS(what, all) \
    (md.obeys == 1 && hdr.signal.type == what && hdr.subject.list[0:0] == all)
#define PAUSES_FLOW FRAME_SAYS(PAUSE, 0)
#define RESUMES_FLOW FRAME_SAYS(RESUME, 0)

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

#include "ofc_packets.p4"
#include "ofc_flows.p4"
#include "ofc_congested.p4"
#include "ofc_upstream.p4"
#include "ofc_ways.p4"

    apply {
        // What a packet is, and whose state it is about.
        if (hdr.bridge.isValid()) {
            take_bridged();
        } else if (hdr.order.isValid()) {
            take_order();
        } else if (hdr.timer.isValid()) {
            if (hdr.timer.packet[0:0] == 0) { hold_first_backup(); }
            else { hold_second_backup(); }
        } else if (!hdr.timer.isValid()) {
            if (port_in.apply().hit) {
                if (hdr.ipv4.isValid()) {
                    route.apply();
                    packet_cells.apply();
                }
                if (hdr.signal.isValid()) {
                    if (hdr.signal.type == PAUSE) { take_pause(); }
                    else { take_resume(); }
                } else if (hdr.ipv4.isValid() && md.routed == 1 && md.cells != 0) {
                    take_packet_in();
                    hash_low();
                    hash_high();
                }
            }
        }
        class_queue.apply();

        // Whether a frame is newer than those heard.
        if (md.kind == KIND_FRAME) {
            if (WINDOW_WRAPS) { hear_wrapped_frame(); }
            else { hear_frame(); }
            if (md.fresh == 1 && md.managed == 1) { obey(); }
        }

        // q_in and q_out against X^c_OFF, X_OFF and X_ON (Algorithm 1).
        if (md.kind == KIND_DATA || md.kind == KIND_NOTICE) { limits.apply(); }
        if (md.kind == KIND_DATA) { fill_q_in(); }
        else if (md.kind == KIND_NOTICE) { drain_q_in(); }
#if GHOST
        if (md.kind == KIND_DATA) { read_depth0(); }
        if (md.kind == KIND_DATA) { read_depth1(); }
        if (md.kind == KIND_DATA) { read_depth2(); }
        two_depths();
        three_depths();
#else
        if (md.kind == KIND_DATA) { fill_q_out(); }
        else if (md.kind == KIND_NOTICE) { drain_q_out(); }
#endif
        if (COUNTED(KIND_DATA)) { compare(); }
        if (COUNTED(KIND_NOTICE)) { compare_low(); }
        if (md.over_in != 0) { q_in_beyond_congested(); }
        if (md.over_all != 0) { q_in_beyond(); }
        if (md.over_out != 0) { q_out_beyond(); }
        if (md.below != 0) { q_in_low(); }

        // flow_in_port_tab: the flow's cell, or unknown flows.
        if (COUNTED(KIND_DATA)) { join_a(); }
        else if (COUNTED(KIND_NOTICE) && md.where == 1) { leave_a(); }
        else if (md.kind == KIND_WALK && !IN_SECOND_ROW) { read_a(); }
        if (COUNTED(KIND_DATA) && md.got_a == 0) { join_b(); }
        else if (COUNTED(KIND_NOTICE) && md.where == 2) { leave_b(); }
        else if (md.kind == KIND_WALK && IN_SECOND_ROW) { read_b(); }
        if (md.got_a == 1) { note_a(); }
        else if (md.kind == KIND_WALK && !IN_SECOND_ROW) { recall_a(); }
        if (md.got_b == 1) { note_b(); }
        else if (md.kind == KIND_WALK && IN_SECOND_ROW) { recall_b(); }
        if (COUNTED(KIND_DATA) && md.got_a == 0 && md.got_b == 0) { add_unknown(); }
        else if (COUNTED(KIND_DATA)) { look_at_unknown(); }
        else if (COUNTED(KIND_NOTICE) && md.where == 0) { take_unknown(); }
        if (md.unknown != 0) { has_strangers(); }
        if (md.got_a == 1) { in_first_row(); }
        else if (md.got_b == 1) { in_second_row(); }

        // Backup queues, and their roles (Algorithm 3). The paused queue is served when the order
        // mark has come and packets wait there; or when the queue that was served is empty, if
        // flows were resumed meanwhile.
        if ((md.kind == KIND_MOVED || md.kind == KIND_NOTICE) && md.gone != 0) { from_backup(); }
        if (md.kind == KIND_MOVED) { wait(); }
        else if (md.kind == KIND_NOTICE && md.drains == 1) { drain(); }
        else if (md.kind == KIND_ORDER_MARK || (md.kind == KIND_NEXT && md.flag == 1)) { rotate(); }
        else if (md.obeys == 1) { look_at_backup(); }
        if (md.rotated == 1) { turn(); }
        else if (md.kind == KIND_MOVED || md.kind == KIND_NEXT || md.obeys == 1) { look_at_side(); }
        other_backup_queue();

        // congested_flow_tab (Algorithm 2): a flow is looked up, or what a frame says of it is
        // done.
        if (md.kind == KIND_ENDED) { end_rotation(); }
        else if (LOOKS_UP || md.obeys == 1) { look_at_ended(); }
        if (LOOKS_UP) { is_paused_a(); }
        else if (PAUSES_FLOW) { claim_a(); }
        else if (RESUMES_FLOW && md.rotating == 0) { clear_a(); }
        else if (RESUMES_FLOW) { defer_a(); }
        if (LOOKS_UP) { is_paused_b(); }
        else if (PAUSES_FLOW && IS_TAKEN) { claim_b(); }
        else if (RESUMES_FLOW && md.rotating == 0) { clear_b(); }
        else if (RESUMES_FLOW) { defer_b(); }
        if (PAUSES_FLOW && IS_NEW) { paused_one(); }
        else if (PAUSES_FLOW && IS_BACK_AGAIN) { paused_again(); }
        else if (RESUMES_FLOW && md.gone_a == 1 && md.gone_b == 1) {
            if (md.rotating == 0) { resumed_two(); }
            else { deferred_two(); }
        } else if (RESUMES_FLOW && (md.gone_a == 1 || md.gone_b == 1)) {
            if (md.rotating == 0) { resumed_one(); }
            else { deferred_one(); }
        }
        if (PAUSES_FLOW) { count_paused(); }
        else if (RESUMES_FLOW) { count_resumed(); }
        else if (md.kind == KIND_ENDED) { resume_deferred(); }
        else if (COUNTED(KIND_DATA)) { is_original(); }

        // What is paused upstream, or may be resumed (Algorithm 1).
#if UNDISTINGUISHED
        each_is_original();
#endif
        if (CONGESTED || OVERFULL) { begin_episode(); }
        else if (COUNTED(KIND_NOTICE) && md.is_low == 1) { end_episode(); }
        if (CONGESTED && md.strangers == 0) { walk_once(); }

        // pause_frame_tab.
        if (NAMES) { name_a(); }
        else if (md.kind == KIND_REPEAL && !IN_SECOND_ROW) { take_a(); }
        if (NAMES && IS_ANOTHERS) { name_b(); }
        else if (md.kind == KIND_REPEAL && IN_SECOND_ROW) { take_b(); }
        if (IS_FIRST) { add_pause_frame(); }
        else if (md.kind == KIND_REPEAL && md.found == 1) { take_pause_frame(); }
        else if (md.was == 1) { look_at_pause_frames(); }
        if (OVERFULL || (CONGESTED && md.strangers == 1) || (NAMES_ITSELF && IS_ANOTHERS)) {
            no_room();
        }
        if (md.all_new == 1) { hold_all(); }
        else if (md.was == 1) { release_all(); }

        // What holds a class, and the gate of a queue.
        if (FRAME_SAYS(PAUSE, 1) || FRAME_SAYS(RESUME, 1)) {
            as_frame_says();
        } else if ((PAUSES_FLOW && IS_TAKEN) || (RESUMES_FLOW && hdr.subject.list[1:1] == 1)) {
            as_there_is_room();
        } else if (md.kind == KIND_OPEN) {
            look_at_held();
        }
        if (md.obeys == 1 && md.rotating == 1) { gate_of_draining(); }
        else if (md.obeys == 1) { gate_of_normal(); }
        else if (md.kind == KIND_ORDER_MARK && md.rotated == 1) { shut_normal(); }
        else if (md.kind == KIND_NEXT) { shut_drained(); }
        else if (md.kind == KIND_OPEN && md.hold == 0) { open_it(); }
        if (md.word == 1) { afc.apply(); }

        // On their way: signals,
        if (IS_FIRST) {
            pause_flow();
        } else if (md.all_new == 1 && md.all_was == 0) {
            pause_all();
        } else if (md.was == 1 && md.all_was == 1) {
            resume_all();
        } else if (md.kind == KIND_REPEAL && md.found == 1) {
            if (md.last == 1) { resume_last_flow(); }
            else { resume_flow(); }
        }
        // copies,
        if (md.walk == 1) { walk_flows(); }
        else if (md.kind == KIND_MOVED && md.drains == 1 && md.drained == 1) { moved_last(); }
        // and packets.
        if (md.kind == KIND_DATA) {
            forward();
        } else if (md.kind == KIND_MOVED) {
            to_paused_queue();
        } else if (md.kind == KIND_NOTICE) {
            if (md.drains == 1 && md.drained == 1 && md.was == 1 && md.repeals == 1) {
                drained_then_repeal();
            } else if (md.drains == 1 && md.drained == 1) {
                drained();
            } else if (md.was == 1 && md.repeals == 1) {
                repeal();
            } else if (md.kind == KIND_NOTICE) {
                end();
            }
        } else if (PAUSES_FLOW) {
            update_egress_pause();
        } else if (RESUMES_FLOW && md.rotating == 1) {
            update_egress_defer();
        } else if (RESUMES_FLOW && (md.gone_a == 1 || md.gone_b == 1)) {
            update_egress_resume();
        } else if (md.kind == KIND_UPDATED) {
            mark_order();
        } else if (md.kind == KIND_ORDER_MARK && md.rotated == 1) {
            open_paused();
        } else if (md.kind == KIND_ENDED) {
            next_rotation();
        } else if (md.kind == KIND_NEXT && md.rotated == 1) {
            open_next();
        } else if (md.kind == KIND_NEXT) {
            open_normal();
        } else if (md.kind == KIND_OPEN && hdr.order.then == 1) {
            repeal_then();
        } else if ((md.kind == KIND_WALK && md.at != AT_LAST_CELL) ||
                (md.kind == KIND_REPEAL && md.at != AT_LAST_CELL && md.last == 0)) {
            walk_on();
        } else if (md.kind != KIND_DATA) {
            end();
        }
    }
}

control IngressDeparser(
        packet_out pkt,
        inout headers_t hdr,
        in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(MIRROR) mirror_1;

    apply {
        if (ig_dprsr_md.mirror_type == MIRROR) {
            mirror_1.emit<copy_h>(md.session, {
                hdr.copy.kind, hdr.copy.egress, hdr.copy.class_pad, hdr.copy.class,
                hdr.copy.ingress, hdr.copy.back_pad, hdr.copy.back, hdr.copy.what, hdr.copy.flag,
                hdr.copy.queue, hdr.copy.reserved, hdr.copy.then, hdr.copy.at, hdr.copy.high,
                hdr.copy.low});
        }
        pkt.emit(hdr);
    }
}

// ======== Egress: packets of paused flows move, others send notices, orders become frames ========

// Elements of registers: of the port and class of a packet, and of an order.
#define OF_PACKET (INDEX_OF(hdr.bridge.egress) ++ hdr.bridge.class[2:0])
#define OF_ORDER (INDEX_OF(hdr.order.egress) ++ hdr.order.class[2:0])

#define IS_DATA (hdr.bridge.isValid() && hdr.bridge.kind == KIND_DATA)
#define IS_ORDER(sort) (hdr.order.isValid() && hdr.order.kind == sort)
#define UPDATES_OUT(effect) (IS_ORDER(KIND_UPDATE) && hdr.order.what == effect)

control Egress(
        inout headers_t hdr,
        inout egress_metadata_t md,
        in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {

    // ---- Whose state it is about, and how many rotations have ended ----

    Register<bit<32>, class_at_t>(CLASSES, 0) ended_out;

    READ_ACTION(bit<32>, class_at_t, ended_out, look_at)
    ADD_ACTION(bit<32>, class_at_t, ended_out, end_rotation, + 1)

    action flow_of_packet() {
        md.until = ended_out_look_at.execute(OF_PACKET);
        md.high = hdr.bridge.high;
        md.low = hdr.bridge.low;
    }
    action flow_of_frame() {
        md.until = ended_out_look_at.execute(OF_ORDER);
        md.high = hdr.order.high;
        md.low = hdr.order.low;
    }
    action end_rotation_out() { ended_out_end_rotation.execute(OF_ORDER); }

    // ---- The copy of congested_flow_tab (Algorithm 2) ----

    // Nothing is counted here: what a frame does to a row has no result but that there was room.
#define CONGESTED_OUT_ROW(row, half, rest) \
    CONGESTED_REGISTER(out_##row, rest) \
    RegisterAction<pair32_t, cell_at_t, bit<1>>(congested_out_##row) \
            congested_out_##row##_claim = { \
        void apply(inout pair32_t value, out bit<1> got) { \
            got = 0; \
            if (value.low == md.rest || value.high <= md.until) { \
                value.low = md.rest; \
                value.high = FOR_GOOD; \
                got = 1; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, cell_at_t, void>(congested_out_##row) \
            congested_out_##row##_clear = { \
        void apply(inout pair32_t value) { \
            if (value.low == md.rest && value.high > md.until) { \
                value.high = md.until; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, cell_at_t, void>(congested_out_##row) \
            congested_out_##row##_defer = { \
        void apply(inout pair32_t value) { \
            if (value.low == md.rest && value.high > md.until && value.high == FOR_GOOD) { \
                value.high = md.until + 1; \
            } \
        } \
    }; \
    action is_paused_out_##row() { \
        md.own_##row = congested_out_##row##_is_paused.execute(OF_PACKET ++ CELL(md.half)); \
    } \
    action claim_out_##row() { \
        md.got = congested_out_##row##_claim.execute(OF_ORDER ++ CELL(md.half)); \
    } \
    action clear_out_##row() { congested_out_##row##_clear.execute(OF_ORDER ++ CELL(md.half)); } \
    action defer_out_##row() { congested_out_##row##_defer.execute(OF_ORDER ++ CELL(md.half)); }

    CONGESTED_OUT_ROW(a, low, high)
    CONGESTED_OUT_ROW(b, high, low)

    // ---- On their way: frames, packets of paused flows and others (Algorithm 3) ----

    SEQUENCE_REGISTER((1 << PORT_BITS))

    action send_signal(bit<PORT_BITS> index, bit<48> source) {
        BEGIN_FRAME(hdr.order.what)
        hdr.signal.length = hdr.order.at;
        hdr.subject.setValid();
        hdr.series.setValid();
        hdr.flow.setValid();
        hdr.subject.class_pad = 0;
        hdr.subject.class = hdr.order.class;
        hdr.subject.list = hdr.order.flag;
        hdr.subject.count = hdr.order.then;
        hdr.series.generation = 0;
        hdr.series.parts = 0;
        hdr.flow.flow_high = hdr.order.high;
        hdr.flow.flow_low = hdr.order.low;
        hdr.padding.p0 = 0;
        hdr.padding.p1 = 0;
        hdr.padding.p2 = 0;
        hdr.padding.p3 = 0;
        hdr.order.setInvalid();
        hdr.cut.setInvalid();
    }

    SIGNALS_TABLE

    // A packet of a paused flow does not leave: a copy goes round to the paused queue. What leaves
    // sends a notice round.
#define MIRRORED(sort, number) \
        hdr.bridge.kind = sort; \
        eg_dprsr_md.mirror_type = MIRROR; \
        eg_dprsr_md.mirror_io_select = 1; \
        md.session = number; \
        hdr.bridge.setInvalid();

    action move() {
        eg_dprsr_md.drop_ctl = DROP;
        MIRRORED(KIND_MOVED, MOVED_SESSION)
    }
    action notify() { MIRRORED(KIND_NOTICE, NOTICE_SESSION) }
    action egress_updated() { hdr.order.kind = KIND_UPDATED; }
    action end_frame() { eg_dprsr_md.drop_ctl = DROP; }

    apply {
        // Whose state it is about, and how many rotations have ended.
        if (IS_DATA) { flow_of_packet(); }
        else if (IS_ORDER(KIND_UPDATE)) { flow_of_frame(); }
        else if (IS_ORDER(KIND_ENDED)) { end_rotation_out(); }

        // The copy of congested_flow_tab (Algorithm 2).
        if (IS_DATA) { is_paused_out_a(); }
        else if (UPDATES_OUT(UPDATE_PAUSE)) { claim_out_a(); }
        else if (UPDATES_OUT(UPDATE_RESUME)) { clear_out_a(); }
        else if (UPDATES_OUT(UPDATE_DEFER)) { defer_out_a(); }
        if (IS_DATA) { is_paused_out_b(); }
        else if (UPDATES_OUT(UPDATE_PAUSE) && md.got == 0) { claim_out_b(); }
        else if (UPDATES_OUT(UPDATE_RESUME)) { clear_out_b(); }
        else if (UPDATES_OUT(UPDATE_DEFER)) { defer_out_b(); }

        // On their way: frames, packets of paused flows and others (Algorithm 3, lines 7 to 14).
        if (IS_ORDER(KIND_SIGNAL)) { signals.apply(); }
        else if (IS_DATA && (md.own_a == 1 || md.own_b == 1)) { move(); }
        else if (IS_DATA) { notify(); }
        else if (IS_ORDER(KIND_UPDATE) && hdr.order.flag == 1) { egress_updated(); }
        else if (IS_ORDER(KIND_UPDATE)) { end_frame(); }
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
                hdr.bridge.kind, hdr.bridge.egress, hdr.bridge.ingress, hdr.bridge.class_pad,
                hdr.bridge.class, hdr.bridge.queue, hdr.bridge.where, hdr.bridge.cells,
                hdr.bridge.back_pad, hdr.bridge.back, hdr.bridge.port_pad, hdr.bridge.port,
                hdr.bridge.high, hdr.bridge.low});
        }
        pkt.emit(hdr);
    }
}

#if GHOST
// ======== Ghost ========

// Ghost hears the depth of a queue when it changes, and writes it to the register of the queue's
// place in its class. A table for each place: all actions of a table use the same register.
#define REPORT_DEPTH(queue) \
    RegisterAction<bit<32>, class_at_t, void>(depth##queue) depth##queue##_report = { \
        void apply(inout bit<32> value) { value = 14w0 ++ g_intr_md.qlength; } \
    }; \
    action report##queue(class_at_t index) { depth##queue##_report.execute(index); } \
    table queues##queue { \
        key = { \
            g_intr_md.pipe_id : exact @name("pipe_id"); \
            g_intr_md.qid : exact @name("qid"); \
        } \
        actions = { report##queue; nothing; } \
        default_action = nothing(); \
        size = 8 * PORTS; \
    }

control Ghost(in ghost_intrinsic_metadata_t g_intr_md) {
    action nothing() {}

    REPORT_DEPTH(0)
    REPORT_DEPTH(1)
    REPORT_DEPTH(2)

    apply {
        queues0.apply();
        queues1.apply();
        queues2.apply();
    }
}
#endif

PIPELINE
