package module

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPublic(t *testing.T) {
	for _, c := range []struct {
		path, name string
		public     bool
	}{
		{Path, "sluice", true},
		{Path + "/ofc", "ofc", true},
		{Path + "/kit/conformance", "conformance", true},
		{Path + "/internal/lab/sim", "sim", false},
		{Path + "/ofc/internal/order", "order", false},
		{Path + "/examples", "examples_test", false},
		{Path + "/examples/headroom", "main", false},
		{Path + "/bench", "main", false},
		{Path + "/cmd/library", "library", false},
		{Path + "/sluicetop", "main", false},
	} {
		assert.Equal(t, c.public, Package{ImportPath: c.path, Name: c.name}.Public(), c.path)
	}
}

// What the tables of protocols are held against: no list of names, and no contract for a protocol.
func TestProtocols(t *testing.T) {
	protocols, err := Protocols("../..")
	require.NoError(t, err)
	var names []string
	for _, p := range protocols {
		names = append(names, p.Rel())
	}
	assert.Subset(t, names, []string{"pfc", "tcd/cbfc"})
	assert.NotContains(t, names, "kit", "whose Switch, Port and Frame are interfaces")
	assert.Equal(t, []string{"reason.go"}, protocols[0].Missing("config.go", "reason.go"))
}
