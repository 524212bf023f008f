package sonic

import (
	"fmt"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// LookupOf returns the pg_profile_lookup.ini of a configuration: the profiles of its lossless
// groups, by speed and cable. Of profiles of one speed and cable it has the first. The notes name,
// as table, the fields of pfc that no row has. The error is the [*sluice.ConfigError] of pfc.
func LookupOf(c pfc.Config) (Lookup, []Note, error) {
	s, err := pfc.New(c)
	if err != nil {
		return nil, nil, err
	}
	var rows Lookup
	var left []Note
	m := meaning{shared: c.HeadroomPool != 0}
	for i := range s.Config().Ports {
		p := s.Config().Ports[i] // with its defaults filled in
		for _, class := range classesOf(p.Classes) {
			profile, field := p.Profile, fmt.Sprintf("Ports[%d].Profile", i)
			if own := p.Profiles[class]; own != nil {
				profile, field = *own, fmt.Sprintf("Ports[%d].Profiles[%d]", i, class)
			}
			row, why := m.rowOf(&p.Link, &profile)
			if before, ok := rows.Find(row.Speed, row.Cable); !ok && why == "" {
				rows = append(rows, row)
			} else if why == "" && before != row {
				why = "another profile of this speed and cable"
			}
			if why != "" {
				left = append(left, Note{Table: field, Why: why})
			}
		}
	}
	return rows, left, nil
}

// rowOf returns the row of a profile, or why there is none.
func (m meaning) rowOf(link *sluice.Link, p *pfc.Profile) (row LookupRow, why string) {
	row = LookupRow{
		Speed: link.Rate, Cable: int(link.Delay / pfc.Cable(1)), Size: m.size(p), XOn: p.XOnFloor,
		XOff: p.Headroom, XOnOffset: max(0, p.ResumeOffset),
	}
	switch threshold, ok := dynamicName(p.Alpha); {
	case link.Rate%sluice.Mbps != 0:
		return row, "not whole Mb/s"
	case pfc.Cable(row.Cable) != link.Delay:
		return row, "not a delay of whole metres, at 5 ns each"
	case p.XOff != 0:
		row.Threshold, row.XOn, row.XOnOffset = int64(p.XOff-p.Reserve), 0, p.XOff-p.XOn
	case !ok:
		return row, "alpha is no power of two"
	default:
		row.Threshold, _ = strconv.ParseInt(threshold, 10, 64) // of ours: it is a number
	}
	return row, ""
}
