package sim

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// closed holds every queue, unless it is open, and may owe its peer at port 1 a frame.
// Its queues wait for one flow, or for all packets that came by the link.
type closed struct {
	kit.Machine
	open, owes bool
	waitsFor   uint64        // 0: all that came by the link
	passedOn   sluice.PortID // by the peer: what holds its queue 0 of that port; 0 for none
}

func (c *closed) WaitsBehind(
	_ sluice.PortID, _ sluice.QueueID, by sluice.PortID, behind sluice.QueueID,
) bool {
	return c.passedOn != 0 && by == c.passedOn && behind == 0
}

func (c *closed) WaitsFor(
	_ sluice.PortID, _ sluice.QueueID, p *sluice.Packet, _ sluice.QueueID, came bool,
) bool {
	return c.waitsFor == 0 && came || p.Flow == c.waitsFor
}

func (c *closed) Sendable(sluice.PortID, sluice.QueueID) bool { return c.open }

func (*closed) Next(sluice.Time, sluice.PortID) (sluice.QueueID, bool) { return 0, false }

func (c *closed) PollFrame(_ sluice.Time, port sluice.PortID, buf []byte) ([]byte, string, bool) {
	return buf, "hello", c.owes && port == 1
}

// pair is two switches, 2 and 3, joined at port 1 of each, with a host at port 0 of each.
// Everything is held.
func pair(t *testing.T) *Simulator {
	g := &topo.Graph{Name: "pair", Nodes: []topo.Node{{}, {}, {Tier: 1}, {Tier: 1}}}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g.Connect(0, 2, link)
	g.Connect(1, 3, link)
	g.Connect(2, 3, link)
	b := hashpath.NewBuilder()
	network, err := b.Build(hashpath.Config{})
	require.NoError(t, err)
	s, err := New(Config{
		Topology: g, Network: network, Payload: 1000, AckSize: 60,
		NewMachine: func(node sluice.SwitchID) (kit.Machine, error) {
			return &closed{Machine: ideal.New(len(g.Nodes[node].Ports), 1000)}, nil
		},
	})
	require.NoError(t, err)
	return s
}

// put queues a packet that came in by a port.
func put(s *Simulator, at sluice.Hop, ingress sluice.PortID, upstream sluice.QueueID) {
	h, pkt := s.parts[0].arena.take()
	pkt.Packet = sluice.Packet{Flow: uint64(h), Size: 1000, Ingress: ingress, UpstreamQueue: upstream}
	pkt.Value = cargo{kind: dataPacket}
	s.parts[0].enqueue(&s.nodes[at.Switch], at.Port, h, pkt)
}

// Each switch has a packet that came from the other and is to go back there.
func circle(t *testing.T) *Simulator {
	s := pair(t)
	put(s, sluice.Hop{Switch: 2, Port: 1}, 1, 0)
	put(s, sluice.Hop{Switch: 3, Port: 1}, 1, 0)
	return s
}

func TestTwoQueuesThatWaitForEachOtherAreNamed(t *testing.T) {
	s := circle(t)
	s.config.Flows = make([]workload.Flow, 1) // which did not complete
	s.finish()
	require.Equal(t, "deadlock at 0ps: 2:1 q0 waits for 3:1 q0 waits for 2:1 q0", s.result.Deadlock)
	require.Equal(t, []string{
		"1 of 1 flows did not complete by 0ps: 1000 bytes wait at 2:1, 1000 bytes wait at 3:1",
		s.result.Deadlock,
	}, s.result.Notes)
}

// What waits for a host, or for a queue that may send, is no deadlock; nor is a held queue whose
// packets downstream are gone.
func TestWaitsThatEndAreNoDeadlock(t *testing.T) {
	s := pair(t)
	put(s, sluice.Hop{Switch: 2, Port: 0}, 1, 0) // to host 0
	put(s, sluice.Hop{Switch: 3, Port: 1}, 1, 0)
	require.Empty(t, s.deadlock())

	s = circle(t)
	put(s, sluice.Hop{Switch: 2, Port: 0}, 1, 0)
	s.nodes[2].machine().(*closed).open = true
	require.Empty(t, s.deadlock(), "all queues of switch 2 may send")

	s = pair(t)
	put(s, sluice.Hop{Switch: 2, Port: 1}, 0, 0)
	put(s, sluice.Hop{Switch: 3, Port: 1}, 0, 0)
	require.Empty(t, s.deadlock(), "nothing downstream came from there")
}

