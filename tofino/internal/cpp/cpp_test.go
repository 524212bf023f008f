package cpp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/internal/cpp"
)

// expanded returns the tokens of a text, with blanks between them.
func expanded(text string, more ...string) (string, error) {
	files := fstest.MapFS{"main.p4": {Data: []byte(text)}}
	for at := 0; at < len(more); at += 2 {
		files[more[at]] = &fstest.MapFile{Data: []byte(more[at+1])}
	}
	tokens, err := cpp.Expand(files, "main.p4")
	words := make([]string, len(tokens))
	for at, t := range tokens {
		words[at] = t.Text
	}
	return strings.Join(words, " "), err
}

// What each directive does.
func TestDirectives(t *testing.T) {
	for _, one := range []struct{ what, text, want string }{
		{"comments go", "a // b\n/* c\n d */ e /**/ f", "a e f"},
		{
			"signs, of which > and > are two", "x|-|y|+|z++w<bit<8>>1&&&2>=3",
			"x |-| y |+| z ++ w < bit < 8 > > 1 &&& 2 >= 3",
		},
		{"numbers with widths", "8w0x1F + 32w10 + 0xFf", "8w0x1F + 32w10 + 0xFf"},
		{"a macro", "#define N 4 + 1\nN * N\n#undef N\nN", "4 + 1 * 4 + 1 N"},
		{"a macro is what it is where it is used", "#define A B\n#define B 1\nA", "1"},
		{"parameters", "#define F(a, b) b a\nF(1, F(2, 3)) F", "3 2 1 F"},
		{
			"arguments in brackets of their own", "#define F(a, b) b;\nF((1, 2), {3, 4}) F([1], )",
			"{ 3 , 4 } ; ;",
		},
		{"a call of several lines", "#define F(a) <a>\nF(1 +\n 2)", "< 1 + 2 >"},
		{"no parameters", "#define F() 1\nF() F", "1 F"},
		{"a bracket behind a blank begins no parameters", "#define F (a)\nF", "( a )"},
		{"a line goes on behind a backslash", "#define F(a) \\\n  a \\\n  a\nF(1)", "1 1"},
		{"tokens are pasted", "#define F(a) x##a##_y a##1\nF(2)", "x2_y 21"},
		{
			"a pasted argument is as it was written",
			"#define N 1\n#define F(a) x##a\n#define G(a) F(a)\nF(N) G(N)", "xN x1",
		},
		{"a name is made a text", "#define F(a) #a\nF(b c)", `"b c"`},
		{"a macro in itself is its name", "#define A A B\n#define B A\nA", "A A"},
		{"conditions", "#define N 4\n#if N > 3 && !defined(M)\n1\n#elif 1\n2\n#else\n3\n#endif\n4", "1 4"},
		{"the second part", "#if 0\n1\n#elif 1\n2\n#elif 1\n3\n#else\n4\n#endif", "2"},
		{"the last part", "#ifdef N\n1\n#elif 0\n2\n#else\n3\n#endif", "3"},
		{"nothing of what is left out", "#if 0\n#if X\n1\n#else\n2\n#endif\n#error no\n#else\n3\n#endif", "3"},
		{"nested", "#ifndef N\n#if 1 + 1 == 2\n1\n#endif\n2\n#endif", "1 2"},
		{"bits of a mask", "#define HERE(m) (((m) >> 2) & 1)\n#if HERE(0x4) && !HERE(0x2)\n1\n#endif", "1"},
		{"ranks", "#if 1 | 2 ^ 2 & 3 == 3 == 1 + 2 * 3 << 1 - 1 && -1 < (2) || 0 != 0\n1\n#endif", "1"},
	} {
		got, err := expanded(one.text)
		assert.NoError(t, err, one.what)
		assert.Equal(t, one.want, got, one.what)
	}
}

