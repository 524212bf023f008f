package sonic

import (
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
)

// hostile are texts that take the place of a string, a number or a brace of a good configuration.
var hostile = []string{
	`""`, `"-1"`, `"9223372036854775807"`, `"99999999999999999999"`, `" 3 "`, `"NULL"`, `"[x|]"`,
	`"0-7"`, `"7-0"`, `"3,3"`, `"0-63"`, `"64"`, `"\u001b[2J"`, `"\ud800"`, `"a|b|c|3"`, `",,"`,
	`null`, `true`, `1e9`, `1.5`, `-0`, `[]`, `["3", 4]`, `[[]]`, `{}`, `{"x": {"y": {}}}`, `{`,
	`}`, ``,
	`"ingress_lossless_pool"`, `"lossless"`, `"Ethernet0"`, `"Ethernet0,Ethernet0|3-4"`, `"1000000m"`,
	`"both"`, `"egress"`, `"static"`, `"4398046511104"`, `"2147483648"`, `"-20"`, `"20"`,
}

// TestMutants: a configuration with up to four words changed gives a switch or an error, never a
// panic. An imported configuration is written as it was, and an Update of it changes nothing.
func TestMutants(t *testing.T) {
	good, err := os.ReadFile("testdata/config_db.json")
	require.NoError(t, err)
	word := regexp.MustCompile(`"[^"]*"|[{}]|-?\d+`)
	r := rand.New(rand.NewPCG(1, 2))
	imported, refused := 0, 0
	mutants := depth.Choose(200, 600, 20_000)
	for range mutants {
		text := []string{string(good), byHand}[r.IntN(2)]
		for range 1 + r.IntN(4) {
			words := word.FindAllStringIndex(text, -1)
			at := words[r.IntN(len(words))]
			with := hostile[r.IntN(len(hostile))]
			if other := words[r.IntN(len(words))]; r.IntN(2) == 0 {
				with = text[other[0]:other[1]]
			}
			text = text[:at[0]] + with + text[at[1]:]
		}
		if tryMutant(t, text) {
			imported++
		} else {
			refused++
		}
	}
	t.Logf("%d imported, %d refused", imported, refused)
	require.Positive(t, imported)
	require.Positive(t, refused)
}

// tryMutant reports whether a text is a configuration.
func tryMutant(t *testing.T, text string) bool {
	db, err := Parse([]byte(text))
	if err != nil {
		require.ErrorContains(t, err, "sonic: ")
		return false
	}
	for _, n := range db.Faults() {
		require.NotContains(t, n.String(), "\x1b")
	}
	rows, err := ParseLookup(strings.NewReader("100000 40m 1248 2288 60000 -3 2288"))
	require.NoError(t, err)
	db.UseLookup(rows)
	s, err := db.Import(spectrum)
	if err != nil {
		var ours *Error
		var theirs *sluice.ConfigError
		require.True(t, errors.As(err, &ours) || errors.As(err, &theirs), "%v", err)
		return false
	}
	_, err = db.Update(s.Config, s.Ports, spectrum)
	require.NoError(t, err, text)
	require.Equal(t, text, written(t, db))
	raised := raise(s.Config)
	s.Config.Buffer = s.Config.SetApart() + 1<<20
	if _, err = db.Update(s.Config, s.Ports, spectrum); err == nil && raised > 0 {
		again, err := Parse([]byte(written(t, db)))
		require.NoError(t, err)
		again.UseLookup(rows)
		read, err := again.Import(spectrum)
		require.NoError(t, err)
		require.Equal(t, s.Config.SetApart(), read.Config.SetApart(), text)
	}
	return true
}
