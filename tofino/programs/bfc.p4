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
// A register is in one stage of the chip: packets, notices and frames pass the same line of
// registers, and each does there what concerns it. The line is here. Its registers, actions and
// tables are in bfc_packets.p4 (what a packet is), bfc_flows.p4 (the flow table, and the stack of
// free queues), bfc_queues.p4 (N_active, the threshold, the pause counters) and bfc_ways.p4
// (orders, words, and what goes where).
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

#include "bfc_headers.p4"
#include "bfc_parsers.p4"

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

#include "bfc_packets.p4"
#include "bfc_flows.p4"
#include "bfc_queues.p4"
#include "bfc_ways.p4"

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
