// Package hiq is hierarchical isolation queues (HIQ): the queues of one egress port that keep
// flows of different congestion roots apart until every root on their way has resumed (Zhang et
// al.: Analysis of Pyrrha, section IV-C).
//
// A port has one output queue (OQ), which nothing holds, and isolation queues (IQs) in levels.
// The level of an IQ is the distance in hops from the port to the congestion root that the IQ is
// assigned to. A packet visits the IQs of the roots on its path from near to far and enters the
// OQ after the last one; only the OQ's packets go to the wire. An IQ that is paused keeps its
// packets; one that is resumed or soft-merging lets them move on.
//
// A [Port] decides and counts. It holds no packets: the owner keeps one FIFO for each queue, in a
// kit.Store for instance. Queue 0 is the OQ, IQs are 1 to Config.IQs.
//
// # Roots
//
// The owner numbers the roots it knows, 0 to Config.Roots-1, and passes the events of each root to
// the port: [Port.Pause], [Port.Resume], [Port.Merge], [Port.Adopt], [Port.Free]. The [State] of a
// root at the port is the state of its IQ in Figure 6 of the paper. Exactly these transitions
// exist; others are refused and counted:
//
//	unassigned    PAUSE: paused.         MERGE that names it as the new root: resumed.
//	paused        RESUME: resumed.   MERGE as old root: soft-merging.   MERGE as new root: resumed.
//	resumed       PAUSE: paused.     MERGE as old root: soft-merging.   Freed, if empty: unassigned.
//	soft-merging  Freed, if empty: unassigned.   PAUSE: paused.   MERGE as new root: resumed.
//
// A repeated PAUSE of a paused root, RESUME of a resumed one, and MERGE of a soft-merging one
// change nothing and are legal.
//
// IQs are a pool: one is assigned to a root when the root appears and returns when the root is
// freed. When none is left, the root shares an IQ of its level, chosen by a hash of its identity,
// and loses its isolation (section IV-E); the pool keeps enough in reserve for every level to have
// one. A shared IQ is held while any of its roots is paused. So switches in a circle that share IQs
// can block one another; they cannot while every IQ has one root.
//
// # The rate of moves
//
// Each level has a scheduler, round robin or deficit round robin, that moves packets on at the
// line rate of the port times Config.Speedup, neither slower nor faster. Over any interval in
// which a level has a packet that may move, and [Port.Next] is asked whenever the transmitter is
// free, it moves at least what the line carries in that interval, less an MTU and a packet; and
// over no interval does it move more than that plus an MTU and a packet. So a resumed IQ cannot
// dump itself into the OQ, and moves keep up with the line.
//
// No clock is polled. A level has a virtual time, the instant from which it may move; a move puts
// it forward by the moved packet's time on the line. Next compares it with the time of the call,
// which comes anyway whenever a transmission ends. If the OQ is empty and every level with a packet
// must wait, [Port.Park] returns when the owner must ask again. That happens when moved packets end
// up behind another pause.
//
// Moves take turns from the farthest level to the nearest, and then the OQ sends: room is made
// downstream first.
//
// # Order
//
// Queues have a strict order, by level and then by number, and every packet visits its queues in
// that order. A root is not freed while packets wait for it. So a packet never skips a queue in
// which an earlier packet of its flow can be, and packets of a flow keep their order through any
// appearance, merge and end of roots, whatever levels the roots claim.
//
// # Cost
//
// Next, Put and Take are constant in the number of IQs and of roots, and linear in the levels, at
// most seven. Nothing is allocated after New.
//
// # Single tier
//
// With Config.SingleTier a packet waits in one IQ only, which belongs to the whole set of roots on
// its path, and goes from there to the wire (section V-A has the scheme, section VI-C the sets; the
// OQ belongs to the empty set). IQs and the OQ take turns, by packets or by bytes as
// Config.Scheduler selects. There are no levels and no moves. See [Port.PutSet].
//
// Order needs a rule here. When a root appears, flows that wait in one queue go on in the IQ of a
// larger set. The larger set is held until the packets that its subsets had when the youngest root
// appeared have left. The paper has no such rule: with Config.Unordered the larger set is served at
// once, and Counters.Overtakes counts the packets that overtook.
//
// When IQs run out, further sets share the last one, which is held while a root of any of them is
// paused, until it is empty. The paper's fallback, an IQ chosen by a hash, would let two IQs wait
// for each other by the rule above.
//
// # Deviations
//
//   - The picture of Figure 6 says which transitions exist; the text of the paper names all of the
//     above except the last two of soft-merging. They arise when an abdicated port becomes a root
//     again while its old IQ still drains. The authors' ns-3 code has both: the IQ is taken into
//     the new tree. The alternative, a second IQ of the same root, could reorder its flows.
//   - The paper does not say how a scheduler chooses among the IQs of a level, nor a single tier
//     among its IQs and the OQ. Here they take turns, by packets or by bytes: see [Scheduler].
//   - The authors' ns-3 code moves packets on a clock, one of every eligible IQ in each packet
//     time. Here each level has one scheduler at line rate, as section IV-C of the paper has it.
package hiq