// A file in quotes stands where it is included, again and again; the compiler's own files are left
// out. A token has the place where it was written, or where the macro was used that made it.
func TestIncludes(t *testing.T) {
	files := fstest.MapFS{
		"main.p4": {Data: []byte("#include <core.p4>\n#define HOP 0\n#include \"hop.p4\"\n#define HOP 1\n" +
			"#include \"hop.p4\"\nend \"text\"")},
		"hop.p4": {Data: []byte("// a hop\n#define P(a, b) a##b\n#define Q(a, b) P(a, b)\nQ(at_, HOP)\n#undef HOP")},
	}
	tokens, err := cpp.Expand(files, "main.p4")
	require.NoError(t, err)
	for at := range tokens { // without what is not exported
		tokens[at] = cpp.Token{Text: tokens[at].Text, Kind: tokens[at].Kind, File: tokens[at].File,
			Line: tokens[at].Line}
	}
	assert.Equal(t, []cpp.Token{{Text: "at_0", File: "hop.p4", Line: 4},
		{Text: "at_1", File: "hop.p4", Line: 4}, {Text: "end", File: "main.p4", Line: 6},
		{Text: `"text"`, Kind: cpp.String, File: "main.p4", Line: 6}}, tokens)
}

// An error names file and line.
func TestFaults(t *testing.T) {
	deep := strings.Repeat("F(", cpp.MaxNesting+1) + strings.Repeat(")", cpp.MaxNesting+1)
	twice := "#define M0 1\n"
	for at := range 20 {
		twice += fmt.Sprintf("#define M%d M%d M%d\n", at+1, at, at)
	}
	for text, want := range map[string]string{
		"\n#include \"none\"":      "2: open none: file does not exist",
		"#include \"main.p4\"":     "1: main.p4: files include each other more than 16 deep",
		"#include none":            "1: #include needs a file in quotes or angle brackets",
		"\n\n#nonsense":            "3: #nonsense is no directive",
		"#error not for this":      "1: not for this",
		"#define":                  "1: #define needs a name",
		"#define 1":                "1: #define needs a name",
		"#define F(a":              "1: the parameters of F do not end",
		"#define F(a b) c":         "1: the parameters of F are no list of names",
		"#define N 1\n#define N 2": "2: N is defined already, otherwise",
		"#undef":                   "1: #undef needs one name",
		"#ifdef 1":                 "1: #ifdef needs one name",
		"#if":                      "1: #if needs a condition",
		"#if N":                    "1: N is not defined",
		"#if 1 1":                  `1: "1" does not belong to the condition`,
		"#if 8w1":                  `1: "8w1" is no number`,
		"#if (1":                   `1: the condition lacks a ")"`,
		"#if 1 +":                  "1: the condition ends too early",
		"#if defined":              "1: defined needs a name",
		"a\n#if 1":                 "2: no #endif ends this condition",
		"#endif":                   "1: #endif without #if",
		"#if 1\n#else\n#else":      "3: #else after #else",
		"#define F(a) a\n\nF(1":    "3: the arguments of F do not end",
		"#define F(a) a\nF(1, 2)":  "2: F takes 1 arguments and has 2",
		"#define F(a) a##+\nF(1)":  "2: F pastes 1+, which is no token",
		"#define F(a) a\n" + deep:  "2: calls in the arguments of calls, more than 256 deep",
		twice + "M20":              "22: more than 1048576 tokens",
	} {
		_, err := expanded(text)
		assert.EqualError(t, err, "main.p4:"+want, text)
	}
	_, err := expanded("1\n#include \"other\"", "other", "\n#if 1")
	fault := new(cpp.Fault)
	require.True(t, errors.As(err, &fault))
	assert.Equal(t, cpp.Fault{File: "other", Line: 2, Rule: "no #endif ends this condition"}, *fault)
}

// No text makes it panic or go on for long.
func FuzzExpand(f *testing.F) {
	f.Add("#define F(a, b) a##b #a\n#if defined(F) && (1 >> 0)\nF(x, F(1, 2))\n#else\n/* */\n#endif", "N\n")
	f.Add("#include \"other\"\n#define N(a) N(a) a\nN(N(1))", "#ifndef N\n#define N \\\n 1\n#endif\n")
	f.Fuzz(func(t *testing.T, text, other string) {
		first, err := expanded(text, "other", other)
		again, same := expanded(text, "other", other)
		assert.Equal(t, first, again)
		assert.Equal(t, err == nil, same == nil)
	})
}
