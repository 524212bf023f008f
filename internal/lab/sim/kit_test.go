package sim_test

import (
	"errors"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/fabric/ideal"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

const delay = 600 * sluice.Nanosecond

// star is n hosts 0 to n-1 around switch n.
func star(n int) *topo.Graph {
	g := &topo.Graph{Name: "star", Nodes: make([]topo.Node, n+1)}
	g.Nodes[n].Tier = 1
	for host := range n {
		g.Connect(
			sluice.SwitchID(host), sluice.SwitchID(n), sluice.Link{Rate: 100 * sluice.Gbps, Delay: delay},
		)
	}
	return g
}

// config is a run on a star without flow control.
func config(g *topo.Graph, flows ...workload.Flow) sim.Config {
	return sim.Config{
		Topology: g, Flows: flows, Payload: 1460, Header: 66, AckSize: 60, AckClass: sluice.Classes,
		NoticeClass: sluice.Classes,
		Window:      64 * sluice.KB,
		NewMachine: func(node sluice.SwitchID) (kit.Machine, error) {
			return ideal.New(len(g.Nodes[node].Ports), 1600), nil
		},
		Network: network(g), VerifyPaths: true,
	}
}

// network is the shortest-path forwarding of a graph.
func network(g *topo.Graph) *hashpath.Network {
	n, err := ways.Builder(g, hashpath.HostAddress).Build(hashpath.Config{Seed: 1})
	if err != nil {
		panic(err)
	}
	return n
}

func run(t testing.TB, c sim.Config) *sim.Result {
	s, err := sim.New(c)
	require.NoError(t, err)
	result, err := s.Run()
	require.NoError(t, err)
	return result
}

// attempt runs what may end with an error.
func attempt(t testing.TB, c sim.Config) (*sim.Result, error) {
	s, err := sim.New(c)
	require.NoError(t, err)
	return s.Run()
}

// chain is host 0, n switches in a row, and host 1.
func chain(n int) *topo.Graph {
	g := &topo.Graph{Name: "chain", Nodes: make([]topo.Node, 2+n)}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: delay}
	last := sluice.SwitchID(0)
	for i := range n {
		id := sluice.SwitchID(2 + i)
		g.Nodes[id].Tier = 1
		g.Connect(last, id, link)
		last = id
	}
	g.Connect(last, 1, link)
	return g
}

// at makes the machine of one node something built around what it was.
func at(c *sim.Config, node sluice.SwitchID, wrap func(kit.Machine) kit.Machine) {
	build := c.NewMachine
	c.NewMachine = func(n sluice.SwitchID) (kit.Machine, error) {
		m, err := build(n)
		if err == nil && n == node {
			m = wrap(m)
		}
		return m, err
	}
}

// notAfter is an Inspect that ends a run which goes on for ever with an error.
func notAfter(limit sluice.Time) func(*sim.Simulator) error {
	return func(s *sim.Simulator) error {
		if s.Now() > limit {
			return errEndless
		}
		return nil
	}
}

var errEndless = errors.New("the run does not end")

// held is a machine whose port 0 is held for good.
type held struct{ kit.Machine }

func (h held) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	if port == 0 {
		return 0, false
	}
	return h.Machine.Next(now, port)
}

func (h held) Sendable(port sluice.PortID, _ sluice.QueueID) bool { return port != 0 }

// chatty is a machine that owes its peer at port 0 a frame for each packet of a count that it gets;
// the frame says which it is. It counts the frames that reach it.
type chatty struct {
	kit.Machine
	frames   int // still to be asked for
	owed     []byte
	asked    []sluice.Time // when each was owed
	received *[]byte
}

func (c *chatty) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	v := c.Machine.Enqueue(now, port, p)
	if c.frames > 0 {
		c.frames--
		c.owed = append(c.owed, byte(c.frames))
		c.asked = append(c.asked, now)
		v = v.WithWake(sluice.WakePort(0))
	}
	return v
}

func (c *chatty) PollFrame(_ sluice.Time, port sluice.PortID, buf []byte) ([]byte, string, bool) {
	if port != 0 || len(c.owed) == 0 {
		return buf, "", false
	}
	frame := append(buf, c.owed[0])
	c.owed = c.owed[1:]
	return append(frame, make([]byte, 59)...), "hello", true
}

func (c *chatty) Receive(_ sluice.Time, _ sluice.PortID, frame []byte) (sluice.Wake, error) {
	*c.received = append(*c.received, frame[0])
	return 0, nil
}
