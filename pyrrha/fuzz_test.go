package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/stretchr/testify/require"
)

// FuzzHooks decodes bytes to a configuration and a list of hooks, as a bad embedder with bad
// neighbours calls them.
func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

func FuzzParse(f *testing.F) {
	conformance.FuzzFrame(
		f,
		Frame{Type: Pause, Root: at(1, 2), Hop: 3, Sequence: 4},
		Frame{Type: Resume, Root: at(1, 2)},
		Frame{Type: Merge, Root: at(1, 2), Old: at(3, 4), Hop: 7},
		Frame{Type: Dealloc, Root: at(-1, -1), Sequence: 1<<32 - 1},
	)
}

// FuzzReceive hands frames of any content, also such as Parse refuses, to a switch with packets,
// and runs the packets out.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{
		1, 0, 1, 2, 0, 0, 1, 1, 2, 0, 1, 2, 0, 0, 0, 2, 3, 0, 3, 1, 1, 2, 1, 3, 4, 1, 1, 2, 0, 0, 0, 4,
	})
	f.Add([]byte{1, 1, 1, 0, 0, 0, 7, 1, 1, 0, 1, 0, 0, 0, 2, 2, 9, 1, 2, 3, 2, 3, 255, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newLab(t, Config{Ports: ports(Down, Up, Host), Roots: 3, IQs: 7})
		for len(data) >= 8 {
			frame := Frame{
				Type: FrameType(data[0]), Root: at(int(data[2]%12), int(data[3]%4)),
				Old: at(int(data[4]%12), int(data[5]%4)),
				Hop: data[6], Sequence: uint32(int32(int8(data[7]))),
			}
			l.deliver(int(data[1])%3, frame)
			l.enqueue(int(data[7])%3, int(data[6])%3, frame.Root, frame.Old)
			if data[0]&0x80 != 0 {
				l.act(l.s.Port(sluice.PortID(data[1] % 3)).LinkUp(l.now))
			}
			l.sent()
			data = data[8:]
		}
		for port := range 3 {
			l.act(l.s.Port(sluice.PortID(port)).LinkUp(l.now))
		}
		for port := range 3 {
			for l.s.Port(sluice.PortID(port)).iq.InUse() > 0 ||
				l.s.Port(sluice.PortID(port)).Backlog(0) > 0 {
				l.serve(port, 1)
			}
		}
		l.sent()
		require.Zero(t, l.s.Buffered())
	})
}
