package draw

import (
	"image/color"
	"io"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"
)

// A canvas is what a picture is drawn on. Lengths are in points, y grows downwards.
type canvas interface {
	// stroke draws a line through points.
	stroke(points []Point, style lineStyle)
	// disc draws a filled circle, ring an empty circle.
	disc(centre Point, radius float64, c color.RGBA)
	ring(centre Point, radius float64, c color.RGBA)
	// text draws a line of text, whose base line begins, has its middle or ends at a point. Upwards
	// means rotated by a quarter.
	text(at Point, text string, style textStyle, of anchor, upwards bool)
	// finish writes the picture.
	finish(w io.Writer) error
}

type Point struct{ X, Y float64 }

const (
	inch      = 72.0
	ringWidth = 0.75
)

type lineStyle struct {
	Color  color.RGBA
	width  float64
	dashes []float64 // lengths of strokes and gaps
}

// anchor is how much of a text's width lies before the point that it is at.
type anchor float64

const (
	atBegin  anchor = 0
	atMiddle anchor = 0.5
	atEnd    anchor = 1
)

// textStyle is how text looks: Liberation Sans of a size, in black.
type textStyle struct {
	size float64
	bold bool
}

var fonts = sync.OnceValue(func() (faces [2]*truetype.Font) {
	for i, data := range [][]byte{liberationsansregular.TTF, liberationsansbold.TTF} {
		f, err := truetype.Parse(data)
		if err != nil {
			panic(err) // part of the program
		}
		faces[i] = f
	}
	return faces
})

// face returns the font at a number of pixels per point, with room for the pictures of a number of
// glyphs.
func (s textStyle) face(scale float64, glyphs int) font.Face {
	f := fonts()[0]
	if s.bold {
		f = fonts()[1]
	}
	return truetype.NewFace(f, &truetype.Options{Size: s.size * scale, GlyphCacheEntries: glyphs})
}

// measured are faces of a hundred pixels per point, in which widths are exact enough. A picture of
// a glyph takes megabytes there, and no glyph is drawn.
var measured = struct {
	sync.Mutex
	faces map[textStyle]font.Face
}{faces: map[textStyle]font.Face{}}

const measuredScale = 100

func (s textStyle) width(text string) float64 {
	measured.Lock()
	defer measured.Unlock()
	face := measured.faces[s]
	if face == nil {
		face = s.face(measuredScale, 1)
		measured.faces[s] = face
	}
	return float64(font.MeasureString(face, text)) / 64 / measuredScale
}
