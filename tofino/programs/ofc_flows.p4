// Of the ingress of ofc.p4: flow_in_port_tab, and the queues that flows wait in.

    // ---- flow_in_port_tab (Algorithm 2, line 12; Algorithm 3, lines 9 to 12) ----

    // A row: flow_a, a half of a flow and how many of its packets are here; seen_a, its other half
    // and the ingress that it came by. A packet joins a cell that is free or its flow's. A walk
    // reads the cells one by one, and with each the flow in it. half is what chooses a cell, rest
    // what is written there.
#define FLOWS_IN_PORT(row, half, rest) \
    Register<pair32_t, cell_at_t>(CELLS, {0, 0}) flow_##row; \
    Register<pair32_t, cell_at_t>(CELLS, {0, 0}) seen_##row; \
    RegisterAction<pair32_t, cell_at_t, bit<1>>(flow_##row) flow_##row##_join = { \
        void apply(inout pair32_t value, out bit<1> got) { \
            pair32_t before = value; \
            got = 0; \
            if (before.high == 0) { \
                value.low = md.rest; \
            } \
            if (before.high == 0 || before.low == md.rest) { \
                value.high = before.high + 1; \
                got = 1; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, cell_at_t, void>(flow_##row) flow_##row##_leave = { \
        void apply(inout pair32_t value) { value.high = value.high - 1; } \
    }; \
    RegisterAction2<pair32_t, cell_at_t, bit<32>, bit<1>>(flow_##row) \
            flow_##row##_read = { \
        void apply(inout pair32_t value, out bit<32> flow, out bit<1> found) { \
            flow = 0; \
            found = 0; \
            if (value.high != 0) { \
                flow = value.low; \
                found = 1; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, cell_at_t, void>(seen_##row) seen_##row##_note = { \
        void apply(inout pair32_t value) { \
            value.low = md.half; \
            value.high = md.came_by; \
        } \
    }; \
    RegisterAction2<pair32_t, cell_at_t, bit<32>, bit<32>>(seen_##row) \
            seen_##row##_recall = { \
        void apply(inout pair32_t value, out bit<32> flow, out bit<32> from) { \
            flow = value.low; \
            from = value.high; \
        } \
    }; \
    action join_##row() { md.got_##row = flow_##row##_join.execute(OF_EGRESS ++ CELL(md.half)); } \
    action leave_##row() { flow_##row##_leave.execute(OF_EGRESS ++ CELL(md.half)); } \
    action read_##row() { \
        md.rest = flow_##row##_read.execute(OF_EGRESS ++ CELL(md.at), md.found); \
    } \
    action note_##row() { seen_##row##_note.execute(OF_EGRESS ++ CELL(md.half)); } \
    action recall_##row() { \
        md.half = seen_##row##_recall.execute(OF_EGRESS ++ CELL(md.at), md.from); \
    }

    FLOWS_IN_PORT(a, low, high)
    FLOWS_IN_PORT(b, high, low)

    // Packets of flows that found no cell, by ingress: while there are any, not all flows of a
    // queue can be named, and a whole class is paused instead.
    Register<bit<32>, class_at_t>(CLASSES, 0) unknown;

    SUM_ACTION(bit<32>, class_at_t, unknown, add, + 1)
    READ_ACTION(bit<32>, class_at_t, unknown, look_at)
    ADD_ACTION(bit<32>, class_at_t, unknown, take, - 1)

    action add_unknown() { md.unknown = unknown_add.execute(OF_INGRESS); }
    action look_at_unknown() { md.unknown = unknown_look_at.execute(OF_INGRESS); }
    action take_unknown() { unknown_take.execute(OF_INGRESS); }
    action has_strangers() { md.strangers = 1; }
    action in_first_row() { md.where = 1; }
    action in_second_row() { md.where = 2; }

    // ---- Backup queues, and their roles (Algorithm 3, lines 3 to 6 and 17 to 20) ----

    // Of a class: low, the packets in the paused queue; high, those in the other backup queue,
    // which drains. The queues rotate when the draining queue is empty and the paused one is not.
    Register<pair32_t, class_at_t>(CLASSES, {0, 0}) backup;

    RegisterAction<pair32_t, class_at_t, bit<1>>(backup) backup_wait = {
        void apply(inout pair32_t value, out bit<1> drained) {
            pair32_t before = value;
            drained = 0;
            value.low = before.low + 1;
            value.high = before.high - md.drains;
            if (before.high == md.drains) {
                drained = 1;
            }
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<1>>(backup) backup_drain = {
        void apply(inout pair32_t value, out bit<1> drained) {
            pair32_t before = value;
            drained = 0;
            value.high = before.high - 1;
            if (before.high == 1) {
                drained = 1;
            }
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<1>>(backup) backup_rotate = {
        void apply(inout pair32_t value, out bit<1> rotated) {
            rotated = 0;
            if (value.high == 0 && value.low > 0) {
                value.high = value.low;
                value.low = 0;
                rotated = 1;
            }
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<1>>(backup) backup_look_at = {
        void apply(inout pair32_t value, out bit<1> rotating) {
            rotating = 0;
            if (value.high != 0) {
                rotating = 1;
            }
        }
    };

    action wait() { md.drained = backup_wait.execute(OF_EGRESS); }
    action drain() { md.drained = backup_drain.execute(OF_EGRESS); }
    action rotate() { md.rotated = backup_rotate.execute(OF_EGRESS); }
    action look_at_backup() { md.rotating = backup_look_at.execute(OF_EGRESS); }

    // Which of the two is the paused queue, 1 or 2: qId of Rotate().
    Register<bit<8>, class_at_t>(CLASSES, 1) side;

    RegisterAction<bit<8>, class_at_t, bit<8>>(side) side_turn = {
        void apply(inout bit<8> value, out bit<8> paused_queue) {
            bit<8> before = value;
            if (before == 1) {
                value = 2;
            }
            if (before != 1) {
                value = 1;
            }
            paused_queue = before;
        }
    };
    READ_ACTION(bit<8>, class_at_t, side, look_at)

    action turn() { md.paused_queue = side_turn.execute(OF_EGRESS); }
    action look_at_side() { md.paused_queue = side_look_at.execute(OF_EGRESS); }
    action other_backup_queue() {
        md.other = 3 - md.paused_queue;
        md.qid = md.base + md.paused_queue;
    }
    action from_backup() { md.drains = 1; }
