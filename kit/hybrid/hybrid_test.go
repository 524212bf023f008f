package hybrid

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The machine of two machines passes the suite that each of them passes.
func TestHybridConformance(t *testing.T) {
	depth.Fewer(t, 10)
	conformance.Run(t, conformance.Spec{
		Name: "pyrrha over pfc",
		New: func(t *rapid.T) func() kit.Machine {
			ports := rapid.IntRange(1, 4).Draw(t, "ports")
			return func() kit.Machine { return smallHybrid(t, ports) }
		},
		Frame: drawHybridFrame,
		Malformed: func(t *rapid.T, m kit.Machine, port sluice.PortID) (sluice.Packet, sluice.Reason) {
			p := conformance.DrawFlow(t, m, port)
			p.Size = 1000
			p.Path, _ = sluice.MakePath(sluice.Hop{Switch: conformance.Self, Port: port + 1})
			return p, sluice.BadPath
		},
		Network: &hybridNetwork,
	})
}

// A frame that is refused changes nothing, and does not tell the time either: were its instant
// taken for now, a timer would be served before Deadline was asked for.
func TestHybridForgetsTheInstantOfARefusedFrame(t *testing.T) {
	h := smallHybrid(t, 1)
	for range 3 {
		p := sluice.Packet{Size: 1500, Class: 3}
		h.Enqueue(0, 0, &p)
		h.PollFrame(0, 0, nil)
	}
	deadline := h.Deadline()
	require.Less(t, deadline, 10*sluice.Microsecond, "a pause was sent, which is refreshed")
	for _, frame := range [][]byte{nil, append(make([]byte, 12), 0x88, 0x08)} {
		_, err := h.Receive(sluice.Second, 0, frame)
		require.Error(t, err)
		require.Zero(t, h.Expire(0))
		require.Equal(t, deadline, h.Deadline())
	}
	_, _, sent := h.PollFrame(sluice.Second, 0, nil)
	require.False(t, sent)
	require.Zero(t, h.Expire(0), "being asked for a frame in vain tells no time either")
	require.Equal(t, deadline, h.Deadline())
}

// smallHybrid is a node in which everything happens within some tens of packets.
func smallHybrid(t require.TestingT, ports int) *Switch {
	below := pfc.Config{
		Buffer: sluice.MiB,
		Watchdog: pfc.Watchdog{
			Detection: 10 * sluice.Microsecond, Poll: 5 * sluice.Microsecond, Action: pfc.WatchdogForwards,
		},
	}
	above := pyrrha.Config{Switch: conformance.Self, IQs: 8}
	for range ports {
		link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 100 * sluice.Nanosecond}
		below.Ports = append(below.Ports, pfc.PortConfig{
			Link: link, Pause: 2000, Profile: pfc.Profile{XOff: 3000, XOn: 1500, Headroom: 6000},
		})
		above.Ports = append(above.Ports, pyrrha.PortConfig{Link: link})
	}
	return compose(below, above)
}

func drawHybridFrame(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
	if rapid.Bool().Draw(t, "of PFC") {
		f := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.ClassSet(rapid.Byte().Draw(t, "classes"))}
		for i := range f.Time {
			f.Time[i] = sluice.Quanta(rapid.IntRange(0, 3).Draw(t, "quanta")) * 100
		}
		return f.AppendTo(nil)
	}
	f := pyrrha.Frame{
		Type: rapid.SampledFrom([]pyrrha.FrameType{
			pyrrha.Pause, pyrrha.Resume, pyrrha.Dealloc,
		}).Draw(t, "type"),
		Root: conformance.DrawHop(t), Hop: uint8(rapid.IntRange(1, 3).Draw(t, "hop")),
		Sequence: rapid.Uint32Range(0, 100).Draw(t, "sequence"),
	}
	return f.AppendTo(nil)
}

