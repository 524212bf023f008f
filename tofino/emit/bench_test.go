package emit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// All files of an edge switch of a fat-tree with k = 36: 36,000 entries.
func BenchmarkFilesOfAnEdge36(b *testing.B) {
	p, cfg, err := samples.Paths(36)
	require.NoError(b, err)
	octets := 0
	for b.Loop() {
		files, err := emit.Files(p, cfg)
		require.NoError(b, err)
		for _, file := range files {
			octets += len(file.Content)
		}
	}
	b.SetBytes(int64(octets / b.N))
	b.ReportAllocs()
}
