package sonic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// written by hand: joined ports, an overlap, a number, a list, blanks, a static egress pool, a pool
// of another name, and blanks as people leave them.
const byHand = `{
  "BUFFER_PG":
  {
    "Ethernet0|0" : { "profile": "lossy" },
    "Ethernet0|3-4" : { "profile": "lossless" },
    "Ethernet4,Ethernet8|3-4" : { "profile": "[BUFFER_PROFILE|lossless]" }
  },
  "BUFFER_POOL": {
    "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": " 9000000 "},
    "mine": {"size": 500000, "type": "both", "mode": "static"},
    "egress_lossless_pool": {"type": "egress", "mode": "static", "size": 12000000}
  },
  "BUFFER_PROFILE": {
    "lossless": {"pool": "ingress_lossless_pool", "size": 1248, "xon": "2288", "xoff": "60000", "dynamic_th": "-3", "xon_offset": "2288", "packet_discard_action": "drop"},
    "lossy": {"pool": "mine", "size": "0", "static_th": "400000"},
    "out": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12000000"}
  },
  "BUFFER_PORT_EGRESS_PROFILE_LIST": {"Ethernet0,Ethernet4": {"profile_list": ["out"]}},
  "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m", "Ethernet8": "40m"}},
  "PORT": {
    "Ethernet8": {"speed": "100000", "alias": "c"},
    "Ethernet0": {"speed": 100000, "alias": "a"},
    "Ethernet4": {"speed": "100000", "alias": "b"}
  },
  "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3,4"}, "Ethernet8": {"pfc_enable": "3,4"}},
  "QUEUE": {"Ethernet0|3-4": {"wred_profile": "ECN"}},
  "WRED_PROFILE": {"ECN": {"ecn": "ecn_all", "green_min_threshold": "1000", "green_max_threshold": "2000"}}
}
`

func parsed(t *testing.T, text string) (*DB, *Switch) {
	t.Helper()
	db, err := Parse([]byte(text))
	require.NoError(t, err)
	s, err := db.Import(spectrum)
	require.NoError(t, err)
	return db, s
}

// update changes a configuration, and returns what the file becomes.
func update(t *testing.T, text string, change func(*pfc.Config)) string {
	t.Helper()
	db, s := parsed(t, text)
	change(&s.Config)
	left, err := db.Update(s.Config, s.Ports, spectrum)
	require.NoError(t, err)
	require.Empty(t, left)
	return written(t, db)
}

// headroom gives a class of a port a headroom of its own.
func headroom(c *pfc.Config, port int, class sluice.Class, n sluice.Bytes) {
	own := *c.Ports[port].Profiles[class]
	own.Headroom = n
	c.Ports[port].Profiles[class] = &own
}

// TestUpdateInPlace: where all that have a profile change alike, the profile changes: one number of
// the file, and nothing else, not even a blank.
func TestUpdateInPlace(t *testing.T) {
	require.Equal(t, byHand, update(t, byHand, func(*pfc.Config) {}), "unchanged")
	raised := update(t, byHand, func(c *pfc.Config) {
		for port := range c.Ports {
			headroom(c, port, 3, 70000)
			headroom(c, port, 4, 70000)
		}
		c.Buffer += 6 * 10000
	})
	require.Equal(t, strings.Replace(byHand, `"60000"`, `"70000"`, 1), raised)
	require.Equal(t, strings.Replace(byHand, `"size": 12000000`, `"size": 11000000`, 1),
		update(t, byHand, func(c *pfc.Config) { c.EgressPools[0] = 11_000_000 }), "a number stays one")
}

