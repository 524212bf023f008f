package replay

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Hook is the hook by which an input came.
type Hook uint8

// Hooks.
const (
	Enqueue Hook = iota
	Dequeue
	Receive
	Expire
	hooks
)

// String returns the hook's name: "Enqueue".
func (h Hook) String() string {
	if h >= hooks {
		return "no hook"
	}
	return [hooks]string{"Enqueue", "Dequeue", "Receive", "Expire"}[h]
}

// Input is one input of the machine.
type Input struct {
	Number uint64 // from 1
	Now    sluice.Time
	Hook   Hook
	Port   sluice.PortID
	Queue  sluice.QueueID // of Dequeue
	Packet sluice.Packet  // of Enqueue and Dequeue
}

// String formats as "input 7, Dequeue at 12us: port 3, queue 4, flow 0x2a from port 1".
func (in Input) String() string {
	text := fmt.Sprintf("input %d, %v at %v", in.Number, in.Hook, in.Now)
	switch in.Hook {
	case Dequeue:
		text += fmt.Sprintf(": port %d, queue %d", in.Port, in.Queue)
	case Enqueue, Receive:
		text += fmt.Sprintf(": port %d", in.Port)
	}
	if in.Hook == Enqueue || in.Hook == Dequeue {
		text += fmt.Sprintf(", flow %#x from port %d queue %d, %dB", in.Packet.Flow, in.Packet.Ingress,
			in.Packet.UpstreamQueue, in.Packet.Size)
	}
	return text
}

// Difference is a decision that the machine and the program made differently. It is an error.
type Difference struct {
	Input Input
	// What was decided, or the register that differs: "queue", "frame of port 3", "gate of port 1,
	// queue 4", "register size[77]".
	What             string
	Machine, Program string
	// Met are the tables that the packets of the input met, and the registers that they touched.
	Met []ir.TraceStep
}

// Error lists input, both decisions, and the tables and registers that the packets met.
func (d *Difference) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "replay: %v: %s: the machine says %s, the program %s", d.Input, d.What,
		d.Machine, d.Program)
	for _, step := range d.Met {
		fmt.Fprintf(&text, "\n  %v", step)
	}
	return text.String()
}

// Stats count what a tap compared.
type Stats struct {
	Inputs  uint64
	Packets uint64 // data packets that both took
	Moves   uint64 // data packets that both moved to another queue
	Frames  uint64 // control frames that were compared
	Pauses  uint64 // words that held a queue
	Words   uint64 // words of flow control
	States  uint64 // comparisons of registers with the machine
	// Kinds are how many control frames were compared, by the machine's names of their kinds.
	Kinds map[string]uint64
	// Turned are frames of one input at one port that were in another order, with [Config.Turned].
	Turned uint64
	// Differences are how many decisions differed, by what was decided, with [Config.Count].
	Differences map[string]uint64
	// LeftOut are inputs that were not compared, by the reason.
	LeftOut map[string]uint64
}
