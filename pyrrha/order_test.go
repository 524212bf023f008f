package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/stretchr/testify/require"
)

// storm drives one switch of four ports with random packets, frames and resets. IQs and roots may
// be scarce, so that roots share queues and sets spill.
type storm struct {
	*lab
	t      *testing.T
	random prng.Source
	roots  []sluice.Hop
	paths  [][]sluice.Hop // by flow
	number uint64         // of the last packet, in its UpstreamQueue
	last   map[uint64]sluice.QueueID
}

func (s *storm) below(n int) int { return int(s.random.Below(uint64(n))) }

func (s *storm) pick(list ...int) int { return list[s.below(len(list))] }

func newStorm(t *testing.T, seed uint64) *storm {
	s := &storm{t: t, random: prng.New(seed), last: make(map[uint64]sluice.QueueID)}
	s.lab = newLab(t, Config{
		Switch: 10, Ports: ports(Down, Down, Up, Host), MTU: 1000, Levels: 4,
		Organisation: Organisation(seed & 1),
		IQs:          s.pick(4, 5, 8, 40), Roots: s.pick(3, 8), Child: ChildRule(s.below(2)),
		AbdicateUp: s.below(2) == 0,
		Merge:      MergeRule(max(0, s.below(5)-2)),
	})
	s.roots = []sluice.Hop{at(20, 1), at(20, 2), at(30, 1), at(40, 1), at(10, 1), at(10, 0)}
	for range 6 {
		var path []sluice.Hop
		for range 1 + s.below(4) {
			path = append(path, s.roots[s.below(len(s.roots))])
		}
		s.paths = append(s.paths, path)
	}
	return s
}

func (s *storm) root() sluice.Hop { return s.roots[s.below(len(s.roots))] }

func (s *storm) step() {
	switch k := s.below(10); {
	case k < 4:
		s.arrive(s.below(len(s.paths)))
	case k < 7:
		s.send(s.below(2))
	case k < 8:
		s.pause(s.below(2), s.root(), 1+s.below(4))
	case k < 9:
		s.resume(s.below(2), s.root())
	case s.below(3) == 0:
		if old, merged := s.root(), s.root(); old != merged {
			s.merge(s.below(2), old, merged, 1+s.below(4))
		}
	case s.below(2) == 0:
		s.dealloc(s.below(4), s.root())
	case s.below(4) == 0:
		s.act(s.s.Port(sluice.PortID(s.below(4))).LinkUp(s.now))
	}
}

func (s *storm) arrive(flow int) {
	egress := flow % 2
	s.number++
	packet := sluice.Packet{
		Size: sluice.Bytes(1 + s.below(1500)), Ingress: sluice.PortID(flow % 4), Flow: uint64(flow),
	}
	packet.Path.Append(at(10, egress))
	for _, hop := range s.paths[flow] {
		packet.Path.Append(hop)
	}
	verdict := s.s.Port(sluice.PortID(egress)).Enqueue(s.now, &packet)
	require.Equal(s.t, sluice.Append, verdict.Action())
	packet.UpstreamQueue = sluice.QueueID(s.number)
	s.fifo[egress][verdict.Queue()] = append(s.fifo[egress][verdict.Queue()], packet)
	s.act(verdict.Wake())
}

// send moves packets of a port until one goes to the wire; false if none may.
func (s *storm) send(egress int) bool {
	port := s.s.Port(sluice.PortID(egress))
	for {
		q, ok := port.Next(s.now)
		if !ok {
			return false
		}
		packet := s.fifo[egress][q][0]
		s.fifo[egress][q] = s.fifo[egress][q][1:]
		verdict := port.Dequeue(s.now, q, &packet)
		s.act(verdict.Wake())
		if verdict.Action() == sluice.Transmit {
			require.Greater(
				s.t, packet.UpstreamQueue, s.last[packet.Flow], "flow %d came out of order", packet.Flow,
			)
			s.last[packet.Flow] = packet.UpstreamQueue
			s.now += labLink.Rate.TimeOf(packet.Size)
			return true
		}
		s.fifo[egress][verdict.Queue()] = append(s.fifo[egress][verdict.Queue()], packet)
	}
}

// calm resumes every root and lets all packets go.
func (s *storm) calm() {
	for _, root := range s.roots {
		s.resume(0, root)
		s.resume(1, root)
	}
	for {
		for s.send(0) || s.send(1) {
		}
		if s.s.Deadline() == sluice.Never {
			break
		}
		s.expire()
	}
}

// Whatever frames say, in whatever order, and however scarce IQs and roots are: packets of a flow
// keep their order, every packet goes once its roots have resumed, and nothing is left when the
// neighbours are gone.
func TestStormsKeepOrderAndLeaveNothing(t *testing.T) {
	seeds := depth.Choose[uint64](75, 75, 600, 1500)
	for seed := range seeds {
		s := newStorm(t, seed)
		for range 400 {
			s.step()
			require.NoError(t, s.s.Audit(), "seed %d", seed)
		}
		s.calm()
		require.Zero(t, s.s.Buffered(), "seed %d: packets stay: %v", seed, s.s.Snapshot())
		for i := range 4 {
			for _, root := range s.roots {
				s.dealloc(i, root)
			}
		}
		for i := range 4 {
			s.act(s.s.Port(sluice.PortID(i)).LinkUp(s.now))
		}
		require.NoError(t, s.s.Quiescent(), "seed %d", seed)
	}
}
