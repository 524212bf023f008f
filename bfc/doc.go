// Package bfc is Backpressure Flow Control: per-hop, per-flow backpressure with a small number of
// queues for each egress port (Goyal, Shah, Zhao, Nikolaidis, Alizadeh, Anderson: Backpressure Flow
// Control, NSDI 2022).
//
// A flow with packets at an egress port has an entry in the port's flow table, under its VFID, and
// a queue, free when it was assigned if there was a free one. A packet that finds its queue above
// the pause threshold
//
//	F x HRTT x rate / N_active
//
// is counted against the queue of the device upstream from which it came, and that upstream queue
// is paused while any packet counted against it is here. HRTT is the round-trip time of the link it
// came by, rate the rate of the egress, N_active the number of queues of the egress that have
// packets and are not paused themselves. There is no second threshold: the hysteresis is that all
// counted packets must leave.
//
// # Use
//
// A switch follows the contract of package sluice. Beyond it:
//
//   - The queue passed to the Dequeue that answered Transmit rides with the packet as
//     sluice.Packet.UpstreamQueue of the next hop, which sets Stamped: sluice.Packet.Depart does
//     so, and [AppendShim] is a header for it. A packet's own UpstreamQueue has to stay as it was
//     until that Dequeue. A packet that came by a port without a stamp is counted as Incomplete,
//     and taken for one of queue 0.
//   - PortConfig.UpstreamQueues is the number of queues of the device at the other end; a packet
//     stamped with another number pauses no queue, and PortCounters.BadUpstreamQueue counts it.
//   - A host's network card is a switch of one port: see [HostConfig]. The ingress of its packets
//     is sluice.Local, so that it obeys pauses and makes none.
//
// # Queues
//
// Data queues are numbered from 0. After them come the first-packet queue, if
// Config.FirstPacketQueue, and the control queue, if Config.Classes leaves classes out. Both are
// served before the data queues, control first, obey no pause, and are no part of N_active.
//
// # Signalling
//
// By default a Pause or Resume frame reports a change at once, and a Bitmap reports all of the
// port's state every Config.Period, from the first pause on. A lost frame is thus repaired within a
// period, or, if that Bitmap is lost too, within the next. After the last resume of a port
// Config.IdleBitmaps of them follow at that interval, and then ones at twice, four times, eight
// times the interval: the effect of an outage is repaired within about the time that the outage
// took, and a port that pauses no queue costs nothing. A queue whose pause is not repeated is
// resumed after Config.Expiry. With [Transitions] nothing is repeated, and a lost Resume hangs its
// queue for ever.
//
// So once a port has paused a queue, its next Bitmap is always due, and Deadline is not Never
// again, except with Transitions or while the link is down. An event loop that runs until no
// machine has a deadline would run its clock away along the doubling interval, or, with
// Config.IdleBitmaps below 0, never end. Stop when no packet or frame is on a wire and every
// Quiescent is nil.
//
// A frame is made when it is polled, from the present state and the last frames to the device
// upstream: a queue that was paused and resumed since makes no frame. At most one frame of each
// kind is pending at a port, unless the changed queues do not fit one.
//
// # Forged frames
//
// Frames are not authenticated: a link on which an enemy can send needs IEEE 802.1AE, MACsec. The
// effect of a forged or damaged frame ends all the same. A number ahead of the peer's makes its
// frames late; three of them are refused, and the fourth in ascending order is obeyed, and all
// after it: PortCounters.Resynchronised. A pause of a queue that the peer does not pause ends with
// the peer's next Bitmap that is obeyed, and no later than Config.Expiry after the last forged
// frame: PortCounters.Expired. A queue that the peer pauses, and a forged frame resumed, is paused
// again by the fourth Bitmap at the latest, within four Config.Period. RFC 3550, appendix A.1, and
// RFC 5961 bound forged numbers by the same means.
//
// # Service
//
// With [DeficitRoundRobin] a queue sends as long as anything is left of its quantum. Its last
// packet may overdraw the quantum by less than the packet's length, and the debt is taken from its
// next rounds: with packets of 1,000 bytes and DefaultQuantum, 1,518 bytes, the first turn of a
// queue is two packets, and leaves a debt of 482. A queue forfeits the rest of its quantum when it
// empties, or when another takes the turn; it keeps a debt. Turns go round by queue number, and
// after a time without packets they go on where they were; in a new switch queue 1 comes first and
// queue 0 last.
//
// # How much of a link long flows get
//
// A queue that was paused is resumed when the last packet counted against it leaves. Nothing
// follows a paused flow, and so the queue is empty then. Until data comes again the queue is idle,
// for an HRTT if that is all the time a pause needs to take effect. Say the packets for an egress
// arrive at k times its rate when no flow is paused, in any number of long flows, and all are
// paused and resumed together, which is the worst case. The threshold is crossed 1/(k-1) HRTT after
// the first arrival, and arrivals end an HRTT later; by then k^2/(k-1) HRTT of work have come, at
// the rate of the egress, and then the link is idle for an HRTT. So it is busy for
//
//	k^2 / (k^2 + k - 1)
//
// of the time, 4/5 at the least, for k = 2; 9/11 for 3, 16/19 for 4, and more the more flows there
// are. Flows that are not in step fill each other's gaps. Config.Factor above 1 makes busy periods
// longer: with F they are k/(k-1) x (F + k - 1) HRTT.
//
// # Flow table
//
// A VFID is the flow's hash, seeded and spread again by the finaliser of XXH64, reduced to the size
// of the table; with LowBits it is the low bits of the hash as it is. Flows of one VFID share an
// entry and its queue; that is counted, and harmless to order and to losslessness. Nothing is ever
// deleted: an entry without packets whose sticky time is over takes a new queue for its next
// packet.
//
// With Config.Ideal an entry belongs to one flow, and a queue to one entry. A flow keeps its queue
// when its packets have left, until another flow needs one and none is free: then the queue that
// has been empty longest changes hands, unless downstream pauses it. So while no more flows have
// packets here, or a paused queue, than there are queues, no two of them share one. Flows beyond
// that share a queue by Config.Overflow, which PortCounters.QueueCollisions counts; flows beyond
// Config.VFIDs share entries, which TableOverflows counts, and stay in order too.
//
// # Deviations
//
// There are three sources: the paper, whose text was not checked line by line, its authors' ns-3
// code, and the re-implementation in Pyrrha's ns-3 code. Where they disagree, or we with them:
//
//   - Threshold: F is 1 and HRTT alone counts, as in the paper; it is the ingress link's, as in
//     Pyrrha's code. The authors' code has 2 us for every link, PortConfig.HRTT, and multiplies by
//     1.5, which is (HRTT + tau)/HRTT of an older text: Config.Factor. A threshold is at least one
//     byte, the comparison is strict, and N_active counts the arriving packet's queue, as both
//     codes do.
//   - A flow's only packet here pauses no queue, as in the authors' code; Pyrrha's has no such
//     rule: Config.CountLonePackets.
//   - A queue is free if it is empty and not paused; the search begins at a random queue, as in the
//     authors' code. Pyrrha's takes the lowest: LowestFree; it judges by its flow table alone, so
//     that a paused queue that no entry names any more is free: AssignForgotten. If none is free
//     any queue is drawn, as in the paper; the authors' code hashes the VFID: HashQueue.
//   - LastFreed and LowBits are ours, for switch chips: they can neither scan nor multiply.
//   - Sticky is two HRTT of the ingress link, as in the paper; the authors' code has a constant 6
//     us. The time runs from the last departure; the codes note arrivals too, which makes no
//     difference while the packet is here.
//   - The table has 100 entries for each queue of the egress, as we understand the paper; the
//     authors' code has 7,200 for each egress. A VFID is made of sluice.Packet.Flow, a hash of
//     the five-tuple, as in the paper; the authors' code sums an address, a port and the number of
//     the flow's last packet.
//   - Signalling: pauses and resumes on the transitions of the counters, with a periodic Bitmap.
//     The authors' code sends Bitmaps only, at once for a resume and at the next period for a
//     pause: BitmapResumeAtOnce. Its bitmap is of 1,024 bits, so that queues of a network card
//     1,024 apart share one; ours is of as many bits as there are queues. Its bitmaps never stop:
//     Config.IdleBitmaps below 0. Pyrrha's code has no bitmap: Transitions. The four-hash Bloom
//     filter of VFIDs of the older text, which pauses by the packet at the head of a queue, is not
//     built.
//   - Limited resumes of the older text, two flows of a queue in each round-trip time, are
//     Config.ResumeLimit, off by default as both codes have it. Upstream queues wait, not flows,
//     because queues are paused; and the queue that counts is the one whose packet's departure ends
//     the pause.
//   - Data queues are served by deficit round robin, as in the paper; the authors' code goes round
//     by packet, PacketRoundRobin; Pyrrha's code serves the lowest queue, LowestFirst, where round
//     robin was meant.
//   - The first-packet queue is for a flow whose entry holds no packet and is no longer sticky. The
//     authors' code reserves such a queue and never uses it.
//   - A queue of a host that is empty stays paused until it is resumed, and stays its flow's. In
//     the authors' code a queue of a card that has no flow counts as not paused.
//   - A full buffer drops, as in the paper. The authors' code takes whatever comes: its checks are
//     commented out. Its fallback to priority flow control, off there, is not built.
package bfc
