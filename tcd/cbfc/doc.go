// Package cbfc is credit-based flow control as InfiniBand has it: a sender transmits only what the
// receiver has announced room for, so that nothing is lost and nobody is told to stop.
//
// Class c of a packet is virtual lane (VL) c; QueueID i is VL i. At each port, each VL has an
// ingress buffer of its own, accounted in blocks of 64 bytes. The two ends of a link keep, per VL
// and direction, counters of 12 bits:
//
//	FCTBS   blocks that the sender has sent since the link came up
//	ABR     blocks that the receiver has received, set to FCTBS by each flow control packet (FCP)
//	FCCL    the credit limit that the receiver announces: ABR + min(free blocks, 2048)
//
// A packet of b blocks may go while (FCCL - (FCTBS + b)) mod 4096 is at most 2048. An FCP carries,
// for one VL, the FCTBS of its sender and the FCCL of its buffer.
//
// # When FCPs are sent
//
// A port sends an FCP for each VL whose FCCL changed, every period T_c; and one for every VL every
// 65,536 symbol times, changed or not, which repairs what was lost. The ports of a switch tick out
// of phase. What an FCP says is built when it is polled. A lost or doubled FCP does no harm. A
// lost packet costs its credit until the next FCP, and no longer.
//
// # Bringing a link up
//
// A link that is up already has PortConfig.PeerBuffer: what the peer has free at time 0. Without
// it, and after LinkUp, nothing is known of the peer: the port sends FCPs with op 1
// (initialisation), holds every VL until it hears from the peer, and answers an FCP with op 1 at
// once. Deadline announces the first ones, at time 0.
//
// # Arrivals that no Enqueue sees
//
// ABR counts everything that came in. A packet that is delivered at its host, or discarded before
// it is routed, is told to the port that it came in by with [Port.Consume]. Without that, ABR is
// right only after each FCP, and the rate is as of a loop that is a period longer.
//
// # Throughput
//
// Between the moment whose arrivals an FCP counts and the arrival of the next FCP, a VL sends at
// most a buffer's worth, B. Let L be the loop: both ways' delay, a packet and an FCP. Then a VL
// that always has packets gets at least B per T_c + L, over any number of links in a row, and at
// most B per as many periods as begin in L, which is B per T_c where L is shorter. The least counts
// a whole period beside the loop. But FCPs come at multiples of T_c, so that a loop which fits into
// a period costs nothing more: with T_c of 10 us and L of 8.2 us a VL over one link gets B per 10
// us, not per 18.2. In a row of links whose FCPs do not fit together it may be as little as the
// least. [RateFor] gives both. Full rate needs what the link carries in T_c + L, see [BufferFor];
// more than 2,048 blocks, 131,072 bytes, cannot be announced.
//
// # Deviations
//
//   - Next does not know the size of the packet at the head of a queue. So a VL may send while it
//     has credit for a packet of Config.MTU, where the standard asks for credit for the packet. It
//     never exceeds the limit, and leaves less than an MTU of credit unused. Larger packets are
//     refused, as InfiniBand does with its MTU.
//   - A packet that arrives over its buffer, because the peer sent without credit, is discarded
//     and counted; it is counted in ABR, as it came over the wire.
//   - The standard says only that an FCP is sent at least every 65,536 symbol times. Real devices
//     send them as buffers free up; here that is every T_c, and only for VLs whose limit changed.
//     T_c is 65,536 byte times of the link unless given, which is what simulators take the
//     standard's limit for.
//   - The symbol time is for a link of four lanes: four byte times.
//   - An old FCP, overtaken by later ones, is obeyed as the new one that it might be. It is
//     harmless while fewer than 2,048 blocks were sent since; links do not reorder.
//   - VL 15, which has no flow control, and the arbitration tables of high and low priority are
//     left out: VLs are served in strict order, or by deficit round robin.
package cbfc
