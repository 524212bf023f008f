package workload

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The format of HPCC's traffic generator: bytes and a percentage on a line.
func TestReadDistribution(t *testing.T) {
	d, err := ReadDistribution(strings.NewReader("0 0\n1000 12.5 # small ones\n\n3000 100\n"),
		"some/cache.txt")
	require.NoError(t, err)
	require.Equal(t, "cache", d.Name())
	require.Equal(t, []Point{{1, 0}, {1000, 125_000}, {3000, million}}, d.points)
	require.InDelta(t, .125*500.5+.875*2000, d.Mean(), 1e-9)
}

func TestReadDistributionNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "sizes.txt: the file ends before 100 percent",
		"1 0\n2 99.9\n":         "sizes.txt:2: the file ends before 100 percent",
		"1 0\n2\n":              "sizes.txt:2: 1 fields, a point has 2",
		"1 0\n2 x\n":            `sizes.txt:2: percentage "x" is not a decimal number`,
		"1 0\n2 0.00001\n":      `sizes.txt:2: percentage "0.00001" has more than 4 decimal places`,
		"5 0\n4 100\n":          "sizes.txt:2: the size 4 is below the size before, 5",
		"1 50\n2 40\n3 100\n":   "sizes.txt:2: the percentage is below the percentage before",
		"1 0\n2 100.1\n":        "sizes.txt:2: the percentage is above 100",
		"0 10\n2 100\n":         "sizes.txt:1: a flow has at least one byte",
		"1 0\n-2 100\n":         `sizes.txt:2: size "-2" is not a whole number`,
		"1 0\n4294967297 100\n": `sizes.txt:2: size "4294967297" is above 4294967296`,
	} {
		_, err := ReadDistribution(strings.NewReader(text), "sizes.txt")
		require.ErrorContains(t, err, want, text)
		var file *FileError
		require.True(t, errors.As(err, &file))
	}
}
