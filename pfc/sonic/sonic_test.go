package sonic

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// spectrum has the figures of platform/mellanox/asic_table.j2 for Spectrum-2.
var spectrum = Chip{
	Cell: 144, MACPHY: 819, Pipeline: 19 * 1024, LosslessMTU: 1024, MTU: 9216, SmallPackets: 100,
}

// drawConfig draws a configuration that the tables can express without a note.
func drawConfig(t *rapid.T) (pfc.Config, []string) {
	c := pfc.Config{Classes: sluice.NoClasses, CellSize: spectrum.Cell, MAC: [6]byte{2, 0, 0, 0, 0, 9}}
	pools := rapid.IntRange(0, 2).Draw(t, "pools")
	for range pools {
		c.Pools = append(c.Pools, sluice.Bytes(rapid.IntRange(1, 1<<20).Draw(t, "pool")))
	}
	c.LossyPool = rapid.IntRange(0, min(1, pools)).Draw(t, "lossy pool")
	c.HeadroomPool = sluice.Bytes(rapid.SampledFrom([]int{0, 300_000}).Draw(t, "headroom pool"))
	c.Watchdog.Poll = sluice.Time(rapid.IntRange(1, 1000).Draw(t, "poll")) * sluice.Millisecond
	c.Watchdog.BigRedSwitch = rapid.Bool().Draw(t, "big red")
	var names []string
	for i := range rapid.IntRange(2, 6).Draw(t, "ports") {
		c.Ports = append(c.Ports, drawPort(t, pools))
		names = append(names, fmt.Sprintf("Ethernet%d", 4*i))
	}
	c.Buffer = c.SetApart() + sluice.Bytes(rapid.IntRange(0, 1<<24).Draw(t, "buffer"))
	return c, names
}

func drawPort(t *rapid.T, pools int) pfc.PortConfig {
	speed := rapid.SampledFrom([]sluice.Rate{10, 25, 100, 400}).Draw(t, "speed") * sluice.Gbps
	p := spectrum.Port(speed, pfc.Cable(rapid.IntRange(0, 2000).Draw(t, "metres")))
	p.MTU = sluice.Bytes(rapid.IntRange(100, 9238).Draw(t, "mtu"))
	p.Classes = drawClasses(t)
	p.Sends = sluice.AllClasses & drawClasses(t)
	if p.Sends == 0 {
		p.Sends = sluice.NoClasses
	}
	p.Obeys = p.Sends
	if rapid.Bool().Draw(t, "asymmetric") {
		p.Obeys = sluice.AllClasses
	}
	for class := range sluice.Class(sluice.Classes) {
		if p.Classes.Has(class) {
			p.Profiles[class] = drawProfile(t, pools)
		}
		if rapid.IntRange(0, 3).Draw(t, "marking") == 0 {
			kMin := sluice.Bytes(rapid.IntRange(0, 1<<20).Draw(t, "min"))
			p.ECN[class] = sluice.Marking{
				KMin: kMin, KMax: kMin + 1 + sluice.Bytes(rapid.IntRange(0, 1<<20).Draw(t, "max")),
				PMax: sluice.Ratio{Num: int64(rapid.IntRange(1, 100).Draw(t, "percent")), Den: 100},
			}
		}
	}
	if p.Classes.Len() < sluice.Classes {
		p.LossyAlpha, _ = parseDynamic(fmt.Sprint(rapid.IntRange(-8, 8).Draw(t, "lossy")))
		p.LossyReserve = sluice.Bytes(rapid.IntRange(0, 9000).Draw(t, "lossy reserve"))
	}
	if rapid.Bool().Draw(t, "watchdog") {
		p.Watchdog = &pfc.PortWatchdog{
			Detection:   sluice.Time(rapid.IntRange(1, 5000).Draw(t, "detection")) * sluice.Millisecond,
			Restoration: sluice.Time(rapid.IntRange(1, 5000).Draw(t, "restoration")) * sluice.Millisecond,
			Action:      pfc.WatchdogAction(rapid.IntRange(0, 2).Draw(t, "action")),
			Classes:     p.Sends,
		}
	}
	return p
}

func drawClasses(t *rapid.T) sluice.ClassSet {
	return rapid.SampledFrom(
		[]sluice.ClassSet{sluice.MakeClassSet(3, 4), sluice.MakeClassSet(3), sluice.AllClasses,
			sluice.NoClasses, sluice.MakeClassSet(0, 7)},
	).Draw(t, "classes")
}

