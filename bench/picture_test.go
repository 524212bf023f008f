package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What pictures have is what -panel takes: a panel that a picture has not is named after the run,
// beside the panels that it has.
func TestPanels(t *testing.T) {
	t.Chdir(t.TempDir())
	picture := strings.Fields("-q -plot x.svg -panel")
	for command, other := range map[string]string{
		"run -fc pfc -until 50us -probe 17:0,flow:1 incast":     "fct-all_flows",
		"sweep -fc pfc -until 50us -sweep buffer=2MiB incast":   "queue",
		"convergence -cc pcn -senders 2 -until 2ms -warmup 1ms": "queue",
	} {
		name, rest, _ := strings.Cut(command, " ")
		args := append([]string{name}, append(append(picture, other), strings.Fields(rest)...)...)
		code, _, stderr := invoke(args...)
		require.NotZero(t, code, command)
		_, list, found := strings.Cut(stderr, "its panels: ")
		require.True(t, found, "%s: %s", command, stderr)
		list, _, _ = strings.Cut(list, "\n")
		for _, panel := range strings.Split(list, ", ") {
			_, err := parsePanel(panel)
			require.NoError(t, err, command)
		}
	}
}
