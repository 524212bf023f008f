// Of the ingress of portfc.p4: what a packet is, and where it goes.

    // ---- What a packet is ----

    action take_packet() { md.kind = KIND_DATA; }

    action take_notice() {
        md.kind = KIND_NOTICE;
        md.class = hdr.bridge.class;
        md.index = hdr.bridge.index;
        md.cells = hdr.bridge.cells;
    }

    action take_order() {
        md.kind = KIND_SIGNAL;
        md.index = hdr.order.port;
        hdr.order.kind = KIND_REPLICA;
        hdr.cut.setInvalid();
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.hold = 1;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.hold = 0;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action from_port(bit<16> index) { md.from = index; }

    table port_in {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { from_port; drop; }
        default_action = drop();
        size = PORTS;
    }

    // ---- Where it goes: digits of the destination (section IV-A) ----

    action leave_by(bit<9> port, bit<16> index) {
        md.port = port;
        md.index = index;
    }

    // The egress is the digit of this layer.
    table egress {
        key = { hdr.ipv4.dst : ternary @name("dst"); }
        actions = { leave_by; drop; }
        default_action = drop();
        size = PORTS;
    }

    action to_ihfq(bit<7> qid) {
        md.qid = qid;
        md.class = COUNTS_IHFQ;
    }

    action to_ddq() {
        md.qid = DDQ;
        md.class = COUNTS_DDQ;
    }

    action to_hq() {
        md.qid = HQ;
        md.class = 0;
    }

    // The queue is the other digit: an IHFQ, or the DDQ if that digit is the next node's own, and
    // HQ for some classes (GetQIdx in Algorithm 1, line 1; section III-B).
    table queue {
        key = {
            hdr.ipv4.dscp[7:5] : ternary @name("traffic_class");
            hdr.ipv4.dst : ternary @name("dst");
        }
        actions = { to_ihfq; to_ddq; to_hq; drop; }
        default_action = drop();
        size = PORTS + HIGH_CLASSES;
    }

    CELLS_TABLE(drop)
