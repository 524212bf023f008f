package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Columns are as wide as their widest cell, numbers flush right; short rows and empty cells at the
// end leave no blanks.
func TestTable(t *testing.T) {
	numbers := newTable(1, "  fc", "done", "mean")
	numbers.add("incast: 720")
	numbers.add("  pfc", "720", "2511")
	numbers.add("  bfc", "6,642", "")
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
	text := table{columns: []columnStyle{{least: 5}, {wrap: 8}, {wrap: 5}}}
	text.add("a", "one two three", "µs and ns")
	text.add("b", "four", "")
	text.add("c")
	require.Equal(t, ""+
		"a      one two  µs\n"+
		"       three    and\n"+
		"                ns\n"+
		"b      four\n"+
		"c", text.String())
	require.Empty(t, (&table{}).String())
}
