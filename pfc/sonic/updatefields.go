package sonic

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// format returns how a new profile is named.
func format(value any) string {
	switch v := value.(type) {
	case groupValue:
		if v.lossless {
			return "pg_lossless_%d_profile"
		}
		return "pg_lossy_%d_profile"
	case limitValue:
		return "limit_%d_profile"
	case wredValue:
		return "WRED_%d"
	}
	return "scheduler.%d"
}

// fieldsOf returns the fields of a new profile of a value. If a field of pfc is given, it notes the
// part of it that they cannot express.
func (u *updater) fieldsOf(value any, path string) fields {
	note := func(field, why string) {
		if path != "" {
			u.note(path+field, why)
		}
	}
	switch v := value.(type) {
	case groupValue:
		return u.groupFields(v, note)
	case limitValue:
		return limitFields(v, note)
	case wredValue:
		if v.ecn != (sluice.Marking{}) {
			path = strings.Replace(path, "QoS.WRED", "ECN", 1)
		}
		return wredFields(&v, note)
	case schedulerValue:
		return schedulerFields(v, note)
	}
	return nil
}

type noter func(field, why string)

func (u *updater) groupFields(v groupValue, note noter) fields {
	f := fields{"pool": v.pool, "size": decimal(v.p.Reserve)}
	if v.lossless {
		f["size"], f["xoff"] = decimal(meaning{shared: v.shared}.size(&v.p)), decimal(v.p.Headroom)
	}
	if v.p.XOff != 0 {
		f["static_th"], f["xon"] = decimal(v.p.XOff-v.p.Reserve), "0"
		f["xon_offset"] = decimal(v.p.XOff - v.p.XOn)
		if v.p.XOff == v.p.Reserve {
			note(".XOff", "a static_th of 0, which is none")
		}
		return f
	}
	f["dynamic_th"] = exponent(v.p.Alpha, note)
	f["xon"], f["xon_offset"] = decimal(v.p.XOnFloor), decimal(max(0, v.p.ResumeOffset))
	return f
}

func exponent(alpha sluice.Ratio, note noter) string {
	n, ok := dynamicName(alpha)
	if !ok {
		note(".Alpha", "no power of two")
		return "0"
	}
	return n
}

func limitFields(v limitValue, note noter) fields {
	f := fields{"pool": v.pool, "size": decimal(v.l.Reserve)}
	if v.l.Static == 0 && v.l.Alpha != (sluice.Ratio{}) {
		f["dynamic_th"] = exponent(v.l.Alpha, note)
	} else {
		f["static_th"] = decimal(v.l.Static)
	}
	return f
}

func wredFields(v *wredValue, note noter) fields {
	f := fields{}
	if v.ecn != (sluice.Marking{}) {
		f["ecn"] = "ecn_green"
		curveFields(f, "green", v.ecn, ".PMax", note)
		return f
	}
	ecn := ""
	for c := range qos.Colors {
		name := c.String()
		f["wred_"+name+"_enable"] = strconv.FormatBool(v.w.Drop[c])
		if v.w.Mark[c] {
			ecn += "_" + name
		}
		if v.w.Drop[c] || v.w.Mark[c] {
			curveFields(f, name, v.w.Curves[c], fmt.Sprintf(".Curves[%d].PMax", c), note)
		} else if v.w.Curves[c] != (sluice.Marking{}) {
			note(fmt.Sprintf(".Curves[%d]", c), "a colour that is neither marked nor dropped")
		}
	}
	if ecn == "_green_yellow_red" {
		ecn = "_all"
	}
	f["ecn"] = "ecn" + cmp.Or(ecn, "_none")
	return f
}

func curveFields(f fields, color string, m sluice.Marking, path string, note noter) {
	percent := int64(100)
	if m.PMax.Den > 0 {
		percent = m.PMax.Num * 100 / m.PMax.Den
	}
	if m.PMax.Den > 0 && percent*m.PMax.Den != m.PMax.Num*100 || percent == 0 {
		note(path, "not whole percent")
	}
	f[color+"_min_threshold"], f[color+"_max_threshold"] = decimal(m.KMin), decimal(m.KMax)
	f[color+"_drop_probability"] = strconv.FormatInt(percent, 10)
}

func schedulerFields(v schedulerValue, note noter) fields {
	f := fields{}
	switch {
	case v.weight == 0:
		f["type"] = "STRICT"
	case v.weight > 0:
		f["type"], f["weight"] = "DWRR", strconv.Itoa(v.weight)
	}
	if v.s.Rate != 0 {
		f["meter_type"], f["pbs"] = "bytes", decimal(v.s.Burst)
		f["pir"] = strconv.FormatInt(int64(v.s.Rate/8), 10)
	}
	if v.s.Rate%8 != 0 {
		note(".Rate", "not whole bytes per second")
	}
	return f
}

// weightsOf returns the weights of groups, 0 for a strict queue; false if they are none.
func weightsOf(groups []pfc.Group) (weights [sluice.Classes]int, whole bool) {
	for _, g := range groups {
		for c, quantum := range g.Quantum {
			if g.Classes.Has(sluice.Class(c)) && (g.Classes.Len() > 1 || quantum != pfc.DefaultQuantum) {
				weights[c] = min(max(1, int(quantum/quantumOfWeight)), 100)
			}
		}
	}
	made := groupsOf(&weights)
	for i := range made {
		if c := classesOf(made[i].Classes)[0]; made[i].Classes.Len() == 1 && weights[c] == 0 {
			made[i].Quantum[c] = pfc.DefaultQuantum // as filled in
		}
	}
	return weights, groups == nil || slices.EqualFunc(made, groups, func(a, b pfc.Group) bool {
		return a == b
	})
}
