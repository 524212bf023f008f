// Package cc is the congestion control of hosts: at what rate and with what window a sender sends,
// and what a receiver tells it. One [Control] has the state of all flows of a run, both ends of
// each, by a small index that the caller chooses and may use again.
//
//	none        line rate
//	dcqcn       DCQCN (Zhu et al., SIGCOMM 2015): CNPs of the receiver, a timer, a byte counter
//	dcqcn-hpcc  DCQCN as in the ns-3 code of HPCC, after Mellanox network cards: marks are echoed
//	            in acknowledgements, and timers of the sender pace what they do
//	timely      TIMELY (Mittal et al., SIGCOMM 2015) as in the ns-3 code of HPCC
//	timely-pcn  TIMELY as in the code of PCN: bursts, and steps by the time since the last step
//	hpcc        HPCC (Li et al., SIGCOMM 2019): in-band telemetry of every hop
//	qcn         QCN (IEEE 802.1Q clause 30): notices of switches, see [CongestionPoint]
//	dctcp       DCTCP (Alizadeh et al., SIGCOMM 2010) with a rate, as in the ns-3 code of HPCC
//	dcqcn+tcd   dcqcn on ternary marks (Zhang et al., SIGCOMM 2021): CE cuts, UE holds
//	timely+tcd  timely on ternary marks
//	ibcc        congestion control of InfiniBand (volume 1, annex A10): a table of delays
//	ibcc+tcd    ibcc on ternary marks
//	pcn         PCN (Cheng et al., NSDI 2020): the receiver tells its rate, see package pcn
//
// A sender calls Start, then Sent for each packet, and Ack and Notice for what comes back; it reads
// Rate, Window and Ready, the instant at which the rate lets the next packet go. A receiver calls
// Arrive for each packet, and sends the notices that this and TakeNotice give. [Kind.Signals] says
// which of these a control needs.
//
// Timers cost no event: their ends are applied, in their order, when a rate is read or an input
// comes. Changes says when a rate next rises by itself, for a sender that waits.
//
// Rates are whole numbers of bits per second, as in ns-3. Other quantities are float64 without
// operations that a compiler may fuse: results are the same bits on every platform.
//
// # Deviations
//
//   - dcqcn, qcn: before the first notice no timer runs and no byte is counted, as in a network
//     card that has no state of such a flow; the public simulators count bytes from the start.
//   - dcqcn: an event of the byte counter enters hyper increase as an event of the timer does. In
//     the code that DCQCN's authors published only a timer event does.
//   - dcqcn: hyper increase begins when the stages of timer and byte counter are both F, as in the
//     public simulators (min(T, BC) >= F). The flow chart of DCQCN's paper has more than F, as far
//     as known: dcqcn.hyper=past-f, whose first step is R_HAI too.
//   - Half the sum of rate and target is rounded up, so that a rate comes to its target.
//   - dcqcn-hpcc: of an increase and a decrease that are due at the same instant, the increase is
//     first.
//   - dcqcn+tcd is what the first author of TCD published: where a notice has UE and no CE, the
//     target comes down to the rate, alpha stays, both timers and stages begin anew, and nothing
//     is cut. timely+tcd and ibcc+tcd were not published. Ours: the strongest mark of the
//     acknowledgements since the last update decides what TIMELY may do. With CE it may do all;
//     with UE nothing, and additive increases begin anew; without a mark it may increase but not
//     decrease. A BECN with UE keeps the index of ibcc, whose timer begins anew.
//   - ibcc: InfiniBand leaves table and timer to the fabric's manager. The table of delays is
//     linear here, in steps of an eighth of a packet's time: the finest that an entry, a number
//     shifted by 0 to 3 bits, can count. CCTI_Timer is the 150 units of about 1 us of the published
//     experiments with hardware. Table and timer are as published as far as known. In steps of a
//     packet the second notice leaves a third of the rate. Each flow has its own index and timer.
//     An index that is not the least falls by one each CCTI_Timer from the first notice on.
//   - qcn has the standard's constants. The code of PCN's authors has others, with which rates rise
//     as under DCQCN (qcn.setpoint, qcn.timer, qcn.byte-counter, qcn.ai, qcn.hai,
//     qcn.min-rate), and samples packets that leave.
//   - timely-pcn differs from TIMELY's paper as the code of PCN's authors does: a step is scaled by
//     the time since the last step, up to the least round-trip time, except a decrease by a
//     gradient; an update halves a rate at most; the time of one packet is taken off a sample;
//     hyper increase comes after five samples that fell in a row, not after five gradients below
//     0; a gradient of 0 leaves the rate.
//   - pcn: notices that have no rate are ignored, like notices to finished flows.
//   - timely, hpcc, dctcp: a round trip ends with the acknowledgement of the first packet sent
//     since the last round trip ended, as in HPCC's ns-3. In Pyrrha's ns-3 it ends with the second
//     packet's: cc.round=second, with which flows at a packet a round trip recover half as fast.
//   - hpcc: telemetry is exact unless hpcc.int-unit is set; counters do not wrap.
package cc
