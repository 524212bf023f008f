package tofino_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/internal/cpp"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// everyProgram returns a program of every kind that this package makes.
func everyProgram(t *testing.T) map[string]*ir.Program {
	t.Helper()
	all := map[string]*ir.Program{}
	for name, of := range samples.Protocols() {
		p, _, err := of()
		require.NoError(t, err)
		if len(p.Tables) > 0 {
			all[name] = p
		}
	}
	for tier := range 3 {
		for _, depth := range []tofino.DepthSource{tofino.Notices, tofino.Ghost} {
			made, err := samples.Pyrrha(4, tier, depth)
			require.NoError(t, err)
			all[fmt.Sprint("pyrrha", tier, " ", depth)] = made.Program
		}
	}
	return all
}

// What the compiler of the Tofino family said of earlier programs is in none any more.
func TestNoProgramHasWhatTheCompilerRefuses(t *testing.T) {
	for name, p := range everyProgram(t) {
		assert.NoError(t, p.Lint(), name)
		taken := takenAway(source(t, p))
		assert.Empty(t, taken, "%s: a field of a header that was taken away", name)
	}
}

// source returns the text of a program as the compiler gets it, a space between all tokens.
func source(t *testing.T, p *ir.Program) string {
	t.Helper()
	files := fstest.MapFS{}
	for _, file := range p.Text {
		files[file.Name] = &fstest.MapFile{Data: []byte(file.Content)}
	}
	tokens, err := cpp.Expand(files, p.Text[0].Name)
	require.NoError(t, err)
	words := make([]string, len(tokens))
	for at := range tokens {
		words[at] = tokens[at].Text
	}
	return strings.Join(words, " ")
}

var (
	actionBody = regexp.MustCompile(`action \w+ \([^{]*\{[^{}]*\}`)
	invalid    = regexp.MustCompile(`hdr \. (\w+) \. setInvalid`)
)

// takenAway returns the first action that gives a field of a header a value after it made the
// header invalid. The order of an action's statements is lost in [ir.Program], in which they happen
// at once.
func takenAway(text string) string {
	for _, body := range actionBody.FindAllString(text, -1) {
		for _, at := range invalid.FindAllStringSubmatchIndex(body, -1) {
			header := body[at[2]:at[3]]
			if regexp.MustCompile(`hdr \. ` + header + ` \. \w+ = `).MatchString(body[at[1]:]) {
				return body
			}
		}
	}
	return ""
}

func TestTakenAway(t *testing.T) {
	const field, away = "hdr . bridge . kind = 1 ; ", "hdr . bridge . setInvalid ( ) ; "
	assert.Empty(t, takenAway("action x ( ) { "+field+away+"}"))
	assert.NotEmpty(t, takenAway("action x ( ) { "+away+field+"}"))
	assert.Empty(t, takenAway("action x ( ) { "+away+"} action y ( ) { "+field+"}"))
}
