package probe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/hybrid"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

var cable = sluice.Link{Rate: 40 * sluice.Gbps, Delay: us}

// hung returns a machine of at most two ports that is watched, and its observer. Statistics begin
// with the run, and samples of port 0 are kept.
func hung(t testing.TB, m kit.Machine, err error) (kit.Machine, *probe.Observer) {
	require.NoError(t, err)
	g := &topo.Graph{Name: "one machine", Nodes: make([]topo.Node, 3)}
	g.Connect(0, 1, cable)
	g.Connect(0, 2, cable)
	o := probe.New(probe.Config{
		Graph: g, Pauses: true, Classes: true, Ports: []sluice.Hop{{Switch: 0, Port: 0}},
	})
	w := o.Hang(0, m)
	for node := sluice.SwitchID(1); node < 3; node++ { // the ends that nothing happens to
		end, err := kit.WrapNew(pfc.New(pfc.HostConfig(cable)))
		require.NoError(t, err)
		o.Hang(node, end)
	}
	return w, o
}

// step is a control frame that comes in at port 0 at a time.
type step struct {
	at    sluice.Time
	frame interface{ AppendTo(dst []byte) []byte }
}

func pausing(times ...sluice.Quanta) *pfc.Frame {
	f := &pfc.Frame{Opcode: pfc.OpcodePFC}
	for c, t := range times {
		f.Enabled |= sluice.MakeClassSet(sluice.Class(c))
		f.Time[c] = t
	}
	return f
}

func ofRoot(kind pyrrha.FrameType, sequence uint32, port sluice.PortID) *pyrrha.Frame {
	return &pyrrha.Frame{
		Type: kind, Root: sluice.Hop{Switch: 99, Port: port}, Hop: 2, Sequence: sequence,
	}
}

func ofFlows(kind ofc.Type, sequence uint32, flows ...uint64) *ofc.Frame {
	f := &ofc.Frame{Type: kind, Sequence: sequence, Class: 3, All: len(flows) == 0}
	f.Count = uint16(copy(f.Keys[:], flows))
	return f
}

func bitmap(sequence uint32, queues uint16, paused uint64) *bfc.Frame {
	return &bfc.Frame{Type: bfc.Bitmap, Sequence: sequence, Count: queues, Bits: [64]uint64{paused}}
}

