package topo_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/topo"
)

// FuzzRead: whatever Read accepts is valid, and writing and reading it gives the same graph. The
// seeds are small, or the fuzzer spends its time on making them smaller.
func FuzzRead(f *testing.F) {
	f.Add([]byte(hpccFile))
	f.Add([]byte("4 2 3\n0 2\n0 1 1Gbps 1us 0\n0 2 1Gbps 0s 0\n2 3 1Gbps 1us 0"))
	f.Add([]byte("3 1 2 1 0 2\n2\n0 2 100.5 600.001\n1 2 .25 0\n"))
	f.Add([]byte("2097152 1 4194304\n5\n0 5 1Gbps 1us 0\n"))
	f.Add([]byte("4 2 4\n2 3\n0 2 1Gbps 1us 0\n2 3 1Gbps 1us 0\n3 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n"))
	f.Add([]byte("4 1 4\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n0 1 1Gbps 1us 0\n1 2 1Gbps 1us 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := topo.Read(bytes.NewReader(text), "fuzz")
		if err != nil {
			require.IsType(t, &topo.FileError{}, err)
			require.Nil(t, g)
			return
		}
		require.NoError(t, g.Validate())
		var out bytes.Buffer
		require.NoError(t, g.WriteHPCC(&out))
		back, err := topo.Read(&out, "fuzz")
		require.NoError(t, err)
		require.Equal(t, g, back)
		require.GreaterOrEqual(t, g.BaseRTT(1460), g.BaseRTT(0))
	})
}
