package sluice

import "strconv"

// Wake is the word in which a hook says what changed. Zero: nothing that concerns the
// embedder.
type Wake uint32

// Flags of a Wake. WakeQueues goes with a port: see [Wake.Port].
const (
	// WakeFrames: control frames are pending. Call PollFrame until it answers false.
	WakeFrames Wake = 1 << iota
	// WakeQueues: queues of port Wake.Port may have become eligible. If its transmitter
	// is idle, call its Next.
	WakeQueues
	// WakeDeadline: Deadline changed. An embedder that reads it before it waits may ignore this. A
	// frame that is polled may start a timer, so read Deadline after PollFrame has been drained.
	WakeDeadline
)

const (
	wakeFlags     = WakeFrames | WakeQueues | WakeDeadline
	wakePortShift = 16
)

// AnyPort is the port of a Wake that released queues of more than one port.
const AnyPort PortID = 0xffff

// WakePort returns the word that says that queues of port were released.
func WakePort(port PortID) Wake { return WakeQueues | Wake(port)<<wakePortShift }

// Has reports whether all of flags are set.
func (w Wake) Has(flags Wake) bool { return w&flags == flags }

// Port returns the port whose queues were released, or AnyPort: try every idle
// transmitter. It means something only with WakeQueues.
func (w Wake) Port() PortID { return PortID(w >> wakePortShift) }

// Releases reports whether queues of port were, or may have been, released: with WakeQueues, Port is
// that port or AnyPort.
func (w Wake) Releases(port PortID) bool {
	return w.Has(WakeQueues) && (w.Port() == port || w.Port() == AnyPort)
}

// Merge returns the word that says what both say.
func (w Wake) Merge(other Wake) Wake {
	flags := (w | other) & wakeFlags
	switch {
	case !w.Has(WakeQueues):
		return flags | other&^wakeFlags
	case !other.Has(WakeQueues) || w.Port() == other.Port():
		return flags | w&^wakeFlags
	}
	return flags | WakePort(AnyPort)
}

// String lists the flags: "frames|queues(3)|deadline".
func (w Wake) String() string {
	s := ""
	add := func(name string) {
		if s != "" {
			s += "|"
		}
		s += name
	}
	if w.Has(WakeFrames) {
		add("frames")
	}
	if w.Has(WakeQueues) {
		if w.Port() == AnyPort {
			add("queues(any)")
		} else {
			add("queues(" + strconv.Itoa(int(w.Port())) + ")")
		}
	}
	if w.Has(WakeDeadline) {
		add("deadline")
	}
	if s == "" {
		return "none"
	}
	return s
}

// Action is what the embedder is to do with the packet it asked about.
type Action uint8

// Actions.
const (
	Drop     Action = iota // discard it: Verdict.Reason says why
	Append                 // append it to the tail of Verdict.Queue
	Transmit               // send it on the wire, marked with Verdict.Mark
)

// String names the action.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return "Action(" + strconv.Itoa(int(a)) + ")"
}

var actionNames = [...]string{"drop", "append", "transmit"}

// Verdict is the word in which Enqueue and Dequeue answer: an action with its queue, mark or
// reason, and a Wake. The zero Verdict is a drop without a reason, which no machine gives.
type Verdict uint64

// Layout: queue 0-15, action 16-17, mark 18-19, reason 24-31, wake 32-63.
const (
	verdictActionShift = 16
	verdictMarkShift   = 18
	verdictReasonShift = 24
	verdictWakeShift   = 32
)

// AppendTo returns the verdict that the packet goes to the tail of queue q.
func AppendTo(q QueueID) Verdict { return Verdict(q) | Verdict(Append)<<verdictActionShift }

// TransmitMarked returns the verdict that the packet goes to the wire with the code point mark.
func TransmitMarked(mark ECN) Verdict {
	return Verdict(Transmit)<<verdictActionShift | Verdict(mark&3)<<verdictMarkShift
}

// DropBecause returns the verdict that the packet is discarded.
func DropBecause(r Reason) Verdict { return Verdict(r) << verdictReasonShift }

// WithWake returns v that also says what w says.
func (v Verdict) WithWake(w Wake) Verdict {
	if w == 0 { // nearly always: this much is inlined
		return v
	}
	return v.merge(w)
}

func (v Verdict) merge(w Wake) Verdict {
	return v&(1<<verdictWakeShift-1) | Verdict(v.Wake().Merge(w))<<verdictWakeShift
}

// Action returns what to do with the packet.
func (v Verdict) Action() Action { return Action(v >> verdictActionShift & 3) }

// Queue returns the queue to append the packet to; it means something only with Append.
func (v Verdict) Queue() QueueID { return QueueID(v) }

// Mark returns the code point the packet leaves with; it means something only with Transmit.
func (v Verdict) Mark() ECN { return ECN(v >> verdictMarkShift & 3) }

// Reason returns why the packet is dropped; it means something only with Drop.
func (v Verdict) Reason() Reason { return Reason(v >> verdictReasonShift) }

// Wake returns what else changed.
func (v Verdict) Wake() Wake { return Wake(v >> verdictWakeShift) }

// String formats the verdict: "append 3", "drop: buffer full", "transmit CE, frames".
func (v Verdict) String() string {
	s := v.Action().String()
	switch v.Action() {
	case Append:
		s += " " + strconv.Itoa(int(v.Queue()))
	case Transmit:
		s += " " + v.Mark().String()
	case Drop:
		s += ": " + v.Reason().String()
	}
	if v.Wake() != 0 {
		s += ", " + v.Wake().String()
	}
	return s
}
