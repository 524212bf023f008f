package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/pcn"
	"github.com/sluicefc/sluice/tcd"
)

// TestRest compares what testdata/rest.c prints of markers, PCN, networks and isolation queues with
// the same calls in Go.
func TestRest(t *testing.T) {
	depth.Need(t, "C", "cc")
	got, err := exec.Command(compile(t, "testdata/rest.c")).CombinedOutput()
	require.NoError(t, err)
	r := rest{T: t, random: prng.New(1)}
	r.markers()
	r.pcn()
	r.network()
	r.hiq()
	require.Equal(t, r.String(), string(got))
}

// rest prints as rest.c does.
type rest struct {
	*testing.T
	strings.Builder
	random prng.Source
}

func (r *rest) draw(below int) int { return int(r.random.Uint64() % uint64(below)) }

func (r *rest) say(format string, args ...any) { fmt.Fprintf(&r.Builder, format+"\n", args...) }

func (r *rest) markers() {
	marking := sluice.Marking{KMin: 40_000, KMax: 100_000, PMax: sluice.Ratio{Num: 1, Den: 5}}
	ternary, err := tcd.New(tcd.Config{MaxTon: 50 * sluice.Microsecond, Marking: marking,
		Drained: 3000, Seed: 4})
	require.NoError(r, err)
	fecn, err := tcd.NewFECN(tcd.FECNConfig{Threshold: 30_000})
	require.NoError(r, err)
	ecn, err := tcd.NewECN(tcd.ECNConfig{Marking: marking, Seed: 4})
	require.NoError(r, err)
	npecn, err := pcn.NewCongestionPoint(pcn.CPConfig{Threshold: 20_000})
	require.NoError(r, err)
	for _, m := range []struct {
		kind string
		detector
	}{{"tcd", ternary}, {"fecn", fecn}, {"ecn", ecn}, {"npecn", &npecn}} {
		sum, backlog := uint64(0), 60_000
		for i := range 2000 {
			now := sluice.Time(i) * sluice.Microsecond
			if r.draw(50) == 0 {
				m.Resumed(now, sluice.Bytes(backlog))
			}
			backlog = r.draw(120_000)
			mark := m.Dequeue(now, 1500, sluice.Bytes(backlog), sluice.ECN(1+r.draw(2)))
			sum = sum*31 + uint64(mark)
		}
		r.say("marker %s: 0  %016x", m.kind, sum)
		r.say("freed: 0 -1")
	}
}

func (r *rest) pcn() {
	receiver, err := pcn.NewNotificationPoint(pcn.NPConfig{
		Period: 50 * sluice.Microsecond, Share: sluice.Ratio{Num: 3, Den: 4},
	})
	require.NoError(r, err)
	sender, err := pcn.NewReactionPoint(pcn.RPConfig{
		LineRate: 100 * sluice.Gbps, WMin: sluice.Ratio{Num: 1, Den: 64},
	})
	require.NoError(r, err)
	for i := range 1000 {
		now, ecn := sluice.Time(i)*sluice.Microsecond, sluice.ECT0
		if r.draw(4) != 0 {
			ecn = sluice.CE
		}
		receiver.Arrive(now, 1500, ecn)
		if cnp, ok := receiver.Expire(now); ok {
			sender.Receive(&cnp)
			r.say("cnp %d %d rate %d", truth(cnp.Congested), cnp.RecRate, sender.Rate())
		}
	}
	r.say("rate %d", sender.Rate())
}

