// Of the ingress of bfc.p4: how orders, words of flow control and packets go on.

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
