// Of the ingress of ofc.p4: what a packet is, whose state it is about, whether a frame is newer
// than those heard, and the depths of queues.

    // ---- What a packet is, and whose state it is about ----

    CRCPolynomial<bit<32>>(0x04C11DB7, true, false, false, 0xFFFFFFFF, 0xFFFFFFFF) flow_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_poly) flow_hash; // CRC-32
    CRCPolynomial<bit<32>>(0x1EDC6F41, true, false, false, 0xFFFFFFFF, 0xFFFFFFFF)
        flow_hash_high_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_high_poly) flow_hash_high; // CRC-32C

    action nothing() {}

    action take_bridged() {
        md.kind = hdr.bridge.kind;
        md.egress = hdr.bridge.egress;
        md.ingress = hdr.bridge.ingress;
        md.class = hdr.bridge.class;
        md.gone = hdr.bridge.queue;
        md.where = hdr.bridge.where;
        md.cells = hdr.bridge.cells;
        md.back = hdr.bridge.back;
        md.port = hdr.bridge.port;
        md.high = hdr.bridge.high;
        md.low = hdr.bridge.low;
    }

    action take_order() {
        md.kind = hdr.order.kind;
        md.egress = hdr.order.egress;
        md.class = hdr.order.class;
        md.ingress = hdr.order.ingress;
        md.back = hdr.order.back;
        md.flag = hdr.order.flag;
        md.queue = hdr.order.queue;
        md.at = hdr.order.at;
        md.high = hdr.order.high;
        md.low = hdr.order.low;
    }

    // Packets of the generator hold the backup queues when the chip starts: batches are egress
    // ports, packets of a batch are two of each class.
#define HOLD_BACKUP(number) \
        md.kind = KIND_TIMER; \
        md.egress = hdr.timer.batch[7:0]; \
        md.class = hdr.timer.packet[3:1]; \
        md.hold = 1; \
        md.word = 1; \
        md.queue = number;

    action hold_first_backup() { HOLD_BACKUP(1) }
    action hold_second_backup() { HOLD_BACKUP(2) }

    action from_port(bit<8> index, bit<32> number) {
        md.ingress = index;
        md.came_by = number;
        md.front = 1;
    }

    table port_in {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { from_port; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    action route_to(bit<9> port, bit<8> egress) {
        md.port = port;
        md.egress = egress;
        md.routed = 1;
    }

    table route {
        key = { hdr.ipv4.dst : lpm @name("dst"); }
        actions = { route_to; nothing; }
        default_action = nothing();
        size = ROUTES;
    }

    CELLS_TABLE(nothing)

    // A frame is about the port that it came by: what waits there goes the way it came from.
#define TAKE_FRAME(pauses) \
        md.kind = KIND_FRAME; \
        md.egress = md.ingress; \
        md.class = hdr.subject.class; \
        md.high = hdr.flow.flow_high; \
        md.low = hdr.flow.flow_low; \
        md.stops = pauses; \
        md.window_end = hdr.signal.sequence + 0xFFFF;

    action take_pause() { TAKE_FRAME(1) }
    action take_resume() { TAKE_FRAME(0) }

#define FIVE_TUPLE {hdr.ipv4.dst, hdr.ipv4.protocol, hdr.ipv4.src, hdr.l4.src, hdr.l4.dst}

    action take_packet_in() {
        md.kind = KIND_DATA;
        md.back = ig_intr_md.ingress_port;
        md.class = hdr.ipv4.dscp[7:5];
    }
    // An action has 32 bits of hashes, and no data beside them.
    action hash_low() { md.low = flow_hash.get(FIVE_TUPLE); }
    action hash_high() { md.high = flow_hash_high.get(FIVE_TUPLE); }

    // A class has a normal queue and, if it is under OFC, the two backup queues behind it (OFC,
    // section III-B, "The minimum number of required queues").
    action under_ofc(bit<8> queue) {
        md.base = queue;
        md.managed = 1;
    }
    action not_under_ofc(bit<8> queue) { md.base = queue; }

    table class_queue {
        key = { md.class : exact @name("traffic_class"); }
        actions = { under_ofc; not_under_ofc; nothing; }
        default_action = nothing();
        size = 8;
    }

    // ---- Whether a frame is newer than those heard ----

    HEARD_REGISTER((1 << PORT_BITS), md.egress)
    action obey() { md.obeys = 1; }

    // ---- q_in and q_out against X^c_OFF, X_OFF and X_ON (Algorithm 1, lines 3, 4, 10 and 16) ----

    // Packets are whole cells, so a threshold in bytes is equal to one in cells.
    action limit_to(bit<32> congested, bit<32> all_limit, bit<32> resume, bit<32> queue) {
        md.congested_limit = congested;
        md.all_limit = all_limit;
        md.on_limit = resume;
        md.out_limit = queue;
    }

    table limits { // section III-C
        key = { INDEX_OF(md.ingress) : exact @name("ingress"); }
        actions = { limit_to; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    // Data adds its cells when it comes, and its notice takes them away.
#define CELLS_REGISTER(name, element) \
    Register<bit<32>, class_at_t>(CLASSES, 0) name; \
    SUM_ACTION(bit<32>, class_at_t, name, fill, + md.cells) \
    SUM_ACTION(bit<32>, class_at_t, name, drain, - md.cells) \
    action fill_##name() { md.name##_now = name##_fill.execute(element); } \
    action drain_##name() { md.name##_now = name##_drain.execute(element); }

    CELLS_REGISTER(q_in, OF_INGRESS)

#if GHOST
    // q_out is the sum of the depths of the three queues of a class.
#define READ_DEPTH(queue) \
    READ_ACTION(bit<32>, class_at_t, depth##queue, read) \
    action read_depth##queue() { md.depth##queue = depth##queue##_read.execute(OF_EGRESS); }

    READ_DEPTH(0)
    READ_DEPTH(1)
    READ_DEPTH(2)
    action two_depths() { md.q_out_now = md.depth0 + md.depth1; }
    action three_depths() { md.q_out_now = md.q_out_now + md.depth2; }
#else
    CELLS_REGISTER(q_out, OF_EGRESS)
#endif

    action compare() {
        md.over_in = md.q_in_now |-| md.congested_limit;
        md.over_all = md.q_in_now |-| md.all_limit;
        md.over_out = md.q_out_now |-| md.out_limit;
    }
    action compare_low() { md.below = md.on_limit |-| md.q_in_now; }
    action q_in_beyond_congested() { md.beyond_in = 1; }
    action q_in_beyond() { md.beyond_all = 1; }
    action q_out_beyond() { md.beyond_out = 1; }
    action q_in_low() { md.is_low = 1; }
