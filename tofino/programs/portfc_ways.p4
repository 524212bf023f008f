// Of the ingress of portfc.p4: orders, frames from nodes, and how packets go on.

    // ---- Orders: GenFrame and SendToUpstream (Algorithms 1 and 2) ----

    // The packet goes its way. Its mirrored copy goes round behind the order.
    action send_pause() {
        hdr.order.kind = KIND_SIGNAL;
        hdr.order.type = PAUSE;
        hdr.order.queue = md.named;
        hdr.order.port = md.index;
        ig_dprsr_md.mirror_type = 1;
        md.session = SIGNAL_SESSION;
    }

    // The notice has nowhere to go: it becomes the order.
    action send_resume() {
        hdr.order.setValid();
        hdr.order.kind = KIND_REPLICA;
        hdr.order.type = RESUME;
        hdr.order.queue = md.named;
        hdr.order.port = md.index;
        md.kind = KIND_SIGNAL;
        hdr.bridge.setInvalid();
        hdr.cut.setInvalid();
    }

    action to_others(bit<16> group, bit<9> excluded) {
        ig_tm_md.mcast_grp_a = group;
        ig_tm_md.level2_exclusion_id = excluded;
        ig_tm_md.qid = HQ;
    }

    // "For all other ports": a multicast group of all, without the congested one.
    table others {
        key = { INDEX_OF(md.index) : exact @name("port"); }
        actions = { to_others; drop; }
        default_action = drop();
        size = PORTS;
    }

    // ---- Frames from nodes (Algorithm 4) ----

    HEARD_REGISTER(PORTS, md.from)
    WORD_ACTION

    // The IHFQ, of the port by which the frame came, for the port that the frame says is congested.
    // Only a full DDQ of the switch behind the node is relayed to here (Algorithm 3, line 21).
    table afc {
        key = {
            INDEX_OF(md.from) : exact @name("congested");
            hdr.signal.queue : exact @name("queue");
            hdr.signal.port : exact @name("port");
            hdr.signal.layer : exact @name("layer");
        }
        actions = { say_word; nothing; }
        default_action = nothing();
        size = PORTS * (PORTS - 1);
    }

    // ---- Packets on their way ----

    action forward() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_DATA;
        hdr.bridge.class = md.class;
        hdr.bridge.index = md.index;
        hdr.bridge.cells = md.cells;
        ig_tm_md.ucast_egress_port = md.port;
        ig_tm_md.qid = md.qid;
    }

    action end() { ig_dprsr_md.drop_ctl = DROP; }
