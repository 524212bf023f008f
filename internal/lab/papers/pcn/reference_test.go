package pcn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// dumbbellRun runs the dumbbell of PCN's authors' simulator under a control, as
// testdata/pcn-ns3/README.md says, and with the time to a flow's next packet counted where pace
// says.
func dumbbellRun(t *testing.T, scenario, control, pace string) *run.Outcome {
	dir := filepath.Join("testdata", "pcn-ns3", scenario)
	topology, err := os.ReadFile(filepath.Join(dir, "topology.txt"))
	require.NoError(t, err)
	list, err := os.ReadFile(filepath.Join(dir, "flows.txt"))
	require.NoError(t, err)
	graph, flows, err := run.ReadNetwork(scenario, topology, "flows.txt", list)
	require.NoError(t, err)
	parameters, err := Library.Registry()
	require.NoError(t, err)
	values, err := parameters.Parse("payload=1000B,header=20B,window=1GB,ack.class=7,cc="+control+
		",ecn.kmin=412KB,ecn.kmax=10300KB,ecn.pmax=1,buffer=24MB",
		"dcqcn.alpha0=1/2,dcqcn.order=update-first,dcqcn.np=interval,dcqcn.rate-timer=60us,"+
			"dcqcn.byte-counter=300MB,dcqcn.ai=40Mbps,dcqcn.hai=200Mbps",
		authorsQCN,
		"timely-pcn.delta=40Mbps,timely-pcn.min-rate=400Mbps,cc.pace="+pace)
	require.NoError(t, err)
	s := &run.Subject{Graph: graph, Flows: flows, Values: values,
		SampleEvery: 100 * sluice.Microsecond}
	s.Groups = make([]workload.Group, len(flows))
	c := probe.Config{Graph: graph, Class: flows[0].Class}
	run.WatchPorts(&c, []sluice.Hop{{Switch: 6, Port: 3}}, 0, 1, 2, 3)
	r := fabric.Run{
		Protocol: "pfc", Topology: graph, Flows: flows, Values: values, Seed: 1,
		Until: 100 * sluice.Millisecond, SampleEvery: s.SampleEvery, Observer: probe.New(c),
	}
	runtest.Alone(t)
	result, err := r.Do()
	require.NoError(t, err)
	return run.NewOutcome(s, "pfc", result)
}

// TestAgainstPCNsSimulator: utilisation of the bottleneck from 20 to 100 ms, the longest queue,
// when it is first below 20 kB after its peak, and the rate of the host with two flows, beside what
// the authors' simulator gives. Theirs starts TIMELY at 40 Gb/s whatever the link is, and samples
// QCN's queue as packets leave: of these two controls only the later effect is compared. The two
// flows of the first host wait for one another in its card, and count the time to their next packet
// from when they go on the wire: see TestPCNsFlowsThatShareACard.
func TestAgainstPCNsSimulator(t *testing.T) {
	depth.From(t, depth.Thorough, "it simulates for seconds")
	for _, want := range []struct {
		scenario, control  string
		utilisation, first float64 // Gb/s of the first host
		longest, drained   float64 // bytes, ms; 0: not compared
	}{
		{"rtt40us", "pcn", .9933, 4.372, 279_480, 1},
		{"rtt40us", "dcqcn", .9571, 4.834, 584_460, 1},
		{"rtt40us", "timely-pcn", .9861, 4.965, 0, 0},
		{"rtt40us", "qcn", 1, 5.021, 0, 0},
		{"rtt500us", "pcn", .9783, 3.915, 1_431_060, 5.9},
		{"rtt500us", "dcqcn", .6618, 3.288, 1_640_160, 2.3},
		{"rtt500us", "timely-pcn", .1581, .797, 0, 0},
		{"rtt500us", "qcn", 1, 5.196, 0, 0},
	} {
		name := want.scenario + " " + want.control
		o := dumbbellRun(t, want.scenario, want.control, "wire")
		const from, to = 20 * sluice.Millisecond, 100 * sluice.Millisecond
		s := o.Result.Seen.Series[0]
		require.InEpsilon(t, want.utilisation, o.Rate(s.At, from, to)/10, 0.02, name)
		require.Empty(t, o.Result.Seen.Pauses, name)
		if want.first > 0 {
			require.InEpsilon(
				t, want.first, 1.02*(o.Throughput(0, from, to)+o.Throughput(1, from, to)), 0.15, name,
			)
		}
		if want.longest == 0 {
			continue
		}
		require.InEpsilon(t, want.longest, float64(o.Statistics(s.At).LongestQueue), 0.18, name)
		for i, queue := range s.Backlog {
			if s.Time[i] > 300*sluice.Microsecond && queue < 20*sluice.KB {
				require.InEpsilon(t, want.drained, s.Time[i].Microseconds()/1000, 0.15, name)
				break
			}
		}
	}
}

// TestPCNsFlowsThatShareACard: hosts of PCN at 40 us send 4.37, 2.58 and 2.98 Gb/s in the authors'
// simulator, where a packet that waits in the card for another flow's delays all that follow, so
// that the receiver of such a flow finds less than was sent. Without that a host with two flows
// has more than twice the rate of the others.
func TestPCNsFlowsThatShareACard(t *testing.T) {
	const from, to = 20 * sluice.Millisecond, 100 * sluice.Millisecond
	for pace, want := range map[string][2]float64{"wire": {4.37, 2.78}, "card": {5.4, 2.3}} {
		o := dumbbellRun(t, "rtt40us", "pcn", pace)
		rate := func(flow int) float64 { return 1.02 * o.Throughput(flow, from, to) }
		require.InEpsilon(t, want[0], rate(0)+rate(1), 0.1, pace)
		require.InEpsilon(t, want[1], (rate(2)+rate(3))/2, 0.1, pace)
	}
}
