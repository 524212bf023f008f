//go:build !sluicedebug

package pyrrha

// With the tag sluicedebug an input before frames were drained panics; here it must do no harm.

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// upstreamView is what a peer believes of roots after the frames it was sent.
type upstreamView struct {
	state    map[sluice.Hop]UpstreamState
	answered map[sluice.Hop]bool // it was told of a root that it does not know, and answers with DEALLOC
}

func (v *upstreamView) take(f *Frame) {
	switch f.Type {
	case Pause:
		v.state[f.Root] = PausedUpstream
	case Resume:
		if v.state[f.Root] == Unlisted {
			v.answered[f.Root] = true
		} else {
			v.state[f.Root] = ResumedUpstream
		}
	case Merge:
		v.state[f.Root] = ResumedUpstream
		delete(v.state, f.Old)
	}
}

// However many hooks go by before frames are drained, the frames of one port about one root are such that the latest state wins: who
// is paused believes it, who is not does not, and no upstream is listed for a root that it neither knows nor denies.
func TestFramesCoalesce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Switch: 1, MTU: 1000, Refresh: sluice.Time(rapid.SampledFrom([]int{0, 1000}).Draw(t, "refresh"))}
		for range 3 {
			c.Ports = append(c.Ports, PortConfig{
				Link: sluice.Link{Rate: 8 * sluice.Gbps, Delay: 500 * sluice.Nanosecond},
				Role: Role(rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "role")),
			})
		}
		s := mustNew(c)
		views := make([]upstreamView, 3)
		for i := range views {
			views[i] = upstreamView{map[sluice.Hop]UpstreamState{}, map[sluice.Hop]bool{}}
		}
		now, sequence := sluice.Time(0), uint32(0)
		drain := func() {
			var f Frame
			for {
				port, ok := s.PollFrame(now, &f)
				if !ok {
					return
				}
				views[port].take(&f)
			}
		}
		port := rapid.IntRange(0, 2)
		fifo := make([][][]sluice.Packet, 3)
		for i := range fifo {
			fifo[i] = make([][]sluice.Packet, s.Queues())
		}
		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				egress := port.Draw(t, "egress")
				pkt := sluice.Packet{Size: 700, Ingress: sluice.PortID(port.Draw(t, "ingress"))}
				pkt.Path, _ = sluice.MakePath(at(1, egress), smallHop(t), smallHop(t))
				for range rapid.IntRange(1, 4).Draw(t, "packets") {
					one := pkt
					q := s.Port(sluice.PortID(egress)).Enqueue(now, &one).Queue()
					fifo[egress][q] = append(fifo[egress][q], one)
				}
			},
			"receive": func(t *rapid.T) {
				sequence++
				f := Frame{Type: FrameType(rapid.IntRange(1, 3).Draw(t, "type")), Root: smallHop(t), Hop: uint8(rapid.IntRange(1, 2).Draw(t, "hop")), Sequence: sequence}
				if f.Type == Merge {
					f.Old = smallHop(t)
				}
				s.Port(sluice.PortID(port.Draw(t, "port"))).Receive(now, &f)
			},
			"leave": func(t *rapid.T) { // an upstream gives up a root that it was resumed for, as far as it knows
				i, root := port.Draw(t, "port"), smallHop(t)
				if v := &views[i]; v.state[root] == ResumedUpstream {
					sequence++
					delete(v.state, root)
					s.Port(sluice.PortID(i)).Receive(now, &Frame{Type: Dealloc, Root: root, Sequence: sequence})
					v.answered[root] = true
				}
			},
			"serve": func(t *rapid.T) {
				egress := port.Draw(t, "egress")
				p := s.Port(sluice.PortID(egress))
				for range rapid.IntRange(1, 8).Draw(t, "steps") {
					q, ok := p.Next(now)
					now += 700 * sluice.Nanosecond
					if !ok {
						continue
					}
					pkt := fifo[egress][q][0]
					fifo[egress][q] = fifo[egress][q][1:]
					if v := p.Dequeue(now, q, &pkt); v.Action() == sluice.Append {
						fifo[egress][v.Queue()] = append(fifo[egress][v.Queue()], pkt)
					}
				}
				s.Expire(now)
			},
			"drain": func(t *rapid.T) { drain() },
			"":      func(t *rapid.T) { require.NoError(t, s.Audit()) },
		})
		drain()
		for r := range s.roots {
			for i := range views {
				root, state := s.roots[r].hop, s.upstream(r, sluice.PortID(i)).state
				if r < s.remotes && s.unused.Has(r) {
					continue
				}
				believes := views[i].state[root]
				about := fmt.Sprintf("root %v: upstream %d is %v and believes that it is %v", root, i, state, believes)
				require.Equal(t, state == PausedUpstream, believes == PausedUpstream, about)
				if state == ResumedUpstream {
					require.True(t, believes == ResumedUpstream || views[i].answered[root], about)
				}
			}
		}
	})
}

// At one port MERGE goes before PAUSE and RESUME, and a merge into a root that merged on meanwhile names the last.
func TestMergesGoFirst(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.enqueueMany(31, 0, 1, a)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
	p := l.s.Port(0)
	p.Receive(0, &Frame{Type: Merge, Old: a, Root: b, Hop: 2, Sequence: 100})
	p.Receive(0, &Frame{Type: Pause, Root: a, Hop: 1, Sequence: 101})
	p.Receive(0, &Frame{Type: Merge, Old: b, Root: at(40, 1), Hop: 3, Sequence: 102})
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	pkt.Path, _ = sluice.MakePath(at(10, 0), a)
	v := p.Enqueue(0, &pkt)
	l.fifo[0][v.Queue()] = append(l.fifo[0][v.Queue()], pkt)
	l.act(v.Wake())
	require.Equal(t, []string{
		"port 1: merge 20:1 into 40:1 hop 4", "port 1: merge 30:1 into 40:1 hop 4", "port 1: pause 20:1 hop 2",
	}, l.sent())
}
