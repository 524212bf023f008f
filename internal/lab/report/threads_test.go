package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/prng"
)

func init() { depth.CollectSeldom() }

// many are numbers of threads that share a run.
var many = []int{2, 3, 8}

// TestThreads: the results of a run are the same bytes with any number of threads. Of scenarios the
// beginning is run, by one thread and by several.
func TestThreads(t *testing.T) {
	each := depth.Choose(24, 24, 1)
	for i := range papers.All.Scenarios {
		if name := papers.All.Scenarios[i].Name; i%each == min(3, each-1) {
			several := many[i%len(many):][:1]
			t.Run(name, func(t *testing.T) { sameForAll(t, several, name, slow[name], 1) })
		}
	}
}

// TestThreadsOfIncast: and so they are of many seeds of an incast under every protocol, on a
// network that has parts.
func TestThreadsOfIncast(t *testing.T) {
	for seed := range uint64(depth.Choose(1, 1, 10, 100)) {
		sameForAll(t, many, "incast", "topology=fat-tree,k=4", seed+1, run.ProtocolNames()...)
	}
}

// sameForAll compares what is written of a run by one thread and by several.
func sameForAll(
	t *testing.T, several []int, name, set string, seed uint64, protocols ...string,
) {
	beginning := depth.Choose[sluice.Time](10, 20, 60) * sluice.Microsecond
	var want string
	for _, threads := range append([]int{1}, several...) {
		s, err := papers.All.Find(name)
		require.NoError(t, err)
		r := run.Request{Seed: seed, Protocols: protocols}
		if set != "" {
			r.Set = []string{set}
		}
		subject, err := papers.All.Prepare(s, r)
		require.NoError(t, err)
		var outcomes []*run.Outcome
		for _, trial := range subject.Trials() {
			trial.Subject.Until = trial.Subject.FirstStart() + beginning
			trial.Subject.SampleEvery = 5 * sluice.Microsecond
			trial.Subject.Threads = threads
			o, err := trial.Subject.Simulate(trial.FC, false, nil)
			require.NoError(t, err)
			o.Result.Wall = 0
			o.FC = trial.Label
			outcomes = append(outcomes, o)
		}
		subject.Threads = 0
		var out bytes.Buffer
		require.NoError(t, WriteJSON(&out, subject, outcomes))
		for _, o := range outcomes {
			fmt.Fprintln(&out, o.FC, o.Result.Events, o.Result.Transport, o.Result.Control)
			require.NoError(t, WriteFlows(&out, o))
		}
		if want == "" {
			want = out.String()
		}
		require.Equal(t, want, out.String(), "%s, seed %d, %d threads", name, seed, threads)
	}
}

// TestThreadsOfRandomScenarios: and so they are of whatever a user may ask for: traffic, protocols,
// balancing of load, transports, controls, buffers that overflow and links that fail, for good too,
// all drawn at random. The failure of a draw names its seed and the flags that show it.
func TestThreadsOfRandomScenarios(t *testing.T) {
	ran := 0
	draws := depth.Choose(3, 4, 20, 500)
	for seed := range uint64(draws) {
		d := drawScenario(seed)
		if want, err := d.files(t, 1); err == nil {
			ran++
			for _, threads := range []int{2, 3, 7} {
				got, err := d.files(t, threads)
				require.NoError(t, err, d)
				require.Equal(t, want, got, "%d threads: %v", threads, d)
			}
		} else {
			_, again := d.files(t, 3)
			require.EqualError(t, again, err.Error(), d)
		}
	}
	require.Greater(t, 3*ran, 2*draws, "too many draws are refused: they compare nothing")
}

// drawn is a scenario that was drawn from a seed.
type drawn struct {
	seed     uint64
	name, fc string
	set      []string
	failures run.Failures
	until    sluice.Time
}

func (d drawn) String() string {
	return fmt.Sprintf("draw %d: run %s -fc %s -set %s -fail %s -until %v -seed %d", d.seed, d.name, d.fc,
		strings.Join(d.set, ","), strings.Join(d.failures.Words(), ","), d.until, d.seed)
}

func drawScenario(seed uint64) drawn {
	random := prng.New(prng.Mix(seed))
	of := func(words ...string) string { return words[random.Below(uint64(len(words)))] }
	d := drawn{
		seed: seed, name: of("incast", "mix", "permutation"), fc: of(run.ProtocolNames()...),
		set: []string{
			"topology=" + of("fat-tree,k=4", "leaf-spine,racks=8,spines=2,hosts=2"),
			"transport=" + of(transport.Names[:]...), "cc=" + of(cc.Names...),
			"lb=" + of("ecmp", "spray", "spray", "drill", "plb"),
			"buffer=" + of("700KB", "2MiB"), "rto=" + of("50us", "200us"),
		},
		until: sluice.Time(depth.Choose[uint64](60, 100, 200)) * sluice.Microsecond,
	}
	failing := random.Below(3)
	if d.fc == "portfc" { // which needs a network of its own, and knows one way
		d.set[0], d.set[3], failing = "topology=ndc,n=4,k=1", "lb=ecmp", 0
	}
	for i := range failing { // of links of switches with hosts
		f := sim.Failure{
			At:   sluice.Hop{Switch: sluice.SwitchID(16 + i), Port: sluice.PortID(random.Below(4))},
			Down: sluice.Time(1+random.Below(40)) * sluice.Microsecond,
		}
		if random.Below(2) == 0 {
			f.Up = f.Down + sluice.Time(1+random.Below(40))*sluice.Microsecond
		}
		d.failures = append(d.failures, f)
	}
	return d
}

// files returns what -json and -fct write of the scenario's run by some threads.
func (d drawn) files(t *testing.T, threads int) (string, error) {
	s, err := papers.All.Find(d.name)
	require.NoError(t, err)
	subject, err := papers.All.Prepare(s, run.Request{
		Seed: d.seed, Protocols: []string{d.fc}, Set: d.set, Failures: d.failures, Until: d.until,
	})
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	var outcomes []*run.Outcome
	for _, trial := range subject.Trials() {
		trial.Subject.Threads = threads
		o, err := trial.Subject.Simulate(trial.FC, false, nil)
		if err != nil {
			return "", err
		}
		o.Result.Wall = 0
		outcomes = append(outcomes, o)
		require.NoError(t, WriteFlows(&out, o))
	}
	subject.Threads = 0
	require.NoError(t, WriteJSON(&out, subject, outcomes))
	return out.String(), nil
}
