package draw

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Formats are what pictures can be written as.
var Formats = []string{"svg", "png", "pdf"}

// PlotFormat returns the format that a file name asks for.
func PlotFormat(path string) (string, error) {
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if slices.Contains(Formats, extension) {
		return extension, nil
	}
	return "", fmt.Errorf("the picture %q must be named .svg, .png or .pdf", path)
}

// Style is what a picture looks like, whatever it shows. The zero value is for a screen: all
// panels, 13 inches wide and as high as they need.
type Style struct {
	Panels        []string // names or kinds of panels (see Panel.Name); nil: all but Asked
	Width, Height float64  // of the picture, in points; 0: for a screen. Texts stay 8 points.
	NoTitle       bool     // nor subtitle and notes, nor the title of a panel that is alone
	NoLegend      bool
	Log, Linear   Axes // axes that are logarithmic or linear, whatever the panel says
	// Coarse is how far, in points, a curve may be from where it is, to have fewer corners.
	Coarse  float64
	noNotes bool // of panels
}

type Axes struct{ X, Y bool }

// ParseAxes reads "x", "y" or "xy".
func ParseAxes(text string) (Axes, error) {
	switch text {
	case "x", "y", "xy":
		return Axes{strings.Contains(text, "x"), strings.Contains(text, "y")}, nil
	}
	return Axes{}, fmt.Errorf("%q must be x, y or xy", text)
}

// units are the lengths in which sizes are given, in points.
var units = map[string]float64{"in": inch, "cm": inch / 2.54, "mm": inch / 25.4, "pt": 1}

// ParseSize reads a size as "3.3x2.2in"; the units are in, cm, mm and pt.
func ParseSize(text string) (width, height float64, err error) {
	wrong := fmt.Errorf("%q must be a size such as 3.3x2.2in (in, cm, mm, pt)", text)
	if len(text) < 2 || units[text[len(text)-2:]] == 0 {
		return 0, 0, wrong
	}
	unit := units[text[len(text)-2:]]
	first, second, _ := strings.Cut(text[:len(text)-2], "x")
	for i, number := range []string{first, second} {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || !(x*unit >= inch/2 && x*unit <= 100*inch) {
			return 0, 0, fmt.Errorf("%w; each side from half an inch to 100", wrong)
		}
		*[]*float64{&width, &height}[i] = x * unit
	}
	return width, height, nil
}

// sizes are of texts and distances, in points.
type sizes struct {
	title, subtitle, legendText, note, panel, panelNote, label, tick float64
	margin, panelGap, rowGap, thumbnail                              float64
	coarse                                                           float64 // see Style.Coarse

	lines map[string]lineStyle // by name
}

var (
	onScreen = sizes{
		14, 10, 11, 10, 12, 9.5, 10, 9,
		0.15 * inch, 0.3 * inch, 0.15 * inch, 0.5 * inch, 0, nil,
	}
	onPaper = sizes{8, 8, 8, 7, 8, 7, 8, 7, 2, 10, 4, 20, 0, nil}
)

// Widths and heights. A viewer without our font may draw text wider by the factor.
const (
	screenWidth  = 13 * inch
	screenRow    = 3.1 * inch
	screenLowRow = 2.4 * inch // of a picture of more than fewRows
	fewRows      = 4
	leastWide    = 46.0 // between the axes of a diagram
	leastHigh    = 34.0
	wider        = 1.15
)

// chosen returns the rows of panels that a style has, with their axes as it says.
func (f *Figure) chosen(s *Style) (rows [][]*Panel, err error) {
	var names []string
	var asked []*Panel
	found := map[string]bool{}
	for _, row := range f.Rows {
		var some []*Panel
		for _, p := range row {
			names = append(names, p.Name)
			kind, _, _ := strings.Cut(p.Name, ":")
			named := slices.Contains(s.Panels, p.Name) || slices.Contains(s.Panels, kind)
			if !named && (s.Panels != nil || p.Asked) {
				continue
			}
			found[p.Name], found[kind] = true, true
			shown := *p
			shown.LogX = (p.LogX || s.Log.X) && !s.Linear.X && len(p.Names) == 0
			shown.LogY = (p.LogY || s.Log.Y) && !s.Linear.Y
			if p.Asked {
				asked = append(asked, &shown)
			} else {
				some = append(some, &shown)
			}
		}
		if len(some) > 0 {
			rows = append(rows, some)
		}
	}
	for _, name := range s.Panels {
		if !found[name] {
			return nil, fmt.Errorf("the picture has no panel %q; its panels: %s",
				name, strings.Join(names, ", "))
		}
	}
	return append(rows, inRows(asked)...), nil
}

// inRows has panels that no row keeps together in rows of at most three, fewer where names need
// room.
func inRows(panels []*Panel) (rows [][]*Panel) {
	const mostPanels, mostNames = 3, 45
	var row []*Panel
	names := 0
	for _, p := range panels {
		if len(row) > 0 && (len(row) == mostPanels || names+len(p.Names) > mostNames) {
			rows, row, names = append(rows, row), nil, 0
		}
		row, names = append(row, p), names+len(p.Names)
	}
	if len(row) > 0 {
		rows = append(rows, row)
	}
	return rows
}
