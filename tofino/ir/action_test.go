package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
)

// TestWrites: a register action writes the fields that its outputs go to; an output may go nowhere.
func TestWrites(t *testing.T) {
	f := &ir.Field{Name: "f", Bits: 8}
	require.Equal(t, []*ir.Field{f}, ir.Writes(ir.Execute{To: []*ir.Field{nil, f}}))
	require.Equal(t, []*ir.Field{f}, ir.Writes(ir.Assign{To: f}))
	require.Empty(t, ir.Writes(ir.Flow{}))
}
