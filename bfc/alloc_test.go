package bfc

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
)

// TestZeroAlloc: no hook allocates, in any form of the protocol.
func TestZeroAlloc(t *testing.T) {
	ports := []PortConfig{{Link: benchLink}, {Link: benchLink}}
	authors := AuthorsConfig(ports)
	for name, c := range map[string]Config{
		"paper":   {Ports: ports},
		"ideal":   {Ports: ports, Ideal: true, VFIDs: 8},
		"authors": authors,
		"limited": {
			Ports: ports, ResumeLimit: 1, FirstPacketQueue: true, Classes: sluice.MakeClassSet(0), Queues: 4,
		},
		"host": HostConfig(benchLink),
	} {
		t.Run(name, func(t *testing.T) {
			s := mustNew(t, c)
			in, egress := sluice.PortID(0), sluice.PortID(s.Ports()-1)
			if s.Ports() == 1 {
				in = sluice.Local
			}
			var f Frame
			packets := make([]sluice.Packet, 64)
			buffer := make([]byte, 0, 1500)
			queues := make([]sluice.QueueID, len(packets))
			now := sluice.Time(0)
			round := func() {
				for i := range packets {
					packets[i] = sluice.Packet{
						Flow: uint64(i % 9), Size: 1500, Ingress: in, UpstreamQueue: sluice.QueueID(i % 3),
						Class: sluice.Class(i & 1),
					}
					queues[i] = s.Port(egress).Enqueue(now, &packets[i]).Queue()
					drainInto(s, now, &f, buffer)
				}
				s.Port(egress).Next(now)
				for i := range packets {
					s.Port(egress).Dequeue(now, queues[i], &packets[i])
					drainInto(s, now, &f, buffer)
				}
				for _, kind := range []Type{Pause, Bitmap, Resume} {
					f = Frame{Type: kind, Sequence: f.Sequence + 1, Count: 8, Bits: [64]uint64{0xf0f0}}
					s.Port(egress).Receive(now, &f)
				}
				s.Port(egress).Dequeue(now, 0, &packets[0])
				if d := s.Deadline(); d != sluice.Never {
					now = max(now, d)
				}
				s.Expire(now)
				drainInto(s, now, &f, buffer)
				s.Port(egress).LinkDown(now)
				s.Port(egress).LinkUp(now)
				s.Rebase(sluice.Nanosecond)
				now -= sluice.Nanosecond
				drainInto(s, now, &f, buffer)
				s.Port(egress).Backlog(0)
				s.Port(egress).Sendable(0)
			}
			round()
			require.Zero(t, testing.AllocsPerRun(50, round))
			require.NoError(t, s.Audit())
			if s.Ports() > 1 {
				require.Positive(t, s.Counters().Resumes)
			}
		})
	}
}

func drainInto(s *Switch, now sluice.Time, f *Frame, buffer []byte) {
	for i := range s.Ports() {
		port := s.Port(sluice.PortID(i))
		for port.PollFrame(now, f) {
			wire := f.AppendTo(buffer)
			if _, err := port.ReceiveWire(now, wire); err != nil {
				panic("a frame of our own is refused")
			}
		}
	}
}

// Parse of a hostile frame allocates nothing either.
func TestZeroAllocRefused(t *testing.T) {
	wire := (&Frame{Type: Pause, Count: 1}).AppendTo(nil)
	wire[16] = 200
	var f Frame
	require.Zero(t, testing.AllocsPerRun(50, func() {
		if f.Parse(wire) == nil {
			panic("accepted")
		}
		if _, _, err := ParseShim(wire); err == nil {
			panic("accepted")
		}
	}))
}

// A packet touches as few cache lines as the documentation of Port says.
func TestCacheLines(t *testing.T) {
	require.Zero(t, unsafe.Sizeof(Port{})%64, "every port begins with one")
	require.EqualValues(t, 64, unsafe.Offsetof(Port{}.table))
	require.EqualValues(t, 128, unsafe.Offsetof(Port{}.ring))
	require.EqualValues(t, 64, unsafe.Sizeof(drr.Ring{}))
	require.EqualValues(t, 64, unsafe.Sizeof(origin{}))
}
