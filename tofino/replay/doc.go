// Package replay runs an emitted program beside the machine that it was made from, on the same
// inputs, and compares every decision of the two.
//
// A [Tap] is hung around any machine of package kit and is one itself: a driver, a simulator or a
// real switch's embedder uses it in place of the machine. Each input goes to the machine and, as a
// packet, to the interpreter of package ir, which runs the program on its entries and knows no
// protocol. What is compared at every input:
//
//   - A data packet's egress port and queue, and at its departure the port by which it leaves and
//     what the program wrote into it.
//   - Control frames: the ports they leave by, their order at a port, and every octet of them.
//   - Gates: the queues that words of advanced flow control hold are those that are not Sendable.
//   - Every [Config.Every] inputs, the registers against the machine's state.
//
// How packets look, and what registers hold, is a protocol's affair: a [Wiring] says it.
//
// The chip is an ideal one unless [Config.Latency] is set: a notice of a departure is round before
// the next input. Frames are made when they become due: the tap polls the machine after every
// input and hands out at PollFrame what it has polled, so that a pause and a resume that were never
// polled in between are two frames, as on the chip, and not none. Packets count as whole cells for
// both sides, and time in whole ticks of the chip's clock.
//
// # What is left out
//
// An input that the program cannot be shown, or where a limit acts that the chip is known to have,
// is counted under the name of its reason: [Stats.LeftOut]. What follows is compared all the same,
// and differs if the machine's state depends on the input. A run that is to prove something checks
// that none was left out.
package replay
