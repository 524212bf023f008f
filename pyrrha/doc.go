// Package pyrrha is congestion-root-based per-hop flow control (Zhang et al.: Analysis of Pyrrha:
// Congestion-Root-Based Flow Control Is Most Cost-Effective to Eliminate Head-of-Line Blocking,
// IEEE Transactions on Networking, 2026). Sections and figures cited in this package are the
// paper's.
//
// A congestion root is an egress port whose queue grows because more comes in than it can send. Its
// switch pauses the upstream switches that send to it, and they theirs, until the tree of all
// contributing switches is known. Each keeps the packets that will pass the root in a queue of
// their own, an isolation queue, and stops only that. Packets that do not pass the root are never
// stopped for it: there is no head-of-line blocking (section VI). A packet's onward path is in
// [sluice.Packet.Path]; package hashpath computes it.
//
// A [Switch] follows the contract of package sluice. A host's network card is a switch of one
// port, see [HostConfig].
//
// # Frames
//
//	PAUSE    upstream    root, its distance    hold what passes the root
//	RESUME   upstream    root                  let it go
//	MERGE    upstream    old root, new root    the old one is none, its tree is part of the new one's
//	DEALLOC  downstream  root                  the sender left the tree
//
// They go before data, and nothing holds them.
//
// # Roots
//
// A packet that enters the output queue (OQ) of an egress port, and finds it above K_pause with
// itself, has PAUSE sent to the ingress it came from, once: the port is a root for that upstream.
// A packet that leaves has RESUME sent to every upstream that is paused, when the OQ is below
// K_resume. An upstream stays in the tree until its DEALLOC; the port is a root while there are
// any. Thresholds are multiples of the one-hop bandwidth-delay product of each pair of ports: the
// rate of the egress port times twice the one-way delay of the ingress link.
//
// A port that is a root and receives PAUSE of a root that is new to it is a false root: its
// packets are held up by the one downstream. It abdicates: every upstream in its tree is sent
// MERGE and counts as resumed in the tree of the new root. Many an abdicated port is congested by
// other flows as well and claims to be a root again with the next packet; [MergeRule] has rules
// that send a fraction of the frames.
//
// # Children
//
// PAUSE received at an egress port assigns an isolation queue (IQ) to the root; package hiq keeps
// these queues. Packets whose path passes the root wait there. A switch counts the bytes that came
// in by one ingress port and wait for the root, at all egress ports together. Above K_pause it
// sends PAUSE by that ingress, one hop farther; below K_resume, RESUME. Packets at an egress port
// from which the root is farther than from another are on a detour, and do not count.
//
// MERGE received resumes the new root and makes the old one's IQ soft-merging: it lets its packets
// go, to the IQ of the new root if they pass it, and is freed when empty. The switch passes it on
// to all upstreams in the old tree.
//
// A leaf, a switch whose upstreams have all left the tree, frees an IQ that is resumed and empty
// and sends DEALLOC.
//
// # Organisations
//
// [Hierarchical]: one IQ per root, in levels by distance, through which a packet goes from near to
// far and then through the OQ to the wire. [SingleTier]: one IQ per set of roots, which sends to
// the wire itself, in turns with the OQ; the prototype on Tofino 2 has it (section V-A), and
// section VI analyses it. Neither holds a packet for a root off its path, and both keep flows in
// order, whatever roots come, merge and go; a single tier with Config.Unordered does not. When IQs
// run out, roots or sets share, which costs isolation, never a packet; and where paths form a
// circle it costs the freedom from deadlock, which needs every IQ to be one root's (section VII).
//
// The levels of a port are as many as the hops of the farthest root that can be reached by it, and
// follow from its place in the network (section IV-C). One IQ is kept for each, so where IQs are
// few, set the levels that a port needs in PortConfig.Levels.
//
// # Lost frames
//
// The paper assumes that no frame is lost. On a real wire frames are lost, and where links are
// bundled, overtaken. With Config.Refresh a port repeats the state of every upstream in a tree from
// time to time, and a PAUSE that is not repeated expires: whatever is lost, doubled or reordered,
// nothing stays paused or assigned for ever. By default there is no refresh, as in the paper, and
// one RESUME that is lost holds its flows for good.
//
// # Forged frames
//
// Frames are not authenticated: a link on which an enemy can send needs IEEE 802.1AE, MACsec. A
// number ahead of the peer's makes the peer's frames late, of the root that the forged one named or
// of all that have no IQ. Once four frames that are late at the port, about any roots, came in
// ascending order, no number received before them counts: PortCounters.Resynchronised. With
// Config.Refresh the pause of a forged frame ends Config.Expiry after the last of them. RFC 3550,
// appendix A.1, and RFC 5961 bound forged numbers by the same means.
//
// # Links that fail
//
// [Port.LinkDown] voids the frames from and to the peer: nothing is held for its roots, it is in no
// tree, and no frame is polled or obeyed until [Port.LinkUp]. Both ends of a link call that, also
// when the device at the other end started anew: a pause must not outlive the device that asked for
// it. Nor does one that was on the link meanwhile: with LinkUp the numbers of a port's frames jump,
// and for as long as a frame can be under way, frames with the old numbers are stale.
//
// # Packets dropped
//
// Pyrrha can lose packets (section IV-D): OQs are never paused, so that no circle of paused queues
// can form (section VII), and in exchange nothing bounds them. With Config.Buffer a packet beyond
// it is dropped; [Port.IncastBacklog] is the paper's estimate of the backlog of an incast. Where no
// packet may be lost, run PFC beneath.
//
// # Hosts
//
// Packets that a card has in its OQ when PAUSE arrives go to the wire, as from any OQ: only later
// packets wait in an IQ. A host that hands its card a window of packets at once sends them past the
// pause. So let it pull: ask [Port.Blocked] of a flow's path, take one packet of a flow that is not
// blocked, and ask again when that has left (section IV-D).
//
// # Over another flow control
//
// Pyrrha runs beside legacy switches that speak PFC (section IV-E). Ports to neighbours that do not
// speak Pyrrha have the role [Legacy], and a switch of package pfc runs beneath one of this
// package, also as a guard of the buffer. Package kit/hybrid composes the two. The one beneath
// accounts and sends frames; it neither queues nor chooses:
//
//   - Enqueue: first check that the path begins at this port, because pfc must not account a packet
//     that this package refuses, and set no Config.Buffer here; then pfc's, which may drop; then
//     this package's, which names the queue.
//   - Next: this package's alone. Dequeue: this package's; when it answers Transmit, also pfc's,
//     of the queue of the packet's class, whose verdict then counts. Packets of a class leave
//     pfc's accounts in another order than they came, which it allows.
//   - A frame goes to the one whose EtherType it has. Timers and PollFrame: both.
//   - After each of pfc's frames and timers call [Port.Hold] with whether a class that is under
//     Pyrrha is not Sendable there. The OQ serves all classes under Pyrrha, so a pause of one
//     holds all. Hold stops no other: put every lossless class under Pyrrha.
//   - Packet.Note belongs to this package; pfc does not use it.
//
// # Deviations
//
// From the paper, where it is silent or the authors' ns-3 code differs:
//
//   - The unit of K_pause and K_resume, which the paper calls "one-hop BDP" and does not define, is
//     the code's, above. The packet that takes the OQ beyond K_pause causes a PAUSE itself, as in
//     the code and in section IV-D; in section IV-A the packets after it cause it.
//   - A packet waits only for roots that have an IQ at its own egress port, as in the code. The
//     table of section IV-B is one per switch.
//   - The paper does not define how an upstream that receives MERGE gets an IQ of the new root, nor
//     in which state. Here, as in the code, the MERGE makes it, and resumes it if it was there.
//   - The paper has frames carry the identities of roots; PAUSE and MERGE with a distance are the
//     code's. A frame has the distance that is known when [Port.PollFrame] makes it, not when it
//     was decided: an IQ keeps the level that it was made with, and the PAUSE after a MERGE has the
//     new distance. To a host, which is in no tree, no MERGE has more than seven hops.
//   - DEALLOC. A switch of the paper is a leaf once all its upstreams are unassigned, and the paper
//     does not define how it learns that; the code has the frame. The code's hosts send none, and
//     its top-of-rack switches are leaves when no ingress is paused. Here an upstream of role
//     [Host] leaves the tree when it is resumed, which comes to the same at every switch. A port is
//     a root while an upstream is in its tree; in section IV-C also while its OQ is not below
//     K_resume, which makes no difference without an upstream.
//   - A child's measure for K_pause. Paper: the length of the IQ. Code: bytes by ingress over all
//     egress ports. The code's rule is the default, see [ChildRule]. So a tree's children, and with
//     them its leaves, are switches; in section IV-C a leaf is a port.
//   - A child pauses no upstream for packets that wait for a root at a port from which it is
//     farther than from another port of the same switch. Neither paper nor code has the rule, and
//     where all paths of a switch to a root are equally long it changes nothing. Without it,
//     switches in a circle that does not include the root can wait for each other for ever, once
//     routes have gone round the circle: the chain of section VII that ends at an OQ ends nowhere.
//     The price is a longer queue at the switch where such routes part, which section VII holds to
//     be less harmful than a deadlock.
//   - Ports towards the core. The code's ports claim to be roots only if the load is out of
//     balance, and never abdicate; the paper treats all ports alike. The code's rules are the
//     default, see [UpRule] and Config.AbdicateUp.
//   - A root that receives PAUSE of another abdicates only if the other is new to that port, as
//     in the code; the paper does not make the condition.
//   - In a single tier a packet's roots are the roots known when it arrives: its place in the IQ of
//     a set is for good, or it would overtake. So packets of an IQ that became soft-merging go to
//     the wire, not to the IQ of the new root.
//   - In a single tier the IQ of a new set waits for its subsets' packets, and sets without an IQ
//     share the last: see package hiq. The paper has neither rule; Config.Unordered is without the
//     first.
//   - In a single tier a root that has resumed pauses no upstream for packets that wait for another
//     root of their set, and resumes at once the upstreams that it had paused for them: packets
//     that pass it alone must not wait for the other. While there are such packets it pauses no
//     upstream at all. The paper has none of these rules; Config.KeepPaused is with the first
//     alone.
//   - A frame is stale if its sequence number was seen or is up to 65,535 behind, not half the
//     range as in RFC 1982; a neighbour that started anew is understood at once after
//     [Port.LinkUp].
//   - A soft-merging IQ causes no PAUSE, as in the code. In the code it causes no RESUME either;
//     here it does, if the upstream was paused for packets of the same root at another egress port,
//     because no other event would resume it.
//   - RESUME of a root whose IQ is soft-merging is ignored; the code makes the IQ resumed again,
//     though it belongs to no tree.
//   - RESUME of a root without an IQ here, and MERGE into one that can have none, are answered with
//     DEALLOC; the code ignores the first and has no such MERGE. Otherwise the sender would list us
//     in its tree for ever.
//   - The code looks whether a new root's IQ can be freed only at the next RESUME, DEALLOC or
//     packet. Here it is freed as soon as the old IQ that feeds it has drained, so that no tree
//     outlives its traffic; with Config.FreeMerged as soon as it is empty, as in the paper.
//   - The leaf rule binds an IQ only at the least distance at which its switch knows the root.
//     Where all paths from a switch to a root are equally long the rule binds every IQ. Elsewhere
//     MERGE, passed on round a ring, could make switches wait for one another's DEALLOC for ever.
//   - PAUSE of our own port is ignored (section IV-E); so is MERGE into it.
//   - The threshold K_resume is at least one byte: a queue that ran empty resumes even on links
//     without delay.
//   - Sequence numbers, refresh, expiry, [Port.LinkUp], [Port.Hold], and bounds on roots, levels,
//     IQs and ports are ours. What exceeds a bound is counted and ignored.
//
// Package hiq lists its own deviations.
package pyrrha
