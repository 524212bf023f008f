package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// TestPage: docs/headroom.csv and headroom-platforms.csv are what the command makes of the facts,
// and docs/headroom.md has what they come to.
func TestPage(t *testing.T) {
	const docs = "../../../../docs/"
	for name, args := range map[string][]string{
		"headroom.csv": {"compare"}, "headroom-platforms.csv": {"compare", "summary"},
	} {
		table, err := os.ReadFile(docs + name)
		require.NoError(t, err)
		require.Equal(t, string(table), output(t, 0, args...),
			"run: go run ./pfc/sonic/cmd/sluice-headroom %s > docs/%s", strings.Join(args, " "), name)
	}
	rows, err := csv.NewReader(strings.NewReader(output(t, 0, "compare", "summary"))).ReadAll()
	require.NoError(t, err)
	column := func(row []string, name string) int {
		n, _ := strconv.Atoi(row[slices.Index(rows[0], name)])
		return n
	}
	all, below, platforms, above, prompt, every := 0, 0, 0, 0, 0, 0
	for _, row := range rows[1:] {
		all += column(row, "rows")
		below += column(row, "below_A")
		platforms += min(column(row, "below_A"), 1)
		above += column(row, "above_C")
		prompt += column(row, "below_A_at_3.8KiB")
		if column(row, "formula_same") == column(row, "rows") {
			every++
		}
	}
	page, err := os.ReadFile(docs + "headroom.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(page)), " ")
	require.Contains(t, text, fmt.Sprintf("Of the %d rows of %d platforms %d are below A, of %d platforms",
		all, len(rows)-1, below, platforms))
	require.Contains(t, text, fmt.Sprintf("and %d are above C", above))
	require.Contains(t, text, fmt.Sprintf("gives every row of %d platforms", every))
	require.Contains(t, text, fmt.Sprintf("%d rows would still be below A", prompt))
}

// TestFacts: there are at least twenty platforms, each with its source. SONiC's formula gives every
// row of three tables. Every xoff, except one row's, is a whole number of the cells that are
// inferred from the table.
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
	require.Equal(t, want.Total+2288, rows[0].Size, "both, where each group has its own")
	shared := append([]string{"-shared"}, append(args, "ini")...)
	rows, err = sonic.ParseLookup(strings.NewReader(output(t, 0, shared...)))
	require.NoError(t, err)
	require.EqualValues(t, 2288, rows[0].Size, "without xoff, where headrooms share a pool")
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
		"Ethernet0|3 and 1 more, up to Ethernet0|4 (100Gb/s, 40 m): unsafe: headroom 60416, needed",
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
		said := regexp.MustCompile(`unsafe|unknown|fault`).MatchString(b.String())
		require.Equal(t, said, status == 1)
		return b.String()
	}
	const at = `"static_th": "15982720"`
	// dynamic_th 0: a group takes half of the pool of 12,000,000, to the packet of 1,024 bytes that
	// reaches it, and its reserve; then what its headroom is for, 300 m at 100 Gb/s.
	port := (&sonic.Chip{LosslessMTU: 1024, MTU: 9122}).Port(100e9, pfc.Cable(300))
	headroom := port.HeadroomFor(1024, 1).Total / 1024
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

// gate runs check on tables, with a table of profiles if it is not empty.
func gate(t *testing.T, tables, lookup string) (status int, said string) {
	t.Helper()
	folder := t.TempDir()
	args := []string{"check", filepath.Join(folder, "config_db.json")}
	require.NoError(t, os.WriteFile(args[1], []byte(tables), 0o600))
	if lookup != "" {
		args = append(args, filepath.Join(folder, "pg_profile_lookup.ini"))
		require.NoError(t, os.WriteFile(args[2], []byte(lookup), 0o600))
	}
	var b strings.Builder
	status, err := run(append([]string{"-cell", "208"}, args...), &b)
	require.NoError(t, err)
	return status, b.String()
}

