package sonic

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// spectrum has the figures of platform/mellanox/asic_table.j2 for Spectrum-2.
var spectrum = Chip{
	Cell: 144, MACPHY: 819, Pipeline: 19 * 1024, LosslessMTU: 1024, MTU: 9216, SmallPackets: 100,
	PoolSize: PoolShared,
}

// TestErrors name table, key and field.
func TestErrors(t *testing.T) {
	good, err := os.ReadFile("testdata/config_db.json")
	require.NoError(t, err)
	for _, test := range []struct{ old, new, want string }{
		{`"speed": "100000"`, `"speed": "fast"`,
			`PORT|Ethernet0 speed = "fast": must be a speed in Mb/s`},
		{`"Ethernet4": "300m"`, `"Ethernet4": "300ft"`,
			`CABLE_LENGTH|AZURE Ethernet4 = "300ft": must be`},
		{`"xoff": "60416"`, `"xoff": "-1"`, `BUFFER_PROFILE|pg_lossless_100000_40m_profile xoff = "-1"`},
		{`"xoff": "60416"`, `"xoff": {}`, `xoff = "{}": must be a string`},
		{`"dynamic_th": "0"`, `"dynamic_th": "99"`, `dynamic_th = "99": must be a power of two`},
		{`"profile": "pg_lossless_100000_40m_profile"`, `"profile": "none"`,
			`BUFFER_PG|Ethernet0|3-4 profile = "none": must be a profile of BUFFER_PROFILE`},
		{`"pfc_enable": "3,4"`, `"pfc_enable": "3,8"`,
			`PORT_QOS_MAP|Ethernet0 pfc_enable = "3,8": must be`},
		{`"action": "drop"`, `"action": "pray"`, `PFC_WD|Ethernet0 action = "pray": must be drop`},
		{`"PFC_WD": {`, `"PFC_WD": {"Ethernet4": 5, `, `PFC_WD|Ethernet4 = "5": must be an object`},
		{`"mac": "00:11:22:33:44:55"`, `"mac": "zz"`,
			`DEVICE_METADATA|localhost mac = "zz": must be six`},
		{`"8": "1"`, `"88": "1"`, `DSCP_TO_TC_MAP|AZURE 88 = "88": must be a code point`},
		{`"pool": "ingress_lossless_pool"`, `"pool": "sea"`, `pool = "sea": must be an ingress pool`},
		{`"green_max_threshold": "2097152"`, `"green_max_threshold": "1"`, `WRED_PROFILE|AZURE_LOSSLESS`},
		{`"weight": "14"`, `"weight": "0"`, `SCHEDULER|scheduler.0 weight = "0": must be a weight`},
		{`"type": "STRICT"`, `"type": "FAST"`, `SCHEDULER|scheduler.2 type = "FAST": must be STRICT`},
		{`"pir": "1250000000"`, `"pir": "1"`, `SCHEDULER|scheduler.1 pir = "1": must be a rate`},
		{`"scheduler": "scheduler.1"`, `"scheduler": "none"`,
			`QUEUE|Ethernet0|3 scheduler = "none": must be a profile of SCHEDULER`},
		{`"tc_to_pg_map": "AZURE"`, `"pfc_to_queue_map": "BAD"`,
			`MAP_PFC_PRIORITY_TO_QUEUE|BAD 4 = "3": must not be the queue of another priority`},
		{`"profile": "egress_lossless_profile"`, `"profile": "none"`,
			`BUFFER_QUEUE|Ethernet0|3-4 profile = "none"`},
	} {
		require.Contains(t, string(good), test.old)
		db, err := Parse([]byte(strings.Replace(string(good), test.old, test.new, 1)))
		if err == nil {
			_, err = db.Import(spectrum)
		}
		var e *Error
		require.ErrorAs(t, err, &e, test.new)
		require.ErrorContains(t, err, test.want)
	}
}

