package draw

import (
	"bytes"
	"image/color"
	"io"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// pdf is a canvas that writes the Portable Document Format, with the fonts' glyphs inside.
type pdf struct{ *fpdf.Fpdf }

const pdfFont = "Liberation Sans"

func newPDF(width, height float64) pdf {
	c := pdf{fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height},
	})}
	// The same picture is the same bytes whenever it is drawn.
	c.SetCreationDate(time.Unix(0, 0).UTC())
	c.SetModificationDate(time.Unix(0, 0).UTC())
	c.SetCatalogSort(true)
	c.SetMargins(0, 0, 0)
	c.SetAutoPageBreak(false, 0)
	c.AddUTF8FontFromBytes(pdfFont, "", bytes.Clone(liberationsansregular.TTF))
	c.AddUTF8FontFromBytes(pdfFont, "B", bytes.Clone(liberationsansbold.TTF))
	c.AddPage()
	c.SetLineJoinStyle("round") // as in SVG
	return c
}

func (c pdf) stroke(points []Point, style lineStyle) {
	c.SetDrawColor(int(style.Color.R), int(style.Color.G), int(style.Color.B))
	c.SetLineWidth(style.width)
	c.SetDashPattern(style.dashes, 0)
	for i, p := range points {
		if i == 0 {
			c.MoveTo(p.X, p.Y)
		} else {
			c.LineTo(p.X, p.Y)
		}
	}
	c.DrawPath("D")
}

func (c pdf) disc(centre Point, radius float64, fill color.RGBA) {
	c.SetFillColor(int(fill.R), int(fill.G), int(fill.B))
	c.Circle(centre.X, centre.Y, radius, "F")
}

func (c pdf) ring(centre Point, radius float64, line color.RGBA) {
	c.SetDrawColor(int(line.R), int(line.G), int(line.B))
	c.SetLineWidth(ringWidth)
	c.SetDashPattern(nil, 0)
	c.Circle(centre.X, centre.Y, radius, "D")
}

func (c pdf) text(at Point, text string, style textStyle, of anchor, upwards bool) {
	bold := ""
	if style.bold {
		bold = "B"
	}
	c.SetFont(pdfFont, bold, style.size)
	if upwards {
		c.TransformBegin()
		c.TransformRotate(90, at.X, at.Y)
		defer c.TransformEnd()
	}
	c.Text(at.X-float64(of)*style.width(text), at.Y, text)
}

func (c pdf) finish(w io.Writer) error { return c.Output(w) }
