// Package floodgate is Floodgate (Liu et al.: Floodgate: Taming Incast in Datacenter Networks,
// CoNEXT 2021): per-hop flow control of switches with a window for each destination.
//
// A switch passes on no more of a destination's packets than the window of that destination allows,
// m times the bandwidth-delay product of the next hop. The next switch returns credit when it has
// sent them on in its turn. The last switch sends to its hosts without a window, but returns credit
// only for what it has sent: so an incast has the rate of the last hop all the way back, and
// what cannot go waits where it came in, in a virtual output queue (VOQ) of its destination. A VOQ
// exists only where a window is exhausted. Destinations whose credits return in time never meet
// their window, and share the port's one output queue.
//
// A frame carries credit of many destinations, when K bytes of it have come together for an
// upstream, or the first has waited for T. It is withheld (delayCredit) while more than a threshold
// waits in the VOQs of the destination. Sent and credited bytes are counted from when the link came
// up (PSN), so that the next credit makes good a credit that is lost. An upstream that heard no
// credit for what it has sent asks with a SYN, which says how much it sent; bytes that did not
// arrive by then are lost and credited.
//
// Hosts take no part: a host's network card is a switch of one edge port, which has no window.
//
// # Too many destinations
//
// A switch knows Config.Destinations, for as long as it lives, because it needs the remaining
// window of each (Pyrrha, section II-C). Packets for others have no window and no credit,
// PortCounters.Uncontrolled. An upstream that has a window for such a destination gets it back by
// its SYNs.
//
// # Links that fail
//
// A window is for all ports of a switch. Where links fail, and packets take a detour that leads
// back to the switch, they can take the whole window and wait at the other end of the detour for
// the switch to send on what is before them: a deadlock, which no SYN ends, for nothing is lost.
// Windows by port did not have it in the run where this was seen.
//
// # Deviations
//
// The paper was not at hand. The rules above and the defaults come from its authors' ns-3
// (NASA-NJU/Floodgate-NS3: switch-node, switch-mmu, voq-group, their configurations "floodgate")
// and from summaries of the paper. Beyond them:
//
//   - A window is of a destination at a switch, over all its ports, as in the code. By the contract
//     of this library a queue may not become held by what another port does. So room for an MTU is
//     granted to VOQs, port by port in turn, and a VOQ keeps its grant until it moves a packet.
//   - The bandwidth-delay product of the next hop is the link's rate times twice its delay; to m of
//     them K is added, for that much may be sent on without a credit that says so.
//   - A VOQ moves to the output queue when the transmitter asks, in turn by packets, as long as the
//     window has room for an MTU; the authors move it when credit comes, as far as the next packet
//     fits.
//   - Packets carry no PSN, as sluice.Packet has no such field: the receiver counts what comes in,
//     as InfiniBand's ABR does, and the SYN corrects it. So a loss is credited after a SYN, where
//     the authors' code credits it with the next packet that is sent on. What a SYN says was sent
//     is what has left on the wire, not what waits in the output queue.
//   - T runs from the first credit that waits, not from the last frame. A SYN is sent after one to
//     two timeouts without credit.
//   - The authors' threshold of delayCredit is m times a product as well; here it is the product of
//     the longest link between switches.
//   - PFC beneath, and the PAUSE of a destination that a first switch may send to hosts (off in the
//     authors' "floodgate" configurations), are left out: what exceeds the buffer is lost, and
//     credited.
//   - VOQs are not shared by groups of destinations: a known destination has its own.
package floodgate
