package sluice_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawHop(t *rapid.T, label string) sluice.Hop {
	return sluice.Hop{
		Switch: sluice.SwitchID(rapid.Uint32().Draw(t, label+" switch")),
		Port:   sluice.PortID(rapid.Uint16().Draw(t, label+" port")),
	}
}

func TestHopKeyTellsHopsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawHop(t, "a")
		b := rapid.SampledFrom([]sluice.Hop{
			drawHop(t, "b"), {Switch: a.Switch, Port: a.Port ^ 1}, {Switch: a.Switch ^ 1, Port: a.Port}, a,
		}).Draw(t, "other")
		require.Equal(t, a == b, a.Key() == b.Key(), "%v %v", a, b)
	})
}

func TestHopString(t *testing.T) {
	require.Equal(t, "160:16", sluice.Hop{Switch: 160, Port: 16}.String())
	require.Equal(t, "4294967295:65535", sluice.Hop{Switch: 1<<32 - 1, Port: 1<<16 - 1}.String())
	require.Equal(t, "0:0", sluice.Hop{}.String())
}

// TestPathIsASlice compares a Path with the slice of hops that it stands for, through any sequence
// of calls.
func TestPathIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var path sluice.Path
		var model []sluice.Hop
		appended := 0
		check := func(t *rapid.T) {
			require.Equal(t, len(model), path.Len())
			require.True(t, slices.Equal(model, path.Hops()))
			for i := -2; i < sluice.MaxHops+2; i++ {
				want := sluice.Hop{}
				if i >= 0 && i < len(model) {
					want = model[i]
				}
				require.Equal(t, want, path.At(i), "hop %d of %v", i, &path)
			}
			texts := make([]string, len(model))
			for i, h := range model {
				texts[i] = h.String()
			}
			require.Equal(t, strings.Join(texts, " "), path.String())
		}
		t.Repeat(map[string]func(*rapid.T){
			"": check,
			"append": func(t *rapid.T) {
				h := drawHop(t, "hop")
				room := appended < sluice.MaxHops
				require.Equal(t, room, path.Append(h), "room is for MaxHops in all, those passed included")
				if room {
					appended++
					model = append(model, h)
				}
			},
			"advance": func(*rapid.T) {
				path.Advance()
				model = model[min(1, len(model)):]
			},
			"copy": func(t *rapid.T) {
				other := path
				other.Advance()
				other.Append(drawHop(t, "hop of the copy"))
			},
		})
	})
}

func TestMakePath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hops := make([]sluice.Hop, rapid.IntRange(0, sluice.MaxHops+3).Draw(t, "hops"))
		for i := range hops {
			hops[i] = drawHop(t, "hop")
		}
		path, ok := sluice.MakePath(hops...)
		require.Equal(t, len(hops) <= sluice.MaxHops, ok)
		require.True(t, slices.Equal(hops[:min(len(hops), sluice.MaxHops)], path.Hops()))
	})
}

func TestZeroPath(t *testing.T) {
	var p sluice.Path
	p.Advance()
	require.Zero(t, p.Len())
	require.Empty(t, p.Hops())
	require.Empty(t, p.String())
	require.Equal(t, sluice.Hop{}, p.At(0))
	require.Equal(t, sluice.Path{}, p)
}

func TestLinkRoundTrip(t *testing.T) {
	require.Equal(t, 3*sluice.Microsecond, sluice.Link{Delay: 1500 * sluice.Nanosecond}.RoundTrip())
	require.Equal(t, sluice.Never, sluice.Link{Delay: sluice.Never - 1}.RoundTrip())
}

// A MAC address is written as switches write it, by octets in the order of the wire.
func TestMAC(t *testing.T) {
	require.Equal(t, "02:00:0a:ff:00:9f", sluice.MAC{2, 0, 10, 255, 0, 159}.String())
	require.Equal(t, "00:00:00:00:00:00", sluice.MAC{}.String())
}
