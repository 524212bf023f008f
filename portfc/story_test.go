package portfc

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

var update = flag.Bool(
	"update", false, "rewrite testdata/*.txt; read what changed before you commit it",
)

// story is a small network that moves in steps of a microsecond: in each, every port sends the
// frames that it owes and one packet, and all arrive before the next.
type story struct {
	*testing.T
	network  NDC
	config   func(sluice.SwitchID) Config
	machines []*Switch
	waiting  map[[3]int][]sluice.Packet // by device, port and queue
	step     int
	text     strings.Builder
	lose     func(from, to sluice.SwitchID, f *Frame) bool
	down     map[sluice.Hop]bool // ends of links that failed
	left     map[string]int      // packets that did not arrive yet, by flow
}

func newStory(t *testing.T, network NDC, refresh sluice.Time) *story {
	s := &story{
		T: t, network: network, waiting: map[[3]int][]sluice.Packet{},
		lose: func(_, _ sluice.SwitchID, _ *Frame) bool { return false },
		down: map[sluice.Hop]bool{}, left: map[string]int{},
	}
	s.config = func(device sluice.SwitchID) Config {
		c := smallConfig(network, device) // of which X_off is 6 packets, X_on 4
		c.Refresh = refresh
		return c
	}
	for device := range network.Devices() {
		s.machines = append(s.machines, mustNew(t, s.config(sluice.SwitchID(device))))
	}
	return s
}

func (s *story) now() sluice.Time { return sluice.Time(s.step) * sluice.Microsecond }

func (s *story) say(format string, args ...any) {
	fmt.Fprintf(&s.text, "%v %s\n", s.now(), fmt.Sprintf(format, args...))
}

func (s *story) name(device sluice.SwitchID) string {
	if s.network.IsNode(device) {
		return fmt.Sprintf("node %d", device)
	}
	return fmt.Sprintf("switch %d", device)
}

// send has a node send packets that correct digits in an order.
func (s *story) send(packets int, src, dst sluice.SwitchID, layers ...int) {
	path, ok := s.network.Through(src, dst, layers...)
	require.True(s, ok)
	s.say("node %d sends %d packets to node %d by %v", src, packets, dst, path)
	flow := fmt.Sprintf("%d to %d", src, dst)
	s.left[flow] += packets
	for range packets {
		s.arrive(sluice.Packet{
			Flow: uint64(src)<<32 | uint64(dst), Size: 1000, Ingress: sluice.Local, Path: path,
		})
	}
}

// arrive takes a packet into the device that its path begins at.
func (s *story) arrive(p sluice.Packet) {
	at := p.Path.At(0)
	v := s.machines[at.Switch].Port(at.Port).Enqueue(s.now(), &p)
	require.Equal(s, sluice.Append, v.Action(), "%v", v)
	key := [3]int{int(at.Switch), int(at.Port), int(v.Queue())}
	s.waiting[key] = append(s.waiting[key], p)
}

// run lets steps pass, or as many as it takes until everything has arrived.
func (s *story) run(steps int) {
	for ; steps != 0 && (steps > 0 || len(s.left) > 0); steps-- {
		require.Less(s, s.step, 1000, "nothing moves any more")
		s.step++
		for _, m := range s.machines {
			m.Expire(s.now())
		}
		s.tell()
		s.move()
		for _, m := range s.machines {
			require.NoError(s, m.Audit())
		}
	}
}

// tell delivers the frames that are due at the beginning of a step.
func (s *story) tell() {
	type delivery struct {
		to    sluice.Hop
		frame Frame
	}
	var deliveries []delivery
	for device, m := range s.machines {
		for port := range m.Ports() {
			from := sluice.Hop{Switch: sluice.SwitchID(device), Port: sluice.PortID(port)}
			to, _ := s.network.Peer(from)
			var f Frame
			for m.Port(from.Port).PollFrame(s.now(), &f) {
				lost := ""
				if s.lose(from.Switch, to.Switch, &f) {
					lost = " (lost)"
				} else {
					deliveries = append(deliveries, delivery{to, f})
				}
				s.say("%s tells %s: %v%s", s.name(from.Switch), s.name(to.Switch), f, lost)
			}
		}
	}
	for i := range deliveries {
		to := deliveries[i].to
		s.machines[to.Switch].Port(to.Port).Receive(s.now(), &deliveries[i].frame)
	}
}

