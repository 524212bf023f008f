// Of the ingress of bfc.p4: flows and their queues.

    // ---- The flow table (section 3.2) ----

    // When a packet of the flow left last.
    Register<bit<32>, flow_at_t>(FLOWS, 0) last;

    READ_ACTION(bit<32>, flow_at_t, last, read_last)
    WRITE_ACTION(bit<32>, flow_at_t, last, note_last, md.now)

    action read_flow_time() { md.last = last_read_last.execute(FLOW_AT); }
    action note_flow_time() { last_note_last.execute(FLOW_AT); }
    action age_of_flow() { md.age = md.now - md.last; }
    action beyond_sticky() { md.rest = md.age |-| md.sticky; }

    // The flow's packets here.
    Register<bit<16>, flow_at_t>(FLOWS, NEVER) flow_size;

    RegisterAction2<bit<16>, flow_at_t, bit<1>, bit<1>>(flow_size) flow_size_join = {
        void apply(inout bit<16> value, out bit<1> empty, out bit<1> unused) {
            bit<16> before = value;
            empty = 0;
            unused = 0;
            if (before == 0 || before == NEVER) {
                empty = 1;
            }
            if (before == NEVER) {
                unused = 1;
                value = 1;
            } else {
                value = before + 1;
            }
        }
    };

    ADD_ACTION(bit<16>, flow_at_t, flow_size, leave, - 1)

    action join_flow() { md.empty = flow_size_join.execute(FLOW_AT, md.unused); }
    action leave_flow() { flow_size_leave.execute(FLOW_AT); }

    // ---- The flow's queue, or the one freed last (section 3.2) ----

    // A flow needs a queue if it has no packet here and had none for longer than sticky, or ever.
#define NEEDS_QUEUE (md.unused == 1 || (md.empty == 1 && md.rest != 0))

    // The free queues of a port are a stack: how many they are, and their numbers.
    Register<bit<8>, port_at_t>(PORTS, DATA_QUEUES) free_top;
    Register<bit<8>, queue_at_t>(QUEUES, 0) free_id;

    RegisterAction2<bit<8>, port_at_t, bit<1>, bit<8>>(free_top) free_top_pop = {
        void apply(inout bit<8> value, out bit<1> got, out bit<8> position) {
            got = 0;
            if (value != 0) {
                value = value - 1;
                got = 1;
            }
            position = value;
        }
    };

    RegisterAction<bit<8>, port_at_t, bit<8>>(free_top) free_top_push = {
        void apply(inout bit<8> value, out bit<8> position) {
            position = value;
            value = value + 1;
        }
    };

    action pop_queue() { md.got = free_top_pop.execute(PORT_AT, md.position); }
    action push_queue() { md.position = free_top_push.execute(PORT_AT); }

    READ_ACTION(bit<8>, queue_at_t, free_id, read_id)
    WRITE_ACTION(bit<8>, queue_at_t, free_id, write_id, md.queue)

    action read_free() { md.queue = free_id_read_id.execute(STACK_AT); }
    action write_free() { free_id_write_id.execute(STACK_AT); }

    // No queue is free: the flow shares one, by its VFID.
    action share_queue() { md.queue = md.vfid[7:0] & ((1 << QUEUE_BITS) - 1); }

    // The queue that a flow has.
    Register<bit<8>, flow_at_t>(FLOWS, 0) flow_queue;

    WRITE_ACTION(bit<8>, flow_at_t, flow_queue, write_queue, md.queue)
    READ_ACTION(bit<8>, flow_at_t, flow_queue, read_queue)

    action write_flow_queue() { flow_queue_write_queue.execute(FLOW_AT); }
    action read_flow_queue() { md.queue = flow_queue_read_queue.execute(FLOW_AT); }

    // Whether a queue is on the stack of free ones.
    Register<bit<1>, queue_at_t>(QUEUES, 1) listed;

    WRITE_ACTION(bit<1>, queue_at_t, listed, unlist, 0)

    RegisterAction<bit<1>, queue_at_t, bit<1>>(listed) listed_list = {
        void apply(inout bit<1> value, out bit<1> was) {
            was = value;
            value = 1;
        }
    };

    action off_the_stack() { listed_unlist.execute(QUEUE_AT); }
    action on_the_stack() { md.was = listed_list.execute(QUEUE_AT); }
