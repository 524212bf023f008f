// Of the ingress of portfc.p4: the detectors of a port.

    // ---- Detectors: X_off and X_on (section IV-C, Algorithms 1 and 2) ----

    // A detector of a port has two words: the sum of cells, and the flag upstreamIsPaused. A packet
    // compares the sum before it with X_off less its own cells, a notice with X_on and its cells:
    // that is md.mark.
    Register<pair32_t, bit<PORT_BITS>>(PORTS, {0, 0}) ihfq;
    Register<pair32_t, bit<PORT_BITS>>(PORTS, {0, 0}) ddq;

    // A packet joins an IHFQ: Algorithm 1, lines 5 to 13.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ihfq) ihfq_add_ihfq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark) {
                value.high = 1;
            }
            if (before.low >= md.mark && before.high == 0) {
                crossed = 1;
            }
        }
    };

    // A packet has left an IHFQ: Algorithm 2, lines 1 to 10.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ihfq) ihfq_take_ihfq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low - md.cells;
            if (before.low <= md.mark) {
                value.high = 0;
            }
            if (before.low <= md.mark && before.high != 0) {
                crossed = 1;
            }
        }
    };

#if GHOST
    // The sum of the DDQ is the last depth that ghost received, and md.mark is what the depth lacks
    // to X_off, or to one more than X_on.
    READ_ACTION(bit<32>, bit<PORT_BITS>, ddq_depth, read_depth)

    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_add_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            if (md.mark == 0) {
                value.high = 1;
            }
            if (md.mark == 0 && before.high == 0) {
                crossed = 1;
            }
        }
    };

    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_take_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            if (md.mark != 0) {
                value.high = 0;
            }
            if (md.mark != 0 && before.high != 0) {
                crossed = 1;
            }
        }
    };
#else
    // A packet joins the DDQ: Algorithm 1, lines 20 to 22.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_add_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low + md.cells;
            if (before.low >= md.mark) {
                value.high = 1;
            }
            if (before.low >= md.mark && before.high == 0) {
                crossed = 1;
            }
        }
    };

    // A packet has left the DDQ: Algorithm 2, lines 17 to 19.
    RegisterAction<pair32_t, bit<PORT_BITS>, bit<1>>(ddq) ddq_take_ddq = {
        void apply(inout pair32_t value, out bit<1> crossed) {
            pair32_t before = value;
            crossed = 0;
            value.low = before.low - md.cells;
            if (before.low <= md.mark) {
                value.high = 0;
            }
            if (before.low <= md.mark && before.high != 0) {
                crossed = 1;
            }
        }
    };
#endif

    action arrives(bit<32> limit, bit<16> queue_named) {
        md.named = queue_named;
        md.mark = limit |-| md.cells;
    }

    action leaves(bit<32> limit, bit<16> queue_named) {
        md.named = queue_named;
        md.mark = limit + md.cells;
    }

#if GHOST
    action missing_to(bit<32> limit, bit<16> queue_named) {
        md.named = queue_named;
        md.mark = limit |-| md.ddq_depth;
    }

    action look_at_depth() { md.ddq_depth = ddq_depth_read_depth.execute(INDEX_OF(md.index)); }
#endif

    // X_off for packets and X_on for notices, of each detector of each port.
    table limits {
        key = {
            md.kind[2:0] : exact @name("kind");
            md.class[1:0] : exact @name("queue_class");
            INDEX_OF(md.index) : exact @name("port");
        }
#if GHOST
        actions = { arrives; leaves; drop; missing_to; }
#else
        actions = { arrives; leaves; drop; }
#endif
        default_action = drop();
        size = 4 * PORTS;
    }

    action arrive_ihfq() { md.crossed = ihfq_add_ihfq.execute(INDEX_OF(md.index)); }
    action leave_ihfq() { md.crossed = ihfq_take_ihfq.execute(INDEX_OF(md.index)); }
    action arrive_ddq() { md.crossed = ddq_add_ddq.execute(INDEX_OF(md.index)); }
    action leave_ddq() { md.crossed = ddq_take_ddq.execute(INDEX_OF(md.index)); }
