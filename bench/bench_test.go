package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// benchmarked are the scenarios of BenchmarkScenario, made small enough to run in a fraction of a
// second.
var benchmarked = []struct{ name, set string }{
	{"incast", ""},
	{"fattree", "duration=100us,incast.degree=60"},
	{"pyrrha/fig2", "duration=50us,incast.degree=72,incast.min=30,incast.max=40,buffer=4MiB"},
}

// BenchmarkScenario runs whole simulations. Beside the time of one it reports packet-hops per
// second, a measure of the simulator, and completion times, a measure of the protocol that does not
// depend on the machine:
//
//	go test -run '^$' -bench Scenario ./bench
func BenchmarkScenario(b *testing.B) {
	for _, c := range benchmarked {
		for _, p := range fabric.Protocols() {
			b.Run("scenario="+strings.ReplaceAll(c.name, "/", "-")+"/fc="+p.Name, func(b *testing.B) {
				benchmarkScenario(b, c.name, c.set, p.Name)
			})
		}
	}
}

func benchmarkScenario(b *testing.B, name, set, fc string) {
	subject := runtest.Prepared(b, papers.All, name, set)
	subject.SampleEvery = 0
	hops := int64(0)
	var last *run.Outcome
	for b.Loop() {
		last = runtest.OutcomeOf(b, subject, fc)
		hops += last.Result.PacketHops
	}
	b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "packet-hops/s")
	for _, g := range run.PaperGroups {
		if fct := *last.FCT.Of(g); fct != nil {
			unit := g.String()
			if g == workload.GroupAuto {
				unit = "all"
			}
			b.ReportMetric(fct.Mean, unit+"-mean-us")
			b.ReportMetric(fct.P99, unit+"-p99-us")
		}
	}
}

// BenchmarkYardstick is an operation that is known everywhere, to set figures of other machines
// against.
func BenchmarkYardstick(b *testing.B) {
	m := newYardstickMap()
	sum := uint64(0)
	for i := 0; b.Loop(); i++ {
		sum += m.hit(i)
	}
	require.Positive(b, sum)
}

// BenchmarkSpeed is the command "speed" for the smallest and the largest network: transmissions per
// second at 128 and at 1,024 hosts, the ratio of the two, and how many hits of the yardstick one
// transmission takes.
//
//	go test -run '^$' -bench Speed ./bench
func BenchmarkSpeed(b *testing.B) {
	const bytes = 256 * sluice.MiB
	small, err := (&options{protocols: []string{"pfc"}}).speedSubject(8, bytes/128)
	require.NoError(b, err)
	large, err := (&options{protocols: []string{"pfc"}}).speedSubject(16, bytes/1024)
	require.NoError(b, err)
	var smallest, largest float64
	for b.Loop() { // one after the other, so that both meet the same machine
		smallest = max(smallest, runtest.OutcomeOf(b, small, "pfc").HopsPerSecond())
		largest = max(largest, runtest.OutcomeOf(b, large, "pfc").HopsPerSecond())
	}
	hit := yardstick()
	b.ReportMetric(smallest, "128-hosts/s")
	b.ReportMetric(largest, "1024-hosts/s")
	b.ReportMetric(largest/smallest, "1024/128")
	b.ReportMetric(hit, "yardstick-ns")
	b.ReportMetric(1e9/smallest/hit, "128-hosts-yardsticks")
	b.ReportMetric(1e9/largest/hit, "1024-hosts-yardsticks")
}
