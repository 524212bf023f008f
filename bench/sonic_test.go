package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/report"
)

const aSwitch = "../examples/headroom/config_db.json"

// onSONiC runs an incast over switches that a configuration of SONiC describes.
func onSONiC(t *testing.T, path string, more ...string) (stdout, stderr string, code int) {
	args := append([]string{
		"run", "-sonic", path, "-set", "hosts=4,racks=2,spines=2,incast.degree=6,duration=20us",
		"-set", "incast.min=900000,incast.max=900000", "-until", "200us",
	}, more...)
	code, stdout, stderr = invoke(append(args, "mix")...)
	return stdout, stderr, code
}

// TestSONiC: what the configuration says decides: its classes, its alpha, its WRED.
func TestSONiC(t *testing.T) {
	run := func(path string) string {
		stdout, stderr, code := onSONiC(t, path, "-json", "-", "-cc", "none")
		require.Equal(t, exitOK, code, stderr)
		var records []report.Record
		require.NoError(t, json.Unmarshal([]byte(stdout), &records))
		require.Len(t, records, 1, "pfc alone")
		return stdout
	}
	good, err := os.ReadFile(aSwitch)
	require.NoError(t, err)
	changed := func(replaced ...string) string {
		path := filepath.Join(t.TempDir(), "config_db.json")
		text := strings.NewReplacer(replaced...).Replace(string(good))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	text := run(aSwitch)
	require.Contains(t, text, "WRED dropped", "data is not ECN-capable without -cc")
	noDrops := []string{
		`"wred_green_enable": "true"`, `"wred_green_enable": "false"`,
		`"dynamic_th": "-3"`, `"dynamic_th": "-6"`,
	}
	text = run(changed(noDrops...))
	require.NotContains(t, text, "WRED dropped")
	require.NotContains(t, text, "packets lost", "its headrooms are enough on these links")
	text = run(changed(append(noDrops, `"xoff": "262144"`, `"xoff": "1000"`)...))
	require.Contains(t, text, "bytes of headroom were missing")
}

// TestSONiCErrors: what cannot be run is said with the entry, or the flag, that is wrong.
func TestSONiCErrors(t *testing.T) {
	for want, more := range map[string][]string{
		"-sonic is for -fc pfc":        {"-fc", "pyrrha"},
		"parameter pfc.alpha=1 has no": {"-set", "pfc.alpha=1"},
		"ports of 25Gb/s":              {"-set", "host.rate=25Gbps"},
		"it is given twice":            {"-sonic", aSwitch},
		"CellSize = 2":                 {"-set", "sonic.cell=2B"},
	} {
		_, stderr, code := onSONiC(t, aSwitch, more...)
		require.NotEqual(t, exitOK, code)
		require.Contains(t, stderr, want)
	}
	_, stderr, code := onSONiC(t, "sonic_test.go")
	require.NotEqual(t, exitOK, code)
	require.Contains(t, stderr, `invalid value "sonic_test.go" for flag -sonic: sonic: invalid`)
}
