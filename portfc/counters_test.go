package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A queue of a switch that passes X_off and falls to X_on is one PAUSE and one RESUME at the other
// port, and one queue held and released at the node that gets them: each is counted once.
func TestAPauseAndItsResumeAreCounted(t *testing.T) {
	network := NDC{2, 1}
	s := mustNew(t, smallConfig(network, 4))
	node := mustNew(t, smallConfig(network, network.NodeAt(4, 1)))
	tell := func() {
		var f Frame
		for s.Port(1).PollFrame(0, &f) {
			node.Port(0).Receive(0, &f)
		}
	}
	var waiting []*sluice.Packet
	for range 8 {
		p := &sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, 4, 0, 0)}
		require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, p).Action())
		waiting = append(waiting, p)
	}
	tell()
	sent, got := s.Counters(), node.Counters()
	require.EqualValues(t, []uint64{1, 0}, []uint64{sent.PausesSent, sent.ResumesSent})
	require.EqualValues(t, []uint64{1, 0}, []uint64{got.QueuesHeld, got.QueuesReleased})
	for _, p := range waiting {
		q, ok := s.Port(0).Next(0)
		require.True(t, ok)
		s.Port(0).Dequeue(0, q, p)
	}
	tell()
	sent, got = s.Counters(), node.Counters()
	require.EqualValues(t, []uint64{1, 1}, []uint64{sent.PausesSent, sent.ResumesSent})
	require.EqualValues(t, []uint64{1, 1}, []uint64{got.QueuesHeld, got.QueuesReleased})
}

// "For all other ports: GenFrame, SendToUpstream" (Algorithms 1 and 2), and a node relays a frame
// of a DDQ out of "all other ports" (Algorithm 3): a detector that changes is a frame for each of
// them, however many packets wait.
func TestATransitionIsAFrameForEachOtherPort(t *testing.T) {
	for _, n := range []int{2, 5, 16} {
		network := NDC{n, 1}
		s := mustNew(t, smallConfig(network, network.SwitchOf(0, 0)))
		node := mustNew(t, smallConfig(network, 1))
		var waiting []*sluice.Packet
		for range 100 {
			p := &sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, s.id, 0, 0)}
			s.Port(0).Enqueue(0, p)
			waiting = append(waiting, p)
		}
		for transition := range 2 {
			for i := range s.ports {
				var f Frame
				frames := 0
				for s.ports[i].PollFrame(0, &f) {
					frames++
					if i == 1 {
						node.Port(0).Receive(0, &f)
					}
				}
				require.Equal(t, min(i, 1), frames, "n = %d: port %d", n, i)
			}
			var f Frame
			require.True(t, node.Port(1).PollFrame(0, &f), "relayed")
			require.False(t, node.Port(1).PollFrame(0, &f), "once")
			require.False(t, node.Port(0).PollFrame(0, &f), "not to where it came from")
			require.EqualValues(t, transition+1, node.Counters().Relayed)
			for _, p := range waiting {
				q, _ := s.Port(0).Next(0)
				s.Port(0).Dequeue(0, q, p)
			}
			waiting = nil
		}
	}
}

// Acknowledgements and CNPs take the HQ, which marks no packet at any length.
func TestTheHighQueueMarksNoPacket(t *testing.T) {
	network := NDC{2, 1}
	c := smallConfig(network, 4)
	c.Marking = sluice.Marking{KMin: 1, KMax: 1, PMax: sluice.Ratio{Num: 1, Den: 1}}
	for class, want := range map[sluice.Class]sluice.ECN{0: sluice.CE, 7: sluice.ECT0} {
		s := mustNew(t, c)
		var waiting []*sluice.Packet
		for range 3 {
			p := &sluice.Packet{Size: 1000, Ingress: 1, Class: class, ECN: sluice.ECT0,
				Path: anyPath(network, 4, 0, 0)}
			s.Port(0).Enqueue(0, p)
			waiting = append(waiting, p)
		}
		q, ok := s.Port(0).Next(0)
		require.True(t, ok)
		require.Equal(t, want, s.Port(0).Dequeue(0, q, waiting[0]).Mark(), "class %d", class)
	}
}

// A detector counts what its queues hold, and its peak is no less: Audit sees where that is not so.
func TestAuditSeesDetectorsThatAreWrong(t *testing.T) {
	for name, spoil := range map[string]func(d *detector, peak *sluice.Bytes){
		"fewer bytes": func(d *detector, _ *sluice.Bytes) { d.bytes-- },
		"a lower peak": func(d *detector, peak *sluice.Bytes) {
			*peak--
			d.alert = min(d.alert, *peak+1)
		},
	} {
		network := NDC{2, 1}
		s := mustNew(t, smallConfig(network, 4))
		p := s.Port(0)
		packet := sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, 4, 0, 0)}
		require.Equal(t, sluice.Append, p.Enqueue(0, &packet).Action())
		require.NoError(t, s.Audit())
		for class := range p.detectors[:classes] {
			if d := &p.detectors[class]; d.bytes > 0 {
				spoil(d, &p.peaks[class])
			}
		}
		require.ErrorContains(t, s.Audit(), "invariant 3", name)
	}
}
