package explore_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/stretchr/testify/require"
)

func protocolOf(name string) protocol {
	for _, p := range protocols {
		if p.name == name {
			return p
		}
	}
	panic("no protocol is called " + name)
}

func explored(t *testing.T, n *explore.Network) explore.Result {
	r, err := n.Explore(explore.Options{})
	require.NoError(t, err)
	t.Logf("%d states, %d steps, %d states of nodes, depth %d, %v", r.States, r.Transitions,
		r.NodeStates, r.Depth, r.Took)
	return r
}

// TestKnownDeadlocks: PFC "can cause deadlocks" where buffers depend on each other in a circle
// (Pyrrha, section II-A), and so can BFC where flows share a queue. The shortest way there is a
// packet in every buffer of the circle, and a pause for each: its steps, taken anew, end so.
func TestKnownDeadlocks(t *testing.T) {
	for _, p := range []protocol{protocolOf("pfc"), colliding}[:depth.Choose(1, 1, 2)] {
		t.Run(p.name, func(t *testing.T) {
			n := circle(p)
			r := explored(t, n)
			require.NotNil(t, r.Violation)
			require.Equal(t, "no deadlock", r.Violation.Property)
			steps := texts(r.Violation.Steps)
			var told strings.Builder
			require.ErrorContains(t, n.Replay(&told, steps...), "no deadlock")
			require.Equal(t, 3, strings.Count(told.String(), "pause on its way"), "one for each switch")
			require.NoError(t, n.Replay(nil, steps[:1]...), "after a step all can still arrive")
			begin := fmt.Sprintf("%q, %q,", steps[0], steps[1])
			require.Contains(t, r.Violation.Test("Circle", "circle()"), begin)
		})
	}
}

// TestPastedDeadlocks: the tests that docs/explored.md shows end in the deadlock that it tells of.
func TestPastedDeadlocks(t *testing.T) {
	text, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	deadlocks := 0
	for _, row := range rows() {
		if row.deadlock == "" || row.faults != "none" {
			continue
		}
		deadlocks++
		_, pasted, found := strings.Cut(string(text), "\terr := "+row.deadlock+".Replay(nil,")
		require.True(t, found, row.key())
		pasted, _, _ = strings.Cut(pasted, "\n\t)\n")
		steps := strings.Split(strings.Trim(strings.Join(strings.Fields(pasted), " "), `",`), `", "`)
		require.ErrorContains(t, row.at.Replay(nil, steps...), "no deadlock")
	}
	require.Equal(t, 3, deadlocks)
}

func texts(steps []explore.Step) (texts []string) {
	for _, s := range steps {
		texts = append(texts, s.String())
	}
	return texts
}

// TestNoDeadlock visits every state of networks in which the papers' theorems forbid a deadlock.
func TestNoDeadlock(t *testing.T) {
	for name, n := range map[string]*explore.Network{
		"pyrrha in a circle": circle(protocolOf("pyrrha")),
		"PortFC on NDC(2,1)": ndc(portfc.NDC{N: 2, K: 1}, 3, 1, false),
		"PortFC on NDC(3,1)": ndc(portfc.NDC{N: 3, K: 1}, 3, 1, false),
	} {
		t.Run(name, func(t *testing.T) {
			r := explored(t, n)
			require.NoError(t, violation(r))
			require.True(t, r.Whole)
		})
	}
}

func violation(r explore.Result) error {
	if r.Violation == nil {
		return nil
	}
	return errors.New(r.Violation.Error() + "\n" + r.Violation.Timeline())
}

// TestFaults: a link that flaps, and a node that starts anew, leave nothing behind.
func TestFaults(t *testing.T) {
	n := circle(protocolOf("pyrrha"))
	n.Flows = n.Flows[:2]
	n.Faults.Flaps = []int{1}
	r := explored(t, n)
	require.NoError(t, violation(r))
	require.True(t, r.Whole)

	n = ndc(portfc.NDC{N: 2, K: 1}, 3, 1, false)
	n.Faults.Restarts = []int{len(n.Nodes) - 1}
	require.NoError(t, violation(explored(t, n)))
}

// seeded is a machine with a bug in a hook.
type seeded struct {
	kit.Machine
	kit.Stateful
	bug string
}

func (s seeded) Receive(now sluice.Time, port sluice.PortID, frame []byte) (sluice.Wake, error) {
	if s.bug == "Receive obeys no frame" {
		return 0, nil
	}
	wake, err := s.Machine.Receive(now, port, frame)
	if s.bug == "Receive says nothing" {
		wake = 0
	}
	return wake, err
}

func (s seeded) PollFrame(
	now sluice.Time, port sluice.PortID, dst []byte,
) (frame []byte, kind string, ok bool) {
	frame, kind, ok = s.Machine.PollFrame(now, port, dst)
	if s.bug == "PollFrame forgets resumes" && kind == "resume" {
		return s.Machine.PollFrame(now, port, dst)
	}
	return frame, kind, ok
}

func (s seeded) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	if s.bug == "Next names none" {
		return 0, false
	}
	return s.Machine.Next(now, port)
}

func (s seeded) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := s.Machine.Dequeue(now, port, q, p)
	if s.bug == "Dequeue says nothing" {
		for ok := true; ok; {
			_, ok = s.Machine.PollPort()
		}
		v = v.WithoutWake()
	}
	return v
}

