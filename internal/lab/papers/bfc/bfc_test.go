package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
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
	s, err := Library.Find("bfc/end-to-end")
	require.NoError(t, err)
	subject, err := run.Join(Library).Prepare(s, run.Request{Seed: 1})
	require.NoError(t, err)
	require.Len(t, subject.Graph.Hosts(), 128)
	require.Len(t, subject.Graph.Nodes, 144)
	var bytes [2]sluice.Bytes
	incast := 0
	for _, f := range subject.Flows {
		require.Less(t, f.Start, sluice.Millisecond)
		if f.Group == workload.Incast {
			require.Equal(t, 200*sluice.KB, f.Bytes)
			incast++
			bytes[1] += f.Bytes
			continue
		}
		bytes[0] += f.Bytes
	}
	require.Zero(t, incast%100)
	uplinks := float64((6400 * sluice.Gbps).BytesIn(sluice.Millisecond))
	require.InEpsilon(t, 0.60, float64(bytes[0])/uplinks, 0.25)
	require.InEpsilon(t, 0.05, float64(bytes[1])/uplinks, 0.01)
}
