package show

import (
	"math"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// Significant formats x with four significant digits, at most three of them behind the point, and
// never cuts the integer part: 2531, 43.99, 3.913, 0.823, 12345.
func Significant(x float64) string {
	rounded := strconv.FormatFloat(math.Abs(x), 'e', 3, 64)
	exponent, err := strconv.Atoi(rounded[strings.IndexByte(rounded, 'e')+1:])
	if x == 0 || err != nil {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', min(max(3-exponent, 0), 3), 64)
}

// Thousands formats n with commas: 6,642.
func Thousands[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	first := len(s) % 3
	if first == 0 {
		first = 3
	}
	var b strings.Builder
	b.WriteString(s[:first])
	for i := first; i < len(s); i += 3 {
		b.WriteByte(',')
		b.WriteString(s[i : i+3])
	}
	return b.String()
}

// Plural formats "1 flow", "6,642 flows", "14 switches".
func Plural(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Megabytes formats an amount in units of 10^6 bytes.
func Megabytes(n sluice.Bytes) string {
	return Significant(float64(n) / float64(sluice.MB))
}

// Wrap breaks text into lines of at most width bytes, at blanks.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