func (s seeded) LinkUp(now sluice.Time, port sluice.PortID) sluice.Wake {
	if s.bug == "LinkUp does nothing" {
		return 0
	}
	return s.Machine.LinkUp(now, port)
}

func (s seeded) Clone() kit.Machine {
	m := s.Stateful.Clone()
	state, _ := kit.StatefulOf(m)
	return seeded{m, state, s.bug}
}

// bugged is two switches, the first of which has a bug.
func bugged(p protocol, bug string) *explore.Network {
	n := pair(p)
	real := n.Nodes[0].New
	n.Nodes[0].New = func() (kit.Machine, error) {
		m, err := real()
		s, _ := kit.StatefulOf(m)
		return seeded{m, s, bug}, err
	}
	return n
}

// TestSeededBugs: a wake that is not said, a resume that is forgotten, a link that does not come
// back: each is found.
func TestSeededBugs(t *testing.T) {
	for _, c := range []struct {
		protocol, bug, property string
		flaps                   []int
	}{
		{"pfc", "Receive says nothing", "no lost wake", nil},
		{"cbfc", "Receive says nothing", "no lost wake", nil},
		{"pfc", "Dequeue says nothing", "no lost wake", nil},
		{"pfc", "PollFrame forgets resumes", "no deadlock", nil},
		{"pfc", "Next names none", "work conservation", nil},
		{"pfc", "LinkUp does nothing", "no loss", []int{2}},
	} {
		t.Run(c.protocol+" "+c.bug, func(t *testing.T) {
			n := bugged(protocolOf(c.protocol), c.bug)
			n.Faults.Flaps = c.flaps
			r := explored(t, n)
			require.NotNil(t, r.Violation)
			require.Equal(t, c.property, r.Violation.Property)
			t.Log(len(r.Violation.Steps), "steps")
		})
	}
}

// TestPressed: a switch that obeys no pause sends more than the next one has room for.
func TestPressed(t *testing.T) {
	for _, name := range []string{"pfc", "bfc", "ofc"} {
		p := protocolOf(name)
		p.packets = 2
		r := explored(t, pressed(bugged(p, "Receive obeys no frame"), 0, room[name]...))
		require.NotNil(t, r.Violation)
		require.Equal(t, "check", r.Violation.Property)
		require.Contains(t, r.Violation.What, "node 1")
		t.Log(name, len(r.Violation.Steps), "steps")
	}
}

// TestFindsWhatIsWrong: a lost wake, a loss, and a property of the user's own are found.
func TestFindsWhatIsWrong(t *testing.T) {
	p := protocolOf("pfc")
	p.packets = 2
	n := bugged(p, "Receive says nothing")
	require.ErrorContains(t, violation(explored(t, n)),
		"node 0: port 2 has something to send, and no wake said so")

	n = pair(protocol{name: "pfc", packets: 2, node: func(s site) (kit.Machine, error) {
		c := pfc.Config{Classes: 1, Buffer: 2 * size, Ports: make([]pfc.PortConfig, s.ports())}
		for i := range c.Ports {
			c.Ports[i] = pfc.PortConfig{Link: link, Profile: pfc.Profile{XOff: size, XOn: size}}
		}
		if s.host() {
			c = pfc.HostConfig(link)
		}
		return kit.WrapNew(pfc.New(c))
	}})
	require.Equal(t, "no loss", explored(t, n).Violation.Property)

	n = pair(p)
	n.Check = func(node int, m kit.Machine) error {
		if m.Buffered() > 2*size && node == 1 {
			return errors.New("three packets wait")
		}
		return nil
	}
	require.Equal(t, "check", explored(t, n).Violation.Property)
}

func TestSteps(t *testing.T) {
	for _, text := range []string{
		"enter 0", "send 2:1", "arrive 4:0", "pass", "lose 4:0", "double 4:0", "down 3", "up 3",
		"restart 2",
	} {
		step, err := explore.ParseStep(text)
		require.NoError(t, err)
		require.Equal(t, text, step.String())
	}
	_, err := explore.ParseStep("send 2")
	require.EqualError(t, err, `explore: "send 2" is no step`)
	require.EqualError(t, pair(protocolOf("pfc")).Replay(nil, "send 2:0", "send 1:2"),
		`explore: step 1, "send 1:2", cannot be taken`)
}

func TestBadNetworks(t *testing.T) {
	for want, change := range map[string]func(n *explore.Network){
		"Links[0] = 99:0: must join ports of nodes that no other link has": func(n *explore.Network) {
			n.Links[0].A = hop(99, 0)
		},
		"Flows[0].Packets = 0: must be 1 to 255": func(n *explore.Network) {
			n.Flows[0].Packets = 0
		},
		"Flows[0].Way[0] = 7:7: must lead to the next node": func(n *explore.Network) {
			n.Flows[0].Way[0] = hop(7, 7)
		},
		"Faults.Flaps[0] = 9: must be a link": func(n *explore.Network) {
			n.Faults.Flaps = []int{9}
		},
		"Faults.Restarts[0] = -1: must be a node": func(n *explore.Network) {
			n.Faults.Restarts = []int{-1}
		},
	} {
		n := pair(protocolOf("pfc"))
		change(n)
		_, err := n.Explore(explore.Options{})
		require.EqualError(t, err, "explore: Network."+want)
	}
}
