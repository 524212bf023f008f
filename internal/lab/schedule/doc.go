// Package schedule has traffic as a graph: what each rank of a job sends, receives and computes,
// and what each of these operations waits for.
//
// It reads and writes schedules in the format GOAL of LogGOPSim, as text and in binary form, reads
// execution traces of Chakra (MLCommons, et_def.proto), and makes schedules of collective
// operations. It carries schedules out as a state machine, Ranks, which an embedder drives: it says
// when messages leave and arrive, and Ranks say which start.
//
// # Rules
//
// An operation becomes due when all operations that it requires have ended and all that it
// irequires have started. A send and a computation then wait for the stream ("cpu") that they name:
// a stream takes them in the order in which they became due, and those that became due together in
// the order of the file. A send starts its message when the stream reaches it, and holds the stream
// for no time; it ends when the last bit of the message has left the host for the first time, as
// the sender needs nothing of the receiver for that. A computation holds its stream from its start
// to its end. A receive starts when it is due, takes no stream, and ends when its message has
// arrived.
//
// Messages of one rank to another with one tag are matched in the order in which they were sent
// with receives in the order in which these became due, whatever the order of arrival, as MPI
// matches (MPI 4.1, section 3.5). The size of a receive decides nothing.
//
// # Deviations
//
// LogGOPSim has an eager message's send end when it starts, after the overhead o, and one above the
// limit S when the receiver has matched it; there the sender's gap G keeps the next send back, here
// the network does. LogGOPSim handles an arrival when the stream of the message is free; here the
// network card does that. A message of 0 bytes is one of 1 byte. Receives from any source, or of
// any tag, are refused.
package schedule
