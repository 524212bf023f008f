package fabric

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// The parameters name every hash function except the user's own polynomials, as hashpath does.
func TestHashParameters(t *testing.T) {
	registry, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	parse := func(set string) hashpath.Hash {
		values, err := registry.Parse(set)
		require.NoError(t, err)
		h, _ := hashing(values)
		return h
	}
	var h hashpath.Hash
	names := hashParameters(&h)[0].Choices
	assert.Equal(t, []string{"xxhash", "crc32c", "crc32", "crc16-ccitt", "crc16-arc", "xor16", "xor32",
		"toeplitz"}, names)
	for _, name := range names {
		h := parse("hash=" + name + ",hash.offset=3,hash.width=9")
		assert.Equal(t, name, h.Kind.String())
		assert.Equal(t, hashpath.Hash{Kind: h.Kind, Offset: 3, Width: 9}, h)
	}
	want := hashpath.Hash{Kind: hashpath.KindCRC32, Select: hashpath.Resilient, Buckets: 64}
	assert.Equal(t, want, parse("hash=crc32,hash.select=resilient,hash.buckets=64"))
}
