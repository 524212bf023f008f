// Of the ingress of pyrrha.p4: what waits at ports of this switch and for roots behind it, against
// K_pause and K_resume; the last frames to upstreams.

    // ---- The OQ (section IV-A) ----

#if GHOST
    READ_ACTION(bit<32>, port_at_t, oq, read)

    action read_output() { md.depth = oq_read.execute(INDEX_OF(md.egress)); }
#if DOUBLINGS > 0
    action units_in_cells() { md.depth = md.depth + md.depth; } // DOUBLINGS times
#endif
#else
    // The depth of a port's OQ in cells: data adds its cells, its notice takes them away.
    Register<bit<32>, port_at_t>(PORTS, 0) oq;

    SUM_ACTION(bit<32>, port_at_t, oq, enter, + md.cells)
    SUM_ACTION(bit<32>, port_at_t, oq, leave, - md.cells)

    action enter_output() { md.depth = oq_enter.execute(INDEX_OF(md.egress)); }
    action leave_output() { md.depth = oq_leave.execute(INDEX_OF(md.egress)); }
#endif

    action below_resume() {
        md.value = md.depth;
        md.under = md.most |-| md.depth;
    }
    action below_pause() { md.under = md.beyond |-| md.depth; }
    action is_below() { md.below = 1; }
    action is_held() { md.held = 1; }

    // ---- The last frame to an upstream about a port of this switch as a root (section IV-A) ----

    // Of a port and an ingress SENT_NOTHING, SENT_RESUME or SENT_PAUSE. pause: it is paused, unless
    // it was. leave: it leaves the tree, if it was resumed. resume: it is resumed, if it was
    // paused. move: it leaves the tree in any case.
    Register<bit<8>, pair_at_t>((PORTS << PORT_BITS), SENT_NOTHING) own;

    RegisterAction2<bit<8>, pair_at_t, bit<8>, bit<8>>(own) own_pause = {
        void apply(inout bit<8> value, out bit<8> is_new, out bit<8> joins) {
            bit<8> before = value;
            is_new = 0;
            joins = 0;
            if (before != SENT_PAUSE) {
                value = SENT_PAUSE;
                is_new = 1;
            }
            if (before == SENT_NOTHING) {
                joins = 1;
            }
        }
    };

#define OWN_TURN(name, from, into) \
    RegisterAction<bit<8>, pair_at_t, bit<8>>(own) own_##name = { \
        void apply(inout bit<8> value, out bit<8> matched) { \
            matched = 0; \
            if (value == from) { \
                value = into; \
                matched = 1; \
            } \
        } \
    };
    OWN_TURN(leave, SENT_RESUME, SENT_NOTHING)
    OWN_TURN(resume, SENT_PAUSE, SENT_RESUME)

    RegisterAction2<bit<8>, pair_at_t, bit<8>, bit<8>>(own) own_move = {
        void apply(inout bit<8> value, out bit<8> was_listed, out bit<8> was_paused) {
            bit<8> before = value;
            was_listed = 0;
            was_paused = 0;
            value = SENT_NOTHING;
            if (before != SENT_NOTHING) {
                was_listed = 1;
            }
            if (before == SENT_PAUSE) {
                was_paused = 1;
            }
        }
    };

#define OWN_AT(port) INDEX_OF(port) ++ INDEX_OF(md.ingress)

    action pause_as_root() { md.new0 = own_pause.execute(OWN_AT(md.egress), md.joins0); }
    action resume_as_root() { md.matched = own_resume.execute(OWN_AT(md.slot)); }
    action leaves_tree0() { md.matched = own_leave.execute(OWN_AT(md.number)); }
    action leaves_old0() {
        md.was_listed = own_move.execute(OWN_AT(md.old_slot), md.was_paused);
    }

    // ---- What waits for roots, by ingress, against K_pause and K_resume (section IV-C) ----

    // Of a root of level n and an ingress: low, the cells that wait; high, the last frame to
    // the upstream. enter: cells come, and the upstream is paused if md.mark were there. add: cells
    // come, and no frame leaves. leave: cells go, and the upstream is resumed if it was paused and
    // fewer than md.mark were there. move: the last frame, if at most md.cells, becomes md.mark;
    // the results are whether there was one in this case, and whether the last was a pause.
    //
    // add reads md.mark, as the others do, and changes nothing by it: the compiler gives all actions
    // of a register the same fields, and fails if one of them does not read them.
#define WAITING(n) \
    Register<pair32_t, iq_at_t>((PORTS * SLOTS), {0, 0}) up##n; \
    RegisterAction2<pair32_t, iq_at_t, bit<8>, bit<8>>(up##n) up##n##_enter = { \
        void apply(inout pair32_t value, out bit<8> is_new, out bit<8> joins) { \
            pair32_t before = value; \
            is_new = 0; \
            joins = 0; \
            value.low = before.low + md.cells; \
            if (before.low >= md.mark && before.high != SENT_PAUSE) { \
                value.high = SENT_PAUSE; \
                is_new = 1 << n; \
            } \
            if (before.low >= md.mark && before.high == SENT_NOTHING) { \
                joins = 1 << n; \
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
    RegisterAction2<pair32_t, iq_at_t, bit<8>, bit<8>>(up##n) up##n##_move = { \
        void apply(inout pair32_t value, out bit<8> was_listed, out bit<8> was_paused) { \
            pair32_t before = value; \
            was_listed = 0; \
            was_paused = 0; \
            if (before.high <= md.cells) { \
                value.high = md.mark; \
            } \
            if (before.high <= md.cells && before.high != SENT_NOTHING) { \
                was_listed = 1 << n; \
            } \
            if (before.high == SENT_PAUSE) { \
                was_paused = 1 << n; \
            } \
        } \
    }; \
    action wait_for##n() { \
        md.new##n = up##n##_enter.execute(AT_PORT(md.ingress, md.slot##n), md.joins##n); \
    } \
    action wait_unpaused##n() { up##n##_add.execute(AT_PORT(md.ingress, md.slot##n)); } \
    action wait_no_more_for##n() { \
        md.new##n = up##n##_leave.execute(AT_PORT(md.ingress, md.slot##n)); \
    } \
    action leaves_tree##n() { \
        bit<8> was_paused; \
        md.matched = up##n##_move.execute(AT_PORT(md.ingress, md.slot##n), was_paused); \
    } \
    action leaves_old##n() { \
        md.was_listed = up##n##_move.execute(AT_PORT(md.ingress, md.old_slot), md.was_paused); \
    } \
    action joins_new##n() { \
        md.was = up##n##_move.execute(AT_PORT(md.ingress, md.slot), md.new_paused); \
    }

    EACH_LEVEL(WAITING)
