package sluice_test

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

func TestClassSet(t *testing.T) {
	s := sluice.MakeClassSet(3, 4, 9)
	require.Equal(t, "{3 4}", s.String())
	require.Equal(t, 2, s.Len())
	for c := range sluice.Class(20) {
		require.Equal(t, c == 3 || c == 4, s.Has(c), "class %d", c)
		require.Equal(t, c < sluice.Classes, sluice.AllClasses.Has(c))
	}
	require.Equal(t, "{}", sluice.ClassSet(0).String())
}

func TestRatioString(t *testing.T) {
	require.Equal(t, "1/4", sluice.Ratio{Num: 1, Den: 4}.String())
	require.Equal(t, "2", sluice.Ratio{Num: 2, Den: 1}.String())
}

func TestBytesString(t *testing.T) {
	for want, n := range map[string]sluice.Bytes{
		"0B": 0, "1500B": 1500, "20MiB": 20 * sluice.MiB, "3KiB": 3072, "-1GiB": -sluice.GiB,
		"1048577B": sluice.MiB + 1,
	} {
		require.Equal(t, want, n.String())
	}
}

// TestZeroIsTheDefault: a zero ClassSet in a configuration takes the default, NoClasses is the
// empty set, and NoClasses beside classes changes nothing.
func TestZeroIsTheDefault(t *testing.T) {
	one, two := sluice.MakeClassSet(3), sluice.MakeClassSet(4, 5)
	require.Equal(t, two, sluice.ClassSet(0).Or(two))
	require.Equal(t, sluice.NoClasses, sluice.ClassSet(0).Or(sluice.NoClasses))
	require.Equal(t, one, one.Or(two))
	require.Equal(t, one, (one | sluice.NoClasses).Or(two))
	require.Equal(t, sluice.NoClasses, sluice.NoClasses.Or(two))
	require.Zero(t, sluice.NoClasses.Len())
	require.Equal(t, "{}", sluice.NoClasses.String())
	for c := range sluice.Class(20) {
		require.False(t, sluice.NoClasses.Has(c))
	}
}

func TestPathPrintsAsHops(t *testing.T) {
	path, _ := sluice.MakePath(sluice.Hop{Switch: 160, Port: 16}, sluice.Hop{Switch: 170})
	require.Equal(t, "160:16 170:0", fmt.Sprint(path))
}

func TestRatioValid(t *testing.T) {
	for _, r := range []sluice.Ratio{
		{}, {Num: 1}, {Den: 1}, {Num: -1, Den: 1}, {Num: 1, Den: -1}, {Num: sluice.MaxRatio + 1, Den: 1},
		{Num: 1, Den: sluice.MaxRatio + 1},
	} {
		require.False(t, r.Valid(), "%v", r)
	}
	require.True(t, sluice.Ratio{Num: 1, Den: sluice.MaxRatio}.Valid())
	require.True(t, sluice.Ratio{Num: sluice.MaxRatio, Den: 1}.Valid())
}
