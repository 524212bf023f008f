package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoTexts(t *testing.T) {
	source := "// Nobody is\n// told, whoever asks.\npackage x\n\n" +
		"// The paper: \"one two three four five six seven\".\nconst a = \"so many\"\n\nvar b = \"nobody\"\n\n" +
		"// String formats as \"1 2 3 4 5 6 7\" or \"7 6 5 4 3 2 1\".\nfunc pausesNobody() {}\n\n" +
		"var (\n\tx = 1 // \"one\", so\n\ty = 2 // many \"things\"\n)\n"
	found := map[string]int{}
	for _, one := range goTexts([]byte(source)) {
		for phrase, n := range phrases(one) {
			found[phrase] += n
		}
	}
	require.Equal(t, map[string]int{
		"nobody": 2, "is told": 1, "whoever": 1, "quotation": 1, "so many": 1,
	}, found, "comments on lines of their own are joined, a string of one word is a name")
}

func TestTextsOfOtherLanguages(t *testing.T) {
	source := "// so\n  // many\nbit<8> a; /* for want\n * of b */ // whoever\n" +
		"s = \"http://nobody\";\naction host_is_told() {}\n"
	found := map[string]int{}
	for _, one := range p4Texts([]byte(source)) {
		for phrase, n := range phrases(one) {
			found[phrase] += n
		}
	}
	require.Equal(t, map[string]int{"so many": 1, "for want of": 1, "whoever": 1, "is told": 1}, found)
	require.Equal(t, 3, p4Texts([]byte(source))[1].line)
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