// TestImport of a configuration as a switch has it.
func TestImport(t *testing.T) {
	good, err := os.ReadFile("testdata/config_db.json")
	require.NoError(t, err)
	db, err := Parse(good)
	require.NoError(t, err)
	s, err := db.Import(spectrum)
	require.NoError(t, err)
	require.Equal(t, []string{"Ethernet0", "Ethernet4", "Ethernet10"}, s.Ports, "by number")
	require.Equal(t, []int{40, 300, 5}, s.Cables)
	three := *s.Config.Ports[0].Profiles[3]
	require.Equal(t, pfc.Profile{
		Alpha: sluice.Ratio{Num: 1, Den: 1}, ResumeOffset: 2288, XOnFloor: 4608, Reserve: 4608,
		Headroom: 60416,
	}, three)
	require.Equal(t, sluice.MakeClassSet(3, 4), s.Config.Ports[0].Sends)
	require.Equal(t, sluice.AllClasses, s.Config.Ports[1].Obeys, "pfc_asym")
	require.Equal(t, sluice.Class(1), s.DSCP["AZURE"][8])
	require.Equal(t, sluice.Bytes(9122), s.Config.Ports[0].MTU)
	require.Equal(t, sluice.Bytes(1024), s.LosslessMTU)
	require.Equal(t, 400*sluice.Millisecond, s.Config.Ports[0].Watchdog.Detection)
	rules := s.Config.Ports[0].QoS
	require.Equal(t, &qos.WRED{
		Curves: [qos.Colors]sluice.Marking{
			{KMin: 1 << 20, KMax: 2 << 20, PMax: sluice.Ratio{Num: 5, Den: 100}},
		},
		Mark: [qos.Colors]bool{true}, Drop: [qos.Colors]bool{true},
	}, rules.WRED[3], "ecn_all marks what is capable, wred_green_enable drops the rest")
	require.Equal(t, &qos.Limit{Static: 15982720}, rules.Queues[4])
	require.Equal(t, sluice.MakeClassSet(0), rules.Lossy)
	require.Equal(t, sluice.Ratio{Num: 8, Den: 1}, s.Config.Ports[0].Profiles[0].Alpha)
	require.Equal(t, sluice.Class(7), rules.Group[4], "TC_TO_PRIORITY_GROUP_MAP")
	require.Equal(t, qos.Shaper{Rate: 10 * sluice.Gbps, Burst: 8192}, rules.Shapers[3])
	require.Equal(t, []pfc.Group{
		{Classes: sluice.MakeClassSet(7)},
		{Classes: 0x7f, Quantum: [8]sluice.Bytes{
			14 << 10, 14 << 10, 14 << 10, 15 << 10, 1 << 10, 1 << 10, 1 << 10,
		}},
	}, s.Config.Ports[0].Groups)
	require.Nil(t, s.Config.Ports[1].QoS)
	var left []string
	for _, n := range s.Left {
		left = append(left, n.String())
	}
	slices.Sort(left)
	require.Equal(t, strings.Split(strings.TrimSpace(`
DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE over_subscribe_ratio: nothing here is like it
SCHEDULER|scheduler.1 cir: nothing here is like it
WRED_PROFILE|AZURE_LOSSLESS yellow_min_threshold: nothing here is like it`), "\n"), left)
}

// TestOtherTables: limits of ports, maps of pause priorities, colours, and their notes.
func TestOtherTables(t *testing.T) {
	const text = `{
		"PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "10000"}},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"},
			"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "900000"},
			"egress_other_pool": {"type": "egress", "mode": "dynamic"}
		},
		"BUFFER_PROFILE": {
			"in": {"pool": "ingress_lossless_pool", "size": "4", "dynamic_th": "7"},
			"out": {"pool": "egress_lossy_pool", "size": "0", "static_th": "5000"},
			"other": {"pool": "egress_other_pool", "size": "0", "dynamic_th": "0"}
		},
		"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0,Ethernet4": {"profile_list": "in"}},
		"BUFFER_PORT_EGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "out"}},
		"BUFFER_QUEUE": {"Ethernet0|1": {"profile": "other"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3", "pfc_to_pg_map": "M", "scheduler": "S"}},
		"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"M": {"0": "6", "3": "6"}},
		"SCHEDULER": {"S": {"pir": "1000"}},
		"QUEUE": {"Ethernet0|1": {"wred_profile": "W"}},
		"WRED_PROFILE": {"W": {
			"ecn": "ecn_none", "wred_red_enable": "true", "red_min_threshold": "1",
			"red_max_threshold": "2", "red_drop_probability": "100"}}}`
	db, err := Parse([]byte(text))
	require.NoError(t, err)
	s, err := db.Import(spectrum)
	require.NoError(t, err)
	require.Equal(t, []Note{
		{
			Table: "BUFFER_POOL", Key: "egress_other_pool", Field: "",
			Why: "a pool without a size cannot be shared",
		},
		{
			Table: "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", Key: "M", Field: "0",
			Why: "not enabled, and another has the number",
		},
		{
			Table: "BUFFER_QUEUE", Key: "Ethernet0|1", Field: "profile",
			Why: "its pool is no egress pool that has a size",
		},
		{
			Table: "BUFFER_PROFILE", Key: "in", Field: "size",
			Why: "ports have no reserve here, queues and groups have",
		},
	}, s.Left)
	rules := s.Config.Ports[0].QoS
	require.Equal(t, []qos.Limit{{Alpha: sluice.Ratio{Num: 128, Den: 1}}}, rules.Ingress)
	require.Equal(t, []qos.Limit{{Static: 5000}}, rules.Egress)
	require.Equal(t, &qos.Map{0, 1, 2, 6, 4, 5, 3, 7}, rules.PauseGroup, "6 has what is left: 3")
	require.Equal(t, sluice.MakeClassSet(6), s.Config.Ports[0].Sends)
	require.Equal(t, 8*sluice.Kbps, rules.Shaper.Rate)
	require.Equal(t, [qos.Colors]bool{qos.Red: true}, rules.WRED[1].Drop)

	require.NoError(t, db.SetDSCP("MINE", pfc.ClassSelectors()))
	s, err = db.Import(spectrum)
	require.NoError(t, err)
	require.Equal(t, pfc.ClassSelectors(), s.DSCP["MINE"])
}

