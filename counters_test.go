package sluice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

func TestCountersAddEveryField(t *testing.T) {
	var a, b sluice.Counters
	fields.Number(&a, 1)
	fields.Number(&b, 1000)
	sum := a
	sum.Add(&b)
	for name, got := range fields.Of(&sum) {
		require.Equal(t, fields.Of(&a)[name]+fields.Of(&b)[name], got, name)
	}
}

func TestDropsAreOfEveryReason(t *testing.T) {
	var c sluice.Counters
	want := uint64(0)
	for reason := range c.Dropped {
		c.Dropped[reason] = 1 << reason
		want += 1 << reason
	}
	require.Equal(t, want, c.Drops())
}
