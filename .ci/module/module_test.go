package module

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
