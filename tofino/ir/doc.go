// Package ir is the intermediate representation of a program for the Tofino 2 and of what fills
// its tables. A generator returns a [Program], which runs, and a [Config], which fills its tables
// and registers; P4 text, schema, entries, the estimate of their cost and the interpreter all read
// these two, so that nothing is said twice.
//
// What the representation can say is what the chip can do:
//
//   - Values have at most 128 bits. There is no product, no quotient and no remainder.
//   - An action's assignments happen at once: none reads what another writes ([Action]).
//   - A register has the shape of the stateful ALU: up to four predicates, guarded updates, up to
//     four results ([RegisterAction]).
//   - Control flow is a sequence of tables, actions and branches without loops ([Step]). A packet
//     comes round again by recirculation and by nothing else.
//
// [Program.Validate] refuses what the chip cannot do: a register that a packet can touch twice in
// one pass or that belongs to both ingress and egress, a sum in ghost, a second AFC word, an order
// comparison of two variables, an action that its table does not list.
//
// A [Machine] runs a program: packets through parser, ingress, the traffic manager's replication,
// egress and deparser; recirculation, mirrors, multicast; updates of ghost; timer packets. It knows
// fields, tables and registers and no protocol. It is exact, not timed: packets that go round come
// back at once, the traffic manager's queues are the embedder's.
//
// # Deviations from the chip
//
//   - A table and its actions run in zero stages; how many stages a program needs is an estimate
//     made elsewhere, reported and not refused.
//   - Reading a field of a header that is not there gives zero. The chip gives what the container
//     held.
//   - A mirrored packet is the packet as it left the deparser, or as it came in, cut to the
//     session's length; a session's priority and colour change nothing.
//   - A register that ghost shares with ingress has one copy, which ghost writes and ingress reads:
//     the chip has two copies and lets ghost write the copy that ingress does not read, so that
//     ingress may see a value that is one update old.
package ir
