package pyrrha

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// upstreamView is a peer's view of roots after the frames that it received.
type upstreamView struct {
	state map[sluice.Hop]UpstreamState
	// a frame named a root that it does not know, and it answers with DEALLOC
	answered map[sluice.Hop]bool
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

// However many hooks run before frames are drained, the latest state wins among the frames of one
// port about one root: a paused upstream received PAUSE last, another one did not, and no upstream
// is listed for a root that it neither knows nor denies.
func TestFramesCoalesce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Switch: 1, MTU: 1000, Refresh: sluice.Time(rapid.SampledFrom([]int{0, 1000}).Draw(t, "refresh")),
		}
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
			for port := range views {
				for s.Port(sluice.PortID(port)).PollFrame(now, &f) {
					views[port].take(&f)
				}
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
				f := Frame{
					Type: FrameType(rapid.IntRange(1, 3).Draw(t, "type")), Root: smallHop(t),
					Hop: uint8(rapid.IntRange(1, 2).Draw(t, "hop")), Sequence: sequence,
				}
				if f.Type == Merge {
					f.Old = smallHop(t)
				}
				s.Port(sluice.PortID(port.Draw(t, "port"))).Receive(now, &f)
			},
			// an upstream gives up a root that it was resumed for, as far as it knows
			"leave": func(t *rapid.T) {
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
			"poll": func(t *rapid.T) { // one frame, then the transmitter is busy
				i := port.Draw(t, "port")
				var f Frame
				if s.Port(sluice.PortID(i)).PollFrame(now, &f) {
					views[i].take(&f)
				}
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
				about := fmt.Sprintf(
					"root %v: upstream %d is %v and believes that it is %v", root, i, state, believes,
				)
				require.Equal(t, state == PausedUpstream, believes == PausedUpstream, about)
				if state == ResumedUpstream {
					require.True(t, believes == ResumedUpstream || views[i].answered[root], about)
				}
			}
		}
	})
}

// merging is a lab whose upstream at port 1 has a PAUSE of root 20:1, and whose transmitter to it
// then is busy: only sent polls frames. The hooks in between come from a downstream that changes
// its state again.
func merging(t *testing.T) (l *lab, receive func(f Frame)) {
	l = newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, at(20, 1), 1)
	l.enqueueMany(31, 0, 1, at(20, 1))
	require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
	sequence := uint32(100)
	return l, func(f Frame) {
		sequence++
		f.Sequence = sequence
		l.s.Port(0).Receive(l.now, &f)
		require.NoError(t, l.s.Audit())
	}
}

// poll returns the frames that the ports have to send.
func (l *lab) poll() []string {
	l.pollFrames()
	return l.sent()
}

// A root merges into another, which merges before MERGE is polled. The one MERGE names the last
// root, and no frame names the one in between.
func TestMergeOfAMerge(t *testing.T) {
	l, receive := merging(t)
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
	receive(Frame{Type: Merge, Old: at(30, 1), Root: at(40, 1), Hop: 3})
	require.Equal(t, []string{"port 1: merge 20:1 into 40:1 hop 4"}, l.poll())
}

// A root that merged and came back before MERGE is polled needs no frame: the upstream is still
// paused for it. The upstream is not in the tree of the other root, which no frame named.
func TestMergeThatCameToNothing(t *testing.T) {
	l, receive := merging(t)
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
	receive(Frame{Type: Pause, Root: at(20, 1), Hop: 1})
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	pkt.Path, _ = sluice.MakePath(at(10, 0), at(20, 1))
	l.s.Port(0).Enqueue(l.now, &pkt)
	require.Equal(t, []string{"port 0: dealloc 30:1"}, func() []string {
		receive(Frame{Type: Resume, Root: at(30, 1)})
		return l.poll()
	}(), "nothing goes to the upstream, and we are a leaf of the other tree")
	require.Equal(t, []UpstreamInfo{{Port: 1, State: PausedUpstream, Bytes: 32_000}},
		l.s.Snapshot().Roots[0].Upstreams)
}

// Two roots that merged into each other, one after the other, are as before.
func TestMergeThereAndBack(t *testing.T) {
	l, receive := merging(t)
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
	receive(Frame{Type: Merge, Old: at(30, 1), Root: at(20, 1), Hop: 1})
	require.Equal(t, []string{"port 1: resume 20:1"}, l.poll())
}

