package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestZeroAlloc: no hook allocates, on any of its ways.
func TestZeroAlloc(t *testing.T) {
	c := Config{MTU: 1500, Quantum: [8]sluice.Bytes{3: 3000}}
	for range 2 {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{Rate: 40 * g}, Buffer: 20_000, PeerBuffer: 20_000, Period: us,
		})
	}
	s := newSwitch(t, c)
	out, in := s.Port(0), s.Port(1)
	packets := make([]sluice.Packet, 16)
	for i := range packets {
		packets[i] = sluice.Packet{Size: 1500, Class: sluice.Class(i % 8), Ingress: sluice.PortID(i % 2)}
	}
	bad := []sluice.Packet{{Size: 1, Class: 9}, {Size: 0}, {Size: 1, Ingress: 7}, {Size: 1501}}
	var f Frame
	var now sluice.Time
	buffer := make([]byte, 0, FrameLength)
	takeAll := func() {
		for q, ok := out.Next(now); ok; q, ok = out.Next(now) {
			if v := out.Dequeue(now, q, &packets[q]); v.Action() != sluice.Transmit {
				t.Fatal(v)
			}
		}
	}
	step := func() {
		now += us
		for range 15 {
			for i := range packets {
				out.Enqueue(now, &packets[i])
			}
		}
		for i := range bad {
			out.Enqueue(now, &bad[i])
			out.Dequeue(now, 3, &bad[i])
			in.Consume(now, &bad[i])
		}
		takeAll()
		in.Consume(now, &packets[3])
		s.Expire(now)
		for _, p := range [...]*Port{out, in} {
			for p.PollFrame(now, &f) {
				buffer = f.AppendTo(buffer[:0])
				if _, err := in.ReceiveWire(now, buffer); err != nil {
					t.Fatal(err)
				}
				in.ReceiveWire(now, buffer[:3])
			}
		}
		for vl := range uint8(9) {
			f = Frame{VL: vl, FCCL: (out.vls[vl%8].sent + 300) & counterMask}
			out.Receive(now, &f)
		}
		out.LinkDown(now)
		takeAll()
		out.LinkUp(now)
		s.Rebase(1)
		s.PollPort()
		s.Counters()
		if s.Deadline() == 0 || s.Audit() != nil || out.Sendable(9) {
			t.Fatal(s.Audit())
		}
	}
	require.Zero(t, testing.AllocsPerRun(200, step))
	total := s.Counters()
	for name, n := range map[string]uint64{
		"holds": total.VL[3].Holds, "FCPs": total.VL[3].FCPsSent, "overflows": total.VL[3].Overflows,
		"consumed": total.VL[3].Consumed, "misuse": total.Misuse, "malformed": total.Malformed,
		"ignored": total.Ignored,
	} {
		require.NotZero(t, n, "the walk does not come by: %s", name)
	}
}