func (r *rest) network() {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	graph, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 2, Spines: 3, HostsPerRack: 4, HostLink: link, Uplink: link,
	})
	require.NoError(r, err)
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(r, err)
	values, err := registry.Parse("detect=tcd, bfc.queues=15")
	require.NoError(r, err)
	run := fabric.Run{
		Protocol: "bfc", Topology: graph, Values: values, Seed: 9, Flows: make([]workload.Flow, 1),
	}
	parts, err := run.Embedding()
	require.NoError(r, err)
	_, err = fabric.Find("tcp")
	r.say("unknown protocol: -3 %v", err)
	_, err = registry.Parse("buffre=1MB")
	r.say("unknown parameter: -3 %v", err)
	r.say("build 0")
	r.say("window %d payload %d ack class %d ecn %d", sim.DefaultWindow(graph, parts.Payload),
		parts.Payload,
		parts.AckClass, parts.ECN)
	r.say("built twice: -2 the network is built already")
	paths := parts.Network.(*hashpath.Network)
	for i := range 40 {
		src := r.draw(8)
		dst := (src + 1 + r.draw(7)) % 8
		switch at := (sluice.Hop{Switch: 8, Port: 4}); i {
		case 20:
			require.NoError(r, paths.FailLink(at))
			r.say("link fails: 0")
		case 30:
			require.NoError(r, paths.RestoreLink(at))
			r.say("and is there again: 0")
		}
		f := hashpath.FlowBetween(sluice.SwitchID(src), sluice.SwitchID(dst),
			uint16(r.draw(60_000)), 4791, 17)
		path, status := paths.Path(sluice.SwitchID(src), sluice.Local, &f)
		egress, _ := paths.Egress(sluice.SwitchID(src), sluice.Local, &f)
		r.say("path %d hash %016x egress %d: %v", status, f.Hash(), egress, path)
	}
	m, err := parts.NewMachine(8)
	require.NoError(r, err)
	r.say("machine of %d ports, %d queues", m.Ports(), m.Queues())
	r.say("no such node: -2")
}

func (r *rest) hiq() {
	h, err := hiq.New(hiq.Config{Rate: 100 * sluice.Gbps, Levels: 3, IQs: 8, Roots: 16})
	require.NoError(r, err)
	r.say("queues %d", h.Queues())
	for i := range 4000 {
		root, now, result := r.draw(16), sluice.Time(i)*100*sluice.Nanosecond, 0
		switch r.draw(8) {
		case 0:
			result = int(truth(h.Pause(root, uint64(root*77), 1+r.draw(3))))
		case 1:
			result = int(truth(h.Resume(root)))
		case 2:
			result = int(truth(h.Merge(root, r.draw(16))))
		case 3:
			result = -2
			if h.State(root) != hiq.Unassigned {
				result = int(h.Put(root, 1500))
			}
		case 4:
			h.PutOutput(1500)
		case 5:
			q, ok := h.Next(now)
			if result = int(q); !ok {
				result = none
			} else if q == hiq.Output {
				h.TakeOutput(1500)
			} else {
				for root = 0; root < 16; root++ {
					if h.Queue(root) == q && h.Take(now, q, root, 1500) {
						break
					}
				}
			}
		case 6:
			into, ok := h.Free(root)
			result = int(truth(ok))*100 + into
		case 7:
			result = int(h.State(root))*10 + h.Level(root)
		}
		if i%40 == 0 {
			q := sluice.QueueID(r.draw(9))
			r.say("hiq %d %d %d %d", result, h.Backlog(q), truth(h.Sendable(q)), h.Order(min(root, 15)))
		}
	}
	require.NoError(r, h.Audit())
	r.say("audit 0; root 16: -2; level 4: -2")
}

// TestMisuse has a C program do what it must not.
func TestMisuse(t *testing.T) {
	depth.Need(t, "C", "cc")
	got, err := exec.Command(compile(t, "testdata/rest.c"), "misuse").CombinedOutput()
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/misuse.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// TestFork: a child of fork is refused, and does not hang.
func TestFork(t *testing.T) {
	depth.Need(t, "C", "cc")
	got, err := exec.Command("timeout", "60", compile(t, "testdata/fork.c",
		"-D_POSIX_C_SOURCE=200809L")).CombinedOutput()
	require.NoError(t, err, "%s", got)
	require.Equal(t, `parent: 1
child: 0, -9 the process is a child of fork: the library works where it was loaded; call exec
hooks: 1 -9 -9, -9
parent: 1 -100
`, string(got))
}
