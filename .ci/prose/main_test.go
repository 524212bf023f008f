package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoTexts(t *testing.T) {
	source := "// Nobody is\n// told, whoever asks.\npackage x\n\n" +
		"// The paper: \"one two three four five six seven\".\nconst a = \"so many\"\n\nvar b = \"nobody\"\n"
	found := map[string]int{}
	for _, one := range goTexts([]byte(source)) {
		for phrase, n := range phrases(one) {
			found[phrase] += n
		}
	}
	require.Equal(t, map[string]int{
		"nobody": 1, "is told": 1, "whoever": 1, "quotation": 1, "so many": 1,
	}, found, "comments are joined, a string of one word is a name")
}

func TestParagraphs(t *testing.T) {
	texts := paragraphs([]byte("# Title\n\nthat\nof\n\n    nobody\n\n```\nnobody\n```\nend\n"))
	require.Len(t, texts, 3)
	require.Equal(t, map[string]int{"that of": 1}, phrases(texts[1]))
}

func TestOnlySmallerNumbersAreWritten(t *testing.T) {
	a, b, c := place{"a.go", "nobody"}, place{"b.go", "nobody"}, place{"c.go", "nobody"}
	left := counts{a: 2, b: 1, c: 3}
	again, err := read(left.String())
	require.NoError(t, err)
	require.Equal(t, left, again)
	faults, smaller := compare(counts{a: 3, c: 1}, left)
	require.Len(t, faults, 3)
	require.Len(t, more(faults), 1, "what became more stays a fault")
	require.Equal(t, counts{a: 2, c: 1}, smaller)
	_, err = read("2 nobody a.go\n")
	require.ErrorContains(t, err, "left.txt:1: must be a number")
}
