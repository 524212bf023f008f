package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each line is 101 characters long, except the lines of the raw string.
func TestGoFile(t *testing.T) {
	words := strings.Repeat("word ", 30)
	fill := func(format string) string {
		before, behind, _ := strings.Cut(format, "...")
		return before + words[:101-len(before)-len(behind)] + behind
	}
	for line, long := range map[string]bool{
		fill("// ..."):                                          true,
		"// " + strings.Repeat("x", 98):                         false,
		fill("\tsay(\"...\")"):                                  false,
		fill("\tsay(\"...\" +"):                                 true,
		fill("\tsay(\"...\\n\" +"):                              false,
		fill("\tsay(" + strings.Repeat("a, ", 14) + "\"...\")"): false,
		fill("\tsay(" + strings.Repeat("a, ", 15) + "\"...\")"): true,
		fill("\tsay(\"short\") // ..."):                         true,
		"\tsay(`one\n" + fill("...") + "\nthree`)":              false,
		"\t// Output:\n" + fill("\t// ..."):                     false,
		"\t// Output:\n\tx()\n" + fill("\t// ..."):              true,
		strings.Repeat("é", 100):                                false,
		strings.Repeat("é ", 50) + "é":                          true,
	} {
		require.Equal(t, long, goFile([]byte(line+"\n")) != nil, line)
	}
	require.Equal(t, []int{2, 3}, goFile([]byte("//\n"+strings.Repeat(fill("// ...")+"\n", 2))))
}

func TestMarkdown(t *testing.T) {
	words := strings.Repeat("word ", 21)
	require.Equal(t, []int{2}, markdown([]byte("short\n"+words+"\n  | "+words+"|\n")))
	require.Empty(t, markdown([]byte("[x]:"+strings.Repeat("y", 100))))
}
