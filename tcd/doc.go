// Package tcd is ternary congestion detection (Zhang et al.: Congestion Detection in Lossless
// Networks, SIGCOMM 2021), and the detectors that it is judged against.
//
// In a lossless network flow control holds ports and lets them go on again. The queue of such a
// port mixes its own overload with the backlog of a congested port downstream, so its length alone
// does not show whether the port is congested. A [Detector] keeps one of three states for an egress
// queue (section 3.2.1):
//
//	0   non-congestion   the port is persistently on, without a queue that builds up
//	1   congestion       the port is persistently on, at full rate, and its queue builds up
//	/   undetermined     the port is in turns on and off
//
// A packet that leaves an undetermined queue is marked [sluice.UE], undetermined experienced; a
// packet that leaves a congested queue is marked [sluice.CE]. Along a path the stronger mark
// stands, and a receiver that sums up the marks of several packets takes the strongest, see
// [Combine].
//
// # Events
//
// All detectors have the same two inputs, and decide at dequeue: the [Detector], [ECN], [FECN], and
// the congestion point of package pcn. Resumed reports that a queue which flow control held may
// send again: a resume or the expiry of a pause, credit that came; not the refresh of a pause, and
// not the resume of a queue that was not held. Dequeue reports that a packet leaves, and returns
// the packet's new code point. The backlog is the bytes of the queue: at Dequeue without the packet
// that leaves, at Resumed without a packet that is on the wire already. Around the hooks of a port,
// an embedder writes
//
//	held := !port.Sendable(q)
//	wake := port.Receive(now, &frame) // and the same around Expire
//	if held && port.Sendable(q) {
//		detector.Resumed(now, port.Backlog(q))
//	}
//
//	v := port.Dequeue(now, q, packet)
//	if v.Action() == sluice.Transmit {
//		mark := detector.Dequeue(now, packet.Size, port.Backlog(q), v.Mark())
//	}
//
// The port's own marking is off where a detector sits. Only switches detect congestion, not
// network cards. Where queues are not classes, a detector sits on the port: its backlog is all
// that the port holds.
//
// # When a port is undetermined
//
// A port that flow control modulates is on for at most max(T_on) at a time, see [MaxTonCEE] and
// [MaxTonInfiniBand]. So a queue is undetermined for max(T_on) after each resume, that instant
// included. The first packet that leaves after it decides, with the length q of the queue that it
// leaves behind:
//
//	undetermined, q at least as long as at the resume    / -> 1; marked CE if Config.Marking says so
//	undetermined, q shorter than at the resume           draining; t and q are kept
//	draining, q of at most two frames                    -> 0
//	draining, max(T_on) since the check, q shorter       draining; t and q are kept anew
//	draining, max(T_on) since the check, q not shorter   -> 1; marked CE if Config.Marking says so
//	0 or 1                                               1 and CE if Config.Marking says so, else 0
//
// Draining is a helper state: backlog that flow control built up leaves, which is no congestion
// however long the queue is. Packets are not marked in it. "Shorter" is by Config.Slack.
//
// # Deviations
//
//   - Section 3 of the paper defines the states, and this package follows it. A port leaves the
//     undetermined state as in the ns-3 code of the first author, which has the helper state.
//   - In that code a queue that grew by less than 900 bytes over max(T_on) counts as still
//     draining. Where flow control pins a queue, all its upstream ports being held at their
//     thresholds, such a queue never leaves the helper state. Here not decreasing is congestion.
//     Config.Slack of [AuthorsSlack] is the code's rule.
//   - Its limit of two frames is 2,060 bytes; here it is Config.Drained.
//   - It measures in whole microseconds; here times are picoseconds.
//   - There the last resume is at time 0 when a run starts, so that every port starts
//     undetermined. Here a queue that was never resumed is not undetermined.
//   - It marks packets that are not ECN-capable too. Here their code point stays; they count for
//     the state as all packets do.
//   - Its receiver combines the code points of several packets by a bitwise or, which turns ECT(1)
//     and UE into CE. Here it is the maximum.
//   - It draws a random number at each dequeue; here only where the rule asks for it and the queue
//     is on the ramp.
//   - No public code detects congestion under InfiniBand's credits. The machine is the same,
//     max(T_on) is the period of credits.
//   - The paper has InfiniBand mark packets that did not wait for credit. [FECN] exempts the
//     packets that waited when credit came back; FECNConfig.HeadOnly exempts only the first.
package tcd
