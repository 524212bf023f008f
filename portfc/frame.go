package portfc

import (
	"encoding/binary"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// Type is what a frame does.
type Type uint8

// Types, as on the wire.
const (
	Pause  Type = 1
	Resume Type = 2
)

// Frame tells the device at the other end of a link what to pause: the queue it names is congested,
// or no longer, at an egress port of a switch. It is plain data: keep one and use it again.
//
// On the wire it has the header of package sluice, Frames on the wire, with protocol 4, and this
// body:
//
//	queue (2 bytes), port (2 bytes), layer (1 byte)
//
// The sequence number is one more in each frame that a port sends. A port obeys a frame only if its
// number, modulo 2^32, is neither the number of the newest before it nor less than 65,536 behind. A
// frame further behind comes from a peer which started anew, and is taken; so is the fourth of late
// frames in ascending order, see Forged frames in the package documentation. [Port.LinkUp] makes a
// port take any.
type Frame struct {
	Type     Type
	Source   sluice.MAC // MAC address
	Sequence uint32
	// Queue says what is congested: a queue of a switch port, [NDC.DDQ] for its DDQ, any lower
	// number for its IHFQs (with Config.HopClasses, the IHFQs of one number of relays left); frames
	// made here have the lowest. Or [NDC.RelayQueue]: the relay queue of a node port.
	Queue sluice.QueueID
	// Port is the egress port of the switch at which it is congested; of a relay queue the port of
	// the node.
	Port sluice.PortID
	// Layer is the layer of the switch, or for a relay queue of the switch that its port leads to.
	Layer uint8
}

const bodyLength = 5

var (
	codec   = wire.NewCodec(wire.PortFC)
	errType = codec.Fault(16, "type is not 1 or 2")
	errBody = codec.Fault(18, "body is not 5 bytes long")
)

// Kind returns "pause" or "resume", "unknown" for any other type.
func (f *Frame) Kind() string { return wire.Kind(f.Type, "pause", "resume") }

// String formats the frame, as in `pause queue 3 of port 1, layer 0`. It allocates.
func (f Frame) String() string {
	return fmt.Sprintf("%s queue %d of port %d, layer %d", f.Kind(), f.Queue, f.Port, f.Layer)
}

// AppendTo appends the frame as it goes on the wire, without the check sequence: 60 bytes.
func (f *Frame) AppendTo(dst []byte) []byte {
	start := len(dst)
	header := wire.Header{Source: f.Source, Type: uint8(f.Type), Sequence: f.Sequence}
	dst = codec.Begin(dst, &header)
	dst = binary.BigEndian.AppendUint16(dst, uint16(f.Queue))
	dst = binary.BigEndian.AppendUint16(dst, uint16(f.Port))
	return codec.Finish(append(dst, f.Layer), start)
}

// Parse sets f from a whole frame without its check sequence, or returns a *sluice.FrameError and
// leaves f in no particular state. It allocates nothing and keeps nothing of src.
func (f *Frame) Parse(src []byte) error {
	var h wire.Header
	body, err := codec.Parse(src, &h)
	if err != nil {
		return err
	}
	f.Type, f.Source, f.Sequence = Type(h.Type), h.Source, h.Sequence
	if f.Type != Pause && f.Type != Resume {
		return errType
	}
	if len(body) != bodyLength {
		return errBody
	}
	f.Queue = sluice.QueueID(binary.BigEndian.Uint16(body))
	f.Port = sluice.PortID(binary.BigEndian.Uint16(body[2:]))
	f.Layer = body[4]
	return nil
}