// A packet that Pyrrha refuses would take its ingress over PFC's threshold. It is
// refused before PFC has accounted it, so that no frame is pending for it and nothing has to be
// taken back.
func TestHybridRefusesBeforeItAccounts(t *testing.T) {
	h := smallHybrid(t, 2)
	astray, _ := sluice.MakePath(sluice.Hop{Switch: conformance.Self, Port: 0}) // at port 1
	// the second would reach X_off
	for range 2 {
		p := sluice.Packet{Size: 1500, Class: 3, Path: astray}
		require.Equal(t, sluice.DropBecause(sluice.BadPath), h.Enqueue(0, 1, &p))
		p.Path = sluice.Path{}
		v := h.Enqueue(0, 1, &p)
		require.Equal(t, sluice.Append, v.Action())
		require.NoError(t, h.Audit())
	}
	require.Equal(t, sluice.Bytes(3000), h.Buffered())
}

// SONiC's watchdog of action forward lets a queue in a pause storm send; then Pyrrha must not hold
// it.
func TestHybridObeysTheWatchdogsWord(t *testing.T) {
	h := smallHybrid(t, 1)
	p := sluice.Packet{Size: 1000, Class: 3, Ingress: sluice.Local}
	h.Enqueue(0, 0, &p)
	storm := pfc.Frame{
		Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(3),
		Time: [sluice.Classes]sluice.Quanta{3: 65535},
	}
	released := false
	for now := sluice.Time(0); now < 30*sluice.Microsecond; now += sluice.Microsecond {
		wake, err := h.Receive(now, 0, storm.AppendTo(nil))
		require.NoError(t, err)
		_, woke := wake.Port()
		require.False(t, woke, "a pause releases nothing")
		if h.Deadline() <= now {
			_, woke = h.Expire(now).Port()
			released = released || woke
		}
	}
	require.True(t, released, "by the watchdog, though the pause goes on")
	require.Equal(t, sluice.MakeClassSet(3), h.belowPorts[0].Held())
	q, ok := h.Next(30*sluice.Microsecond, 0)
	require.True(t, ok)
	require.Equal(t, sluice.Transmit, h.Dequeue(30*sluice.Microsecond, 0, q, &p).Action())
}

// What PFC says of a packet that leaves is what counts: its mark, for one. The queue is longer than
// K_max when the first packet leaves.
func TestHybridMarksAsPFCDoes(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	port := pfc.PortConfig{
		Link: link, Profile: pfc.Profile{XOff: 100_000, XOn: 50_000, Headroom: 10_000},
	}
	port.ECN[3] = sluice.Marking{KMin: 1000, KMax: 1000}
	h := compose(
		pfc.Config{Buffer: sluice.MiB, Ports: []pfc.PortConfig{port}},
		pyrrha.Config{Switch: conformance.Self, IQs: 8, Ports: []pyrrha.PortConfig{{Link: link}}},
	)
	packets := [2]sluice.Packet{}
	for i := range packets {
		packets[i] = sluice.Packet{Size: 1500, Class: 3, ECN: sluice.ECT0}
		h.Enqueue(0, 0, &packets[i])
	}
	for i, want := range []sluice.ECN{sluice.CE, sluice.ECT0} {
		q, ok := h.Next(0, 0)
		require.True(t, ok)
		verdict := h.Dequeue(0, 0, q, &packets[i])
		require.Equal(t, sluice.Transmit, verdict.Action())
		require.Equal(t, want, verdict.Mark(), "packet %d leaves %d bytes behind", i, h.Buffered())
	}
}

