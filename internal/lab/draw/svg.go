package draw

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strconv"
)

// svg is a canvas that writes Scalable Vector Graphics 1.1.
type svg struct {
	b    bytes.Buffer
	unit float64 // of the corners of lines, in points
}

func newSVG(width, height float64, coarse bool) *svg {
	c := &svg{unit: 0.01}
	if coarse {
		c.unit = 0.1
	}
	w, h := hundredths(width), hundredths(height)
	fmt.Fprintf(&c.b, "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"\n"+
		"  width=\"%spt\" height=\"%spt\" viewBox=\"0 0 %s %s\"\n"+
		// Fonts of the same metrics for viewers without Liberation Sans.
		// Joined round: the mitre of a sharp corner stands out beyond the corner's value.
		"  font-family=\"Liberation Sans,Arial,Helvetica,sans-serif\" fill=\"none\"\n"+
		"  stroke-linejoin=\"round\">\n"+
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", w, h, w, h)
	return c
}

func (c *svg) stroke(points []Point, style lineStyle) {
	c.b.WriteString("<path d=\"")
	for i, p := range points {
		c.b.WriteByte("ML"[min(i, 1)])
		c.b.WriteString(rounded(p.X, c.unit) + "," + rounded(p.Y, c.unit))
	}
	fmt.Fprintf(&c.b, "\" stroke=\"%s\" stroke-width=\"%s\"",
		hex(style.Color), hundredths(style.width))
	for i, d := range style.dashes {
		c.b.WriteString([]string{" stroke-dasharray=\"", ","}[min(i, 1)] + hundredths(d))
	}
	if len(style.dashes) > 0 {
		c.b.WriteByte('"')
	}
	c.b.WriteString("/>\n")
}

func (c *svg) disc(centre Point, radius float64, fill color.RGBA) {
	fmt.Fprintf(&c.b, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"%s\"/>\n",
		hundredths(centre.X), hundredths(centre.Y), hundredths(radius), hex(fill))
}

func (c *svg) ring(centre Point, radius float64, line color.RGBA) {
	fmt.Fprintf(&c.b, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" stroke=\"%s\" stroke-width=\"%s\"/>\n",
		hundredths(centre.X), hundredths(centre.Y), hundredths(radius), hex(line), hundredths(ringWidth))
}

// mostUnmeasured is how wide a text is, in points, that a viewer may draw in its own font's width.
// Wider texts get ours: they would end outside of the picture, or over one another.
const mostUnmeasured = 30

func (c *svg) text(at Point, text string, style textStyle, of anchor, upwards bool) {
	fmt.Fprintf(&c.b, "<text x=\"%s\" y=\"%s\" font-size=\"%s\" fill=\"#000000\"",
		hundredths(at.X), hundredths(at.Y), hundredths(style.size))
	if style.bold {
		c.b.WriteString(" font-weight=\"bold\"")
	}
	if of != atBegin {
		fmt.Fprintf(&c.b, " text-anchor=\"%s\"", map[anchor]string{atMiddle: "middle", atEnd: "end"}[of])
	}
	if width := style.width(text); width > mostUnmeasured {
		fmt.Fprintf(&c.b, " textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\"", hundredths(width))
	}
	if upwards {
		fmt.Fprintf(&c.b, " transform=\"rotate(-90 %s %s)\"", hundredths(at.X), hundredths(at.Y))
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", html.EscapeString(text))
}

func (c *svg) finish(w io.Writer) error {
	c.b.WriteString("</svg>\n")
	_, err := w.Write(c.b.Bytes())
	return err
}

func hundredths(x float64) string { return rounded(x, 0.01) }

func rounded(x, unit float64) string {
	parts := math.Round(1 / unit)
	return strconv.FormatFloat(math.Round(x*parts)/parts, 'f', -1, 64)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