// move has every port send a packet.
func (s *story) move() {
	var arriving []sluice.Packet
	for device, m := range s.machines {
		for id := range m.Ports() {
			port := m.Port(sluice.PortID(id))
			q, ok := port.Next(s.now())
			if !ok || s.down[port.self()] {
				continue
			}
			key := [3]int{device, id, int(q)}
			p := s.waiting[key][0]
			s.waiting[key] = s.waiting[key][1:]
			require.Equal(s, sluice.Transmit, port.Dequeue(s.now(), q, &p).Action())
			far, _ := s.network.Peer(port.self())
			p.Ingress = far.Port
			p.Path.Advance()
			arriving = append(arriving, p)
		}
	}
	for _, p := range arriving {
		if p.Path.Len() > 0 {
			s.arrive(p)
			continue
		}
		flow := fmt.Sprintf("%d to %d", p.Flow>>32, uint32(p.Flow))
		if s.left[flow]--; s.left[flow] == 0 {
			s.say("all of %s has arrived", flow)
			delete(s.left, flow)
		}
	}
}

// dump describes what a device holds.
func (s *story) dump(device sluice.SwitchID) {
	require.NoError(s, kit.Dump(&s.text, s.machines[device].Snapshot()))
}

// link fails or repairs the link of a port, at both ends.
func (s *story) link(at sluice.Hop, up bool) {
	far, _ := s.network.Peer(at)
	s.say("link %v to %v is up: %t", at, far, up)
	for _, end := range []sluice.Hop{at, far} {
		s.down[end] = !up
		if port := s.machines[end.Switch].Port(end.Port); up {
			port.LinkUp(s.now())
		} else {
			port.LinkDown(s.now())
		}
	}
}

// TestStories compares every frame of small networks, and what devices know at some instants, with
// testdata/*.txt.
func TestStories(t *testing.T) {
	for _, story := range []struct {
		name, about string
		refresh     sluice.Time
		tell        func(s *story)
	}{
		{
			name: "three-hops",
			about: "Nodes 3 and 6 of NDC(3,1), and 5 and 8 through them, send to node 0. The DDQ of switch\n" +
				"12 pauses queues b of nodes 3 and 6, and through them the IHFQs of switches 10 and 11; these\n" +
				"fill and pause queues a of nodes 5 and 8 (Figure 7). A victim that node 8 sends through node\n" +
				"6 to node 3 waits there too; nothing else does.",
			tell: func(s *story) {
				s.send(12, 3, 0, 1)
				s.send(12, 6, 0, 1)
				s.send(12, 5, 0, 0, 1)
				s.send(12, 8, 0, 0, 1)
				s.send(2, 8, 7, 0)
				s.run(12)
				s.send(1, 8, 3, 0, 1)
				s.dump(12)
				s.dump(6)
				s.dump(11)
				s.dump(8)
				s.run(-1)
			},
		},
		{
			name: "lost-resume",
			about: "The switch's first Resume to node 6 is lost. Node 6 obeys the Pause until it expires, 40\n" +
				"us after it was last repeated, and tells its other switch so.",
			refresh: 10 * sluice.Microsecond,
			tell: func(s *story) {
				lost := false
				s.lose = func(_, to sluice.SwitchID, f *Frame) bool {
					first := !lost && to == 6 && f.Type == Resume
					lost = lost || first
					return first
				}
				s.send(9, 3, 0, 1)
				s.send(9, 6, 0, 1)
				s.run(-1)
			},
		},
		{
			name: "link",
			about: "The link between node 6 and switch 12 fails while the switch pauses the node, which has\n" +
				"passed that on, and comes back. Nothing is held on its account while it is down; what still\n" +
				"holds is announced again.",
			tell: func(s *story) {
				s.send(14, 3, 0, 1)
				s.send(10, 6, 0, 1)
				s.run(9)
				s.link(sluice.Hop{Switch: 6, Port: 1}, false)
				s.run(1)
				s.dump(6)
				s.link(sluice.Hop{Switch: 6, Port: 1}, true)
				s.run(-1)
			},
		},
	} {
		t.Run(story.name, func(t *testing.T) {
			s := newStory(t, NDC{3, 1}, story.refresh)
			fmt.Fprintf(&s.text, "%s\n\n", story.about)
			story.tell(s)
			for range 3 {
				s.run(1)
			}
			for _, m := range s.machines {
				require.NoError(t, m.Quiescent())
			}
			s.say("nothing is held")
			path := filepath.Join("testdata", story.name+".txt")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, []byte(s.text.String()), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), s.text.String())
		})
	}
}
