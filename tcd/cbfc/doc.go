// Package cbfc is InfiniBand's credit-based flow control: a sender transmits only what the receiver
// has announced room for, so that nothing is lost and no port needs a pause.
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
// 65,536 symbol times, changed or not, which repairs a loss. The ports of a switch tick out of
// phase. PollFrame builds an FCP from the present counters. A lost or doubled FCP does no harm. A
// lost packet costs its credit until the next FCP, and no longer.
//
// # Bringing a link up
//
// PortConfig.PeerBuffer is the peer's free buffer at time 0 on a link that is up already. Without
// it, and after LinkUp, the port knows no limit: it sends FCPs with op 1 (initialisation), holds
// every VL until an FCP arrives, and answers an FCP with op 1 at once. Deadline announces the first
// ones, at time 0.
//
// # Arrivals that no Enqueue sees
//
// ABR counts everything that came in. A packet that is delivered at its host, or discarded before
// it is routed, must be passed to [Port.Consume] of the port that it came in by. Otherwise ABR is
// right only after each FCP, and the loop is a period longer.
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
//   - The standard requires an FCP at least every 65,536 symbol times. Real devices send them as
//     buffers free up; here a port sends them every T_c, and only for VLs whose limit changed. T_c
//     is 65,536 byte times of the link unless given, as simulators read the standard's limit.
//   - The symbol time is for a link of four lanes: four byte times.
//   - An old FCP, overtaken by later ones, is obeyed as the new one that it might be. It is
//     harmless while fewer than 2,048 blocks were sent since; links do not reorder.
//   - VL 15, which has no flow control, and the arbitration tables of high and low priority are
//     left out: VLs are served in strict order, or by deficit round robin.
package cbfc
