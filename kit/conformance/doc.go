// Package conformance drives any protocol's machine with random, adversarial sequences of hooks
// and asserts the numbered invariants of the contract after every one.
//
// A protocol's test describes the protocol in a [Spec] and calls [Run]:
//
//	conformance.Run(t, conformance.Spec{
//		Name: "pfc",
//		New: func(t *rapid.T) func() kit.Machine {
//			return conformance.Machines(drawConfig(t), pfc.New)
//		},
//		Network: &conformance.Network{New: ...},
//	})
//
// Run has seven parts, each a subtest. hooks drives one machine, and beside it a twin of the same
// configuration, as a careless embedder would: hostile frames, malformed packets, hooks out of
// place, time that goes back, timers served late; then it replays the sequence on a fresh machine
// and counts allocations. clocks drives one machine by clocks that show the least and the largest
// Time and anything between, forwards and backwards: every hook returns, within a minute, and
// nothing is due after Expire. states is for machines that are kit.Stateful: it collects pairs of
// machines that append the same state after different inputs, and gives both the same further
// inputs. network connects machines by links that delay, with hosts that send to each other, and
// waits until everything has arrived and nothing is held. lossy does the same over links that drop,
// double and reorder control frames, and, where Spec.Frame draws them, among forged frames: every
// packet has to arrive, or be dropped, all the same. faults and lossy faults do the same again in
// networks whose links fail and come back, whose nodes begin anew, whose clocks step, whose timers
// are served late, and whose operator does what Fabric.Operate knows. A protocol for networks of
// its own draws them with their ways: see [Layout]. Links hand over frames and packets in the order
// in which they were polled and dequeued.
//
// # The invariants
//
//  1. Conservation: what was enqueued and not dequeued is what Backlog and Buffered say, queue by
//     queue; Audit finds nothing; hooks change no field of a packet but Note and keep no
//     pointer to it.
//  2. Order: packets of a flow leave an egress port in the order they came, through any
//     sequence of moves, and reach their host in it.
//  3. Lossless: a packet that may not be dropped is not, and every drop says why.
//  4. No lost wake: if a queue with packets is Sendable, Next finds one; a port that had nothing to
//     send is named by a Wake (or by an Enqueue there) as soon as it has, be it a frame or a
//     packet; a queue that is held no longer wakes its port, packets or not; a queue with packets
//     becomes held only in a hook of its own port or in Expire; Deadline moves to
//     an earlier instant only in a hook that said WakeDeadline, never in PollFrame; what Next
//     answers has packets and is Sendable, unless Dequeue then moves or drops.
//  5. Liveness: once traffic has ended and frames were delivered, every queue empties and every
//     machine is Quiescent.
//  6. Bounded: Expire serves all that is due, PollFrame and moves come to an end; no frame,
//     packet or misplaced hook makes a machine panic or changes what it must not.
//  7. Determinism: two machines of one configuration that get the same inputs give the same
//     answers, whatever no-ops one of them gets in between: Next asked twice, Expire too early,
//     PollFrame of idle ports, malformed packets and frames, a time earlier than the latest seen,
//     Rebase. So do two machines that append the same state, whatever happened to them, and they
//     append the same again.
//  8. Zero allocations in every hook.
//
// A failure names the invariant, says where to look, and lists the shortest sequence of actions
// found that breaks it, one per line:
//
//	12.5us enqueue port 3 from 1 class 3 size 1500 -> append 3, frames
//
// Times are the machine's: a line whose time is earlier than the line before it is a step back
// that the suite made. Spec.Describe turns the bytes of frames into words.
//
// More checks, longer sequences: go test -rapid.checks 10000 -rapid.steps 100. A failure's seed
// replays with -rapid.seed. With -v, each part says what it covered: look there whether the drawn
// configurations ever hold a packet, drop one, or send a frame. [Fuzz] makes a fuzz target of the
// first part.
//
// # What an embedder may rely on
//
// The suite embeds machines as package sluice documents, and where the contract leaves a choice it
// takes the embedder's side: it tries a port after an Enqueue there without a Wake. It embeds
// machines by hand and not with kit.Driver, because its hostile steps are none that a driver takes.
package conformance
