// Of the ingress of pyrrha.p4: how packets, frames and threads go on.

    // ---- On their way: packets, frames, threads ----

    // An order for a frame, mirrored to the port of the peer. In egress it becomes the frame.
#define SEND_ORDER(what, hops) \
        ig_dprsr_md.mirror_type = MIRROR; \
        md.session = SIGNAL_SESSION; \
        ig_dprsr_md.mirror_egress_port = md.back; \
        ig_dprsr_md.mirror_qid = SIGNAL_QUEUE; \
        hdr.order.kind = KIND_SIGNAL; \
        hdr.order.type = what; \
        hdr.order.hop = hops; \
        hdr.order.root_switch = md.root_switch; \
        hdr.order.root_port = md.root_port; \
        hdr.order.old_switch = md.old_switch; \
        hdr.order.old_port = md.old_port;

    action send_frame() { SEND_ORDER(md.type, md.level + 1) }
    action send_dealloc() { SEND_ORDER(DEALLOC, 0) }
    action answer() { SEND_ORDER(DEALLOC, 0) }

    // What a frame leads to, in the fields of a thread. A port that is a root and is paused by
    // another gives way: its tree is merged into the other's (section IV-A).
    COPY(16, slot_given_up)
    COPY(16, port_given_up)
    action give_up_port() {
        md.old_slot = slot_given_up.get({md.egress});
        md.old_port = port_given_up.get({md.egress});
    }
    action abdicate() {
        md.old_level = 0;
        md.old_switch = THIS_SWITCH;
        md.todo_merge = 1;
    }
    action look_at_gates() { md.todo_gates = 1; }
    action merge_trees() {
        md.todo_merge = 1;
        md.todo_leaves = 1;
    }
    action check_named() { md.check = md.level_set; }

    // A thread goes round, to do something in its next pass, or to all ports or queues.
#define GO(what) \
        hdr.thread.setValid(); \
        hdr.thread.op = what; \
        md.goes = 1; \
        ig_tm_md.ucast_egress_port = ROUND_PORT;
#define SPREAD(what, group) \
        hdr.thread.setValid(); \
        hdr.thread.op = what; \
        md.goes = 1; \
        ig_tm_md.mcast_grp_a = group;

    action give_slot() {
        GO(OP_ENTER)
        md.slot = md.given;
    }
    action look_at_gate() { GO(OP_GATE) }
    action forget() { GO(OP_FORGET) }
    action look_at_leaves() { SPREAD(OP_LEAVES, GROUP_PORTS) }
    COPY(16, slot_resumed)
    action resume_upstreams() {
        md.level = 0;
        md.slot = slot_resumed.get({md.egress});
        SPREAD(OP_TURN, GROUP_PORTS)
    }
    action notice_sends() {
        md.to_send = md.changed;
        md.to_host = md.host;
        md.check = md.checks;
        md.type = RESUME;
        GO(OP_SEND)
    }
    action notice_checks() {
        md.check = md.checks;
        md.type = RESUME;
        GO(OP_CHECK)
    }

    // An upstream that left the tree of a root is taken out of the count.
    COPY(16, port_left)
    action left_tree0() {
        GO(OP_SEND)
        md.to_send = 1;
        md.type = 0;
        md.egress = port_left.get({md.number});
    }
    action left_tree() {
        GO(OP_SEND)
        md.to_send = md.level_set;
        md.type = 0;
    }

    action send_own() {
        md.to_send = 1;
        md.to_host = md.host;
        md.type = RESUME;
        GO(OP_SEND)
    }
    action go_join() { GO(OP_JOIN) }