// TestUpdateSplits: a key of which a part changes is split, so that no other key has that part
// still.
func TestUpdateSplits(t *testing.T) {
	text := update(t, byHand, func(c *pfc.Config) {
		headroom(c, 0, 3, 70000)
		headroom(c, 2, 4, 70000)
		c.Buffer += 20000
	})
	db, s := parsed(t, text)
	require.Equal(t, []sluice.Bytes{70000, 60000, 60000, 60000, 60000, 70000}, []sluice.Bytes{
		s.Config.Ports[0].Profiles[3].Headroom, s.Config.Ports[0].Profiles[4].Headroom,
		s.Config.Ports[1].Profiles[3].Headroom, s.Config.Ports[1].Profiles[4].Headroom,
		s.Config.Ports[2].Profiles[3].Headroom, s.Config.Ports[2].Profiles[4].Headroom,
	})
	require.Equal(t, []string{
		"Ethernet0|0", "Ethernet0|3", "Ethernet0|4", "Ethernet4|3-4", "Ethernet8|3", "Ethernet8|4",
	}, sortedKeys(db.parsed["BUFFER_PG"]))
	require.Empty(t, s.Faults)
	made := db.parsed["BUFFER_PROFILE"][db.parsed["BUFFER_PG"]["Ethernet0|3"]["profile"]]
	require.Equal(t, "drop", made["packet_discard_action"], "what pfc does not know goes along")
}

// TestUpdateOverlap: of keys that overlap, those that another one hid lose what changes.
func TestUpdateOverlap(t *testing.T) {
	text := strings.Replace(byHand, `"Ethernet0|3-4" : {`,
		`"Ethernet0|3" : { "profile": "lossless" }, "Ethernet0|3-4" : {`, 1)
	require.Equal(t, text, update(t, text, func(*pfc.Config) {}))
	text = update(t, text, func(c *pfc.Config) {
		headroom(c, 0, 3, 70000)
		c.Buffer += 10000
	})
	db, s := parsed(t, text)
	require.Equal(t, sluice.Bytes(70000), s.Config.Ports[0].Profiles[3].Headroom)
	require.Empty(t, s.Faults)
	require.Equal(t, []string{"Ethernet0|0", "Ethernet0|3", "Ethernet0|4", "Ethernet4,Ethernet8|3-4"},
		sortedKeys(db.parsed["BUFFER_PG"]))
}

// TestUpdateQoS: a port that leaves a joined key takes its other fields along; a class of a queue's
// key that gets another marking keeps nothing of the old.
func TestUpdateQoS(t *testing.T) {
	text := update(t, byHand, func(c *pfc.Config) {
		c.Ports[0].Sends = sluice.MakeClassSet(3)
		c.Ports[0].Obeys = sluice.MakeClassSet(3)
		c.Ports[0].ECN[3].KMin = 500
	})
	db, s := parsed(t, text)
	require.Equal(t, []string{"Ethernet0", "Ethernet4", "Ethernet8"},
		sortedKeys(db.parsed["PORT_QOS_MAP"]))
	require.Equal(t, sluice.MakeClassSet(3, 4), s.Config.Ports[1].Sends)
	require.Equal(t, []sluice.Bytes{500, 1000},
		[]sluice.Bytes{s.Config.Ports[0].ECN[3].KMin, s.Config.Ports[0].ECN[4].KMin})
	text = update(t, byHand, func(c *pfc.Config) { c.Ports[0].ECN[4] = sluice.Marking{} })
	db, _ = parsed(t, text)
	require.Equal(t, []string{"Ethernet0|3"}, sortedKeys(db.parsed["QUEUE"]))
}

// TestUpdateReadsAgain: what the tables cannot say is an error that names it, and changes nothing.
func TestUpdateReadsAgain(t *testing.T) {
	db, s := parsed(t, byHand)
	s.Config.Ports = s.Config.Ports[:2]
	_, err := db.Update(s.Config, s.Ports[:2], spectrum)
	require.ErrorContains(t, err, "PORT has 3 ports, and the configuration 2")
	require.Equal(t, byHand, written(t, db))

	db, s = parsed(t, byHand)
	s.Config.Pools, s.Config.LossyPool = append(s.Config.Pools, 1000), 0
	s.Config.Ports[0].Profiles[3].Pool = 1
	s.Config.Pools[0], s.Config.Pools[1] = 1000, 500000
	s.Config.Buffer += 1000
	_, err = db.Update(s.Config, s.Ports, spectrum)
	require.ErrorContains(t, err, "Pools[0]")
	require.Equal(t, byHand, written(t, db))
}

