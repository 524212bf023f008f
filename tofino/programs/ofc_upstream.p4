// Of the ingress of ofc.p4: what frames paused upstream.

    // ---- What is paused upstream, or may be resumed (Algorithm 1) ----

#if UNDISTINGUISHED
    action each_is_original() { md.original = 1; }
#endif

    // An episode of pauses lasts until q_in is down to X_ON: low counts the ends, high is 1 in one.
    Register<pair32_t, class_at_t>(CLASSES, {1, 0}) episode;

    RegisterAction<pair32_t, class_at_t, bit<32>>(episode) episode_begin = {
        void apply(inout pair32_t value, out bit<32> epoch) {
            value.high = 1;
            epoch = value.low;
        }
    };
    RegisterAction<pair32_t, class_at_t, bit<1>>(episode) episode_end = {
        void apply(inout pair32_t value, out bit<1> was) {
            pair32_t before = value;
            was = 0;
            if (before.high != 0) {
                value.low = before.low + 1;
            }
            value.high = 0;
            if (before.high != 0) {
                was = 1;
            }
        }
    };

    action begin_episode() { md.epoch = episode_begin.execute(OF_INGRESS); }
    action end_episode() { md.was = episode_end.execute(OF_INGRESS); }

    // The episode in which all flows of an egress queue were named: once in each.
    Register<bit<32>, bit<(2 * PORT_BITS + 3)>>((CLASSES << PORT_BITS), 0) walked;

    RegisterAction<bit<32>, bit<(2 * PORT_BITS + 3)>, bit<1>>(walked) walked_walk_once = {
        void apply(inout bit<32> value, out bit<1> walk) {
            bit<32> before = value;
            walk = 0;
            value = md.epoch;
            if (before != md.epoch) {
                walk = 1;
            }
        }
    };

    action walk_once() {
        md.walk = walked_walk_once.execute(
            INDEX_OF(md.egress) ++ INDEX_OF(md.ingress) ++ md.class);
    }

    // ---- pause_frame_tab (Algorithm 1, lines 14, 17 and 18) ----

    // A row: flows that frames paused, whole. Zeros are a free cell. A repeal takes them out
    // one by one, to resume them.
#define PAUSE_FRAME_ROW(row, half) \
    Register<pair32_t, cell_at_t>(CELLS, {0, 0}) pause_frame_##row; \
    RegisterAction<pair32_t, cell_at_t, bit<16>>(pause_frame_##row) pause_frame_##row##_enter = { \
        void apply(inout pair32_t value, out bit<16> named) { \
            pair32_t before = value; \
            named = this.predicate(before.low == md.low, before.high == md.high, \
                before.low == 0, before.high == 0); \
            if (before.low == 0 && before.high == 0) { \
                value.low = md.low; \
                value.high = md.high; \
            } \
        } \
    }; \
    RegisterAction3<pair32_t, cell_at_t, bit<32>, bit<32>, bit<1>>(pause_frame_##row) \
            pause_frame_##row##_take = { \
        void apply(inout pair32_t value, out bit<32> low, out bit<32> high, \
                out bit<1> found) { \
            pair32_t before = value; \
            found = 0; \
            value.low = 0; \
            value.high = 0; \
            low = before.low; \
            high = before.high; \
            if (before.low != 0 || before.high != 0) { \
                found = 1; \
            } \
        } \
    }; \
    action name_##row() { \
        md.named = pause_frame_##row##_enter.execute(OF_INGRESS ++ CELL(md.half)); \
    } \
    action take_##row() { \
        md.low = pause_frame_##row##_take.execute(OF_INGRESS ++ CELL(md.at), md.high, md.found); \
    }

    PAUSE_FRAME_ROW(a, low)
    PAUSE_FRAME_ROW(b, high)

    // What the cell was: the flow's (bits 3, 7, 11 and 15), or free, so that no frame has paused
    // the flow (12 to 15), or else another flow's.
#define IS_FIRST (md.named[15:12] != 0)
#define IS_ANOTHERS (md.named[15:11] == 0 && md.named[7:7] == 0 && md.named[3:3] == 0)

    // How many flows are in pause_frame_tab.
    Register<bit<32>, class_at_t>(CLASSES, 0) pause_frames;

    ADD_ACTION(bit<32>, class_at_t, pause_frames, add, + 1)
    RegisterAction<bit<32>, class_at_t, bit<1>>(pause_frames) pause_frames_take = {
        void apply(inout bit<32> value, out bit<1> last) {
            bit<32> before = value;
            last = 0;
            value = before - 1;
            if (before == 1) {
                last = 1;
            }
        }
    };
    RegisterAction<bit<32>, class_at_t, bit<1>>(pause_frames) pause_frames_look_at = {
        void apply(inout bit<32> value, out bit<1> any) {
            any = 0;
            if (value != 0) {
                any = 1;
            }
        }
    };

    action add_pause_frame() { pause_frames_add.execute(OF_INGRESS); }
    action take_pause_frame() { md.last = pause_frames_take.execute(OF_INGRESS); }
    action look_at_pause_frames() { md.repeals = pause_frames_look_at.execute(OF_INGRESS); }

    // Whether a frame paused the whole class: q_in was over X_OFF (Algorithm 1, line 10), or the
    // frames cannot name all flows.
    Register<bit<1>, class_at_t>(CLASSES, 0) all_held;

    RegisterAction<bit<1>, class_at_t, bit<1>>(all_held) all_held_hold = {
        void apply(inout bit<1> value, out bit<1> all_was) {
            bit<1> before = value;
            value = 1;
            all_was = before;
        }
    };
    RegisterAction<bit<1>, class_at_t, bit<1>>(all_held) all_held_release = {
        void apply(inout bit<1> value, out bit<1> all_was) {
            bit<1> before = value;
            value = 0;
            all_was = before;
        }
    };

    action no_room() { md.all_new = 1; }
    action hold_all() { md.all_was = all_held_hold.execute(OF_INGRESS); }
    action release_all() { md.all_was = all_held_release.execute(OF_INGRESS); }
