package testnet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

const us = sluice.Microsecond

// lane is a driver of one port, which sends frames before packets and writes down what it gets.
type lane struct {
	v        *Node
	frames   int // that it sends
	packets  []kit.Handle
	deadline sluice.Time
	heard    []string
}

func (d *lane) note(format string, args ...any) {
	d.heard = append(d.heard, fmt.Sprint(d.v.network.Now)+" "+fmt.Sprintf(format, args...))
}

func (d *lane) Enqueue(now sluice.Time, port sluice.PortID, h kit.Handle) sluice.Verdict {
	d.packets = append(d.packets, h)
	d.Ready(now, port)
	return 0
}

func (d *lane) Ready(_ sluice.Time, port sluice.PortID) {
	switch {
	case !d.v.Free(port):
	case d.frames > 0:
		d.frames--
		d.v.SendFrame(port, make([]byte, 100+d.frames), "hello")
	case len(d.packets) > 0:
		h := d.packets[0]
		d.packets = d.packets[1:]
		d.v.network.Store.At(h).Path.Advance()
		d.v.Send(port, h)
	}
}

func (d *lane) Flush(_ sluice.Time, port sluice.PortID) {
	for _, h := range d.packets {
		d.v.Drop(port, h, sluice.LinkDown)
	}
	d.packets = nil
}

func (d *lane) Receive(_ sluice.Time, _ sluice.PortID, frame []byte) error {
	d.note("frame %d", len(frame)-100)
	return nil
}

func (d *lane) Consume(sluice.Time, sluice.PortID, *sluice.Packet) { d.note("packet") }
func (d *lane) LinkDown(sluice.Time, sluice.PortID)                { d.note("down") }
func (d *lane) LinkUp(sluice.Time, sluice.PortID)                  { d.note("up") }
func (d *lane) Deadline() sluice.Time                              { return d.deadline }
func (d *lane) Machine() kit.Machine                               { return quiet{} }

func (d *lane) Expire(sluice.Time) {
	d.note("timer")
	d.deadline = sluice.Never
}

type quiet struct{ kit.Machine }

func (quiet) Quiescent() error { return nil }

// pair is two nodes with a link of a byte a nanosecond, and of a delay of 1 us. Node 0 sends two
// frames of 0.1 us and three packets of 1 us to node 1.
func pair(t testing.TB) *Network {
	n := New(t, 1)
	n.Connect(0, 1, sluice.Link{Rate: 8 * sluice.Gbps, Delay: us})
	for _, v := range n.Nodes {
		n.Embed(v.ID, func(v *Node) Driver { return &lane{v: v, deadline: sluice.Never} })
	}
	n.Node(0).Driver.(*lane).frames = 2
	f := &Flow{To: 1, Count: 3, Packet: sluice.Packet{Size: 1000}}
	f.Packet.Path.Append(sluice.Hop{})
	n.Send(f)
	return n
}