// TestLookupGroups: in the traditional model buffermgr makes the lossless groups of pfc_enable,
// speed and cable, by the table; an Update that leaves them leaves the file.
func TestLookupGroups(t *testing.T) {
	const text = `{
		"PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"},
			"Ethernet8": {"speed": "100000"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "0m", "Ethernet8": "5m"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {
			"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "300000"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "2,3,6"}, "Ethernet4": {"pfc_enable": "3"},
			"Ethernet8": {"pfc_enable": "3"}}}`
	rows, err := ParseLookup(strings.NewReader("100000 40m 1248 2288 60000 -3 2288"))
	require.NoError(t, err)
	db, err := Parse([]byte(text))
	require.NoError(t, err)
	db.UseLookup(rows)
	s, err := db.Import(spectrum)
	require.NoError(t, err)
	require.Equal(t, []string{"Ethernet0|2-3", "Ethernet0|6"}, s.Generated)
	require.Equal(t, sluice.Bytes(60000), s.Config.Ports[0].Profiles[6].Headroom)
	require.Equal(t, sluice.NoClasses, s.Config.Ports[1].Classes, "a cable of 0 m")
	require.Len(t, s.Faults, 1)
	require.Equal(t, "Ethernet8", s.Faults[0].Key, "no row has 5 m")
	_, err = db.Update(s.Config, s.Ports, spectrum)
	require.NoError(t, err)
	require.Equal(t, text, written(t, db))
	for _, class := range []sluice.Class{2, 3, 6} {
		headroom(&s.Config, 0, class, 80000)
	}
	_, err = db.Update(s.Config, s.Ports, spectrum)
	require.NoError(t, err)
	require.Equal(t, "80000", db.parsed["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["xoff"],
		"buffermgr takes a profile that is there")
	require.Empty(t, db.parsed["BUFFER_PG"])
}

// TestDynamicStays: groups whose profile is NULL, and the pool whose size SONiC computes, stay; so
// do groups of ports that are down or have a cable of 0 m, which SONiC takes away.
func TestDynamicStays(t *testing.T) {
	const text = `{
		"DEVICE_METADATA": {"localhost": {"buffer_model": "dynamic"}},
		"PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000", "admin_status": "down"},
			"Ethernet8": {"speed": "100000"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m", "Ethernet8": "0m"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
			"zero": {"type": "ingress", "mode": "static", "size": "0"}},
		"BUFFER_PROFILE": {"zero": {"pool": "zero", "size": "0", "static_th": "0"}},
		"BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}, "Ethernet4|3": {"profile": "NULL"},
			"Ethernet8|3": {"profile": "NULL"}, "Ethernet8|0": {"profile": "zero"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}, "Ethernet4": {"pfc_enable": "3"},
			"Ethernet8": {"pfc_enable": "3"}}}`
	chip := spectrum
	chip.Buffer = 16 * sluice.MiB
	db, err := Parse([]byte(text))
	require.NoError(t, err)
	s, err := db.Import(chip)
	require.NoError(t, err)
	require.Empty(t, s.Faults)
	require.Equal(t, sluice.MakeClassSet(3, 4), s.Config.Ports[0].Classes)
	require.Equal(t, sluice.NoClasses, s.Config.Ports[1].Classes)
	require.Equal(t, sluice.NoClasses, s.Config.Ports[2].Classes)
	_, err = db.Update(s.Config, s.Ports, chip)
	require.NoError(t, err)
	require.Equal(t, text, written(t, db))
	headroom(&s.Config, 0, 3, 200_000)
	_, err = db.Update(s.Config, s.Ports, chip)
	require.NoError(t, err)
	require.Equal(t, "NULL", db.parsed["BUFFER_PG"]["Ethernet0|4"]["profile"])
	require.NotContains(t, db.parsed["BUFFER_POOL"]["ingress_lossless_pool"], "size")
}

// TestASICs: of a file with the tables of several ASICs one is chosen, and the others stay; keys of
// virtual output queues are read if they are of this ASIC.
func TestASICs(t *testing.T) {
	one := strings.NewReplacer(`"QUEUE": {"`, `"DEVICE_METADATA": {"localhost": {
		"hostname": "LC1", "asic_name": "Asic1"}}, "QUEUE": {
		"LC2|asic0|Ethernet0|3": {"wred_profile": "ECN"}, "LC1|asic1|`).Replace(byHand)
	file := `{"localhost": {"DEVICE_METADATA": {}}, "asic0": {}, "asic1": ` + one + `}`
	db, err := Parse([]byte(file))
	require.NoError(t, err)
	require.Equal(t, []string{"localhost", "asic0", "asic1"}, db.ASICs())
	_, err = db.Import(spectrum)
	require.ErrorContains(t, err, "an ASIC must be chosen")
	require.ErrorContains(t, db.SetDSCP("X", pfc.DSCPMap{}), "an ASIC must be chosen")
	require.ErrorContains(t, db.ChooseASIC("asic9"), "must be one of the ASICs")
	require.NoError(t, db.ChooseASIC("asic1"))
	s, err := db.Import(spectrum)
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(1000), s.Config.Ports[0].ECN[4].KMin)
	s.Config.Ports[0].ECN[4] = sluice.Marking{}
	_, err = db.Update(s.Config, s.Ports, spectrum)
	require.NoError(t, err)
	require.Equal(t, []string{"LC1|asic1|Ethernet0|3", "LC2|asic0|Ethernet0|3"},
		sortedKeys(db.parsed["QUEUE"]))
	require.True(t, strings.HasPrefix(written(t, db),
		`{"localhost": {"DEVICE_METADATA": {}}, "asic0": {}, "asic1": {`))
}

