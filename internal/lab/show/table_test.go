package show

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Columns are as wide as their widest cell, numbers flush right; short rows and empty cells at the
// end leave no blanks.
func TestTable(t *testing.T) {
	numbers := NewTable(1, "  fc", "done", "mean")
	numbers.Add("incast: 720")
	numbers.Add("  pfc", "720", "2511")
	numbers.Add("  bfc", "6,642", "")
	require.Equal(t, ""+
		"  fc          done  mean\n"+
		"--------------------------\n"+
		"incast: 720\n"+
		"  pfc          720  2511\n"+
		"  bfc        6,642", numbers.String())
}

// Text is broken at blanks, and what follows stays beside its row; a column may be wider than
// needed.
func TestTableOfText(t *testing.T) {
	text := Table{Columns: []ColumnStyle{{Least: 5}, {Wrap: 8}, {Wrap: 5}}}
	text.Add("a", "one two three", "µs and ns")
	text.Add("b", "four", "")
	text.Add("c")
	require.Equal(t, ""+
		"a      one two  µs\n"+
		"       three    and\n"+
		"                ns\n"+
		"b      four\n"+
		"c", text.String())
	require.Empty(t, (&Table{}).String())
}
