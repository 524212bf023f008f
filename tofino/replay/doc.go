// Package replay runs an emitted program beside the machine of the same configuration, on the same
// inputs, and compares every decision of the two.
//
// A [Tap] is hung around any machine of package kit and is one itself: a driver, a simulator or a
// real switch's embedder uses it in place of the machine. Each input goes to the machine and, as a
// packet, to the interpreter of package ir, which runs the program on its entries and knows no
// protocol. At every input the tap compares:
//
//   - A data packet's egress port and queue, and at its departure the port by which it leaves and
//     the fields that the program wrote.
//   - Control frames: the ports they leave by, their order at a port, and every octet of them.
//   - Gates: words of advanced flow control hold exactly the queues that are not Sendable.
//   - Every [Config.Every] inputs, the registers against the machine's state.
//
// A [Wiring] says how a protocol's packets look, and what its registers hold.
//
// The chip is ideal unless [Config.Latency] is set: a notice of a departure is round before the
// next input. Frames are made when they become due: the tap polls the machine after every input and
// hands out the polled frames at PollFrame, so that a pause and a resume between two polls of the
// driver are two frames, as on the chip, and not none. Packets count as whole cells for both sides,
// and time in whole ticks of the chip's clock.
//
// # What is left out
//
// An input that the program cannot be shown, or where a known limit of the chip acts, is counted
// under the name of its reason: [Stats.LeftOut]. Later inputs are compared all the same, and differ
// if the machine's state depends on the input. A run that is to prove something checks that no
// input was left out.
package replay