// The machine says what holds its queues: numbers of queues, which may change their roles, are not
// looked at.
func TestAMachineSaysWhatItsQueuesWaitFor(t *testing.T) {
	stuck := func(two, three bool) bool {
		s := circle(t)
		for node, right := range map[int]bool{2: two, 3: three} {
			other := &s.nodes[5-node]
			s.nodes[node].machine().(*closed).waitsFor = 1 << 60 // no queue's
			for q := range sluice.QueueID(other.machine().Queues()) {
				if h := other.driver.Queue(1, q).Head(); h != 0 && right {
					s.nodes[node].machine().(*closed).waitsFor = s.parts[0].arena.At(h).Flow
					s.parts[0].arena.At(h).UpstreamQueue = 77
				}
			}
		}
		return s.deadlock() != nil
	}
	require.True(t, stuck(true, true))
	require.False(t, stuck(true, false))
	require.False(t, stuck(false, true))
}

// At the end of a run that was cut short, a frame on its way may open the circle. In a run that
// ended because nothing moved, it is the refresh of a pause.
func TestAFrameUnderWayMayOpenTheCircle(t *testing.T) {
	frame := func(s *Simulator) handle {
		h, _ := s.parts[0].arena.takeFrame([]byte{1})
		return h
	}
	port := func(s *Simulator) *port { return &s.ports[s.nodes[2].firstPort+1] }
	for name, send := range map[string]func(*Simulator){
		"on the wire":   func(s *Simulator) { port(s).incoming++ },
		"held back":     func(s *Simulator) { port(s).late = frame(s) },
		"at the sender": func(s *Simulator) { s.nodes[3].machine().(*closed).owes = true },
	} {
		s := circle(t)
		send(s)
		require.Empty(t, s.deadlock(), name)
		s.stalled = true
		require.NotEmpty(t, s.deadlock(), name)
	}
}

// A pause that a device passes on holds queues beyond it, whether its own has packets or not: the
// search goes through that one to what it waits for.
func TestAQueueWaitsBehindAnEmptyOne(t *testing.T) {
	for _, passedOn := range []sluice.PortID{0, 1} {
		s := circle(t)
		other := s.nodes[3].driver.Queue(1, 0)
		for !other.Empty() {
			s.parts[0].arena.Pop(other)
		}
		for _, node := range []int{2, 3} {
			m := s.nodes[node].machine().(*closed)
			m.waitsFor = 1 << 60 // no queue's
			m.passedOn = passedOn
		}
		if passedOn == 0 {
			require.Empty(t, s.deadlock())
		} else {
			require.Equal(
				t, "2:1 q0 waits for 3:1 q0 waits for 2:1 q0", hol.Describe(s.deadlock()),
			)
		}
	}
}

// A circle that was there before a frame was sent is not opened by it; a queue that has sent since
// breaks it.
func TestACircleThatStoodIsNotOpenedByARefresh(t *testing.T) {
	later := func(s *Simulator) []hol.Node {
		s.nodes[3].machine().(*closed).owes = true
		return s.deadlock()
	}
	s := circle(t)
	s.noteHeld()
	require.NotEmpty(t, later(s))

	s = circle(t)
	s.noteHeld()
	s.parts[0].arena.At(s.nodes[2].driver.Queue(1, 0).Head()).Flow = 77 // another packet than before
	require.Empty(t, later(s))

	s = circle(t)
	s.nodes[2].machine().(*closed).open = true
	s.noteHeld() // no circle yet
	s.nodes[2].machine().(*closed).open = false
	require.Empty(t, later(s))
}
