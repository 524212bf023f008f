// Package transport recovers lost packets: what a sender sends next, what a receiver answers, and
// when a sender gives up waiting. One [Transport] has the state of all flows of a run, both ends of
// each, by a small index that the caller chooses and may use again; see [Transport.Start]. Packets
// of a flow are counted from 0. The caller's window limits how many of them are in flight; irn has
// a cap of its own.
//
//	lossless  Cumulative acknowledgements and no timer: nothing is ever sent twice. For fabrics that
//	          lose and reorder nothing.
//	gbn       Go-back-N of RoCEv2 network cards: the receiver keeps only the packet it expects and
//	          answers the first packet beyond a gap with a NACK; the sender goes back to the gap. A
//	          timer goes back as well, after a time without progress.
//	irn       Improved RoCE NIC (Mittal et al., SIGCOMM 2018, section 3): the receiver keeps what
//	          comes out of order and answers every packet, beyond a gap with a SACK of the expected
//	          packet and the packet that came. The sender sends again what is missing before it,
//	          once; a timer of each packet finds what is lost twice and what no SACK speaks of. At
//	          most a bandwidth-delay product of packets is in flight (BDP-FC).
//
// # Deviations
//
//   - irn has the fields of its SACK and its timers from the paper. Its rule of loss is per gap:
//     packets between the expected packet and the packet that came are lost if they were sent once
//     only. A packet that was sent again and is lost again waits for its timer.
//   - What is in flight counts from the oldest packet that is not acknowledged, as the paper says:
//     where a lost packet is lost again, its sender stops after a cap of packets and waits for its
//     timer.
//     Pyrrha's ns-3 leaves out packets that came or are known to be lost and sends on (Outstanding,
//     irn.in-flight=outstanding): more packets are lost where buffers are full, and single losses
//     cost less. So far ahead as MaxCap packets it does not go.
//   - An answer acknowledges all before the expected packet, as the paper says. In Pyrrha's ns-3 it
//     speaks of one packet alone (Single, irn.acks=single): each answer that is lost costs a timer,
//     and its packet fills the window until then.
//   - A timer of irn ends on a whole nanosecond, at most 3 ns late.
package transport
