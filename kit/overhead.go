package kit

import "github.com/sluicefc/sluice"

// EthernetOverhead is what an Ethernet frame takes of the wire beside what Frame.AppendTo writes,
// as [FrameOverhead] counts: its check sequence.
const EthernetOverhead sluice.Bytes = 4

// Overheaded is an optional part of a Frame: that of one which rides in something else than
// Ethernet.
type Overheaded interface {
	// Overhead returns what a frame takes of the wire beside the bytes that AppendTo writes.
	Overhead() sluice.Bytes
}

// FrameOverhead returns how many byte times a control frame of a machine takes of the wire beside
// the bytes that PollFrame appends: EthernetOverhead, unless the machine's frames say otherwise, as
// InfiniBand's do. Preamble and gap are left out, as they are of packets.
func FrameOverhead(m Machine) sluice.Bytes {
	if o, ok := optional[Overheaded](m); ok {
		return o.Overhead()
	}
	return EthernetOverhead
}

// Overhead implements Overheaded.
func (a *adapter[S, P, F, FP]) Overhead() sluice.Bytes {
	if o, ok := any(FP(&a.outgoing)).(Overheaded); ok {
		return o.Overhead()
	}
	return EthernetOverhead
}
