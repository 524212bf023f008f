// A switch of PortFC (Cao, Ning, Zhao et al.: Revisiting Flow Control in Node-Centric Datacenter
// Networks, IEEE Transactions on Networking, 2026) in NDC(n,1). Sections and algorithms are of that
// paper.
//
// A port has n-1 queues for packets that the next node relays, one for each egress of the switch
// behind that node: IHFQs, numbers 0 to n-2. One queue is for packets to the next node itself: DDQ,
// number n-1. The last is for packets of high priority and for frames: HQ.
//
// What pauses an upstream, in the order of the packet that does it:
//
//	limits          the IHFQs of a port are together one detector, its DDQ is another: X_off
//	ihfq_add_ihfq   a packet adds its cells to the sum; from X_off on the flag is set (Algorithm 1)
//	send_pause      the packet that set it sends a mirrored copy round, which is an order
//	others          the order is copied to all ports but the congested one
//	signals         each copy becomes a frame to the node at its port, in egress
//
// What resumes it: egress notifies ingress of each packet that left (notify). The notice subtracts
// (ihfq_take_ihfq), and the one that comes down to X_on clears the flag (Algorithm 2) and becomes
// an order itself (send_resume).
//
// What is paused here: a frame from a node is about the IHFQ of one port (afc), which a word of
// flow control holds or releases in the traffic manager (Algorithm 4).
//
// A register is in one stage of the chip: all packets pass the same line of registers, and each
// takes what concerns it. The line is here. Its registers, actions and tables are in
// portfc_packets.p4 (what a packet is, and where it goes), portfc_detectors.p4 (the sums of cells)
// and portfc_ways.p4 (orders, frames, and what goes where).
//
// A configuration defines, beside what common.p4 names:
//
//	LAYER         of this switch, 0 or 1
//	DDQ           number of that queue, n-1
//	HQ            number of that queue, n
//	HIGH_CLASSES  how many traffic classes take HQ

#include "config.p4h"
#include "common.p4"

const bit<8> PROTOCOL = 4;
const bit<8> PAUSE = 1;
const bit<8> RESUME = 2;
const bit<16> BODY = 5; // octets of a frame behind its sequence number

const bit<8> KIND_DATA = 1;
const bit<8> KIND_NOTICE = 2;  // a packet has left its queue
const bit<8> KIND_SIGNAL = 4;  // an order on its way to all ports but one
const bit<8> KIND_FRAME = 5;   // a frame that came in
const bit<8> KIND_REPLICA = 6; // an order at the port that sends its frame

const bit<8> COUNTS_IHFQ = 1; // the detector that a packet counts for, or none
const bit<8> COUNTS_DDQ = 2;

#include "portfc_headers.p4"
#include "portfc_parsers.p4"

#if GHOST
// The last depth of a port's DDQ that ghost received.
Register<bit<32>, bit<PORT_BITS>>(PORTS, 0) ddq_depth;
#endif

control Ingress(
        inout headers_t hdr,
        inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {

    action drop() {
        ig_dprsr_md.drop_ctl = DROP;
        md.kind = 0;
    }

    action nothing() {}

#include "portfc_packets.p4"
#include "portfc_detectors.p4"
#include "portfc_ways.p4"

    apply {
        // What a packet is, its egress and its queue (sections III-B and IV-A).
        if (hdr.bridge.isValid()) {
            take_notice();
        } else if (hdr.order.isValid()) {
            take_order();
        } else if (port_in.apply().hit) {
            if (hdr.signal.isValid()) {
                if (hdr.signal.type == PAUSE) {
                    take_pause();
                } else {
                    take_resume();
                }
                if (WINDOW_WRAPS) {
                    hear_wrapped_frame();
                } else {
                    hear_frame();
                }
                if (md.fresh == 1) {
                    afc.apply();
                }
            }
            if (hdr.ipv4.isValid()) {
                take_packet();
                egress.apply();
                queue.apply();
                packet_cells.apply();
            }
        }

        // The detectors against X_off and X_on (Algorithms 1 and 2).
#if GHOST
        if (md.class == COUNTS_DDQ) {
            look_at_depth();
        }
#endif
        if ((md.kind == KIND_DATA || md.kind == KIND_NOTICE) && md.class != 0) {
            limits.apply();
            if (md.class == COUNTS_IHFQ) {
                if (md.kind == KIND_DATA) {
                    arrive_ihfq();
                } else {
                    leave_ihfq();
                }
            } else if (md.kind == KIND_DATA) {
                arrive_ddq();
            } else {
                leave_ddq();
            }
        }

        // On their way: packets, and orders to all ports but the congested one.
        if (md.crossed == 1) {
            if (md.kind == KIND_DATA) {
                send_pause();
            } else {
                send_resume();
            }
        }
        if (md.kind == KIND_DATA) {
            forward();
        } else if (md.kind == KIND_SIGNAL) {
            others.apply();
        } else if (md.kind != 0) {
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
            signal.emit<order_h>(md.session,
                {hdr.order.kind, hdr.order.type, hdr.order.queue, hdr.order.port});
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

    action send_signal(bit<PORT_BITS> index, bit<48> source) {
        BEGIN_FRAME(hdr.order.type)
        hdr.signal.length = BODY;
        hdr.signal.queue = hdr.order.queue;
        hdr.signal.port = hdr.order.port;
        hdr.signal.layer = LAYER;
        hdr.padding.p0 = 0;
        hdr.padding.p1 = 0;
        hdr.padding.p2 = 0;
        hdr.padding.p3 = 0;
        hdr.padding.p4 = 0;
        hdr.padding.p5 = 0;
        hdr.padding.p6 = 0;
        hdr.padding.p7 = 0;
        hdr.order.setInvalid();
    }

    SIGNALS_TABLE

    action unbridge() { hdr.bridge.setInvalid(); }

    // The mirrored copy is the notice: it goes round, to ingress.
    action notify() {
        hdr.bridge.kind = KIND_NOTICE;
        eg_dprsr_md.mirror_type = 1;
        eg_dprsr_md.mirror_io_select = 1;
        md.session = NOTICE_SESSION;
        hdr.bridge.setInvalid();
    }

    apply {
        if (hdr.order.isValid() && hdr.order.kind == KIND_REPLICA) {
            signals.apply();
        } else if (hdr.bridge.isValid() && hdr.bridge.kind == KIND_DATA) {
            if (hdr.bridge.class == 0) { // HQ counts for nothing (Algorithm 2, line 26)
                unbridge();
            } else {
                notify();
            }
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
                {hdr.bridge.kind, hdr.bridge.class, hdr.bridge.index, hdr.bridge.cells});
        }
        pkt.emit(hdr);
    }
}

#if GHOST
#define REPORTED_QUEUES PORTS
GHOST_CONTROL(ddq_depth, ddq_depth_report_depth, PORT_BITS)
#endif

PIPELINE
