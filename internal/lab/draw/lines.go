package draw

import (
	"hash/fnv"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/fabric"
)

// palette begins with Okabe and Ito's colours, distinguishable with any colour vision, without
// their yellow, which white paper swallows.
var palette = [...]color.RGBA{
	{0x7f, 0x7f, 0x7f, 0xff}, // grey
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0x8c, 0x56, 0x4b, 0xff}, // brown
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0x00, 0x00, 0x00, 0xff}, // black
	{0x99, 0x99, 0x33, 0xff}, // olive
	{0x66, 0x33, 0x99, 0xff}, // violet
	{0x88, 0x22, 0x55, 0xff}, // wine
}

// dashes are lengths of strokes and gaps in points. There are fewer dashes than colours, so that no
// two of sixty protocols have the same dashes and colour.
var dashes = [...][]float64{
	{2, 2}, {}, {9, 3}, {9, 2, 2, 2}, {9, 2, 2, 2, 2, 2}, {6, 2}, {3, 2}, {12, 3, 3, 3}, {1, 1.5},
	{5, 2, 1, 2},
}

// lineOrder are the protocols that keep their lines whatever others come. Other protocols follow.
var lineOrder = []string{
	"none", "pfc", "bfc", "bfc-128", "bfc-ideal", "pyrrha", "pyrrha-single", "pyrrha+pfc", "ideal",
}

// flowPalette are Tol's colours for lines, without the colours of protocols.
var flowPalette = [...]color.RGBA{
	{0x33, 0x22, 0x88, 0xff}, // indigo
	{0xcc, 0x66, 0x77, 0xff}, // rose
	{0x11, 0x77, 0x33, 0xff}, // dark green
	{0x88, 0xcc, 0xee, 0xff}, // cyan
	{0x66, 0x11, 0x00, 0xff}, // dark red
	{0xdd, 0xcc, 0x77, 0xff}, // sand
	{0xaa, 0x44, 0x99, 0xff}, // magenta
	{0x44, 0xaa, 0x99, 0xff}, // teal
	{0x66, 0x99, 0xcc, 0xff}, // steel
	{0xaa, 0x44, 0x66, 0xff}, // plum
}

// barLines are what ranks do, light, dark and darkest, so that print without colours tells them
// apart.
var barLines = map[string]lineStyle{
	"computing": {Color: color.RGBA{0xb3, 0xd4, 0xea, 0xff}, width: 6},
	"exposed":   {Color: color.RGBA{0xe6, 0x9f, 0x00, 0xff}, width: 6},
	"held":      {Color: color.RGBA{0x8b, 0x00, 0x1a, 0xff}, width: 6},
}

// flowLine returns the line of a flow. After ten flows a colour comes again, with other dashes. The
// rate that a control has set for the flow is dotted.
func flowLine(number int, set bool) lineStyle {
	style := lineStyle{Color: flowPalette[number%len(flowPalette)], width: 1}
	if n := number / len(flowPalette) % (len(dashes) - 2); n > 0 {
		style.dashes = dashes[1+n]
	}
	if set {
		style.dashes = dashes[0]
	}
	return style
}

// flowNumber returns the number of "flow 12" and of "flow 12, set".
func flowNumber(name string) (number int, set, isFlow bool) {
	text, isFlow := strings.CutPrefix(name, "flow ")
	text, set = strings.CutSuffix(text, ", set")
	number, err := strconv.Atoi(text)
	return number, set, isFlow && err == nil && number >= 0
}

// nameNumber returns a number for a name that has none, as of "portfc ate".
func nameNumber(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() >> 8)
}

// LineOf returns the line of a protocol, which is the same in every picture, or of a flow.
func LineOf(fc string) lineStyle {
	style, _ := lineOf(fc)
	return style
}

// lineOf is LineOf, and says whether the name is a protocol's or a flow's. Any other name has a
// line that follows from its letters, and another may have the same.
func lineOf(fc string) (style lineStyle, own bool) {
	if style, is := barLines[fc]; is {
		return style, true
	}
	order := slices.Clone(lineOrder)
	for _, p := range slices.Concat(fabric.Protocols(), fabric.NodeCentric(), fabric.Variants()) {
		if !slices.Contains(order, p.Name) {
			order = append(order, p.Name)
		}
	}
	i := slices.Index(order, fc)
	if i < 0 {
		if n, set, isFlow := flowNumber(fc); isFlow {
			return flowLine(n, set), true
		}
		n := nameNumber(fc)
		return lineStyle{palette[1+n%(len(palette)-1)], 1, dashes[n%len(dashes)]}, false
	}
	return lineStyle{palette[i%len(palette)], 1.5, dashes[i%len(dashes)]}, true
}

// linesOf returns the lines of the names in a figure. A name that is neither a protocol's nor a
// flow's gets a colour that no name before it has, as long as there is one.
func linesOf(names []string) map[string]lineStyle {
	lines, taken := map[string]lineStyle{}, map[color.RGBA]bool{}
	for _, name := range names {
		if style, own := lineOf(name); own {
			lines[name], taken[style.Color] = style, true
		}
	}
	for _, name := range names {
		if _, known := lines[name]; known {
			continue
		}
		style := LineOf(name)
		for i := 0; taken[style.Color] && i < len(palette); i++ {
			if !taken[palette[i]] {
				style.Color = palette[i]
			}
		}
		lines[name], taken[style.Color] = style, true
	}
	return lines
}
