package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// withJobs adds jobs to a run.
func withJobs(c sim.Config, jobs ...schedule.Job) sim.Config {
	for _, j := range jobs {
		j.First = len(c.Flows)
		c.Flows = append(c.Flows[:j.First:j.First], j.Flows()...)
		c.Jobs = append(c.Jobs, j)
	}
	return c
}

func built(t require.TestingT, b *schedule.Builder) *schedule.Schedule {
	s, err := b.Build()
	require.NoError(t, err)
	return s
}

// TestAJobTakesAsLongAsComputedByHand: rank 0 computes for 3 us and sends a packet, rank 1 answers
// after another 2 us with two packets, over a switch.
func TestAJobTakesAsLongAsComputedByHand(t *testing.T) {
	b := schedule.NewBuilder(2)
	work := b.Calc(0, 3*sluice.Microsecond, 0)
	ping := b.Send(0, 1, 1460, 1)
	b.Requires(0, ping, work)
	after := b.Calc(0, sluice.Nanosecond, 0)
	b.Requires(0, after, b.Recv(0, 1, 2920, 2))
	got := b.Recv(1, 0, 1460, 1)
	think := b.Calc(1, 2*sluice.Microsecond, 0)
	pong := b.Send(1, 0, 2920, 2)
	b.Requires(1, think, got)
	b.Requires(1, pong, think)
	c := config(star(2))
	c = withJobs(c, schedule.Job{
		Name: "ping", Schedule: built(t, b), Hosts: []sluice.SwitchID{1, 0},
		Start: 5 * sluice.Microsecond, Repeat: 3,
	})
	result := run(t, c)
	end := c.Topology.Nodes[0].Ports[0].Link
	packet := end.Rate.TimeOf(c.Payload + c.Header)
	one := 2*packet + 2*end.Delay
	injected := 2 * packet // of the answer: rank 1 ends first, and its next receive is due then
	start, ends := 5*sluice.Microsecond, []sluice.Time(nil)
	for range 3 {
		start += 3*sluice.Microsecond + one + 2*sluice.Microsecond + one + packet + sluice.Nanosecond
		ends = append(ends, start)
	}
	require.Equal(t, ends, result.Jobs[0].Ends)
	require.Equal(t, []sluice.Time{
		ends[2], ends[2] - sluice.Nanosecond - one - packet + injected,
	}, result.Jobs[0].RankEnds)
	require.Equal(t, 6, result.Completed)
	// Rank 0 computes for 3.001 us of each iteration, rank 1 for 2 us. Rank 0 communicates while its
	// message leaves, and while the answer is under way; it is idle before the answer is sent. The
	// path of the last iteration goes to and fro.
	job := &result.Jobs[0]
	require.Equal(t, 3*(3*sluice.Microsecond+sluice.Nanosecond), job.SpentByLast.Computation)
	require.Equal(t, ends[2]-job.Start, job.SpentByLast.Sum())
	require.Equal(t, 3*(packet+one+packet), job.SpentByLast.Exposed)
	require.Equal(t, 3*(one-packet+2*sluice.Microsecond), job.SpentByLast.Idle)
	require.Equal(t, 3*(5*sluice.Microsecond+sluice.Nanosecond)/2, job.Spent.Computation)
	var kinds []schedule.Kind
	for _, step := range job.Critical {
		kinds = append(kinds, step.Kind)
	}
	require.Equal(t, []schedule.Kind{
		schedule.Calc, schedule.Send, schedule.Recv, schedule.Calc, schedule.Send, schedule.Recv,
		schedule.Calc,
	}, kinds)
	require.Equal(t, ends[1], job.Critical[0].Begin)
	require.Equal(t, ends[2], job.Critical[len(kinds)-1].End)
	require.Equal(t, 8*sluice.Microsecond, result.Flows[0].Start, "a message starts when it is sent")
	require.Equal(t, one, result.Flows[0].FCT)
	require.Equal(t, one, result.Flows[0].Ideal)
}

