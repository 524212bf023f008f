package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The line says how many runs are done, and how far those are that are under way; a shorter line
// leaves nothing of a longer one, and at the end the terminal's line is empty.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := &progress{w: &out, runs: 4}
	_, end := p.begin("pfc")
	end()
	update, end := p.begin("bfc")
	update(25, 100)
	const line = "[#######                 ] 1 of 4 done; bfc 25 %"
	require.Equal(t, "\r"+line+"\r"+line, out.String())

	out.Reset()
	update(30, 100)
	require.Empty(t, out.String(), "too soon after the last")
	p.show("short")
	require.Equal(t, "\rshort"+strings.Repeat(" ", len(line)-len("short"))+"\rshort", out.String())

	end()
	out.Reset()
	p.clear()
	require.Equal(t, "\r     \r", out.String())
	out.Reset()
	p.clear()
	require.Empty(t, out.String())

	for range 9 {
		p.begin("a-long-name-of-a-run")
	}
	require.Len(t, p.line(), progressWidth)

	var none *progress
	update, end = none.begin("pfc")
	require.Nil(t, update)
	end()
	none.clear()
}

// The rest takes as long as what was done, once that is more than a guess.
func TestTimeLeft(t *testing.T) {
	begun := time.Unix(1000, 0)
	p := &progress{runs: 10, begun: begun}
	require.Empty(t, p.left(begun.Add(time.Second), 5), "too soon")
	require.Empty(t, p.left(begun.Add(time.Minute), 0.1), "a hundredth is too little")
	require.Equal(t, "about 30 s left", p.left(begun.Add(10*time.Second), 2.5))
	require.Equal(t, "about 1 s left", p.left(begun.Add(10*time.Second), 10))
	require.Equal(t, "about 9 min left", p.left(begun.Add(time.Minute), 1))
	require.Equal(t, "about 9.0 h left", p.left(begun.Add(time.Hour), 1))
	require.Empty(t, (&progress{runs: 10}).left(begun, 5), "nothing has begun")
}

// Nothing is shown if standard error is a file, or not even that.
func TestProgressIsForTerminals(t *testing.T) {
	var out strings.Builder
	require.Nil(t, command{stderr: &out}.progress(&options{}, 1))
}
