package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
)

// Tables of a switch of a fat-tree with k = 36 from the network that has been built, and all files
// of them.
//
//	go test ./tofino/cmd/tofinogen -run - -bench Files -benchmem
func BenchmarkFiles(b *testing.B) {
	for _, name := range []string{"edge", "aggregation", "core"} {
		o := &options{
			Protocol: "paths", Set: []string{"topology=fat-tree,k=36,fabric.rate=100Gbps"}, Switch: name,
			Seed: 1,
		}
		m, err := newMade(o)
		require.NoError(b, err)
		b.Run("generate/"+name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, makePaths(m))
			}
		})
		b.Run("files/"+name, func(b *testing.B) {
			for b.Loop() {
				_, err := emit.Files(m.program, m.config)
				require.NoError(b, err)
			}
		})
	}
}