// TestUpdateNotes: what no table says is noted by its field.
func TestUpdateNotes(t *testing.T) {
	port := pfc.PortConfig{Link: sluice.Link{Rate: 10 * sluice.Gbps}}
	port.LossyReserve = 1
	port.QoS = &qos.Port{
		Colors: [8]qos.Color{1: qos.Red}, Shapers: [8]qos.Shaper{2: {Rate: 8001}},
		Queues: [8]*qos.Limit{{Alpha: sluice.Ratio{Num: 2, Den: 3}}},
	}
	c := pfc.Config{
		Ports: []pfc.PortConfig{port}, Classes: sluice.NoClasses, Buffer: 1 << 20,
		EgressPools: []sluice.Bytes{1 << 20}, Groups: []pfc.Group{{Classes: 0x0f}, {Classes: 0xf0}},
	}
	left, err := NewDB().Update(c, []string{"Ethernet0"}, spectrum)
	require.NoError(t, err)
	var fields []string
	for _, n := range left {
		fields = append(fields, n.Table)
	}
	require.Equal(t, []string{
		"Ports[0].MTU", "Ports[0].QoS.Colors[1]", "Ports[0].QoS.Queues[0].Alpha",
		"Ports[0].QoS.Shapers[2].Rate", "Groups", "Ports[0].LossyAlpha", "Ports[0].Pipeline",
	}, fields)
}

// TestDynamicModel: a profile that is NULL is the formula's, for the port's speed, cable and mtu.
func TestDynamicModel(t *testing.T) {
	const text = `{
		"DEVICE_METADATA": {"localhost": {"buffer_model": "dynamic"}},
		"PORT": {"Ethernet0": {"speed": "100000", "mtu": "9216"}, "Ethernet4": {"speed": "10000"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "300m", "Ethernet4": "5m"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}},
		"BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}`
	db, err := Parse([]byte(text))
	require.NoError(t, err)
	_, err = db.Import(spectrum)
	require.ErrorContains(t, err, "BUFFER_POOL|ingress_lossless_pool size")
	chip := spectrum
	chip.Buffer, chip.Response, chip.Script = 16*sluice.MiB, 3891, ScriptByPackets
	s, err := db.Import(chip)
	require.NoError(t, err)
	four := s.Config.Ports[0].Profiles[4]
	require.Equal(t, sluice.Bytes(117_760), four.Headroom, "as the table of the MSN3700 has it")
	require.Equal(t, sluice.Bytes(137_216), four.Reserve+four.Headroom, "and its size, both together")
}

