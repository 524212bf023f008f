package sluice_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInlining asks the compiler which functions it can inline. These are called several times a
// packet in every machine and every embedder; a call in place of each would cost more
// than what they do.
func TestInlining(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	inlined := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if _, function, ok := strings.Cut(line, ": can inline "); ok {
			inlined[strings.TrimSpace(function)] = true
		}
	}
	for _, function := range []string{
		"AppendToQueue", "TransmitMarked", "DropBecause",
		"Verdict.Action", "Verdict.Queue", "Verdict.Mark", "Verdict.Reason", "Verdict.Wake",
		"Verdict.WithWake",
		"Verdict.Class", "Verdict.WithClass", "Verdict.WithMark", "WakePort", "Wake.Has", "Wake.Port",
		"Hop.Key", "(*Packet).Sized", "(*Path).Append", "(*Path).Advance", "(*Path).Len", "(*Path).At",
		"Time.Add", "Link.RoundTrip",
	} {
		require.True(t, inlined[function], "%s is not inlined; the compiler inlines:\n%s", function, out)
	}
}
