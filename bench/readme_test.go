package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README shows pictures, which are there and are of the protocols that they say.
func TestPicturesOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile(
		`!\[.*\]\(bench/(testdata/pictures/.*\.svg)\)`,
	).FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, shown)
	for _, picture := range shown {
		svg, err := os.ReadFile(picture[1])
		require.NoError(t, err)
		for _, fc := range []string{"pfc", "bfc", "pyrrha"} {
			require.Contains(t, string(svg), ">"+fc+"<", picture[1])
		}
	}
}
