package byname

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

func TestEachNetworkIsBuilt(t *testing.T) {
	r, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	for set, want := range map[string]string{
		"":                        "leaf-spine 10x4x16",
		"topology=fat-tree":       "fat-tree k=4",
		"topology=fat-tree,k=6":   "fat-tree k=6",
		"topology=ndc,n=3,k=2":    "NDC(3,2)",
		"topology=single,hosts=3": "single switch 3",
	} {
		v, err := r.Parse(set)
		require.NoError(t, err)
		g, err := Build(v)
		require.NoError(t, err)
		assert.Equal(t, want, g.Name)
	}
	v, err := r.Parse("topology=ndc,layer.rate=40Gbps")
	require.NoError(t, err)
	g, err := Build(v)
	require.NoError(t, err)
	assert.Equal(t, 100*sluice.Gbps, g.Nodes[0].Ports[0].Link.Rate)
	assert.Equal(t, 40*sluice.Gbps, g.Nodes[0].Ports[1].Link.Rate)
	v, err = r.Parse("topology=fat-tree,k=3")
	require.NoError(t, err)
	_, err = Build(v)
	assert.ErrorContains(t, err, "must be even")
}