// TestLookupOf: the table of a configuration has its profiles, the same that Update writes; what no
// row has is noted.
func TestLookupOf(t *testing.T) {
	port := func(metres int, p pfc.Profile) pfc.PortConfig {
		link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: pfc.Cable(metres)}
		return pfc.PortConfig{Link: link, Profile: p}
	}
	alpha := pfc.Profile{
		Alpha: sluice.Ratio{Num: 1, Den: 8}, Reserve: 4608, Headroom: 60_416, ResumeOffset: 2288,
		XOnFloor: 18_432,
	}
	other := alpha
	other.Headroom++
	odd := alpha
	odd.Alpha = sluice.Ratio{Num: 2, Den: 3}
	between := port(40, alpha)
	between.Link.Delay++
	c := pfc.Config{
		Ports: []pfc.PortConfig{
			port(40, alpha), port(300, pfc.Profile{XOff: 9000, XOn: 4000, Reserve: 1000, Headroom: 7}),
			port(40, alpha), port(40, other), port(5, odd), between,
		},
		Classes: sluice.MakeClassSet(3), Buffer: 1 << 24,
	}
	rows, left, err := LookupOf(c)
	require.NoError(t, err)
	require.Equal(t, []Note{
		{Table: "Ports[3].Profile", Why: "another profile of this speed and cable"},
		{Table: "Ports[4].Profile", Why: "alpha is no power of two"},
		{Table: "Ports[5].Profile", Why: "not a delay of whole metres, at 5 ns each"},
	}, left)
	var text strings.Builder
	_, err = rows.WriteTo(&text)
	require.NoError(t, err)
	require.Equal(t, `# PG lossless profiles.
# speed cable size xon xoff threshold xon_offset
 100000     40m    65024   18432     60416  -3    2288
 100000    300m     1007       0         7 8000    5000
`, text.String())

	c.Ports[0].Headroom = -1
	_, _, err = LookupOf(c)
	require.ErrorContains(t, err, "Headroom")
}

// TestLookup: a written file is read again, and errors name line and column.
func TestLookup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows Lookup
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			n := func(what string) sluice.Bytes {
				return sluice.Bytes(rapid.IntRange(0, 1<<30).Draw(t, what))
			}
			rows = append(rows, LookupRow{
				Speed: sluice.Rate(rapid.IntRange(1, 800_000).Draw(t, "speed")) * sluice.Mbps,
				Cable: rapid.IntRange(0, 120_000).Draw(t, "cable"), Size: n("size"), XOn: n("xon"),
				XOff: n("xoff"), Threshold: int64(rapid.IntRange(-8, 8).Draw(t, "th")),
				XOnOffset: n("offset") - 1,
			})
			if rows[len(rows)-1].XOnOffset < 0 {
				rows[len(rows)-1].XOnOffset = -1
			}
		}
		var text strings.Builder
		_, err := rows.WriteTo(&text)
		require.NoError(t, err)
		again, err := ParseLookup(strings.NewReader(text.String()))
		require.NoError(t, err)
		require.Equal(t, rows, again)
	})
	for line, want := range map[string]string{
		"100000 5m 1 2 3":       "line 2: 5 columns",
		"fast 5m 1 2 3 4":       `speed = "fast"`,
		"100000 5 1 2 3 4":      `cable = "5"`,
		"100000 5m 1 2 x 4":     `xoff = "x"`,
		"100000 5m 1 2 3 -1.5":  `threshold = "-1.5"`,
		"100000 5m 1 2 3 4 5 6": "8 columns",
	} {
		_, err := ParseLookup(strings.NewReader("# a comment\n" + line))
		require.ErrorContains(t, err, want)
	}
}

// FuzzConfigDB: hostile JSON gives an error of this package or of pfc, or a switch; never a panic.
// A file that passes is written back without a difference.
func FuzzConfigDB(f *testing.F) {
	good, err := os.ReadFile("testdata/config_db.json")
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{"PORT": {"Ethernet0": {"speed": "1"}}, "BUFFER_PG": {"x": null}}`))
	f.Add([]byte(`{"PORT": {"0": {}, "": {"speed": "1"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		db, err := Parse(text)
		if err != nil {
			require.ErrorContains(t, err, "sonic: ")
			return
		}
		s, err := db.Import(spectrum)
		if err != nil {
			var ours *Error
			var theirs *sluice.ConfigError
			require.True(t, errors.As(err, &ours) || errors.As(err, &theirs), "%v", err)
			return
		}
		if _, err := db.Update(s.Config, s.Ports, spectrum); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNotATable: what is no object of tables is refused by what it is, whatever the file is called.
func TestNotATable(t *testing.T) {
	for text, want := range map[string]string{
		"[1]": `sonic: "[1]": must be an object of tables`, `{"PORT"`: "sonic: unexpected EOF",
	} {
		_, err := Parse([]byte(text))
		require.EqualError(t, err, want)
	}
}