// TestTolerance: what pfc has nothing like is noted, once for all that is alike.
func TestTolerance(t *testing.T) {
	text := strings.NewReplacer(`"QUEUE": {`, `
		"TC_TO_QUEUE_MAP": {"DUAL": {"1": "1", "2": "2", "8": "2", "9": "12"}},
		"DSCP_TO_TC_MAP": {"DUAL": {"33": "8", "0": " 1"}},
		"QUEUE": {"Ethernet4|8-15": {"wred_profile": "ECN"}, "Ethernet8|8-15": {"wred_profile": "ECN"},
		`, `"pfc_enable": "3,4"}, "Ethernet8"`,
		`"pfc_enable": " 3, 4 ", "tc_to_queue_map": "DUAL"}, "Ethernet8"`,
		`"PORT": {`, `"PORT": {"Ethernet-Rec0": {"alias": "no speed"},`).Replace(byHand)
	_, s := parsed(t, text)
	require.Equal(t, sluice.Class(2), s.DSCP["DUAL"][33], "the class that has the queue of class 8")
	require.Equal(t, sluice.Class(1), s.DSCP["DUAL"][0])
	var left []string
	for _, n := range s.Left {
		left = append(left, n.String())
	}
	require.Contains(t, left, "QUEUE|Ethernet4|8-15 and 1 more, up to Ethernet8|8-15: pfc has no queue above 7")
	require.Contains(t, left, "PORT|Ethernet-Rec0 speed: not given: the port is left out")
	require.Contains(t, left, "WRED_PROFILE|ECN green_drop_probability: not given: taken to be 100 %")
	require.Len(t, s.Config.Pools, 1, "a pool of another name, of type both")
	require.Len(t, s.Config.EgressPools, 2)
}
