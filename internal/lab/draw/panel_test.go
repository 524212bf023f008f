package draw

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/fabric"
)

// A protocol has one colour and one dash, whatever others are in the picture, and no other protocol
// has both.
func TestLinesBelongToProtocols(t *testing.T) {
	seen := map[string]string{}
	for _, p := range slices.Concat(fabric.Protocols(), fabric.Variants(), fabric.NodeCentric()) {
		style := LineOf(p.Name)
		key := fmt.Sprint(style.Color, style.dashes)
		require.Empty(t, seen[key], p.Name)
		seen[key] = p.Name
		require.Equal(t, style, LineOf(p.Name))
	}
}

// In one figure no two names have the same colour while there are colours, whatever their letters.
func TestColoursOfNames(t *testing.T) {
	names := []string{"pfc", "pyrrha"}
	for i := range 9 {
		names = append(names, fmt.Sprint("load=", i))
	}
	lines, seen := linesOf(names), map[color.RGBA]string{}
	for _, name := range names {
		require.Empty(t, seen[lines[name].Color], name)
		seen[lines[name].Color] = name
	}
	require.Equal(t, LineOf("pfc"), lines["pfc"])
}

func TestTicks(t *testing.T) {
	texts := func(ticks []Mark) (texts []string) {
		for _, tick := range ticks {
			if tick.Label != "" {
				texts = append(texts, tick.Label)
			}
		}
		return texts
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 3704, "0 1000 2000 3000"}, {0, 1.9, "0 0.5 1 1.5"}, {0, 77, "0 20 40 60"},
		{0, 4, "0 1 2 3 4"},
		{0, 0.001, "0 0.0002 0.0004 0.0006 0.0008 0.001"}, {250, 262, "250 252 254 256 258 260 262"},
		{1800, 2100, "1800 1850 1900 1950 2000 2050 2100"},
	} {
		require.Equal(t, c.want, strings.Join(texts(linearTicks(c.low, c.high)), " "))
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.5, 20000, "1 10 100 1000 10000"}, {0.02, 30, "0.03 0.1 0.3 1 3 10 30"},
		{2.4, 250, "3 10 30 100"}, {9, 60, "10 20 30 50"},
		{250, 262, "250 252 254 256 258 260 262"},
	} {
		require.Equal(t, c.want, strings.Join(texts(logTicks(c.low, c.high)), " "))
	}
}

func TestPlotFormat(t *testing.T) {
	for path, want := range map[string]string{"a.svg": "svg", "b/c.PNG": "png", "d.pdf": "pdf"} {
		got, err := PlotFormat(path)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := PlotFormat("a.jpg")
	require.ErrorContains(t, err, "must be named .svg, .png or .pdf")
}
