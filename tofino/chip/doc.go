// Package chip describes what a generator of tables has to know of the Tofino 2: how its driver
// numbers ports and queues, how queues are carved out of port groups, what a cell is, which
// thresholds survive the units in which depth is reported, and the word of advanced flow control
// (AFC), by which a program pauses and resumes a queue.
//
// Everything here is arithmetic on values: no state, no allocation but of errors, and no value is
// ever cut to fit. A number that is out of range gets a [*RangeError].
//
// # Sources
//
// The layout of dev_port, the port groups and the default carving are from the driver's public
// sources (open-p4studio, traffic_mgr and port_mgr for Tofino 2). Three public projects run the AFC
// word on hardware and agree about it bit for bit.
//
// # Not verified on hardware
//
//   - The unit of qlength, the depth that the ghost thread is given, is two cells in two programs
//     that do not know of each other; no document says so. It is a parameter: [DepthUnit].
//   - Bits 24:22 of the AFC word carry the channel in one program of the vendor's and zeros in
//     the three others. [Word] sends zeros and ignores what it reads there.
//   - The units of CREDIT mode are not published: [Credit] is an encoder and nothing more.
//   - A word names the pipe of its queue, so that one pipe should be able to pause a queue of
//     another. No source reports a trial.
package chip

// The chip in numbers (Tofino 2; the driver's tm_tof2.h and bf_types.h, and the compiler's device
// description).
const (
	Pipes          = 4   // pipes, each with its own tables and registers
	Groups         = 9   // port groups (MACs) of a pipe: 0 is internal, 1 to 8 are front ports
	Channels       = 8   // channels of a port group, each a port of its own
	QueuesPerGroup = 128 // queues that the channels of a port group share

	PortsPerPipe  = Groups * Channels       // 72
	QueuesPerPipe = Groups * QueuesPerGroup // 1,152
	Queues        = Pipes * QueuesPerPipe   // 4,608
	Stages        = 20                      // match-action stages, shared by all gresses
	BlocksPerPipe = Stages * BlocksPerStage // 1,600
	BlockBytes    = 16 << 10                // an SRAM block: 1,024 words of 128 bits
	CellBytes     = 176                     // a cell of the packet buffer
	BufferCells   = 384 << 10               // cells of the packet buffer: 66 MiB
	BufferBytes   = int64(BufferCells) * CellBytes

	BlocksPerStage = 80 // SRAM blocks of a stage: 8 rows of 10
)
