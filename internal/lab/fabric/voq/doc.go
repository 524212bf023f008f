// Package voq is virtual output queues (VOQs) with backpressure for each destination. Pyrrha's
// paper (Zhang et al., IEEE Transactions on Networking, 2026) compares congestion roots with them:
// supercomputers have had them for decades, and a port needs as many of them as the network has
// hosts (section II-C).
//
// The destination of a packet is the last hop of its [sluice.Packet.Path]: the port that its
// receiver is at. A switch has a queue for each destination that it holds packets for, at every
// egress port, served in turn by bytes. When it holds more than K_pause for a destination, and
// another packet for it comes in, it sends PAUSE of the destination to the device at the other end
// of that link; when no more than K_resume are left, it sends RESUME to all that it paused. A
// paused device holds the queue of that destination at that port, and no other; packets back up in
// it until the device pauses the next one. A host's network card has a queue for each destination
// as well.
//
// # Too many destinations
//
// A switch has queues for Config.Queues destinations at once. A queue is a destination's from its
// first packet, or from a PAUSE about it, until the switch holds no packet for it, no device pauses
// it here, and the switch pauses it nowhere. Destinations that find none share queue 0:
// PortCounters.Unqueued counts them, packet by packet. They are one destination then, "the rest": a
// PAUSE of it holds all queues of the port that receives it, because a device upstream may have a
// queue for a destination that has none here. Of the rest K_pause is compared with the bytes that
// came in by one port, as the rest goes all ways. So nothing is lost where queues run out, as under
// PFC, and nothing is isolated. While the rest has packets, or a PAUSE of a destination that found
// no queue holds it, no destination is given a queue, because packets for it may be among the rest:
// flows stay in order.
//
// # Deviations
//
// The paper says what is quoted above, and cites systems whose VOQs are within one switch. It does
// not say how the backpressure works, so this is decided here:
//
//   - PAUSE and RESUME are sent as Pyrrha sends them for a root: PAUSE to the ingress of the packet
//     that finds more than K_pause, RESUME to all paused devices when K_resume is reached. Both
//     thresholds are multiples of the one-hop bandwidth-delay product of the ingress link, 2 and 1
//     as in Pyrrha.
//   - What is compared is what the switch holds for the destination at all its egress ports: an
//     upstream that it pauses holds the destination wherever the switch would send it.
//   - Classes are treated alike: acknowledgements have queues by destination like data.
//   - Frames are this library's own, and may not be lost, like Pyrrha's frames without a refresh.
//     If a RESUME is lost, a destination is held until the link's next [Port.LinkDown].
package voq
