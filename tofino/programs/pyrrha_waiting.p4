// Of the ingress of pyrrha.p4: what waits at ports of this switch and for roots behind it, against
// K_pause and K_resume; the last frames to upstreams.

    // ---- The OQ (section IV-A) ----

#if GHOST
    READ_ACTION(bit<32>, port_at_t, oq, read)

    action read_output() { md.depth = oq_read.execute(INDEX_OF(md.egress)); }
#if DOUBLINGS > 0
    action units_in_cells() { md.depth = md.depth + md.depth; } // DOUBLINGS times
#endif

    action below_resume() { md.under = md.most |-| md.depth; }
    action below_pause() { md.under = md.beyond |-| md.depth; }
    action is_below() { md.below = 1; }
#else
    // The depth of a port's OQ in cells: data adds its cells, its notice takes them away. Was it
    // below md.own_mark?
    Register<bit<32>, port_at_t>(PORTS, 0) oq;

    RegisterAction<bit<32>, port_at_t, bit<8>>(oq) oq_enter = {
        void apply(inout bit<32> value, out bit<8> below) {
            bit<32> before = value;
            below = 0;
            value = before + md.cells;
            if (before < md.own_mark) {
                below = 1;
            }
        }
    };
    RegisterAction2<bit<32>, port_at_t, bit<8>, bit<32>>(oq) oq_leave = {
        void apply(inout bit<32> value, out bit<8> below, out bit<32> depth) {
            bit<32> before = value;
            below = 0;
            value = before - md.cells;
            depth = value;
            if (before < md.own_mark) {
                below = 1;
            }
        }
    };

    action enter_output() { md.below = oq_enter.execute(INDEX_OF(md.egress)); }
    action leave_output() { md.below = oq_leave.execute(INDEX_OF(md.egress), md.depth); }
#endif
    // What a thread compares with K_resume of each upstream.
    action keep_depth() { md.value = md.depth; }

    // ---- The last frame to an upstream about a port of this switch as a root (section IV-A) ----

    // Of a port and an ingress SENT_NOTHING, SENT_RESUME or SENT_PAUSE, which is the result. pause:
    // it is paused, unless it was. leave: it leaves the tree, if it was resumed. resume: it is
    // resumed, if it was paused. move: it leaves the tree in any case.
    Register<bit<32>, pair_at_t>((PORTS << PORT_BITS), SENT_NOTHING) own;

    RegisterAction2<bit<32>, pair_at_t, bit<8>, bit<32>>(own) own_pause = {
        void apply(inout bit<32> value, out bit<8> is_new, out bit<32> sent) {
            bit<32> before = value;
            is_new = 0;
            if (before != SENT_PAUSE) {
                value = SENT_PAUSE;
                is_new = 1;
            }
            sent = before;
        }
    };

#define OWN_TURN(name, from, into) \
    RegisterAction<bit<32>, pair_at_t, bit<32>>(own) own_##name = { \
        void apply(inout bit<32> value, out bit<32> sent) { \
            bit<32> before = value; \
            if (before == from) { \
                value = into; \
            } \
            sent = before; \
        } \
    };
    OWN_TURN(leave, SENT_RESUME, SENT_NOTHING)
    OWN_TURN(resume, SENT_PAUSE, SENT_RESUME)

    RegisterAction<bit<32>, pair_at_t, bit<32>>(own) own_move = {
        void apply(inout bit<32> value, out bit<32> sent) {
            bit<32> before = value;
            value = SENT_NOTHING;
            sent = before;
        }
    };

#define OWN_AT(port) INDEX_OF(port) ++ INDEX_OF(md.ingress)

    action pause_as_root() { md.new0 = own_pause.execute(OWN_AT(md.egress), md.sent0); }
    action resume_as_root() { md.was = own_resume.execute(OWN_AT(md.slot)); }
    action leaves_tree0() { md.was = own_leave.execute(OWN_AT(md.number)); }
    action leaves_old0() { md.was = own_move.execute(OWN_AT(md.old_slot)); }

    // ---- What waits for roots, by ingress, against K_pause and K_resume (section IV-C) ----

    // Of a root of level n and an ingress: low, the cells that wait; high, the last frame to
    // the upstream. enter: cells come, and the upstream is paused if md.mark were there. add: cells
    // come, and no frame leaves. leave: cells go, and the upstream is resumed if it was paused and
    // fewer than md.mark were there. move: the last frame, if at most md.cells, becomes md.mark.
    // The results are whether a frame is due, as 1 << n, and which was the last: an ALU returns one
    // comparison, beside what is in the register.
    //
    // add reads md.mark, as the others do, and changes nothing by it: the compiler gives all actions
    // of a register the same fields, and fails if one of them does not read them.
#define WAITING(n) \
    Register<pair32_t, iq_at_t>((PORTS * SLOTS), {0, 0}) up##n; \
    RegisterAction2<pair32_t, iq_at_t, bit<8>, bit<32>>(up##n) up##n##_enter = { \
        void apply(inout pair32_t value, out bit<8> is_new, out bit<32> sent) { \
            pair32_t before = value; \
            is_new = 0; \
            sent = before.high; \
            value.low = before.low + md.cells; \
            if (before.low >= md.mark && before.high != SENT_PAUSE) { \
                value.high = SENT_PAUSE; \
                is_new = 1 << n; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, iq_at_t, bit<8>>(up##n) up##n##_leave = { \
        void apply(inout pair32_t value, out bit<8> is_new) { \
            pair32_t before = value; \
            is_new = 0; \
            value.low = before.low - md.cells; \
            if (before.low < md.mark && before.high == SENT_PAUSE) { \
                value.high = SENT_RESUME; \
                is_new = 1 << n; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, iq_at_t, void>(up##n) up##n##_add = { \
        void apply(inout pair32_t value) { \
            pair32_t before = value; \
            value.low = before.low + md.cells; \
            if (before.low < md.mark && before.high == SENT_OTHER) { \
                value.high = SENT_OTHER; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, iq_at_t, bit<32>>(up##n) up##n##_move = { \
        void apply(inout pair32_t value, out bit<32> sent) { \
            pair32_t before = value; \
            if (before.high <= md.cells) { \
                value.high = md.mark; \
            } \
            sent = before.high; \
        } \
    }; \
    action wait_for##n() { \
        md.new##n = up##n##_enter.execute(AT_PORT(md.ingress, md.slot##n), md.sent##n); \
    } \
    action wait_unpaused##n() { up##n##_add.execute(AT_PORT(md.ingress, md.slot##n)); } \
    action wait_no_more_for##n() { \
        md.new##n = up##n##_leave.execute(AT_PORT(md.ingress, md.slot##n)); \
    } \
    action leaves_old##n() { \
        md.was = up##n##_move.execute(AT_PORT(md.ingress, md.old_slot)); \
    } \
    action moves##n() { \
        md.was = up##n##_move.execute(AT_PORT(md.ingress, md.slot)); \
    }

    EACH_LEVEL(WAITING)