// An upstream that leaves the tree of the old root, before the MERGE is polled, is in no tree: no
// frame has named the new root.
func TestDeallocBeforeTheMergeIsPolled(t *testing.T) {
	l, receive := merging(t)
	l.resume(0, at(20, 1))
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: resume 20:1"}, l.sent())
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
	l.s.Port(1).Receive(l.now, &Frame{Type: Dealloc, Root: at(20, 1), Sequence: 1})
	require.Equal(t, []string{"port 0: dealloc 30:1"}, l.poll())
	require.NoError(t, l.s.Quiescent())
}

// A root that comes back before DEALLOC is polled has an IQ here again: the parent must list us.
func TestPauseBeforeTheDeallocIsPolled(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	for sequence, kind := range []FrameType{Pause, Resume, Pause} {
		l.s.Port(0).Receive(0, &Frame{Type: kind, Root: at(20, 1), Hop: 1, Sequence: uint32(sequence)})
	}
	require.Empty(t, l.poll())
}

// A link that fails takes along what was owed by it, of any kind.
func TestFramesOwedByALinkThatFails(t *testing.T) {
	l, receive := merging(t)
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
	receive(Frame{Type: Resume, Root: at(40, 1)})
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	for range 31 {
		l.s.Port(0).Enqueue(l.now, &pkt)
	}
	require.Equal(t, 1, l.s.Port(0).Snapshot().FramesOwed, "DEALLOC")
	require.Equal(t, 2, l.s.Port(1).Snapshot().FramesOwed, "MERGE and PAUSE")
	for port := range sluice.PortID(2) {
		l.s.Port(port).LinkDown(l.now)
	}
	require.Empty(t, l.poll())
}

// MERGE says that the new root has resumed, also to an upstream that was paused for that one too.
func TestMergeResumesTheNewRoot(t *testing.T) {
	l, receive := merging(t)
	l.pause(0, at(30, 1), 1)
	l.enqueueMany(31, 0, 1, at(30, 1))
	require.Equal(t, []string{"port 1: pause 30:1 hop 2"}, l.sent())
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 1})
	require.Equal(t, []string{"port 1: merge 20:1 into 30:1 hop 2"}, l.poll())
}

// MERGE goes before PAUSE: of two frames about the new root the later carries its state.
func TestMergesGoFirst(t *testing.T) {
	l, receive := merging(t)
	receive(Frame{Type: Merge, Old: at(20, 1), Root: at(30, 1), Hop: 2})
	receive(Frame{Type: Pause, Root: at(30, 1), Hop: 2})
	for range 31 {
		pkt := sluice.Packet{Size: 1000, Ingress: 1}
		pkt.Path, _ = sluice.MakePath(at(10, 0), at(30, 1))
		l.s.Port(0).Enqueue(l.now, &pkt)
	}
	require.Equal(
		t, []string{"port 1: merge 20:1 into 30:1 hop 3", "port 1: pause 30:1 hop 3"}, l.poll(),
	)
}

// A pause that ends before the transmitter is free makes no frame, and the upstream is in no tree.
func TestPauseThatCameToNothing(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down)})
	p := l.s.Port(0)
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	for range 31 {
		p.Enqueue(0, &pkt)
	}
	require.Equal(t, PausedUpstream, l.s.Snapshot().Roots[0].Upstreams[0].State)
	require.Equal(t, 1, l.s.Port(1).Snapshot().FramesOwed)
	for range 31 {
		p.Dequeue(0, 0, &pkt)
	}
	require.Zero(t, l.s.Port(1).Snapshot().FramesOwed)
	require.NoError(t, l.s.Quiescent())
}

// DEALLOC that arrives while a RESUME is owed crossed the PAUSE: the upstream is paused, or will
// be as soon as it reads that, and must be resumed all the same.
func TestDeallocBeforeTheResumeIsPolled(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down)})
	l.enqueueMany(31, 0, 1)
	l.sent()
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	for range 31 {
		l.s.Port(0).Dequeue(0, 0, &pkt)
	}
	l.s.Port(1).Receive(0, &Frame{Type: Dealloc, Root: at(10, 0), Sequence: 1})
	require.Equal(t, []string{"port 1: resume 10:0"}, l.poll())
	l.s.Port(1).Receive(0, &Frame{Type: Dealloc, Root: at(10, 0), Sequence: 2})
	require.NoError(t, l.s.Quiescent())
}