// A run of ranks that wait for each other ends at once, and says who waits; what else there is goes
// on to its end.
func TestARunOfRanksThatWaitForEachOtherEnds(t *testing.T) {
	b := schedule.NewBuilder(2)
	for rank := range 2 {
		receive := b.Recv(rank, 1-rank, 1, 0)
		b.Requires(rank, b.Send(rank, 1-rank, 1, 0), receive)
	}
	c := config(star(3), workload.Flow{Src: 2, Dst: 0, Bytes: 14600, Start: sluice.Millisecond})
	c = withJobs(c, schedule.Job{Name: "j", Schedule: built(t, b), Hosts: []sluice.SwitchID{0, 1}})
	result := run(t, c)
	require.True(t, result.Stalled)
	require.Less(t, result.Flows[0].FCT, sluice.Never)
	require.Less(t, result.Simulated, 2*sluice.Millisecond)
	require.Greater(t, result.Flows[1].Ideal, sluice.Time(0), "also of a message that never started")
	require.Equal(t, result.Flows[1].Ideal, result.Flows[2].Ideal)
	require.Contains(t, result.Notes, "2 of 2 ranks of job j are not done; "+
		"rank 0, operation 1 (recv 1b from 1 tag 0) waits for its message; "+
		"rank 1, operation 1 (recv 1b from 0 tag 0) waits for its message")
}

// A message that is lost for ever stalls the run, and is no wait for ever: what requires it never
// starts, although the switch has timers without end.
func TestAJobWhoseMessageIsLostEnds(t *testing.T) {
	b := schedule.NewBuilder(3)
	b.Send(0, 1, 10_000, 0)
	b.Requires(1, b.Send(1, 2, 10_000, 0), b.Recv(1, 0, 10_000, 0))
	c := withJobs(config(star(3)), schedule.Job{
		Name: "j", Schedule: built(t, b), Hosts: []sluice.SwitchID{0, 1, 2},
	})
	at(&c, 3, func(m kit.Machine) kit.Machine { return &ticking{lost{m}, 0, sluice.Microsecond} })
	c.Inspect = notAfter(sluice.Second)
	result := run(t, c)
	require.Zero(t, result.Completed)
	require.True(t, result.Stalled)
	require.Equal(t, sluice.Never, result.Flows[1].FCT)
}

// lost drops whatever it gets.
type lost struct{ kit.Machine }

func (lost) Enqueue(sluice.Time, sluice.PortID, *sluice.Packet) sluice.Verdict {
	return sluice.DropBecause(sluice.BufferFull)
}

// An expert sends tokens back once it has the batch of all ranks that have some for it (PortFC,
// section V-E, and what schedule.MoE chooses): neither a flow that is under way beside the job nor
// another expert keeps it waiting, which have to do with nothing that it needs.
func TestAnExpertWaitsForItsOwnTokensAlone(t *testing.T) {
	s, err := schedule.MoE(schedule.MoEConfig{
		Seed: 1, Ranks: 4, Tokens: 64, TokenBytes: 1000, TopK: 2, Skew: 2, Batches: 1,
	})
	require.NoError(t, err)
	c := withJobs(config(star(6), workload.Flow{Src: 4, Dst: 5, Bytes: 10 * sluice.MB}),
		schedule.Job{
			Name: "moe", Schedule: s, Hosts: []sluice.SwitchID{0, 1, 2, 3},
			Groups: []workload.Group{workload.Incast, workload.Background},
		})
	result := run(t, c)
	require.Equal(t, len(c.Flows), result.Completed)
	has := map[sluice.SwitchID]sluice.Time{} // when an expert has all of its tokens
	var last sluice.Time
	for _, f := range result.Flows {
		if f.Group == workload.Incast {
			require.Zero(t, f.Start)
			has[f.Dst] = max(has[f.Dst], f.FCT)
			last = max(last, f.FCT)
		}
	}
	require.Less(t, last, result.Flows[0].FCT, "the flow beside the job is still under way")
	require.Len(t, has, 4)
	early := 0
	for _, f := range result.Flows[1:] {
		if f.Group == workload.Background {
			require.Equal(t, has[f.Src], f.Start)
			if f.Start < last {
				early++
			}
		}
	}
	require.Positive(t, early, "not all experts have their tokens at once")
}

// A run has samples from its first rank on, also where no flow is beside the job.
func TestARunOfAJobAloneHasSamples(t *testing.T) {
	b := schedule.NewBuilder(2)
	b.Send(0, 1, 100_000, 0)
	b.Recv(1, 0, 100_000, 0)
	c := withJobs(config(star(2)), schedule.Job{
		Name: "j", Schedule: built(t, b), Hosts: []sluice.SwitchID{0, 1}, Start: 3 * sluice.Microsecond,
	})
	c.SampleEvery = sluice.Microsecond
	series := run(t, c).Series
	require.Greater(t, len(series), 5)
	require.Equal(t, 4*sluice.Microsecond, series[0].At)
	var delivered sluice.Bytes
	for _, sample := range series {
		for _, bytes := range sample.DeliveredBytes {
			delivered += bytes
		}
	}
	require.Equal(t, sluice.Bytes(100_000), delivered)
}

