// Package pcn is photonic congestion notification (Cheng et al.: Re-architecting Congestion
// Management in Lossless Ethernet, NSDI 2020): a congestion control for networks with
// priority-based flow control, whose receivers report to each sender the rate at which its packets
// arrive.
//
// It has three parts (Figure 6):
//
//   - A [CongestionPoint] at an egress queue of a switch marks packets that leave a queue behind,
//     but no packet that waited while flow control held the queue: non-PAUSE ECN, NP-ECN (section
//     5.1, Figure 7).
//   - A [NotificationPoint] at the receiver of a flow reports to its sender every period T whether
//     the flow is congested, and its receiving rate (section 5.2, Figure 8).
//   - A [ReactionPoint] at the sender sets the rate (section 5.3, Algorithm 1).
//
// The receiver sends a [CNP], a CNP of RoCEv2 with a rate in a reserved field (Figure 9). [Fluid]
// is the model of appendix A, and [Advice] has the parameters that section 6.2 recommends, with the
// bounds of section 6.1.
//
// The three points are small values without pointers, one per queue or flow, and allocate nothing.
// They compute with integers, so that they give the same on every platform. They are not safe for
// concurrent use.
//
// # Time
//
// Only a NotificationPoint has a timer. Arrive reports whether it was started; Deadline returns its
// end, and Expire must be called then, before packets that arrive later. A late Expire measures the
// rate over the time that has really passed. A timer that is not running belongs to a flow that was
// silent for a period: the embedder may discard its NotificationPoint, and use a zero one when the
// flow comes back.
//
// # Deviations
//
//   - The congestion point counts bytes, not packets. N packets that wait when a pause ends are
//     the next N to leave a first-in first-out queue, so it marks the same ones.
//   - The paper has a counter per port. Here it is one per queue, as flow control holds a class and
//     not a port. A hold that ends because its timer runs out ends like one that a RESUME ends; a
//     RESUME of a queue that was not held exempts nothing, as nothing was paused.
//   - A packet that is not ECN-capable is not marked, as RFC 3168 has it; the paper does not say.
//   - A packet that leaves an empty queue behind is not marked: the threshold of zero is compared
//     with the queue without the packet, as in the ns-3 code of the first author.
//   - Section 5.2 divides T by the total size for the receiving rate, which is upside down. Here it
//     is the size over T, as in Figure 8.
//   - Figure 8 tests for more than 95 %, the text for 95 %. Here, as in the authors' code, a flow
//     is congested from 95 % on: 19 of 20 marked packets suffice, 18 do not, and of fewer than 20
//     all must be marked.
//   - Figure 8 divides the size of a period's only packet by the time since the packet before it.
//     Here, as the text says, it is divided by that time only if it is longer than T, otherwise by
//     T, and by T for the first packet of a flow, which has none before it. The authors' code
//     smooths that time, and forgets it after 10 ms.
//   - Figure 8 waits for the next end of its timer after a period without a packet. Here the timer
//     stops, and the next packet starts it: a flow that comes back is measured from its first
//     packet on, and a silent one costs no timer. If it comes back with one packet in a period, its
//     rate is that packet over the silence, as the text has it, unless its NotificationPoint was
//     forgotten: then it is a new flow.
//   - Figure 8 divides by the timer's length. Here it is the time that has really passed, which is
//     longer if Expire comes late.
//   - Figure 8 has a receiving rate of 0 in CNPs of flows that are not congested. Here it is the
//     rate, which Algorithm 1 does not read: so a field of 0 tells a plain CNP of RoCEv2.
//   - The rate in a CNP is rounded to the nearest Mb/s, and at least 1. Rounding down would take a
//     tenth from a flow of 10 Mb/s, and 0 would stop it for good. The field has 32 bits as in the
//     paper; the authors' code has 16, which wrap at 65.5 Gb/s. Sizes are the packets' own; the
//     authors' code takes each packet to be 1,020 bytes.
//   - Section 5.2 puts the rate into the reserved octets of RoCEv2's CNP. Here they are the first
//     four of the sixteen, the most significant first.
//   - Algorithm 1 can set a rate of 0 by the discount, after which a flow sends nothing and gets no
//     CNP. RPConfig.MinRate is the least rate, 1 Mb/s unless given.
//   - A CNP without a rate, as RoCEv2's own, carries nothing that Algorithm 1 could use. It is
//     counted and ignored.
//   - CNPs of flows that are not congested are not ECN-capable, so that no switch on the way back
//     can turn an increase into a decrease; CNPs of congested flows carry CE. The paper says only
//     that the bit is in the IP header.
//   - The weights are fractions of 2^32, rounded down, and rates whole bits per second, rounded
//     down.
//   - Equation 6 lacks the min{} of Algorithm 1's line 6, and [Fluid] is the equations: with
//     packets, whose receiving rates go up and down by a packet, senders keep the lowest, so that
//     queues drain faster than equation 8 has it.
//   - Appendix A.2.1 has the total rate exceed the capacity after fewer than 10 loops of increases.
//     From a rate of 0 on that holds for three flows and more; two flows need 10 loops, and one
//     never exceeds the capacity.
//   - Equation 1 is negative for one flow, whose queue and rate do not swing: [Bounds] has 0.
//   - With w_min = 1 all rates become 0, for which equation 5's eta is 0/0: they stay 0.
//   - Appendix A.2.3 drops a factor of equation 12: the rate after an increase tends to
//     ((1-w_min)^2/N + w_min)*C. The swing of a rate is smaller than its equation 16 says by
//     w_min*C*(1-w_min)/N. [Bounds] has both.
package pcn
