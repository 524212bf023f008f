package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Flows of an incast, flows that did not complete and flows of middle size are in neither number.
func TestShortAndLongFlows(t *testing.T) {
	const ideal = 10 * sluice.Microsecond
	result := &sim.Result{}
	o := &run.Outcome{Result: result}
	add := func(group workload.Group, bytes sluice.Bytes, fct sluice.Time) {
		result.Flows = append(result.Flows,
			sim.FlowResult{Flow: workload.Flow{Bytes: bytes}, FCT: fct, Ideal: ideal})
		o.Groups = append(o.Groups, group)
	}
	short, long := tailOfShort(o), meanOfLong(o)
	require.False(t, short.Known() || long.Known())
	for i := range sluice.Time(200) { // slowdowns of 1 to 200
		add(workload.Background, 3000, (i+1)*ideal)
	}
	add(workload.Incast, 3000, 1000*ideal)
	add(workload.Background, 3001, 1000*ideal)
	add(workload.Background, 3000, sluice.Never)
	add(workload.Background, 3_072_000, 1000*ideal)
	add(workload.Background, 3_072_001, 10*ideal)
	add(workload.Background, 3_072_001, 30*ideal)
	short, long = tailOfShort(o), meanOfLong(o)
	require.Equal(t, 198.0, short.Value)
	require.Equal(t, 200.0, long.Value)
}

// TestAuthorsNetwork: 128 hosts, half of whose rate the uplinks have, 100 senders of 200 packets in
// an incast, and loads of 60 and 5 % of the uplinks.
func TestAuthorsNetwork(t *testing.T) {
	subject := runtest.Prepared(t, Library, "bfc/incast")
	require.Len(t, subject.Graph.Hosts(), 128)
	require.Len(t, subject.Graph.Nodes, 144)
	background, incast, flows := loads(t, subject, sluice.Millisecond)
	require.Positive(t, flows)
	require.Zero(t, flows%100)
	require.InEpsilon(t, 0.60, background, 0.25)
	require.InEpsilon(t, 0.05, incast, 0.01)
}

// The abstract's comparison with end-to-end schemes speaks of no incast.
func TestEndToEndHasNoIncast(t *testing.T) {
	subject := runtest.Prepared(t, Library, "bfc/end-to-end")
	background, _, flows := loads(t, subject, 3*sluice.Millisecond)
	require.Zero(t, flows)
	require.InEpsilon(t, 0.60, background, 0.25)
	_, incast, _ := loads(t, runtest.Prepared(t, Library, "bfc/end-to-end", "incast.uplinks=1/10"),
		3*sluice.Millisecond)
	require.InEpsilon(t, 0.10, incast, 0.01)
}

// loads returns which shares of the uplinks are filled by other flows and by incasts, and how many
// flows the incasts have.
func loads(t *testing.T, s *run.Subject, span sluice.Time) (background, incast float64, flows int) {
	uplinks := float64((6400 * sluice.Gbps).BytesIn(span))
	for _, f := range s.Flows {
		require.Less(t, f.Start, span)
		if f.Group != workload.Incast {
			background += float64(f.Bytes) / uplinks
			continue
		}
		require.Equal(t, 200*sluice.KB, f.Bytes)
		incast += float64(f.Bytes) / uplinks
		flows++
	}
	return background, incast, flows
}