// A computation that is longer than any time without a packet in a run of flows is no deadlock.
func TestALongComputationIsNoStall(t *testing.T) {
	b := schedule.NewBuilder(2)
	long := b.Calc(0, sluice.Second, 0)
	b.Requires(0, b.Send(0, 1, 1, 0), long)
	b.Recv(1, 0, 1, 0)
	result := run(t, withJobs(config(star(2)), schedule.Job{
		Name: "j", Schedule: built(t, b), Hosts: []sluice.SwitchID{0, 1},
	}))
	require.False(t, result.Stalled)
	require.Empty(t, result.Notes)
	require.Greater(t, result.Jobs[0].Ends[0], sluice.Second)
}

// randomJob draws a job whose operations wait only for earlier ones, so that it ends: ranks may
// share a host.
func randomJob(t *rapid.T, hosts int) schedule.Job {
	n := rapid.IntRange(2, 8).Draw(t, "ranks")
	b, added := schedule.NewBuilder(n), make([]int, n)
	add := func(rank int, l schedule.Label) {
		for i := range added[rank] {
			switch rapid.IntRange(0, 6).Draw(t, "waits") {
			case 0:
				b.Requires(rank, l, schedule.Label(i))
			case 1:
				b.IRequires(rank, l, schedule.Label(i))
			}
		}
		added[rank]++
	}
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		rank := rapid.IntRange(0, n-1).Draw(t, "rank")
		if rapid.IntRange(0, 3).Draw(t, "computes") == 0 {
			span := sluice.Time(rapid.IntRange(0, 5000).Draw(t, "span")) * sluice.Nanosecond
			add(rank, b.Calc(rank, span, uint8(rapid.IntRange(0, 1).Draw(t, "cpu"))))
			continue
		}
		to := rapid.IntRange(0, n-1).Draw(t, "to")
		bytes := sluice.Bytes(rapid.IntRange(0, 20_000).Draw(t, "bytes"))
		tag := uint32(rapid.IntRange(0, 1).Draw(t, "tag"))
		add(rank, b.Send(rank, to, bytes, tag))
		add(to, b.Recv(to, rank, bytes, tag))
	}
	j := schedule.Job{
		Name: "random", Schedule: built(t, b), Repeat: rapid.IntRange(1, 3).Draw(t, "repeat"),
		Start: sluice.Time(rapid.IntRange(0, 9).Draw(t, "start")) * sluice.Microsecond,
	}
	for range n {
		j.Hosts = append(j.Hosts, sluice.SwitchID(rapid.IntRange(0, hosts-1).Draw(t, "host")))
	}
	return j
}

// fourRacks is a network that is cut for threads.
func fourRacks(t require.TestingT) *topo.Graph {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, Spines: 2, HostsPerRack: 2, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	return g
}

// jobsBesideFlows draws a run of two flows into one host, of which packets may be lost, and a job
// or two beside them.
func jobsBesideFlows(t *rapid.T, g *topo.Graph) (sim.Config, []schedule.Job) {
	hosts := len(g.Hosts())
	c := config(g, workload.Flow{Src: 0, Dst: 7, Bytes: 100_000},
		workload.Flow{Src: 3, Dst: 7, Bytes: 100_000, Start: 3 * sluice.Microsecond})
	if rapid.Bool().Draw(t, "loses") {
		c.Loss, c.RetransmitAfter = 20_000, 100*sluice.Microsecond
	}
	jobs := []schedule.Job{randomJob(t, hosts)}
	if rapid.Bool().Draw(t, "two") {
		jobs = append(jobs, randomJob(t, hosts))
	}
	return c, jobs
}

// TestJobsAreTheSameOnAnyNumberOfThreads: jobs beside flows, on a network that is cut, and with
// congestion control whose state receivers make late.
func TestJobsAreTheSameOnAnyNumberOfThreads(t *testing.T) {
	g := fourRacks(t)
	rapid.Check(t, func(t *rapid.T) {
		c, jobs := jobsBesideFlows(t, g)
		c.Control.Kind = rapid.SampledFrom([]*cc.Kind{nil, cc.DCQCN, cc.HPCC}).Draw(t, "control")
		c.ECN = sluice.ECT0
		c = withJobs(c, jobs...)
		result := func(threads int) *sim.Result {
			c.Threads, c.Windows = threads, func(events []int64) {
				require.Equal(t, threads > 1, len(events) > 1, "the network is cut")
			}
			s, err := sim.New(c)
			require.NoError(t, err)
			result, err := s.Run()
			require.NoError(t, err)
			result.Wall = 0
			return result
		}
		want := result(1)
		for _, threads := range []int{2, 3} {
			require.Equal(t, want, result(threads), "%d threads", threads)
		}
	})
}
