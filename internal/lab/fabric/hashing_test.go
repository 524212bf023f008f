package fabric

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// The parameters name every hash function but those of the user's own polynomials, as hashpath
// does.
func TestHashParameters(t *testing.T) {
	registry, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	for name, kind := range hashKinds {
		assert.Equal(t, name, kind.String())
		values, err := registry.Parse("hash=" + name + ",hash.offset=3,hash.width=9")
		require.NoError(t, err)
		assert.Equal(t, hashpath.Hash{Kind: kind, Offset: 3, Width: 9}, hashing(values))
	}
	assert.Equal(t, []string{"xxhash", "crc32c", "crc32", "crc16-ccitt", "crc16-arc", "xor16", "xor32",
		"toeplitz"}, hashParameters[0].Choices)

	values, err := registry.Parse("hash=crc32,hash.select=resilient,hash.buckets=64")
	require.NoError(t, err)
	want := hashpath.Hash{Kind: hashpath.KindCRC32, Select: hashpath.Resilient, Buckets: 64}
	assert.Equal(t, want, hashing(values))
}
