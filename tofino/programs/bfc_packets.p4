// Of the ingress of bfc.p4: what a packet is, whose state it is about, and whether a frame is newer
// than those heard.

    // ---- What a packet is, and whose state it is about ----

    action from_port(
            bit<8> index, bit<PORT_BITS> ingress_class, bit<32> sticky, bit<16> upstream_queues) {
        md.ingress = index;
        md.ingress_class = ingress_class;
        md.sticky = sticky;
        md.upstream_max = upstream_queues;
        md.front = 1;
    }

    // Ports of the switch. Sticky is two HRTT of the link (section 3.2).
    table port_in {
        key = { ig_intr_md.ingress_port : exact @name("port"); }
        actions = { from_port; nothing; }
        default_action = nothing();
        size = PORTS;
    }

    action route_to(bit<9> port, bit<8> egress, bit<PORT_BITS> egress_class) {
        md.port = port;
        md.egress = egress;
        md.egress_class = egress_class;
        md.routed = 1;
    }

    table route {
        key = { hdr.ipv4.dst : lpm @name("dst"); }
        actions = { route_to; nothing; }
        default_action = nothing();
        size = ROUTES;
    }

    CELLS_TABLE(nothing)

    CRCPolynomial<bit<32>>(0x04C11DB7, true, false, false, 0xFFFFFFFF, 0xFFFFFFFF) flow_hash_poly;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, flow_hash_poly) flow_hash;

    action take_packet_in() {
        md.kind = KIND_DATA;
        md.back = ig_intr_md.ingress_port;
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
    }

    // The VFID is the low bits of a hash of the five-tuple (section 3.2). An action without a key
    // that hashes can have no constants: it stands alone.
    action find_vfid() {
        md.vfid = flow_hash.get({hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol,
            hdr.l4.src, hdr.l4.dst})[15:0];
    }

    action take_shim() {
        md.upstream = hdr.shim.queue;
        md.known = md.upstream_max |-| hdr.shim.queue;
    }

    action take_notice() {
        md.kind = hdr.bridge.kind;
        md.egress = hdr.bridge.egress;
        md.queue = hdr.bridge.queue;
        md.ingress = hdr.bridge.ingress;
        md.upstream = hdr.bridge.upstream;
        md.vfid = hdr.bridge.vfid;
        md.cells = hdr.bridge.cells;
        md.counted = hdr.bridge.counted;
        md.back = hdr.bridge.back;
        md.now = ig_intr_md.ingress_mac_tstamp[31:0];
    }

    action take_pause() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.queue = hdr.signal.queue[7:0];
        md.hold = 1;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

    action take_resume() {
        md.kind = KIND_FRAME;
        md.egress = md.ingress;
        md.queue = hdr.signal.queue[7:0];
        md.hold = 0;
        md.window_end = hdr.signal.sequence + 0xFFFF;
    }

#if WITHHELD_PAIRS
    action withholds() { md.withheld = 1; }

    // Pairs of ports of which the egress never pauses what came by the ingress.
    table withhold {
        key = {
            INDEX_OF(md.ingress) : exact @name("ingress");
            INDEX_OF(md.egress) : exact @name("egress");
        }
        actions = { withholds; nothing; }
        default_action = nothing();
        size = WITHHELD_PAIRS;
    }
#endif

    HEARD_REGISTER(PORTS, md.ingress)

    // A frame that is newer than those before it, about a queue that there is.
#define OBEYED (md.kind == KIND_FRAME && md.fresh == 1 && hdr.signal.queue[15:QUEUE_BITS] == 0)
