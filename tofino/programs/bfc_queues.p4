// Of the ingress of bfc.p4: the packets of queues, and what pauses a queue upstream.

    // ---- N_active: queues that have packets and are not paused (section 3.3) ----

    // Packets in a queue.
    Register<bit<16>, queue_at_t>(QUEUES, 0) packets;

    RegisterAction<bit<16>, queue_at_t, bit<1>>(packets) packets_add_packet = {
        void apply(inout bit<16> value, out bit<1> filled) {
            filled = 0;
            if (value == 0) {
                filled = 1;
            }
            value = value + 1;
        }
    };

    RegisterAction<bit<16>, queue_at_t, bit<1>>(packets) packets_take_packet = {
        void apply(inout bit<16> value, out bit<1> emptied) {
            emptied = 0;
            if (value == 1) {
                emptied = 1;
            }
            value = value - 1;
        }
    };

    RegisterAction<bit<16>, queue_at_t, bit<1>>(packets) packets_has_packets = {
        void apply(inout bit<16> value, out bit<1> busy) {
            busy = 0;
            if (value != 0) {
                busy = 1;
            }
        }
    };

    action enter_queue() { md.filled = packets_add_packet.execute(QUEUE_AT); }
    action leave_queue() { md.emptied = packets_take_packet.execute(QUEUE_AT); }
    action look_at_packets() { md.busy = packets_has_packets.execute(QUEUE_AT); }

    // Whether downstream has paused a queue.
    Register<bit<1>, queue_at_t>(QUEUES, 0) paused;

    READ_ACTION(bit<1>, queue_at_t, paused, read_paused)

    RegisterAction<bit<1>, queue_at_t, bit<1>>(paused) paused_pause_queue = {
        void apply(inout bit<1> value, out bit<1> was) {
            was = value;
            value = 1;
        }
    };

    RegisterAction<bit<1>, queue_at_t, bit<1>>(paused) paused_resume_queue = {
        void apply(inout bit<1> value, out bit<1> was) {
            was = value;
            value = 0;
        }
    };

    action look_at_pause() { md.paused = paused_read_paused.execute(QUEUE_AT); }
    action pause_it() { md.paused = paused_pause_queue.execute(QUEUE_AT); }
    action resume_it() { md.paused = paused_resume_queue.execute(QUEUE_AT); }

    // N_active of a port.
    Register<bit<8>, port_at_t>(PORTS, 0) active;

    SUM_ACTION(bit<8>, port_at_t, active, activate, + 1)
    ADD_ACTION(bit<8>, port_at_t, active, deactivate, - 1)
    READ_ACTION(bit<8>, port_at_t, active, read_active)

    action activate_queue() { md.active = active_activate.execute(PORT_AT); }
    action deactivate_queue() { active_deactivate.execute(PORT_AT); }
    action look_at_active() { md.active = active_read_active.execute(PORT_AT); }

    // ---- The threshold (section 3.3) ----

#if GHOST
    READ_ACTION(bit<32>, queue_at_t, length, read_length)

    action read_depth() { md.depth = length_read_length.execute(QUEUE_AT); }
#else
    // The cells of a queue.
    Register<bit<32>, queue_at_t>(QUEUES, 0) length;

    SUM_ACTION(bit<32>, queue_at_t, length, add_cells, + md.cells)
    ADD_ACTION(bit<32>, queue_at_t, length, take_cells, - md.cells)

    action deepen() { md.depth = length_add_cells.execute(QUEUE_AT); }
    action lower() { length_take_cells.execute(QUEUE_AT); }
#endif

    action limit_to(bit<32> limit) { md.limit = limit; }

    // F x HRTT x rate / N_active, in cells: HRTT is the ingress link's, the rate is the egress's.
    table threshold {
        key = {
            md.ingress_class : exact @name("ingress_class");
            md.egress_class : exact @name("egress_class");
            md.active[QUEUE_BITS:0] : exact @name("active");
        }
        actions = { limit_to; nothing; }
        default_action = nothing();
        size = THRESHOLDS;
    }

    action beyond_limit() { md.excess = md.depth |-| md.limit; }
    action over_threshold() { md.over = 1; }

    // ---- The pause counter of a queue upstream (section 3.3) ----

    // Packets over the threshold, by the queue upstream that they came from.
    Register<bit<16>, upstream_at_t>(PORTS << UPSTREAM_BITS, 0) counter;

    RegisterAction<bit<16>, upstream_at_t, bit<1>>(counter) counter_count = {
        void apply(inout bit<16> value, out bit<1> first) {
            first = 0;
            if (value == 0) {
                first = 1;
            }
            value = value + 1;
        }
    };

    RegisterAction<bit<16>, upstream_at_t, bit<1>>(counter) counter_uncount = {
        void apply(inout bit<16> value, out bit<1> ended) {
            ended = 0;
            if (value == 1) {
                ended = 1;
            }
            value = value - 1;
        }
    };

    action count_packet() {
        md.first = counter_count.execute(UPSTREAM_AT);
        md.counted = 1;
    }

    action uncount_packet() { md.ended = counter_uncount.execute(UPSTREAM_AT); }

    // What counts against the queue upstream, if the packet is over the threshold: not what names a
    // queue that the device upstream has not, nor a flow's only packet.
#if COUNT_LONE
#define COUNTS (md.known != 0 && md.withheld == 0)
#else
#define COUNTS (md.known != 0 && md.withheld == 0 && md.empty == 0)
#endif
