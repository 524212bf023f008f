package draw

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

// Dashes go on around corners, and end with the line.
func TestDashes(t *testing.T) {
	require.Equal(t, [][]Point{{{0, 0}, {3, 0}}, {{5, 0}, {6, 0}, {6, 2}}, {{6, 4}, {6, 6}}},
		dashed([]Point{{0, 0}, {6, 0}, {6, 6}}, []float64{3, 2}))
	whole := []Point{{0, 0}, {6, 0}, {6, 6}}
	require.Equal(t, [][]Point{whole}, dashed(whole, nil))
}

// What is drawn on a bitmap is where it should be: strokes and gaps, discs, rings, and text level
// and upwards, which begins, has its middle or ends at a point.
func TestBitmap(t *testing.T) {
	c := newBitmap(150, 150, screenPixels)
	red := color.RGBA{0xff, 0, 0, 0xff}
	c.stroke([]Point{{3, 30}, {147, 30}}, lineStyle{Color: red, width: 3, dashes: []float64{30, 30}})
	c.disc(Point{30, 60}, 6, red)
	c.ring(Point{60, 60}, 6, red)
	c.text(Point{75, 90}, "IIIIIIII", textStyle{size: 12}, atMiddle, false)
	c.text(Point{75, 120}, "IIIIIIII", textStyle{size: 12, bold: true}, atEnd, false)
	c.text(Point{120, 90}, "IIIIIIII", textStyle{size: 12}, atMiddle, true)
	var b bytes.Buffer
	require.NoError(t, c.finish(&b))
	picture, err := png.Decode(&b)
	require.NoError(t, err)
	at := func(x, y float64) color.Color {
		return color.RGBAModel.Convert(picture.At(int(x*screenPixels), int(y*screenPixels)))
	}
	white := color.RGBA{0xff, 0xff, 0xff, 0xff}
	require.Equal(t, red, at(10, 30))
	require.Equal(t, white, at(50, 30))
	require.Equal(t, red, at(80, 30))
	require.Equal(t, red, at(30, 60))
	require.Equal(t, white, at(60, 60), "the middle of a ring")
	inked := func(fromX, toX, fromY, toY float64) (n int) {
		for x := int(fromX * screenPixels); x < int(toX*screenPixels); x++ {
			for y := int(fromY * screenPixels); y < int(toY*screenPixels); y++ {
				if r, _, b, _ := picture.At(x, y).RGBA(); r == b && r < 0x8000 {
					n++
				}
			}
		}
		return n
	}
	half := textStyle{size: 12}.width("IIIIIIII") / 2
	left, right := inked(75-half, 75, 81, 91), inked(75, 75+half, 81, 91)
	require.InDelta(t, left, right, float64(left)/4)
	require.Positive(t, left)
	require.Zero(t, inked(75+half+1, 110, 81, 91))
	require.Greater(t, inked(30, 75, 111, 121), left+right, "bold")
	require.Zero(t, inked(76, 150, 111, 121))
	below, above := inked(108, 123, 90, 90+half), inked(108, 123, 90-half, 90)
	require.InDelta(t, below, above, float64(below)/4)
	require.InDelta(t, left+right, below+above, float64(left+right)/4)
}
