package textfile_test

import (
	"errors"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

func TestFieldsSkipsBlankLinesAndComments(t *testing.T) {
	r := textfile.NewReader(strings.NewReader("a b\r\n# of a network\n \t\n  c\td#e \nlast"), "f")
	for _, want := range []struct {
		line   int
		fields []string
	}{{1, []string{"a", "b"}}, {4, []string{"c", "d"}}, {5, []string{"last"}}} {
		fields, err := r.Fields()
		require.NoError(t, err)
		require.Equal(t, want.fields, fields)
		require.Equal(t, want.line, r.Line())
	}
	_, err := r.Fields()
	require.Equal(t, io.EOF, err)
	require.Equal(t, 5, r.Line())
}

func TestErrorsNameTheLine(t *testing.T) {
	r := textfile.NewReader(strings.NewReader("1\n2"), "flows.txt")
	_, err := r.Fields()
	require.NoError(t, err)
	require.EqualError(t, r.Errorf("bad %d", 7), "flows.txt:1: bad 7")
	for want, read := range map[string]func(r *textfile.Reader){
		`count "-3" is not a whole number`: func(r *textfile.Reader) { r.Uint("count", "-3", 10) },
		`count "99999999999999999999" is above 10`: func(r *textfile.Reader) {
			r.Uint("count", "99999999999999999999", 10)
		},
		`count "11" is above 10`: func(r *textfile.Reader) {
			r.Uint("count", "11", 10)
			r.Uint("count", "12", 10) // the first counts
		},
		`start "` + strings.Repeat("x", 40) + `"... is not a decimal number`: func(r *textfile.Reader) {
			r.Decimal("start", strings.Repeat("x", 99), 12)
		},
	} {
		r := textfile.NewReader(strings.NewReader("1\n2"), "flows.txt")
		_, err := r.Fields()
		require.NoError(t, err)
		require.NoError(t, r.Err())
		read(r)
		require.EqualError(t, r.Err(), "flows.txt:1: "+want)
	}
	require.EqualError(t, &textfile.FileError{Line: 3, Message: "m"}, "line 3: m")
	require.EqualError(t, &textfile.FileError{Name: "n", Message: "m"}, "n: m")
}

func TestReadErrorsAreWrapped(t *testing.T) {
	broken := errors.New("disk on strike")
	r := textfile.NewReader(io.MultiReader(strings.NewReader("1\n"), iotest.ErrReader(broken)), "f")
	_, err := r.Fields()
	require.NoError(t, err)
	_, err = r.Fields()
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "f:2: disk on strike")
}

func TestLongLineIsRefused(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("1\n"), endlessReader{})
	r := textfile.NewReader(endless, "f")
	_, err := r.Fields()
	require.NoError(t, err)
	_, err = r.Fields()
	require.EqualError(t, err, "f:2: the line is longer than 1048576 bytes")
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '7'
	}
	return len(p), nil
}

func TestParseDecimal(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1": 1e12, "0.000000099": 99_000, "2.000000000000": 2e12, ".5": 5e11, "3.": 3e12,
		"0.000000000001": 1, "4.2e-07": 420_000, "1E3": 1e15, "0.5e+1": 5e12, "1200e-14": 12, "0e999": 0,
		"9223372.036854775807": math.MaxInt64, "000.1000000000000000": 1e11,
	} {
		got, rule := textfile.ParseDecimal(s, 12)
		require.Empty(t, rule, s)
		require.Equal(t, want, got, s)
	}
	for s, want := range map[string]string{
		"": "is not a decimal number", ".": "is not a decimal number", "-1": "is not a decimal number",
		"+1": "is not a decimal number", "1e": "is not a decimal number", "e3": "is not a decimal number",
		"1e3.5": "is not a decimal number", "1e9999999": "is not a decimal number",
		"1e-13": "has more than 12 decimal places",
		"1e8":   "is too large", "0x10": "is not a decimal number",
		"1.2.3": "is not a decimal number", "NaN": "is not a decimal number",
		"1_0":             "is not a decimal number",
		"0.0000000000001": "has more than 12 decimal places", "9223372.036854775808": "is too large",
		"99999999999999999999999999": "is too large",
	} {
		_, rule := textfile.ParseDecimal(s, 12)
		require.Equal(t, want, rule, s)
	}
}

func TestDecimalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, math.MaxInt64).Draw(t, "n")
		places := rapid.IntRange(0, 15).Draw(t, "places")
		least := rapid.IntRange(0, places).Draw(t, "least")
		s := string(textfile.AppendDecimal(nil, n, places, least))
		back, rule := textfile.ParseDecimal(s, places)
		require.Empty(t, rule)
		require.Equal(t, n, back)

		exact, ok := new(big.Rat).SetString(s)
		require.True(t, ok)
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
		require.Zero(t, exact.Mul(exact, new(big.Rat).SetInt(scale)).Cmp(new(big.Rat).SetInt64(n)))
	})
}
