package pages

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamplesOfASTRA: the kept table is read, the run without the cause counts where there is one,
// and a table that is another is refused.
func TestExamplesOfASTRA(t *testing.T) {
	kept, err := os.ReadFile("../../../examples/astra-sim/RESULTS.md")
	require.NoError(t, err)
	result, err := countExamples(string(kept))
	require.NoError(t, err)
	require.Regexp(t, `^14 of 14 within 1 %`, result)

	const head = "| example | ranks | there | here | over | removed | over | ours |\n| --- | --- |\n"
	result, err = countExamples(head + "| a | 4 | 1 | 1 | 1.0001 |  |  | 1 |\n" +
		"| b | 4 | 1 | 1 | 1.05 |  |  | 1 |\n| c | 4 | 1 | 1 | 1.05 | 1 | 0.999 | 1 |\n\n" +
		"| d | 4 | 1 | 1 | 1.0001 |  |  | 1 |\n")
	require.NoError(t, err)
	require.Regexp(t, `^2 of 3 `, result)

	_, err = countExamples(head + "| a | 4 | 1 | 1 | near |  |  | 1 |\n")
	require.Error(t, err)
	_, err = countExamples("no table")
	require.ErrorContains(t, err, "no example")
}
