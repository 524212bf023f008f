package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A detector that passes X_off and falls to X_on is one PAUSE and one RESUME at the other port, and
// queues held and released at the device that gets them: each is counted once, under the name of
// what is congested, and nothing else is.
func TestAPauseAndItsResumeAreCounted(t *testing.T) {
	network := NDC{2, 1}
	for _, row := range []struct {
		device sluice.SwitchID // its port 0 is congested, its port 1 tells
		route  int
		name   string
		pauses func(c *PortCounters, pauses, resumes uint64, peak sluice.Bytes)
	}{
		{4, 0, "DDQ", func(c *PortCounters, pauses, resumes uint64, peak sluice.Bytes) {
			c.DDQPauses, c.DDQResumes, c.DDQPeak = pauses, resumes, peak
		}},
		{4, 1, "IHFQ", func(c *PortCounters, pauses, resumes uint64, peak sluice.Bytes) {
			c.IHFQPauses, c.IHFQResumes, c.IHFQPeak = pauses, resumes, peak
		}},
		{1, 0, "relay queue", func(c *PortCounters, pauses, resumes uint64, peak sluice.Bytes) {
			c.RelayPauses, c.RelayResumes, c.RelayPeak = pauses, resumes, peak
		}},
	} {
		c := smallConfig(network, row.device)
		if network.IsNode(row.device) {
			c.RelayXOff = sluice.Ratio{Num: 6, Den: 1}
		}
		s := mustNew(t, c)
		far, _ := network.Peer(s.Port(1).self())
		peer := mustNew(t, smallConfig(network, far.Switch)).Port(far.Port)
		var waiting []*sluice.Packet
		check := func(resumes uint64) {
			var f Frame
			for s.Port(1).PollFrame(0, &f) {
				peer.Receive(0, &f)
			}
			want := PortCounters{}
			want.Enqueued, want.Transmitted = 8, 8*resumes
			row.pauses(&want, 1, resumes, 8000)
			require.Equal(t, want, s.Port(0).Counters())
			want = PortCounters{PausesSent: 1, ResumesSent: resumes}
			want.FramesSent = 1 + resumes
			require.Equal(t, want, s.Port(1).Counters())
			want = PortCounters{
				PausesReceived: 1, ResumesReceived: resumes, QueuesHeld: 1, QueuesReleased: resumes,
			}
			want.FramesReceived = 1 + resumes
			require.Equal(t, want, peer.Counters())
		}
		for range 8 {
			p := &sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, s.id, 0, row.route)}
			require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, p).Action())
			waiting = append(waiting, p)
		}
		check(0)
		require.Equal(t, []string{row.name}, s.Port(0).Snapshot().Pauses)
		for _, p := range waiting {
			q, ok := s.Port(0).Next(0)
			require.True(t, ok)
			s.Port(0).Dequeue(0, q, p)
		}
		check(1)
	}
}

// "For all other ports: GenFrame, SendToUpstream" (Algorithms 1 and 2), and a node relays a frame
// of a DDQ out of "all other ports" (Algorithm 3): a detector that changes is a frame for each of
// them, however many packets wait, because upstreamIsPaused keeps it from reporting the same
// congestion, or the same end of it, twice (section III-C.1).
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

// A packet that leaves more than K_max behind is marked, if it is ECN-capable, and counted.
// Acknowledgements and CNPs take the HQ, which marks no packet at any length.
func TestTheHighQueueMarksNoPacket(t *testing.T) {
	network := NDC{2, 1}
	c := smallConfig(network, 4)
	c.Marking = sluice.Marking{KMin: 1, KMax: 1, PMax: sluice.Ratio{Num: 1, Den: 1}}
	for _, row := range []struct {
		class     sluice.Class
		ecn, want sluice.ECN
		marked    uint64
	}{
		{0, sluice.ECT0, sluice.CE, 1}, {0, sluice.NotECT, sluice.NotECT, 0},
		{0, sluice.CE, sluice.CE, 0}, {7, sluice.ECT0, sluice.ECT0, 0},
	} {
		s := mustNew(t, c)
		var waiting []*sluice.Packet
		for range 3 {
			p := &sluice.Packet{Size: 1000, Ingress: 1, Class: row.class, ECN: row.ecn,
				Path: anyPath(network, 4, 0, 0)}
			s.Port(0).Enqueue(0, p)
			waiting = append(waiting, p)
		}
		q, ok := s.Port(0).Next(0)
		require.True(t, ok)
		require.Equal(t, row.want, s.Port(0).Dequeue(0, q, waiting[0]).Mark(), "%+v", row)
		require.Equal(t, row.marked, s.Counters().Marked, "%+v", row)
	}
}
