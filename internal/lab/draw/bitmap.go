package draw

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/golang/freetype/raster"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// bitmap is a canvas that writes Portable Network Graphics.
type bitmap struct {
	pixels float64 // to a point
	image  *image.RGBA
	raster *raster.Rasterizer
	faces  map[textStyle]font.Face
}

// Pixels to a point: 96 to an inch of a screen, 300 to an inch of paper.
const (
	screenPixels = 96 / inch
	paperPixels  = 300 / inch
)

func newBitmap(width, height, pixels float64) *bitmap {
	w, h := int(math.Ceil(width*pixels)), int(math.Ceil(height*pixels))
	c := &bitmap{
		pixels, image.NewRGBA(image.Rect(0, 0, w, h)), raster.NewRasterizer(w, h),
		map[textStyle]font.Face{},
	}
	c.raster.UseNonZeroWinding = true
	draw.Draw(c.image, c.image.Bounds(), image.White, image.Point{}, draw.Src)
	return c
}

func (c *bitmap) stroke(points []Point, style lineStyle) {
	for _, piece := range dashed(points, style.dashes) {
		var path raster.Path
		for i, p := range piece {
			if i == 0 {
				path.Start(c.inPixels(p))
			} else {
				path.Add1(c.inPixels(p))
			}
		}
		width := fixed.Int26_6(style.width * c.pixels * 64)
		raster.Stroke(c.raster, path, width, raster.ButtCapper, raster.RoundJoiner)
	}
	c.paint(style.Color)
}

func (c *bitmap) disc(centre Point, radius float64, fill color.RGBA) {
	for i, p := range polygon(centre, radius) {
		if i == 0 {
			c.raster.Start(c.inPixels(p))
		} else {
			c.raster.Add1(c.inPixels(p))
		}
	}
	c.paint(fill)
}

func (c *bitmap) ring(centre Point, radius float64, line color.RGBA) {
	c.stroke(polygon(centre, radius), lineStyle{Color: line, width: ringWidth})
}

// paint fills what was added to the rasterizer.
func (c *bitmap) paint(fill color.RGBA) {
	painter := raster.NewRGBAPainter(c.image)
	painter.SetColor(fill)
	c.raster.Rasterize(painter)
	c.raster.Clear()
}

func (c *bitmap) text(at Point, text string, style textStyle, of anchor, upwards bool) {
	face := c.faces[style]
	if face == nil {
		face = style.face(c.pixels, 256)
		c.faces[style] = face
	}
	d := font.Drawer{Dst: c.image, Src: image.Black, Face: face}
	shift := fixed.Int26_6(float64(d.MeasureString(text)) * float64(of))
	if !upwards {
		d.Dot = c.inPixels(at)
		d.Dot.X -= shift
		d.DrawString(text)
		return
	}
	// Drawn level, then turned.
	width, ascent := d.MeasureString(text).Ceil()+2, face.Metrics().Ascent.Ceil()
	level := image.NewAlpha(image.Rect(0, 0, width, face.Metrics().Height.Ceil()+2))
	d.Dst, d.Dot = level, fixed.P(0, ascent)
	d.DrawString(text)
	left, bottom := c.inPixels(at).X.Round()-ascent, (c.inPixels(at).Y + shift).Round()
	for x := range width {
		for y := range level.Bounds().Dy() {
			if a := level.AlphaAt(x, y).A; a > 0 {
				under := c.image.RGBAAt(left+y, bottom-x)
				dark := func(v uint8) uint8 { return uint8(int(v) * (255 - int(a)) / 255) }
				c.image.SetRGBA(left+y, bottom-x, color.RGBA{dark(under.R), dark(under.G), dark(under.B), 255})
			}
		}
	}
}

func (c *bitmap) finish(w io.Writer) error { return png.Encode(w, c.image) }

func (c *bitmap) inPixels(p Point) fixed.Point26_6 {
	in26_6 := func(x float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(x * c.pixels * 64)) }
	return fixed.Point26_6{X: in26_6(p.X), Y: in26_6(p.Y)}
}

// polygon returns a polygon that looks like a circle.
func polygon(centre Point, radius float64) []Point {
	const corners = 24
	points := make([]Point, corners+1)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		points[i] = Point{centre.X + radius*cos, centre.Y + radius*sin}
	}
	return points
}

// dashed cuts a line into its strokes. Without dashes it is one stroke.
func dashed(points []Point, dashes []float64) (pieces [][]Point) {
	if len(dashes) == 0 || len(points) == 0 {
		return [][]Point{points}
	}
	piece, i, left := []Point{points[0]}, 0, dashes[0]
	for k := 1; k < len(points); k++ {
		from, to := points[k-1], points[k]
		for {
			length := math.Hypot(to.X-from.X, to.Y-from.Y)
			if length <= left {
				left -= length
				break
			}
			from = Point{from.X + (to.X-from.X)*left/length, from.Y + (to.Y-from.Y)*left/length}
			if i%2 == 0 {
				pieces = append(pieces, append(piece, from))
			}
			i++
			piece, left = []Point{from}, dashes[i%len(dashes)]
		}
		piece = append(piece, to)
	}
	if i%2 == 0 && len(piece) > 1 {
		pieces = append(pieces, piece)
	}
	return pieces
}
