// Package hybrid is Pyrrha over PFC: one machine made of two.
//
// Pyrrha's paper has both work together (section IV-E): PFC accounts the buffer by ingress and
// pauses the whole neighbour when it must, Pyrrha chooses the queues. A neighbour that speaks both
// is paused by Pyrrha for its congested flows long before PFC's thresholds are met. A neighbour
// that speaks PFC alone is at a port of role [pyrrha.Legacy].
//
// # Rules of the composition
//
// The two have equal ports. Pyrrha's Buffer is 0, as PFC guards the buffer. A packet that Pyrrha
// would refuse is not handed to PFC, so that nothing has to be taken back. PFC's Next is not asked:
// its packets leave in the order that Pyrrha chooses, which its accounts do not mind. Packets under
// Pyrrha share the output queue, so that a pause by PFC of any class holds all of them: see
// [pyrrha.Port.Hold]. What PFC says of a packet that leaves, its mark and its class, is what
// counts; a packet that it retags leaves in the class of its rules.
//
// A whole program is in examples/pyrrha-over-pfc.
package hybrid