// switchOf returns the tables of a traditional switch with a number of ports, which has no lossless
// groups before SONiC has made them.
func switchOf(ports int) string {
	var port, cable, lossy, maps, queue []string
	for i := range ports {
		name := fmt.Sprintf("Ethernet%d", i)
		port = append(port, fmt.Sprintf(`"%s": {"speed": "100000", "mtu": "9100"}`, name))
		cable = append(cable, fmt.Sprintf(`"%s": "40m"`, name))
		lossy = append(lossy, fmt.Sprintf(`"%s|0": {"profile": "ingress_lossy_profile"}`, name))
		maps = append(maps, fmt.Sprintf(`"%s": {"pfc_enable": "3,4"}`, name))
		queue = append(queue, fmt.Sprintf(`"%s|3-4": {"profile": "egress_lossless_profile"}`, name),
			fmt.Sprintf(`"%s|0-2": {"profile": "egress_lossy_profile"}`, name))
	}
	all := func(entries []string) string { return strings.Join(entries, ",\n") }
	return `{"PORT": {` + all(port) + `}, "CABLE_LENGTH": {"AZURE": {` + all(cable) + `}},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {
				"type": "ingress", "mode": "dynamic", "size": "100000000", "xoff": "30000000"},
			"egress_lossless_pool": {"type": "egress", "mode": "static", "size": "290000000"},
			"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "90000000"}
		},
		"BUFFER_PROFILE": {
			"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "90000000"},
			"egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "290000000"},
			"egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1500", "dynamic_th": "3"}
		},
		"BUFFER_PG": {` + all(lossy) + `}, "BUFFER_QUEUE": {` + all(queue) + `},
		"PORT_QOS_MAP": {` + all(maps) + `}}`
}

const enough = "100000 40m 1248 2288 150000 0 4000\n"

// TestGate: a configuration that is good except in one thing fails for this thing.
func TestGate(t *testing.T) {
	good := strings.Replace(switchOf(4), `"static_th": "90000000"`, `"dynamic_th": "3"`, 1)
	status, said := gate(t, good, enough)
	require.Zero(t, status, said)
	require.Contains(t, said, "Ethernet0|3 and 7 more, up to Ethernet3|4 (100Gb/s, 40 m): safe")
	for _, test := range []struct{ old, new, want string }{
		{`"Ethernet0|0": {`, `"Ethernet0|0-1": {"profile": "ingress_lossy_profile"}, "Ethernet0|0": {`,
			"fault: BUFFER_PG|Ethernet0|0-1 profile: overlaps Ethernet0|0"},
		{`"pool": "egress_lossy_pool"`, `"pool": "none"`,
			"fault: BUFFER_PROFILE|egress_lossy_profile pool: no entry of BUFFER_POOL has the name none"},
		{`"pfc_enable": "3,4"`, `"pfc_enable": "3,4", "tc_to_pg_map": "none"`,
			"fault: PORT_QOS_MAP|Ethernet0 tc_to_pg_map: no entry of TC_TO_PRIORITY_GROUP_MAP"},
		{`"dynamic_th": "3"`, `"static_th": "90000000"`,
			"fault: BUFFER_PROFILE|ingress_lossy_profile static_th: in a pool whose mode is dynamic"},
		{`"static_th": "290000000"`, `"dynamic_th": "0"`,
			"fault: BUFFER_PROFILE|egress_lossless_profile dynamic_th: in a pool whose mode is static"},
		{`"CABLE_LENGTH": {`, `"CABLE_LENGTH": {"ABLE": {},`,
			"fault: CABLE_LENGTH|AZURE: a second table"},
		{`"PORT": {`, `"PORT": {"Ethernet0": {"speed": "1"}, `, "fault: PORT|Ethernet0: comes twice"},
		{`{"speed": "100000"`, `{"speed": "1", "speed": "100000"`,
			"fault: PORT|Ethernet0 speed: comes twice"},
		{`"Ethernet0": "40m"`, `"Ethernet0": "41m"`, "fault: PORT_QOS_MAP|Ethernet0 pfc_enable: no lossless"},
		{`"Ethernet0|3-4"`, `"Ethernet9|3-4"`, "fault: BUFFER_QUEUE|Ethernet9|3-4: of no port of PORT"},
	} {
		changed := strings.Replace(good, test.old, test.new, 1)
		require.NotEqual(t, good, changed, test.old)
		status, said := gate(t, changed, enough)
		require.Equal(t, 1, status, said)
		require.Contains(t, said, test.want)
	}
	status, said = gate(t, good, "")
	require.Equal(t, 1, status, "a fresh traditional configuration has no lossless groups")
	require.Contains(t, said, "PORT_QOS_MAP|Ethernet0 pfc_enable and 3 more, up to Ethernet3: no lossless")
	require.NotContains(t, said, "safe")
	status, said = gate(t, strings.ReplaceAll(good, "Ethernet2", `Ethernet2\u001b[31m`), enough)
	require.Zero(t, status, said)
	require.NotContains(t, said, "\x1b")
}

// TestManyPorts: the egresses of ports that are alike are looked at once.
func TestManyPorts(t *testing.T) {
	good := strings.Replace(switchOf(512), `"static_th": "90000000"`, `"dynamic_th": "3"`, 1)
	good = strings.Replace(good, `"30000000"`, `"150000000"`, 1)
	status, said := gate(t, good, enough)
	require.Zero(t, status, said)
	require.Contains(t, said, "and 1023 more, up to Ethernet511|4 (100Gb/s, 40 m): safe")
	require.Less(t, strings.Count(said, "\n"), 40)
}
