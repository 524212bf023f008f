package sluice

import "strconv"

// Wake is the word in which a hook says what changed: ports that may have something to send, a
// frame or a packet, and whether the deadline moved. Zero: nothing that concerns the embedder.
//
// A port that a Wake names is worth asking if its transmitter is idle: PollFrame first, then Next.
// If the transmitter is busy, the port is asked anyway when it becomes free, and the Wake may be
// ignored. One port fits in the word. When a hook woke several, the word says [WakeSeveral] and
// PollPort of the switch names them one by one.
type Wake uint32

// Flags of a Wake.
const (
	wakeOne Wake = 1 << iota // Port is the one port that was woken
	// WakeSeveral: call PollPort of the switch until it answers false. It may wait until after the
	// next input: ports stay there until they are polled.
	WakeSeveral
	// WakeDeadline: Deadline changed. An embedder that reads it before it waits may ignore this.
	WakeDeadline
)

const wakePortShift = 16

// WakePort returns the word that says that port may have something to send.
func WakePort(port PortID) Wake { return wakeOne | Wake(port)<<wakePortShift }

// Has reports whether all of flags are set.
func (w Wake) Has(flags Wake) bool { return w&flags == flags }

// Port returns the port that was woken; false if none was or several were.
func (w Wake) Port() (PortID, bool) { return PortID(w >> wakePortShift), w&wakeOne != 0 }

// Merge returns the word that says what both say. Two different ports do not fit: then the word
// says WakeSeveral and names neither, and the caller must see to it that PollPort does.
func (w Wake) Merge(other Wake) Wake {
	flags := (w | other) & (WakeSeveral | WakeDeadline)
	switch {
	case other&wakeOne == 0:
		return flags | w&^(WakeSeveral|WakeDeadline)
	case w&wakeOne == 0 || w>>wakePortShift == other>>wakePortShift:
		return flags | other&^(WakeSeveral|WakeDeadline)
	}
	return flags | WakeSeveral
}

// String lists what the word says: "port 3, deadline".
func (w Wake) String() string {
	s := ""
	add := func(name string) {
		if s != "" {
			s += ", "
		}
		s += name
	}
	if port, ok := w.Port(); ok {
		add("port " + strconv.Itoa(int(port)))
	}
	if w.Has(WakeSeveral) {
		add("several ports")
	}
	if w.Has(WakeDeadline) {
		add("deadline")
	}
	if s == "" {
		return "nothing"
	}
	return s
}