// A pause is what downstream does to a queue: it begins with the frame that stops the queue, and
// ends with the one that lets it go, or when its time is over. Frames that say the same again are
// no pauses, and a queue that may not send for a reason of its own device is not paused, as
// Pyrrha's isolation queues without a root are not.
func TestPausesComputedByHand(t *testing.T) {
	// 1,000 quanta of 512 bits take 12.8 us at 40 Gb/s.
	const k = 1000
	for name, c := range map[string]struct {
		make   func() (kit.Machine, error)
		steps  []step
		pauses int64
		held   sluice.Time
	}{
		"pfc, refreshed": {onePFC, []step{
			{10 * us, pausing(k)}, {18 * us, pausing(k)}, {26 * us, pausing(k)}, {31 * us, pausing(0)},
		}, 1, 21 * us},
		"pfc, runs out": {onePFC, []step{{10 * us, pausing(k)}}, 1, 12800 * sluice.Nanosecond},
		"pfc, twice": {onePFC, []step{
			{10 * us, pausing(k)}, {12 * us, pausing(0)}, {15 * us, pausing(k)}, {16 * us, pausing(0)},
		}, 2, 3 * us},
		"pfc, two classes in one frame": {onePFC, []step{
			{10 * us, pausing(k, k)}, {12 * us, pausing(0)}, {15 * us, pausing(0, 0)},
		}, 2, 5 * us},
		"pyrrha, never paused": {onePyrrha, []step{{10 * us, ofRoot(pyrrha.Resume, 1, 0)}}, 0, 0},
		"pyrrha, one PAUSE": {onePyrrha, []step{
			{10 * us, ofRoot(pyrrha.Pause, 1, 0)},
			{16150 * sluice.Nanosecond, ofRoot(pyrrha.Resume, 2, 0)},
		}, 1, 6150 * sluice.Nanosecond},
		"pyrrha, two roots": {onePyrrha, []step{
			{10 * us, ofRoot(pyrrha.Pause, 1, 0)}, {11 * us, ofRoot(pyrrha.Pause, 2, 1)},
			{12 * us, ofRoot(pyrrha.Pause, 3, 1)}, {13 * us, ofRoot(pyrrha.Resume, 4, 0)},
			{17 * us, ofRoot(pyrrha.Resume, 5, 1)},
		}, 2, 7 * us},
		"pyrrha over pfc, a pause of each": {oneHybrid, []step{
			{10 * us, ofRoot(pyrrha.Pause, 1, 0)}, {13 * us, ofRoot(pyrrha.Resume, 2, 0)},
			{20 * us, pausing(0, 0, 0, k)}, {24 * us, pausing(0, 0, 0, 0)},
		}, 2, 7 * us},
		"bfc, repeated bitmaps": {oneBFC, []step{
			{10 * us, bitmap(1, 32, 1<<5)}, {11 * us, bitmap(2, 32, 1<<5|1<<9)},
			{12 * us, bitmap(3, 32, 1<<5|1<<9)}, {13 * us, bitmap(4, 32, 1<<9)}, {19 * us, bitmap(5, 32, 0)},
		}, 2, 9 * us},
		"bfc, a pause of two queues": {oneBFC, []step{
			{10 * us, &bfc.Frame{Type: bfc.Pause, Sequence: 1, Count: 2,
				Queues: [bfc.MaxListed]sluice.QueueID{3, 4}}},
			{12 * us, &bfc.Frame{Type: bfc.Resume, Sequence: 2, Count: 2,
				Queues: [bfc.MaxListed]sluice.QueueID{3, 4}}},
		}, 2, 2 * us},
		"ofc, never paused": {oneOFC, []step{{10 * us, ofFlows(ofc.Resume, 1, 7)}}, 0, 0},
		// Flow 8 is paused while the class has a paused flow already.
		"ofc, two flows of a class": {oneOFC, []step{
			{10 * us, ofFlows(ofc.Pause, 1, 7)}, {11 * us, ofFlows(ofc.Pause, 2, 8)},
			{12 * us, ofFlows(ofc.Resume, 3, 7)}, {15 * us, ofFlows(ofc.Resume, 4, 8)},
			{20 * us, ofFlows(ofc.Pause, 5, 7)}, {21 * us, ofFlows(ofc.Resume, 6, 7)},
		}, 2, 6 * us},
		"ofc, the whole class": {oneOFC, []step{
			{10 * us, ofFlows(ofc.Pause, 1)}, {14 * us, ofFlows(ofc.Resume, 2)},
		}, 1, 4 * us},
		"portfc, the two-hop queue of a port": {onePortFC, []step{
			{10 * us, &portfc.Frame{Type: portfc.Pause, Sequence: 1, Queue: 3}},
			{11 * us, &portfc.Frame{Type: portfc.Pause, Sequence: 2, Queue: 3}},
			{15 * us, &portfc.Frame{Type: portfc.Resume, Sequence: 3, Queue: 3}},
		}, 1, 5 * us},
	} {
		t.Run(name, func(t *testing.T) {
			machine, err := c.make()
			m, o := hung(t, machine, err)
			var buf []byte
			for _, s := range c.steps {
				buf = s.frame.AppendTo(buf[:0])
				_, err := m.Receive(s.at, 0, buf)
				require.NoError(t, err)
			}
			for at := m.Deadline(); at < 50*us; at = m.Deadline() {
				m.Expire(at)
			}
			seen := o.Finish(50 * us)
			require.Equal(t, c.pauses, seen.Ports[0].Pauses)
			require.Equal(t, c.held, seen.Ports[0].Held)
			require.Len(t, seen.Pauses, 2*int(c.pauses), "each pause has an end")
			require.Zero(t, seen.Ports[1].Pauses, "nothing came in there")
		})
	}
}

func onePFC() (kit.Machine, error) {
	return kit.WrapNew(pfc.New(pfc.HostConfig(cable)))
}

func oneBFC() (kit.Machine, error) {
	c := bfc.PortConfig{Link: cable}
	return kit.WrapNew(bfc.New(bfc.Config{Ports: []bfc.PortConfig{c, c}}))
}