#define SLOT_OF_NEW_ROOT(n) md.slot##n = md.slot; // of its level: the others are not looked at
    action send_merge() {
        GO(OP_SEND)
        md.to_send = md.level_set;
        md.to_host = md.host;
        md.type = MERGE;
        EACH_LEVEL(SLOT_OF_NEW_ROOT)
    }
    action go_send() { GO(OP_SEND) }
    action go_to_gates() {
        md.todo_gates = 0;
        SPREAD(OP_GATES, GROUP_QUEUES)
    }
    action go_merge() {
        md.todo_merge = 0;
        SPREAD(OP_MERGE, GROUP_PORTS)
    }
    action go_to_leaves() {
        md.todo_leaves = 0;
        md.level = md.old_level;
        md.slot = md.old_slot;
        md.type = RESUME;
        SPREAD(OP_LEAVES, GROUP_PORTS)
    }
    action go_check() { GO(OP_CHECK) }

    action send_round() {
        hdr.thread.kind = KIND_THREAD;
        TO_THREAD(type)
        TO_THREAD(to_send)
        TO_THREAD(resumed)
        TO_THREAD(to_host)
        THREAD_FIELDS(TO_THREAD)
        EACH_LEVEL(SLOT_TO_THREAD)
        hdr.about.setValid();
        ABOUT_FIELDS(TO_ABOUT)
        hdr.bridge.setInvalid();
        hdr.ethernet.setInvalid();
        hdr.ether_type.setInvalid();
        hdr.signal.setInvalid();
        hdr.root.setInvalid();
        hdr.old.setInvalid();
        hdr.distance.setInvalid();
        hdr.pad_pause.setInvalid();
        hdr.pad_resume.setInvalid();
        hdr.pad_merge.setInvalid();
        hdr.padding.setInvalid();
    }
    action end() { ig_dprsr_md.drop_ctl = DROP; }

    // Data goes to a queue of its port.
#define FORWARDED(sort) \
        hdr.bridge.setValid(); \
        hdr.bridge.kind = sort; \
        hdr.bridge.egress = md.egress; \
        hdr.bridge.ingress = md.ingress; \
        hdr.bridge.egress_class = md.egress_class; \
        hdr.bridge.queue = md.queue; \
        hdr.bridge.cells = md.cells; \
        hdr.bridge.index = md.index; \
        EACH_LEVEL(SLOT_TO_BRIDGE) \
        ig_tm_md.ucast_egress_port = md.path_port; \
        ig_tm_md.qid = md.queue[6:0];

    // Sets of levels are made of what registers said of each, bit n of level n.
#define NEW_OF(n) md.new##n[n:n]
#define RESUMED_OF(n) md.sent##n[0:0] // SENT_RESUME
#define LAST_OF(n) md.last##n[n:n]
    COPY(8, set_of_changed)
    COPY(8, set_of_resumed)
    COPY(8, set_of_checks)
    action all_levels() {
        md.changed = set_of_changed.get({REST, LEVELS_DOWN(NEW_OF), md.new0[0:0]});
        md.were_resumed = set_of_resumed.get({REST, LEVELS_DOWN(RESUMED_OF), md.sent0[0:0]});
        md.checks = set_of_checks.get({REST, LEVELS_DOWN(LAST_OF), 1w0});
    }

    // The upstream of a packet is paused: a copy of it goes round as a thread that sends the
    // frames. A host that is paused joins the tree in any case.
#define PAUSE_UPSTREAM(whose) \
        ig_dprsr_md.mirror_type = MIRROR_THREAD; \
        md.session = THREAD_SESSION; \
        hdr.thread.kind = KIND_PAUSES; \
        hdr.thread.op = OP_SEND; \
        hdr.thread.type = PAUSE; \
        hdr.thread.to_send = md.changed; \
        hdr.thread.resumed = whose; \
        hdr.thread.to_host = md.host; \
        THREAD_FIELDS(TO_THREAD) \
        EACH_LEVEL(SLOT_TO_THREAD)

    action forward() { FORWARDED(KIND_DATA) }
    action forward_other() { FORWARDED(KIND_PASS) }
    action forward_pausing_host() {
        FORWARDED(KIND_DATA)
        PAUSE_UPSTREAM(0)
    }
    action forward_pausing() {
        FORWARDED(KIND_DATA)
        PAUSE_UPSTREAM(md.were_resumed)
    }
