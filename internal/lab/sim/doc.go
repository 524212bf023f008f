// Package sim is a packet-level simulator of lossless networks: single-threaded, seeded, every
// event ordered by (time, sequence), so that the same input gives the same output to the byte.
//
// It is an embedder like any other: it uses of a protocol only what package kit names. Links
// serialise and propagate; control frames take the wire as bytes, before data, and no frame holds
// them. A host's network card is a machine of one port, a host that forwards one of several; a flow
// keeps at most one packet in it, so that a first-in first-out queue there serves flows round
// robin. A packet is delivered at its destination, and forwarded at other hosts as at switches.
//
// Nothing is allocated per packet or event once the arenas have grown: packets live in one slice
// by index, queues are lists through it, and a link has one event however many packets it carries.
package sim
