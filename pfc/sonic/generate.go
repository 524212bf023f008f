package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// UseLookup takes a pg_profile_lookup.ini into account. In the traditional buffer model a file of
// tables has no lossless groups before the switch has run: SONiC's buffermgr makes them of
// pfc_enable, speed and cable, by this table. Import adds the groups that it would make; the tables
// stay.
func (db *DB) UseLookup(rows Lookup) { db.lookup = slices.Clone(rows) }

// generate lays over BUFFER_PG and BUFFER_PROFILE what buffermgr makes in the traditional model.
func (m *importer) generate() {
	if len(m.db.lookup) == 0 || m.Dynamic {
		return
	}
	mode := m.tables["BUFFER_POOL"][lossless]["mode"]
	if mode == "" {
		m.note("BUFFER_POOL", lossless, "mode", "not given: SONiC makes no lossless groups without it")
		return
	}
	groups, profiles := maps.Clone(m.tables["BUFFER_PG"]), maps.Clone(m.tables["BUFFER_PROFILE"])
	if groups == nil {
		groups = table{}
	}
	if profiles == nil {
		profiles = table{}
	}
	m.overlay("BUFFER_PG", groups)
	m.overlay("BUFFER_PROFILE", profiles)
	for i, port := range m.Ports {
		if m.enabled[i] == 0 || !m.cabled(port) || m.Cables[i] == 0 || m.down[port] {
			continue
		}
		rate := m.Config.Ports[i].Link.Rate
		row, ok := m.db.lookup.Find(rate, m.Cables[i])
		name := fmt.Sprintf("pg_lossless_%d_%s_profile", rate/sluice.Mbps, cableName(m.Cables[i]))
		if _, is := profiles[name]; !ok && !is {
			m.note("PORT_QOS_MAP", port, "pfc_enable", "no row of pg_profile_lookup.ini has speed and cable")
			continue
		} else if !is {
			profiles[name] = generated(row, mode)
		}
		for _, run := range runs(uint64(m.enabled[i])) {
			key := port + "|" + numbers(run)
			if before := groups[key]; before == nil {
				m.Generated = append(m.Generated, key)
			} else if reference(before["profile"]) == name {
				continue
			}
			groups[key] = fields{"profile": name}
		}
	}
}

// generated returns the fields of the profile of a row.
func generated(row LookupRow, mode string) fields {
	f := fields{
		"pool": lossless, "size": decimal(row.Size), "xon": decimal(row.XOn), "xoff": decimal(row.XOff),
		mode + "_th": strconv.FormatInt(row.Threshold, 10),
	}
	if row.XOnOffset >= 0 {
		f["xon_offset"] = decimal(row.XOnOffset)
	}
	return f
}

// isGenerated reports whether a profile has a name that SONiC gives.
func isGenerated(name string) bool {
	return strings.HasPrefix(name, "pg_lossless_") && strings.HasSuffix(name, "m_profile")
}

func decimal(n sluice.Bytes) string { return strconv.FormatInt(int64(n), 10) }