// Its class is the other: where PFC has rules by which classes change, a packet leaves in the new
// one, and the ingress is resumed in the old.
func TestHybridRetags(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 1500, XOn: 1000, Headroom: 10_000}}
	h := compose(
		pfc.Config{
			Buffer: sluice.MiB, Ports: []pfc.PortConfig{port, port},
			Retag: []pfc.Retag{{Ingress: pfc.AnyPort, Class: 3, Egress: pfc.AnyPort, To: 4}},
		},
		pyrrha.Config{
			Switch: conformance.Self, IQs: 8, Ports: []pyrrha.PortConfig{{Link: link}, {Link: link}},
		},
	)
	for _, ingress := range []sluice.PortID{1, sluice.Local} {
		p := sluice.Packet{Size: 1500, Class: 3, Ingress: ingress}
		v := h.Enqueue(0, 0, &p)
		require.Equal(t, sluice.Append, v.Action())
		q, ok := h.Next(0, 0)
		require.True(t, ok)
		class, changes := h.Dequeue(0, 0, q, &p).Class()
		require.Equal(t, ingress == 1, changes, "Local is no port")
		if changes {
			require.Equal(t, sluice.Class(4), class)
		}
		require.Zero(t, h.Buffered())
		require.NoError(t, h.Audit())
	}
}

// Two machines that cannot be one are refused, with the reason.
func TestNewRefuses(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	below, err := pfc.New(pfc.HostConfig(link))
	require.NoError(t, err)
	for field, config := range map[string]pyrrha.Config{
		"Ports":  {IQs: 8, Ports: []pyrrha.PortConfig{{Link: link}, {Link: link}}},
		"Buffer": {IQs: 8, Buffer: sluice.MiB, Ports: []pyrrha.PortConfig{{Link: link}}},
	} {
		above, err := pyrrha.New(config)
		require.NoError(t, err)
		_, err = New(below, above)
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, field, fault.Field)
	}
}

// A link that is up again is up for both: PFC pauses the peer, which Pyrrha need not do yet.
func TestHybridLinkUp(t *testing.T) {
	h := smallHybrid(t, 2)
	h.LinkDown(0, 1)
	h.LinkUp(1, 1)
	for range 3 {
		p := sluice.Packet{Size: 1000, Class: 3, Ingress: 1}
		require.Equal(t, sluice.Append, h.Enqueue(2, 0, &p).Action())
	}
	frame, _, ok := h.PollFrame(2, 1, nil)
	require.True(t, ok)
	var f pfc.Frame
	require.NoError(t, f.Parse(frame))
	require.Equal(t, sluice.MakeClassSet(3), f.Enabled)
}

// PFC may count whole cells, Pyrrha bytes: the hybrid holds the same packets all the same.
func TestHybridAuditsCells(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	port := pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: 1500, XOn: 1000, Headroom: 10_000}}
	h := compose(
		pfc.Config{Buffer: sluice.MiB, CellSize: 80, Ports: []pfc.PortConfig{port, port}},
		pyrrha.Config{
			Switch: conformance.Self, IQs: 8, Ports: []pyrrha.PortConfig{{Link: link}, {Link: link}},
		},
	)
	p := sluice.Packet{Size: 100, Class: 3, Ingress: 1}
	require.Equal(t, sluice.Append, h.Enqueue(0, 0, &p).Action())
	require.Equal(t, 100*sluice.Byte, h.Buffered())
	require.Equal(t, 160*sluice.Byte, h.Below().Buffered(), "two cells")
	require.NoError(t, h.Audit())
	q, ok := h.Next(0, 0)
	require.True(t, ok)
	h.Dequeue(0, 0, q, &p)
	require.Zero(t, h.Below().Buffered())
	require.NoError(t, h.Audit())
}

// Renumber moves the origins of Pyrrha's sequence numbers; PFC's frames have none.
func TestHybridRenumbers(t *testing.T) {
	h := smallHybrid(t, 2)
	sent, heard := h.Numbers(1)
	h.Renumber(1, sent-7, 0)
	moved, stays := h.Numbers(1)
	require.Equal(t, uint32(7), moved)
	require.Equal(t, heard, stays)
	other, _ := h.Numbers(0)
	require.Equal(t, sent, other, "another port keeps its numbers")
}
