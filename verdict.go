package sluice

import (
	"strconv"

	"github.com/sluicefc/sluice/internal/enum"
)

// Action is what the embedder is to do with the packet it asked about.
type Action uint8

// Actions.
const (
	Drop     Action = iota // discard it: Verdict.Reason says why
	Append                 // append it to the tail of Verdict.Queue
	Transmit               // send it on the wire, marked with Verdict.Mark, in Verdict.Class
)

// String names the action.
func (a Action) String() string { return enum.Name(a, "Action", "drop", "append", "transmit") }

// Verdict is the word in which Enqueue and Dequeue answer: an action with its queue, mark and class
// or reason, and a Wake. The zero Verdict is a drop without a reason, which no machine gives.
type Verdict uint64

// Layout: queue 0-15, action 16-17, mark 18-19, class 20-22, whether it has one 23, reason 24-31,
// wake 32-63. There is room for what comes: action 3 is not taken, nor are bits 3 to 15 of the
// wake, and each action leaves alone what others use, the queue of a packet that is sent for
// instance.
const (
	verdictActionShift = 16
	verdictMarkShift   = 18
	verdictClassShift  = 20
	verdictHasClass    = 1 << 23
	verdictReasonShift = 24
	verdictWakeShift   = 32
)

// AppendToQueue returns the verdict that the packet goes to the tail of queue q.
func AppendToQueue(q QueueID) Verdict { return Verdict(q) | Verdict(Append)<<verdictActionShift }

// TransmitMarked returns the verdict that the packet goes to the wire with the code point mark.
func TransmitMarked(mark ECN) Verdict {
	return Verdict(Transmit)<<verdictActionShift | Verdict(mark&3)<<verdictMarkShift
}

// DropBecause returns the verdict that the packet is discarded.
func DropBecause(r Reason) Verdict { return Verdict(r) << verdictReasonShift }

// WithClass returns v, whose action is Transmit, with the class that the packet leaves in.
func (v Verdict) WithClass(c Class) Verdict {
	return v&^(7<<verdictClassShift) | Verdict(c&7)<<verdictClassShift | verdictHasClass
}

// WithMark returns v, whose action is Transmit, with another code point: for a marker that hangs on
// a machine's Dequeue. Class and Wake stay.
func (v Verdict) WithMark(mark ECN) Verdict {
	return v&^(3<<verdictMarkShift) | Verdict(mark&3)<<verdictMarkShift
}

// WithWake returns v that also says what w says. Two different ports do not fit: see [Wake.Merge].
func (v Verdict) WithWake(w Wake) Verdict {
	if w == 0 { // nearly always: this much is inlined
		return v
	}
	return v.merge(w)
}

func (v Verdict) merge(w Wake) Verdict {
	return v&(1<<verdictWakeShift-1) | Verdict(v.Wake().Merge(w))<<verdictWakeShift
}

// WithoutWake returns v with a Wake that says nothing, for code that merges the words of two
// machines.
func (v Verdict) WithoutWake() Verdict { return v & (1<<verdictWakeShift - 1) }

// Action returns what to do with the packet.
func (v Verdict) Action() Action { return Action(v >> verdictActionShift & 3) }

// Queue returns the queue to append the packet to; it means something only with Append.
func (v Verdict) Queue() QueueID { return QueueID(v) }

// Mark returns the code point the packet leaves with; it means something only with Transmit.
func (v Verdict) Mark() ECN { return ECN(v >> verdictMarkShift & 3) }

// Class returns the class that the packet leaves in, and whether that may be another than it came
// in; it means something only with Transmit.
func (v Verdict) Class() (Class, bool) {
	return Class(v >> verdictClassShift & 7), v&verdictHasClass != 0
}

// Reason returns why the packet is dropped; it means something only with Drop.
func (v Verdict) Reason() Reason { return Reason(v >> verdictReasonShift) }

// Wake returns what else changed.
func (v Verdict) Wake() Wake { return Wake(v >> verdictWakeShift) }

// String formats the verdict: "append 3", "drop: buffer full", "transmit CE, port 2".
func (v Verdict) String() string {
	s := v.Action().String()
	switch v.Action() {
	case Append:
		s += " " + strconv.Itoa(int(v.Queue()))
	case Transmit:
		s += " " + v.Mark().String()
		if class, ok := v.Class(); ok {
			s += " class " + strconv.Itoa(int(class))
		}
	case Drop:
		s += ": " + v.Reason().String()
	}
	if v.Wake() != 0 {
		s += ", " + v.Wake().String()
	}
	return s
}

// Reason says why a machine dropped a packet. Every machine counts its drops by reason.
type Reason uint8

// Reasons.
const (
	NoReason          Reason = iota
	BadIngress               // the ingress is neither a port of the switch nor Local
	BadClass                 // the class is above 7
	BadSize                  // the size is not 1 to MaxPacket
	BadPath                  // the path begins elsewhere, or its next hops are not in the network
	BufferFull               // a lossy packet met a full share of the buffer
	HeadroomExhausted        // a lossless packet met a full headroom: the peer did not obey in time
	WatchdogDrop             // the queue is in a pause storm and its watchdog discards
	BadQueue                 // Dequeue named a nonexistent queue, or one that cannot hold the packet
	LinkDown                 // the link of the port failed, and its queues were flushed
	numReasons
)

// NumReasons is the number of reasons, for counters indexed by Reason.
const NumReasons = int(numReasons)

// String describes the reason.
func (r Reason) String() string {
	return enum.Name(r, "Reason", "no reason", "bad ingress", "bad class", "bad size", "bad path",
		"buffer full", "headroom exhausted", "watchdog", "bad queue", "link down")
}
