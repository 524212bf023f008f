package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/sonic"
)

func output(t *testing.T, status int, args ...string) string {
	t.Helper()
	var b strings.Builder
	got, err := run(args, &b)
	require.NoError(t, err)
	require.Equal(t, status, got)
	return b.String()
}

// TestPage: docs/headroom.md is what the command makes of the facts.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/headroom.md")
	require.NoError(t, err)
	require.Equal(t, string(page), output(t, 0, "compare"),
		"run: go run ./pfc/sonic/cmd/sluice-headroom compare > docs/headroom.md")
}

// TestFacts: twenty platforms or more, each with its source; every xoff is a whole number of the
// cells that are inferred from that, but for one row; and SONiC's formula gives every row of three
// tables.
func TestFacts(t *testing.T) {
	all, err := readPlatforms(platforms)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 20)
	reproduced := 0
	for _, p := range all {
		require.NotEmpty(t, p.rows, p.name)
		require.Contains(t, p.repository, "/sonic-buildimage")
		require.True(t, strings.HasSuffix(p.path, "/pg_profile_lookup.ini"))
		odd, same := 0, 0
		chip := formula(p.cell)
		for _, r := range p.rows {
			if p.basis == "inferred" && r.XOff%p.cell != 0 {
				odd++
			}
			if p.cell > 0 && chip.Formula(r.Speed, r.Cable) == r.XOff {
				same++
			}
		}
		require.LessOrEqual(t, odd, 1, p.name)
		if same == len(p.rows) {
			reproduced++
		}
	}
	require.Equal(t, 3, reproduced)
}

// TestFormats: the same numbers as a table, as JSON, and as a pg_profile_lookup.ini.
func TestFormats(t *testing.T) {
	args := []string{"-cell", "208", "-speeds", "100", "-cables", "40m", "-pipeline", "2288",
		"-format"}
	chip := sonic.Chip{Cell: 208, LosslessMTU: 1518, MTU: 9216}
	want := chip.Exact(100e9, pfc.Cable(40))
	var parsed []result
	require.NoError(t, json.Unmarshal([]byte(output(t, 0, append(args, "json")...)), &parsed))
	require.Equal(t, want, parsed[0].Parts)
	rows, err := sonic.ParseLookup(strings.NewReader(output(t, 0, append(args, "ini")...)))
	require.NoError(t, err)
	require.Equal(t, want.Total, rows[0].XOff)
	require.Equal(t, want.Total+2288, rows[0].Size)
	require.Contains(t, output(t, 0, append(args, "table")...), "SONiC's formula")
	_, err = run(append(args, "xml"), os.Stderr)
	require.ErrorContains(t, err, "-format")
	_, err = run([]string{"chek", "x"}, os.Stderr)
	require.ErrorContains(t, err, "must be none")
}

// TestCheck of a configuration of which one port has too little headroom.
func TestCheck(t *testing.T) {
	const file = "../../testdata/config_db.json"
	text := output(t, 1, "-cell", "144", "check", file)
	for _, want := range []string{
		"Ethernet0|3 (100Gb/s, 40 m): unsafe: headroom 60416, needed",
		"which crosses the threshold", "which is lost", "flaps: it resumes 2288 bytes",
		"shared headroom pool: 300000 bytes", "left: SCHEDULER|scheduler.1 cir",
	} {
		require.Contains(t, text, want)
	}
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	large := filepath.Join(t.TempDir(), "config_db.json")
	enough := strings.Replace(string(good), `"xoff": "60416"`, `"xoff": "600000"`, 1)
	require.NoError(t, os.WriteFile(large, []byte(enough), 0o600))
	require.Contains(t, output(t, 0, "-cell", "144", "check", large),
		"Ethernet4|3 (100Gb/s, 300 m): safe")
}

// TestCheckEgress: lossless packets for Ethernet0's queue 3 come from Ethernet4. A limit of as many
// bytes as its ingress lets in drops none, a byte less one. WRED that does not mark drops them too.
func TestCheckEgress(t *testing.T) {
	good, err := os.ReadFile("../../testdata/config_db.json")
	require.NoError(t, err)
	check := func(args []string, change ...string) string {
		file := filepath.Join(t.TempDir(), "config_db.json")
		enough := []string{`"xoff": "60416"`, `"xoff": "600000"`, `"xoff": "300000"`, `"xoff": "900000"`}
		text := strings.NewReplacer(append(change, enough...)...).Replace(string(good))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var b strings.Builder
		status, err := run(append(args, "check", file), &b)
		require.NoError(t, err)
		require.Equal(t, strings.Contains(b.String(), "unsafe"), status == 1)
		return b.String()
	}
	const at = `"static_th": "15982720"`
	// dynamic_th 0: a group takes half of the pool of 12,000,000, to the packet of 1,024 bytes that
	// reaches it, and its reserve; then what its headroom is for, 300 m at 100 Gb/s.
	port := (&sonic.Chip{LosslessMTU: 1024, MTU: 9122}).Port(100e9, pfc.Cable(300))
	headroom := port.HeadroomFor(1024, 1) / 1024
	held := (4608+6_000_000+1023)/1024 + headroom
	limit := func(n sluice.Bytes) string { return fmt.Sprintf(`"static_th": "%d"`, n) }
	require.NotContains(t, check(nil, at, limit(held*1024)), "egress limits")
	require.Contains(t, check(nil, at, limit(held*1024-1)), fmt.Sprintf("Ethernet0 queue 3: unsafe: "+
		"the egress limits drop a lossless packet when %d bytes", (held-1)*1024))

	const ecn = `"ecn": "ecn_all"`
	require.Contains(t, check(nil), "not ECN-capable above 1048576")
	require.Contains(t, check(nil, ecn, `"ecn": "ecn_none"`),
		fmt.Sprintf("unsafe: WRED drops lossless packets above 1048576 bytes, and %d", held*1024))
	const far = `"6500000"`
	require.NotContains(t, check(nil, `"1048576"`, far, `"2097152"`, far), "ECN-capable")

	require.Contains(t, check([]string{"-buffer", "12000000"}),
		"buffer: unsafe: the chip has 12000000")
	require.Contains(t, check(nil, `"xoff": "300000"`, `"xoff": "50000"`),
		"pool: unsafe: 50000 bytes")
	require.Contains(t, check(nil, `"Ethernet4": "300m", `, ""),
		"left: CABLE_LENGTH Ethernet4: not given")
	slow := check(nil, `"detection_time": "400"`, `"detection_time": "3"`, `"speed": "100000"`,
		`"speed": "10000"`)
	require.Contains(t, slow, "a detection time of 3ms is no longer than one pause, 3.355392ms")
	require.Contains(t, slow, "it looks every 400ms, and is to detect in 3ms")
}
