// Of the ingress of ofc.p4: the gates of queues, and how packets, frames and what goes round go on.

    // ---- What holds a class here, and the gate of a queue ----

    // A class is held by a frame about all flows (low), or because congested_flow_tab had no room
    // for a flow that a frame paused (high).
    Register<pair32_t, class_at_t>(CLASSES, {0, 0}) held;

    RegisterAction<pair32_t, class_at_t, bit<32>>(held) held_by_frame = {
        void apply(inout pair32_t value, out bit<32> hold) {
            hold = 0;
            value.low = md.stops;
            if (md.stops != 0 || value.high != 0) {
                hold = 1;
            }
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<32>>(held) held_for_room = {
        void apply(inout pair32_t value, out bit<32> hold) {
            hold = 0;
            value.high = md.stops;
            if (md.stops != 0 || value.low != 0) {
                hold = 1;
            }
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<32>>(held) held_look_at = {
        void apply(inout pair32_t value, out bit<32> hold) {
            hold = 0;
            if (value.low != 0 || value.high != 0) {
                hold = 1;
            }
        }
    };

    action as_frame_says() {
        md.hold = held_by_frame.execute(OF_EGRESS);
        md.word = 1;
    }
    action as_there_is_room() {
        md.hold = held_for_room.execute(OF_EGRESS);
        md.word = 1;
    }
    action look_at_held() { md.hold = held_look_at.execute(OF_EGRESS); }

    // The gate is of the queue that is served, as a frame says, or of the queues that change their
    // roles.
    action gate_of_draining() { md.queue = md.other; }
    action gate_of_normal() { md.queue = 0; }
    action shut_normal() {
        md.queue = 0;
        md.hold = 1;
        md.word = 1;
    }
    action shut_drained() {
        md.queue = md.other;
        md.hold = 1;
        md.word = 1;
    }
    action open_it() { md.word = 1; }

    WORD_ACTION

    table afc {
        key = {
            INDEX_OF(md.egress) : exact @name("port");
            md.class : exact @name("traffic_class");
            md.queue[1:0] : exact @name("queue");
        }
        actions = { say_word; nothing; }
        default_action = nothing();
        size = 3 * 8 * PORTS;
    }

    // ---- On their way: packets, signals, and what goes round ----

    // An order for a frame, mirrored to the port that the packet came by. In egress it becomes the
    // frame (table signals).
#define ORDER_FRAME(type, length, flows, flags) \
        ig_dprsr_md.mirror_type = MIRROR; \
        md.session = SIGNAL_SESSION; \
        ig_dprsr_md.mirror_egress_port = md.back; \
        ig_dprsr_md.mirror_qid = SIGNAL_QUEUE; \
        hdr.copy.kind = KIND_SIGNAL; \
        hdr.copy.what = type; \
        hdr.copy.class = md.class; \
        hdr.copy.flag = flags; \
        hdr.copy.at = length; \
        hdr.copy.then = flows;
#define ORDER_FLOW(type, flags) \
        ORDER_FRAME(type, BODY + FLOW, 1, flags) \
        hdr.copy.high = md.high; \
        hdr.copy.low = md.low;

    action pause_flow() { ORDER_FLOW(PAUSE, FLAG_NONE) }
    action resume_flow() { ORDER_FLOW(RESUME, FLAG_NONE) }
    action resume_last_flow() { ORDER_FLOW(RESUME, FLAG_LAST) }
    action pause_all() { ORDER_FRAME(PAUSE, BODY, 0, FLAG_ALL) }
    action resume_all() { ORDER_FRAME(RESUME, BODY, 0, FLAG_ALL) }

    // A copy of a data packet goes round: to name all flows of its queue, or because it leaves the
    // backup queue empty as it moves.
#define START_ROUND(sort) \
        ig_dprsr_md.mirror_type = MIRROR; \
        md.session = ROUND_SESSION; \
        hdr.copy.kind = sort; \
        hdr.copy.egress = md.egress; \
        hdr.copy.class = md.class;

    action walk_flows() {
        START_ROUND(KIND_WALK)
        hdr.copy.ingress = md.ingress;
        hdr.copy.back = md.back;
        hdr.copy.flag = md.original;
    }
    action moved_last() { START_ROUND(KIND_ENDED) }

    action end() { ig_dprsr_md.drop_ctl = DROP; }

    // Data goes to a queue of its port.
#define BRIDGE_TO(number, chip_queue) \
        hdr.bridge.setValid(); \
        hdr.bridge.kind = KIND_DATA; \
        hdr.bridge.egress = md.egress; \
        hdr.bridge.ingress = md.ingress; \
        hdr.bridge.class = md.class; \
        hdr.bridge.queue = number; \
        hdr.bridge.where = md.where; \
        hdr.bridge.cells = md.cells; \
        hdr.bridge.back = md.back; \
        hdr.bridge.port = md.port; \
        hdr.bridge.high = md.high; \
        hdr.bridge.low = md.low; \
        ig_tm_md.ucast_egress_port = md.port; \
        ig_tm_md.qid = chip_queue[6:0];

    action forward() { BRIDGE_TO(0, md.base) }
    action to_paused_queue() { BRIDGE_TO(md.paused_queue, md.qid) }

    // A notice becomes the end of a rotation, the repeal of all flows that frames paused, both in
    // turn, or nothing.
#define BECOME(sort, next) \
        hdr.bridge.setInvalid(); \
        hdr.order.setValid(); \
        hdr.order.kind = sort; \
        hdr.order.egress = md.egress; \
        hdr.order.class = md.class; \
        hdr.order.ingress = md.ingress; \
        hdr.order.back = md.back; \
        hdr.order.what = 0; \
        hdr.order.flag = 0; \
        hdr.order.queue = 0; \
        hdr.order.then = next; \
        hdr.order.at = 0; \
        hdr.order.high = 0; \
        hdr.order.low = 0; \
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;

    action drained_then_repeal() { BECOME(KIND_ENDED, 1) }
    action drained() { BECOME(KIND_ENDED, 0) }
    action repeal() { BECOME(KIND_REPEAL, 0) }

    // A frame goes round to the copy of congested_flow_tab in egress. If it changes what is paused
    // it comes back as the order mark.
#define UPDATE_EGRESS(effect, effective) \
        hdr.order.setValid(); \
        hdr.cut.setValid(); \
        hdr.order.kind = KIND_UPDATE; \
        hdr.order.egress = md.egress; \
        hdr.order.class = md.class; \
        hdr.order.ingress = 0; \
        hdr.order.back = 0; \
        hdr.order.what = effect; \
        hdr.order.flag = effective; \
        hdr.order.queue = 0; \
        hdr.order.then = 0; \
        hdr.order.at = 0; \
        hdr.order.high = md.high; \
        hdr.order.low = md.low; \
        ig_tm_md.ucast_egress_port = ROUND_PORT; \
        hdr.ethernet.setInvalid(); \
        hdr.ether_type.setInvalid(); \
        hdr.signal.setInvalid(); \
        hdr.subject.setInvalid(); \
        hdr.flow.setInvalid();

    action update_egress_pause() { UPDATE_EGRESS(UPDATE_PAUSE, 0) }
    action update_egress_defer() { UPDATE_EGRESS(UPDATE_DEFER, 0) }
    action update_egress_resume() { UPDATE_EGRESS(UPDATE_RESUME, 1) }

    // An order goes round once more.
#define ONCE_MORE(sort) \
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port; \
        hdr.order.kind = sort;
#define OPEN(number) \
        hdr.order.queue = number; \
        ONCE_MORE(KIND_OPEN)

    action mark_order() { ONCE_MORE(KIND_ORDER_MARK) }
    action open_paused() { OPEN(md.paused_queue) }
    action next_rotation() {
        hdr.order.flag = md.any;
        ONCE_MORE(KIND_NEXT)
    }
    action open_next() { OPEN(md.paused_queue) }
    action open_normal() { OPEN(0) }
    action repeal_then() {
        hdr.order.at = 0;
        ONCE_MORE(KIND_REPEAL)
    }
    action walk_on() {
        hdr.order.at = hdr.order.at + 1;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }

    // A packet finds q_in and q_out over X^c_OFF (Algorithm 1, line 4), or q_in over X_OFF (line
    // 10).
#define CONGESTED \
    (COUNTED(KIND_DATA) && md.beyond_in == 1 && md.beyond_out == 1 && md.beyond_all == 0)
#define OVERFULL (COUNTED(KIND_DATA) && md.beyond_all == 1)

    // A frame names a flow upstream: the packet's flow, or one that a walk has met; at a local
    // congestion only if it is in congested_flow_tab (Algorithm 1, lines 5 to 9).
#define IN_CONGESTED_TAB (md.own_a == 1 || md.own_b == 1)
#define NAMES_ITSELF \
    (CONGESTED && md.strangers == 0 && md.walk == 0 && (md.original == 1 || IN_CONGESTED_TAB))
#define NAMES \
    (NAMES_ITSELF || (md.kind == KIND_WALK && md.found == 1 && \
        INDEX_OF(md.from) == INDEX_OF(md.ingress) && (md.flag == 1 || IN_CONGESTED_TAB)))

    // Packets are looked up in congested_flow_tab; frames write there.
#define LOOKS_UP (COUNTED(KIND_DATA) || md.kind == KIND_WALK)