func drawProfile(t *rapid.T, pools int) *pfc.Profile {
	p := &pfc.Profile{
		Reserve:  sluice.Bytes(rapid.IntRange(0, 9000).Draw(t, "size")),
		Headroom: sluice.Bytes(rapid.IntRange(0, 200_000).Draw(t, "xoff")),
		Pool:     rapid.IntRange(0, pools).Draw(t, "pool"),
	}
	if rapid.Bool().Draw(t, "static") {
		p.XOff = p.Reserve + sluice.Bytes(rapid.IntRange(1, 90_000).Draw(t, "static_th"))
		p.XOn = sluice.Bytes(rapid.IntRange(int(p.Reserve), int(p.XOff)).Draw(t, "xon"))
		return p
	}
	p.Alpha, _ = parseDynamic(fmt.Sprint(rapid.IntRange(-7, 7).Draw(t, "dynamic_th")))
	p.XOnFloor = sluice.Bytes(rapid.IntRange(0, 20_000).Draw(t, "floor"))
	offsets := []sluice.Bytes{pfc.ResumeAtThreshold, 1, 2288}
	p.ResumeOffset = rapid.SampledFrom(offsets).Draw(t, "offset")
	return p
}

// TestRoundTrip: a configuration, the tables made of it, and the configuration made of those are
// the same, and so are the tables made of that; nothing is left, and unknown tables pass unchanged.
func TestRoundTrip(t *testing.T) {
	trips := 0
	rapid.Check(t, func(t *rapid.T) {
		trips++
		c, names := drawConfig(t)
		before := filled(t, c)
		db, err := Parse([]byte(`{"VLAN": {"Vlan1000": {"x": [1, {"y": null}]}}, "PORT": {}}`))
		require.NoError(t, err)
		left, err := db.Update(c, names)
		require.NoError(t, err)
		require.Empty(t, left)
		text, err := json.Marshal(db)
		require.NoError(t, err)
		db, err = Parse(text)
		require.NoError(t, err)
		s, err := db.Import(spectrum)
		require.NoError(t, err, string(text))
		require.Equal(t, names, s.Ports)
		after := filled(t, s.Config)
		require.Equal(t, before, after)
		for _, n := range s.Left {
			require.Contains(t, n.String(), "egress", "the one pool that is there for lossy queues")
		}
		left, err = db.Update(s.Config, s.Ports)
		require.NoError(t, err)
		require.Empty(t, left)
		again, err := json.Marshal(db)
		require.NoError(t, err)
		require.JSONEq(t, string(text), string(again))
		require.Contains(t, string(again), `"VLAN":{"Vlan1000":{"x":[1,{"y":null}]}}`)
	})
	t.Logf("%d configurations", trips)
}

func filled(t require.TestingT, c pfc.Config) pfc.Config {
	s, err := pfc.New(c)
	require.NoError(t, err)
	return s.Config()
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
	require.Equal(t, sluice.Marking{KMin: 1 << 20, KMax: 2 << 20,
		PMax: sluice.Ratio{Num: 5, Den: 100}},
		s.Config.Ports[0].ECN[3])
	var left []string
	for _, n := range s.Left {
		left = append(left, n.String())
	}
	slices.Sort(left)
	require.Equal(t, strings.Split(strings.TrimSpace(`
BUFFER_PG|Ethernet0|0 profile: lossy priority groups have no limit of their own here
BUFFER_POOL|egress_lossless_pool size: egress pools limit nothing here
BUFFER_PROFILE|egress_lossless_profile static_th: nothing here is like it
BUFFER_PROFILE|ingress_lossy_profile dynamic_th: nothing here is like it
BUFFER_PROFILE|ingress_lossy_profile pool: nothing here is like it
BUFFER_PROFILE|ingress_lossy_profile size: nothing here is like it
BUFFER_QUEUE|Ethernet0|3-4 profile: lossless queues have no limit here
DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE over_subscribe_ratio: nothing here is like it
QUEUE|Ethernet0|3 scheduler: nothing here is like it
TC_TO_PRIORITY_GROUP_MAP|AZURE 4: a lossless class, its queue and its priority group have one number here
WRED_PROFILE|AZURE_LOSSLESS ecn: packets have no colour here: all are green
WRED_PROFILE|AZURE_LOSSLESS yellow_min_threshold: nothing here is like it`), "\n"), left)
}

// TestDynamicModel: a profile that is NULL is the formula's, for the port's speed, cable and mtu.
func TestDynamicModel(t *testing.T) {
	const text = `{
		"DEVICE_METADATA": {"localhost": {"buffer_model": "dynamic"}},
		"PORT": {"Ethernet0": {"speed": "100000", "mtu": "9194"}, "Ethernet4": {"speed": "10000"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "300m", "Ethernet4": "5m"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}},
		"BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}}`
	db, err := Parse([]byte(text))
	require.NoError(t, err)
	_, err = db.Import(spectrum)
	require.ErrorContains(t, err, "BUFFER_POOL|ingress_lossless_pool size")
	chip := spectrum
	chip.Buffer, chip.Response = 16*sluice.MiB, 3891
	s, err := db.Import(chip)
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(117_760), s.Config.Ports[0].Profiles[3].Headroom,
		"as the table of the MSN3700 has it")
	require.Equal(t, sluice.Bytes(137_216), s.Config.Ports[0].Profiles[4].Reserve)
}

// TestLookup: what is written is read, and errors name line and column.
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
// What passes is written back without a difference of what was read.
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
		if _, err := db.Update(s.Config, s.Ports); err != nil {
			t.Fatal(err)
		}
	})
}
