package fabric_test

import (
	"flag"
	"runtime"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

var manyFlows = flag.Int(
	"flows", 0, "flows of TestMemoryOfManyFlows; 0 skips it; the bound is for 860000",
)

// TestMemoryOfManyFlows: the state of flows is pooled, so that many short ones take little more
// than their list and their results. It takes seconds: go test ./internal/lab/fabric -run ManyFlows
// -flows=860000 -v
func TestMemoryOfManyFlows(t *testing.T) {
	if *manyFlows == 0 {
		t.Skip("asked for by -flows")
	}
	r := manyToOne(t, "pfc", "cc=dcqcn")
	r.Flows = make([]workload.Flow, *manyFlows)
	for i := range r.Flows {
		r.Flows[i] = workload.Flow{
			Src: sluice.SwitchID(i % 32), Dst: sluice.SwitchID(32 + i%16), Class: 3, Bytes: 1000,
			Start: sluice.Time(i) * 20 * sluice.Nanosecond,
		}
	}
	result := do(t, r)
	require.Equal(t, *manyFlows, result.Completed)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf(
		"%d flows: %d MB taken from the system, %d MB in use", *manyFlows, memory.Sys>>20,
		memory.HeapInuse>>20,
	)
	require.Less(t, memory.Sys, uint64(250e6))
	runtime.KeepAlive(result)
}
