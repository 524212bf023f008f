// Package ofc is original-congestion-based fine-grained priority flow control: PFC that pauses the
// flows which cause a congestion, and lets the others pass (Xiao, Yang, Cao, Liu, Zhao, Wang: OFC:
// An Original Congestion-based Fine-grained Priority Flow Control).
//
// An ingress that holds X^c_OFF bytes of a class, for an egress queue as long, tells the device
// upstream which flows to pause. If downstream pauses no flow of that egress queue, the congestion
// is original, and it names the flows of the queue; else it is local, it spread from downstream,
// and it names the flows that downstream pauses. An ingress that holds X_OFF pauses the whole
// class. When it has come down to X_ON, it resumes all that it paused.
//
// # Queues
//
// Each class has three queues at each port: class c has queues 3c to 3c+2. Packets come into the
// first, the normal queue. A packet of a paused flow that gets to its head moves to one of the two
// backup queues, the paused queue. When flows are resumed while that has packets, the queues
// rotate: what was the paused queue is served until it is empty, and the other backup queue takes
// what is still paused. Then the normal queue goes on; the backup queues keep their new roles. So
// of a flow what was moved leaves before what was not, and [State] has the four states of section
// II-B. The price is that the normal queue waits for a rotation with all its flows:
// PortCounters.RotationTime.
//
// # Use
//
// A switch follows the contract of package sluice. sluice.Packet.Flow names a flow: a hash of the
// five-tuple, or of source and destination, as the paper's tables are written. All devices use the
// same. A host's network card is a switch of one port: see [HostConfig].
//
// # Tables
//
// The three tables of the paper, flow_in_port_tab, congested_flow_tab and pause_frame_tab, are one:
// a flow at an egress port has an entry of 32 bytes with the number of its packets and a bit for
// each of the other two. Config.Flows of them are set apart for each port. A flow that there is no
// room for is not lost: its packets are counted without it, and while they wait, their ingress
// pauses the whole class where it would have named flows. A flow that is to be paused and has no
// room holds its class until downstream has resumed all that it paused.
//
// # Losses
//
// The paper has no repair: a lost RESUME hangs its flows for ever, a lost PAUSE can overrun the
// buffer. With Config.Refresh the complete list goes out again under a new generation number, in
// parts, and a port that has received all parts replaces its list. A port that ever paused a flow
// then always has a next refresh, at intervals that double while nothing is paused, so that
// Deadline is not Never again; package bfc does the same. A pause that no frame repeats ends after
// Config.Expiry.
//
// # Forged frames
//
// Frames are not authenticated: a link on which an enemy can send needs IEEE 802.1AE, MACsec. A
// number ahead of the peer's makes the peer's frames late; three of them are refused, and the
// fourth in ascending order is obeyed, and all after it: PortCounters.Resynchronised. With
// Config.Refresh what was forged ends with the peer's next refresh of the class that is obeyed,
// five refreshes at the most where every frame comes, and where the peer has none to send,
// Config.Expiry after the last frame that was forged: PortCounters.Expired. RFC 3550, appendix A.1,
// and RFC 5961 bound forged numbers by the same means.
//
// # Deviations
//
// From the paper, where its letter hangs, reorders or loses packets, or is silent. What was seen of
// the letter was seen in this project's simulator, with the variants in the tests of this package.
//
//   - pause_frame_tab is a union (Algorithm 1, line 14 assigns). With an assignment a RESUME
//     forgets the flows of earlier frames, and they hang.
//   - A frame that paused a flow upstream is not sent again before the flow's RESUME. To the letter
//     a frame goes out for every packet above the threshold.
//   - A PAUSE names the flows of the egress queue that came in by that ingress, and in a local
//     congestion the paused flows among them. The letter names all; flows of other ingresses do not
//     pass the device upstream.
//   - At X_OFF the whole class is paused, by a bit in the frame, flows included that were never
//     seen (line 11 lists the flows of the port). With a list each new flow adds its window to the
//     buffer.
//   - Lines 16 to 19 are evaluated when a packet leaves; on arrivals alone a drained port would
//     never resume.
//   - Rotations do not rotate back. Section III-B has the paused queue go from 2 to 1 again, and
//     the function Rotate goes from 1 to 0; either leaves packets in a queue that is never served.
//   - The order mark is not a packet but the end of the queue that is served: nothing is appended
//     to it, so it is reached when the queue is empty.
//   - A RESUME that arrives in a rotation takes effect at its end. If it took effect at once, a
//     later packet of its flow that is still in the queue served would pass an earlier packet that
//     has moved. PAUSE takes effect at once, and so does what holds or releases a whole class.
//   - RESUME of a flow that is not paused changes nothing; the letter rotates.
//   - A frame names those flows that waited when a packet asked for it and still wait when it is
//     made. A flow whose last packet has left by then is not named.
//   - q_out is the normal and both backup queues of the class; it is compared with the ingress's
//     threshold.
//   - Refresh, Speedup, bounds on flows and the hold of a class without room for its flows are
//     ours. So are sequence numbers: a frame that is not newer than one before it is not obeyed.
package ofc