// Node 1 gets what the faults leave, when they let it come.
func TestFaults(t *testing.T) {
	fails := func(f Failure) func(n *Network) {
		return func(n *Network) { n.At(1150*sluice.Nanosecond, func() { n.Node(0).Fail(0, f) }) }
	}
	restart := func(id sluice.SwitchID, at sluice.Time, do func(v *Node)) func(n *Network) {
		return func(n *Network) { n.At(at, func() { do(n.Node(id)) }) }
	}
	for name, c := range map[string]struct {
		change func(n *Network)
		want   string
	}{
		"none": {
			func(*Network) {},
			"1.101us frame 1, 1.201us frame 0, 2.201us packet, 3.201us packet, 4.201us packet",
		},
		"all frames are lost": {
			func(n *Network) { n.Lost = 100 },
			"2.201us packet, 3.201us packet, 4.201us packet, {Strayed:0 Vanished:2 Twice:0 Delayed:0}",
		},
		"the first of a kind is lost": {
			func(n *Network) {
				n.Lose = func(_ *Node, kind string) bool { return kind == "hello" && n.Vanished == 0 }
			},
			"1.201us frame 0, 2.201us packet, 3.201us packet, 4.201us packet, {Strayed:0 Vanished:1 Twice:0 Delayed:0}",
		},
		"frames are doubled": {
			func(n *Network) { n.Doubled = 100 },
			"1.101us frame 1, 1.101us frame 1, 1.201us frame 0, 1.201us frame 0, 2.201us packet, " +
				"3.201us packet, 4.201us packet, {Strayed:0 Vanished:0 Twice:2 Delayed:0}",
		},
		"frames are late": {
			func(n *Network) { n.Late = 100 },
			"2.201us packet, 3.201us packet, 3.422796us frame 0, 4.201us packet, 4.829908us frame 1, " +
				"{Strayed:0 Vanished:0 Twice:0 Delayed:2}",
		},
		"packets are lost": {
			func(n *Network) { n.LostPackets = 100 },
			"1.101us frame 1, 1.201us frame 0, 3 missing, {Strayed:3 Vanished:0 Twice:0 Delayed:0}",
		},
		"all come early, in order": {
			func(n *Network) { n.Early = true },
			"959.36ns frame 1, 1.014554us frame 0, 1.958249us packet, 3.08991us packet, 4.089934us packet",
		},
		"a timer is late": {
			func(n *Network) { n.Overdue, n.Node(1).Driver.(*lane).deadline = us, 3*us },
			"1.101us frame 1, 1.201us frame 0, 2.201us packet, 3.201us packet, 4us timer, 4.201us packet",
		},
		"a link fails": {
			fails(Failure{Lasts: 2 * us}),
			"1.101us frame 1, 1.15us down, 1.201us frame 0, 2.201us packet, 3.15us up, 5.15us packet, " +
				"6.15us packet",
		},
		"a link fails and loses packets": {
			fails(Failure{Lasts: 2 * us, Packets: true}),
			"1.101us frame 1, 1.15us down, 1.201us frame 0, 3.15us up, 5.15us packet, 6.15us packet, " +
				"1 missing",
		},
		"a link fails and loses everything": {
			fails(Failure{Lasts: 2 * us, Packets: true, Frames: true, Later: us / 2}),
			"1.101us frame 1, 1.15us down, 3.65us up, 5.15us packet, 6.15us packet, 1 missing",
		},
		"a link fails, and a packet that waits is discarded": {
			fails(Failure{Lasts: us, Flush: 100}),
			"1.101us frame 1, 1.15us down, 1.201us frame 0, 2.15us up, 2.201us packet, 4.15us packet, " +
				"1 missing",
		},
		"a link fails twice": {
			func(n *Network) {
				fails(Failure{Lasts: 2 * us})(n)
				n.At(2*us, func() { n.Node(1).Fail(0, Failure{Lasts: 2 * us}) })
			},
			"1.101us frame 1, 1.15us down, 1.201us frame 0, 2.201us packet, 4us up, 6us packet, 7us packet",
		},
		"a node restarts, with the packet that it holds and that is on the link": {
			restart(0, 1150*sluice.Nanosecond, (*Node).Restart),
			"1.101us frame 1, 1.15us down, 1.15us up, 1.201us frame 0, 3.15us packet, 2 missing",
		},
		"a node behind a link that failed is new": {
			func(n *Network) {
				fails(Failure{Lasts: 2 * us})(n)
				restart(1, 2*us, (*Node).Renew)(n)
			},
			"2us down, 2.201us packet, 3.15us up, 5.15us packet, 6.15us packet",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := pair(t)
			c.change(n)
			require.NoError(t, n.Finish(sluice.Second))
			n.Run(sluice.Second)
			heard := n.Node(1).Driver.(*lane).heard
			if n.Missing > 0 {
				heard = append(heard, fmt.Sprint(n.Missing, " missing"))
			}
			if n.Counts != (Counts{}) {
				heard = append(heard, fmt.Sprintf("%+v", n.Counts))
			}
			require.Equal(t, c.want, strings.Join(heard, ", "))
			require.Zero(t, n.Overtaken)
		})
	}
}

// Two flows go from node 0 by node 1 to node 2: one whose packets come by a clock, and one that
// waits for its packets to leave the card, and at last until it may. Node 1 discards a packet.
func TestFlows(t *testing.T) {
	n := New(t, 1)
	var log []string
	note := func(format string, args ...any) {
		log = append(log, fmt.Sprintf("%v "+format, append([]any{n.Now}, args...)...))
	}
	link := sluice.Link{Rate: 8 * sluice.Gbps, Delay: us}
	n.Connect(0, 1, link)
	n.Connect(1, 2, link)
	for id := range sluice.SwitchID(2) {
		n.Embed(id, func(v *Node) Driver { return &lane{v: v, deadline: sluice.Never} })
	}
	path, _ := sluice.MakePath(sluice.Hop{}, sluice.Hop{Switch: 1, Port: 1})
	p := sluice.Packet{Size: 1000, Path: path}
	n.Send(&Flow{Packet: p, To: 2, Count: 2, Start: us, Timed: true, Gap: 5 * us})
	open := true
	n.Send(&Flow{Packet: p, To: 2, Count: 3, Ready: func() bool { return open }})
	n.At(us/2, func() { open = false })
	n.Got = func(v *Node, h kit.Handle) {
		cargo := n.Store.At(h).Value
		note("node %d has %d of flow %d", v.ID, cargo.Number, cargo.Flow.ID)
	}
	n.Route = func(v *Node, h kit.Handle) bool {
		cargo := n.Store.At(h).Value
		return v.ID == 0 || cargo.Flow.ID != 1 || cargo.Number != 2
	}
	n.Run(20 * us)
	require.EqualError(t, n.Done(), "10us: 1 packets have not arrived, 1 were lost")
	n.At(30*us, func() {
		open = true
		n.Node(0).Acted()
	})
	n.Run(sluice.Second)
	require.NoError(t, n.Done())
	require.Equal(t, []string{
		"4us node 2 has 1 of flow 1", "6us node 2 has 1 of flow 0", "10us node 2 has 2 of flow 0",
		"34us node 2 has 3 of flow 1",
	}, log)
	require.Zero(t, n.Overtaken)
	require.Zero(t, n.Store.Used())
}

// A link that hands over what was sent in another order is seen.
func TestLinksKeepTheOrder(t *testing.T) {
	l := &Link{}
	l.inOrder(1)
	l.inOrder(3)
	l.inOrder(late)
	require.Panics(t, func() { l.inOrder(2) })
}