func oneOFC() (kit.Machine, error) {
	c := ofc.PortConfig{Link: cable}
	return kit.WrapNew(ofc.New(ofc.Config{Ports: []ofc.PortConfig{c, c}}))
}

var pyrrhaConfig = pyrrha.Config{
	Switch: 1, Ports: []pyrrha.PortConfig{
		{Link: cable, Role: pyrrha.Up}, {Link: cable, Role: pyrrha.Host},
	},
}

func onePyrrha() (kit.Machine, error) { return kit.WrapNew(pyrrha.New(pyrrhaConfig)) }

func oneHybrid() (kit.Machine, error) {
	port := pfc.PortConfig{Link: cable, Profile: pfc.Profile{XOff: 60_000, XOn: 50_000}}
	port.Headroom = port.HeadroomFor(1518, 0).Total
	below, err := pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3),
	})
	if err != nil {
		return nil, err
	}
	above, err := pyrrha.New(pyrrhaConfig)
	if err != nil {
		return nil, err
	}
	return hybrid.New(below, above)
}

func onePortFC() (kit.Machine, error) {
	return kit.WrapNew(portfc.New(portfc.NodeConfig(portfc.NDC{N: 4, K: 1}, 15, cable)))
}

// Of credits a pause is a class without credit for an MTU. It begins when a packet takes the last,
// and ends with the frame that has more.
func TestPausesWithoutCredit(t *testing.T) {
	c := cbfc.HostConfig(cable)
	c.MTU, c.Ports[0].PeerBuffer = 1500, 2*1536
	machine, err := kit.WrapNew(cbfc.New(c))
	m, o := hung(t, machine, err)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	for range 3 {
		m.Enqueue(us, 0, &p)
	}
	for _, at := range []sluice.Time{2 * us, 3 * us} { // the second takes the last credit
		q, ok := m.Next(at, 0)
		require.True(t, ok)
		m.Dequeue(at, 0, q, &p)
	}
	_, ok := m.Next(4*us, 0)
	require.False(t, ok)
	for _, at := range []sluice.Time{9 * us, 10 * us} { // the second says nothing new
		f := cbfc.Frame{VL: 3, FCCL: 96}
		_, err := m.Receive(at, 0, f.AppendTo(nil))
		require.NoError(t, err)
	}
	seen := o.Finish(20 * us)
	require.EqualValues(t, 1, seen.Ports[0].Pauses)
	require.Equal(t, 6*us, seen.Ports[0].Held)
}

// As a sender of frames: a port that repeats its pause of a class counts one pause, as often as it
// begins one; the frames are counted apart. IEEE 802.1Q has no other word for the repetition.
func TestPausesThatAPortSends(t *testing.T) {
	port := pfc.PortConfig{Link: cable, Profile: pfc.Profile{XOff: 6000, XOn: 3000}, Pause: 391}
	port.Headroom = 100_000
	machine, err := kit.WrapNew(pfc.New(pfc.Config{
		Ports: []pfc.PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3),
	}))
	m, o := hung(t, machine, err)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	frames := func(now sluice.Time) (n int) {
		for _, _, ok := m.PollFrame(now, 1, nil); ok; _, _, ok = m.PollFrame(now, 1, nil) {
			n++
		}
		return n
	}
	now, sent := us, 0
	for range 2 { // fill until the port pauses, wait for refreshes, drain until it resumes
		for range 5 {
			require.Equal(t, sluice.Append, m.Enqueue(now, 0, &p).Action())
		}
		sent += frames(now)
		for end := now + 30*us; m.Deadline() <= end; {
			now = m.Deadline()
			m.Expire(now)
			sent += frames(now)
		}
		for range 5 {
			q, ok := m.Next(now, 0)
			require.True(t, ok)
			m.Dequeue(now, 0, q, &p)
		}
		sent += frames(now)
	}
	seen := o.Finish(now)
	require.EqualValues(t, 2, seen.Ports[1].Paused[3])
	require.Equal(t, int64(sent), seen.Ports[1].Frames)
	require.Equal(t, int64(sent-2), seen.Ports[1].Pausing[3], "two frames resumed")
	require.Greater(t, sent, 20, "each pause is repeated at a third of 5 us, and resumed")
	require.Zero(t, seen.Ports[0].Paused)
}
