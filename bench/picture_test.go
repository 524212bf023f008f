package main

import (
	"os"
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

// The panel of all flows is there if it is asked for, of one group, too.
func TestPanelOfAllFlows(t *testing.T) {
	inFolder(t)
	sweep := strings.Fields("sweep -q -topology net.txt -set load=1/2,duration=20us -fc pfc " +
		"-sweep buffer=1MiB,2MiB -plot x.svg")
	for _, panel := range []string{"fct-all_flows", "fct-background"} {
		code, _, stderr := invoke(append(sweep, "-panel", panel)...)
		require.Equal(t, exitOK, code, stderr)
		picture, err := os.ReadFile("x.svg")
		require.NoError(t, err)
		require.Equal(t, panel == "fct-all_flows", strings.Contains(string(picture), "all flows: mean"))
	}
}
