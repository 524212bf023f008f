// Package drawtest checks that figures can be read.
package drawtest

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/draw"
)

func RequireReadable(t *testing.T, f *draw.Figure, protocols []string) {
	t.Helper()
	require.NotEmpty(t, f.Rows)
	require.Equal(t, protocols, f.Legend)
	for _, row := range f.Rows {
		for _, p := range row {
			if p.Asked {
				continue
			}
			x, y := p.Axes()
			if len(p.Names) == 0 {
				require.GreaterOrEqual(t, labels(x), 2, "x of %s", p.Title)
			}
			require.GreaterOrEqual(t, labels(y), 2, "y of %s", p.Title)
			require.NotEmpty(t, p.XLabel)
			require.NotEmpty(t, p.YLabel)
			for _, fc := range protocols {
				require.True(t, shows(p, fc, x, y), "%s in %q", fc, p.Title)
			}
		}
	}
}

func labels(s draw.Scale) (n int) {
	for _, tick := range s.Ticks {
		if tick.Label != "" && s.Low <= tick.Value && tick.Value <= s.High {
			n++
		}
	}
	return n
}

// shows reports whether a protocol has a curve of some length inside the axes, or a sentence.
func shows(p *draw.Panel, fc string, x, y draw.Scale) bool {
	for i := range p.Curves {
		c := &p.Curves[i]
		if c.FC != fc || c.Published {
			continue
		}
		inside, length := true, 0.0
		for j, point := range c.Points {
			inside = inside && x.Low <= point.X && point.X <= x.High && y.Low < point.Y && point.Y < y.High
			if j > 0 {
				length += math.Abs(point.X-c.Points[j-1].X)/(x.High-x.Low) +
					math.Abs(point.Y-c.Points[j-1].Y)/(y.High-y.Low)
			}
		}
		if inside && (length > 0.01 || c.Spread != nil) {
			return true
		}
	}
	return strings.Contains(strings.Join(p.Notes, "\n"), fc)
}

// RequireDrawn renders a figure and checks that its texts and the colours of its protocols are in
// it.
func RequireDrawn(t *testing.T, f *draw.Figure) {
	t.Helper()
	var svg bytes.Buffer
	require.NoError(t, f.Write(&svg, "svg", draw.Style{}))
	var texts []string
	decoder := xml.NewDecoder(bytes.NewReader(svg.Bytes()))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if data, ok := token.(xml.CharData); ok {
			texts = append(texts, strings.TrimSpace(string(data)))
		}
	}
	for _, fc := range f.Legend {
		require.Contains(t, texts, fc)
	}
	for _, row := range f.Rows {
		for _, p := range row {
			if p.Asked {
				continue
			}
			if len(p.Curves) == 0 && p.Empty != "" {
				require.Contains(t, texts, p.Empty)
				continue
			}
			require.Contains(t, texts, p.XLabel)
			require.Contains(t, texts, p.YLabel)
			require.Contains(t, strings.Join(strings.Fields(strings.Join(texts, " ")), " "), p.Title)
		}
	}
}
