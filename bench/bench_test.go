package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/workload"
)

// benchmarked are the scenarios of BenchmarkScenario, made small enough to run in a fraction of a second.
var benchmarked = []struct{ name, set string }{
	{"incast", ""},
	{"fattree", "duration=100us,incast.degree=60"},
	{"pyrrha/fig2", "duration=50us,incast.degree=72,buffer=4MiB"},
}

// BenchmarkScenario runs whole simulations. Beside the time of one it reports packet-hops per second, a
// measure of the simulator, and completion times, a measure of the protocol that does not depend on the machine:
//
//	go test -run '^$' -bench Scenario ./bench
func BenchmarkScenario(b *testing.B) {
	for _, c := range benchmarked {
		for _, p := range fabric.Protocols() {
			b.Run("scenario="+strings.ReplaceAll(c.name, "/", "-")+"/fc="+p.Name, func(b *testing.B) { benchmarkScenario(b, c.name, c.set, p.Name) })
		}
	}
}

func benchmarkScenario(b *testing.B, name, set, fc string) {
	s, err := findScenario(name)
	require.NoError(b, err)
	subject, err := s.prepare(defaultSeed, set)
	require.NoError(b, err)
	subject.sampleEvery = 0
	hops := int64(0)
	var last *outcome
	for b.Loop() {
		last, err = subject.run(fc, io.Discard)
		require.NoError(b, err)
		hops += last.result.PacketHops
	}
	b.ReportMetric(float64(hops)/b.Elapsed().Seconds(), "packet-hops/s")
	for _, g := range reportGroups {
		if fct := last.fct.of(g); fct != nil {
			unit := g.String()
			if g == workload.GroupAuto {
				unit = "all"
			}
			b.ReportMetric(fct.Mean, unit+"-mean-us")
			b.ReportMetric(fct.P99, unit+"-p99-us")
		}
	}
}

// BenchmarkYardstick is an operation that everybody knows, to set figures of other machines against: a hit in a map
// of 1,024 entries, keys in an order the processor cannot guess.
func BenchmarkYardstick(b *testing.B) {
	const entries = 1024
	m := make(map[uint64]uint64, entries)
	var keys [entries]uint64
	random := prng.New(1)
	for i := range keys {
		keys[i] = random.Uint64()
		m[keys[i]] = uint64(i + 1)
	}
	sum := uint64(0)
	for i := 0; b.Loop(); i++ {
		sum += m[keys[i*7919%entries]]
	}
	if sum == 0 {
		b.Fatal("nothing was found")
	}
}
