// Package sim is a packet-level simulator of lossless networks: seeded, on any number of threads,
// with events in an order that the network alone decides, so that the same input gives the same
// output to the byte. ARCHITECTURE.md, "The simulator", has the order and the parts.
//
// It is an embedder like any other: it uses of a protocol only what package kit names. Links
// serialise and propagate; control frames take the wire as bytes, before data, and no frame holds
// them. A host's network card is a machine of one port, a host that forwards one of several; a flow
// keeps at most one packet in it, so that a first-in first-out queue there serves flows round
// robin. A packet is delivered at its destination, and forwarded at other hosts as at switches.
//
// Nothing is allocated per packet or event once the arenas have grown: packets live in a slice by
// index, and queues are lists through it.
package sim
