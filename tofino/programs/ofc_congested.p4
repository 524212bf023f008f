// Of the ingress of ofc.p4: congested_flow_tab.

    // ---- congested_flow_tab (Algorithm 2, lines 3 to 10) ----

    // Rotations that have ended, of a class.
    Register<bit<32>, class_at_t>(CLASSES, 0) ended;

    READ_ACTION(bit<32>, class_at_t, ended, look_at)
    ADD_ACTION(bit<32>, class_at_t, ended, end_rotation, + 1)

    action look_at_ended() { md.until = ended_look_at.execute(OF_EGRESS); }
    action end_rotation() { ended_end_rotation.execute(OF_EGRESS); }

    // A row: low, half of a flow; high, how many rotations will have ended when it is paused no
    // longer, which is FOR_GOOD until a frame has resumed it. md.until is how many have.
#define CONGESTED_REGISTER(row, rest) \
    Register<pair32_t, cell_at_t>(CELLS, {0, 0}) congested_##row; \
    RegisterAction<pair32_t, cell_at_t, bit<1>>(congested_##row) \
            congested_##row##_is_paused = { \
        void apply(inout pair32_t value, out bit<1> is_paused) { \
            is_paused = 0; \
            if (value.low == md.rest && value.high > md.until) { \
                is_paused = 1; \
            } \
        } \
    };

    // What a frame does to a row: a PAUSE claims a cell that is free or the flow's, a RESUME clears
    // it, or if the queues are rotating defers that to the rotation's end. Of what a PAUSE finds the
    // ALU returns which comparisons held, as one bit: bit 5 if the first and the third did.
#define CONGESTED_ROW(row, half, rest) \
    CONGESTED_REGISTER(row, rest) \
    RegisterAction<pair32_t, cell_at_t, bit<8>>(congested_##row) congested_##row##_claim = { \
        void apply(inout pair32_t value, out bit<8> claimed) { \
            pair32_t before = value; \
            claimed = this.predicate( \
                before.high != FOR_GOOD, before.low == md.rest, before.high <= md.until); \
            if (before.low == md.rest || before.high <= md.until) { \
                value.low = md.rest; \
                value.high = FOR_GOOD; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, cell_at_t, bit<1>>(congested_##row) \
            congested_##row##_clear = { \
        void apply(inout pair32_t value, out bit<1> gone) { \
            gone = 0; \
            if (value.low == md.rest && value.high > md.until) { \
                value.high = md.until; \
                gone = 1; \
            } \
        } \
    }; \
    RegisterAction<pair32_t, cell_at_t, bit<1>>(congested_##row) \
            congested_##row##_defer = { \
        void apply(inout pair32_t value, out bit<1> gone) { \
            gone = 0; \
            if (value.low == md.rest && value.high > md.until && value.high == FOR_GOOD) { \
                value.high = md.until + 1; \
                gone = 1; \
            } \
        } \
    }; \
    action is_paused_##row() { \
        md.own_##row = congested_##row##_is_paused.execute(OF_EGRESS ++ CELL(md.half)); \
    } \
    action claim_##row() { \
        md.claimed = congested_##row##_claim.execute(OF_EGRESS ++ CELL(md.half)); \
    } \
    action clear_##row() { \
        md.gone_##row = congested_##row##_clear.execute(OF_EGRESS ++ CELL(md.half)); \
    } \
    action defer_##row() { \
        md.gone_##row = congested_##row##_defer.execute(OF_EGRESS ++ CELL(md.half)); \
    }

    CONGESTED_ROW(a, low, high)
    CONGESTED_ROW(b, high, low)

    // What a PAUSE finds: the cell is another flow's (bits 0 and 1); it is the flow's, which was to
    // resume with the rotation's end (3); it is free, so that the flow was not paused (4 to 7).
#define IS_TAKEN (md.claimed[1:0] != 0)
#define IS_BACK_AGAIN (md.claimed[3:3] == 1)
#define IS_NEW (md.claimed[7:4] != 0)

    // Of a class: low, the flows that are paused; high, those that are until the rotation's end. A
    // congestion is original if there are none (Algorithm 1, line 5).
    Register<pair32_t, class_at_t>(CLASSES, {0, 0}) paused_flows;

    RegisterAction<pair32_t, class_at_t, void>(paused_flows) paused_flows_count_paused = {
        void apply(inout pair32_t value) {
            value.low = value.low + md.more;
            value.high = value.high - md.less;
        }
    };
    RegisterAction<pair32_t, class_at_t, void>(paused_flows)
            paused_flows_count_resumed = {
        void apply(inout pair32_t value) {
            value.low = value.low - md.more;
            value.high = value.high + md.less;
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<8>>(paused_flows)
            paused_flows_resume_deferred = {
        void apply(inout pair32_t value, out bit<8> any) {
            pair32_t before = value;
            any = 0;
            value.high = 0;
            if (before.high != 0) {
                any = 1;
            }
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<8>>(paused_flows)
            paused_flows_is_original = {
        void apply(inout pair32_t value, out bit<8> original) {
            original = 0;
            if (value.low == 0 && value.high == 0) {
                original = 1;
            }
        }
    };

    // A flow may be in both rows, and counts in each.
#define CHANGE_PAUSED(flows, deferred) \
        md.more = flows; \
        md.less = deferred;

    action paused_one() { CHANGE_PAUSED(1, 0) }
    action paused_again() { CHANGE_PAUSED(1, 1) }
    action resumed_one() { CHANGE_PAUSED(1, 0) }
    action resumed_two() { CHANGE_PAUSED(2, 0) }
    action deferred_one() { CHANGE_PAUSED(1, 1) }
    action deferred_two() { CHANGE_PAUSED(2, 2) }
    action count_paused() { paused_flows_count_paused.execute(OF_EGRESS); }
    action count_resumed() { paused_flows_count_resumed.execute(OF_EGRESS); }
    action resume_deferred() { md.any = paused_flows_resume_deferred.execute(OF_EGRESS); }
    action is_original() { md.original = paused_flows_is_original.execute(OF_EGRESS); }
