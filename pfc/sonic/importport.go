package sonic

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// bufferProfiles reads the profiles that have an xoff: the lossless ones.
func (m *importer) bufferProfiles() {
	for _, name := range m.keys("BUFFER_PROFILE") {
		const t = "BUFFER_PROFILE"
		var p pfc.Profile
		if _, ok := m.tables[t][name]["xoff"]; !ok {
			continue
		}
		pool, _ := m.value(t, name, "pool")
		index, ok := m.pools[reference(pool)]
		if !ok {
			m.fail(t, name, "pool", pool, "must be an ingress pool of BUFFER_POOL that has a size")
			return
		}
		p.Pool = index
		get(m.reader, t, name, "size", parseBytes, &p.Reserve)
		get(m.reader, t, name, "xoff", parseBytes, &p.Headroom)
		var floor, offset, static sluice.Bytes
		get(m.reader, t, name, "xon", parseBytes, &floor)
		get(m.reader, t, name, "xon_offset", parseBytes, &offset)
		switch {
		case get(m.reader, t, name, "dynamic_th", parseDynamic, &p.Alpha):
			p.XOnFloor, p.ResumeOffset = floor, offset
			if offset == 0 {
				p.ResumeOffset = pfc.ResumeAtThreshold
			}
		case get(m.reader, t, name, "static_th", parseBytes, &static):
			p.XOff = p.Reserve + max(static, 1)
			p.XOn = min(max(p.XOff-offset, floor, p.Reserve), p.XOff)
		case m.err == nil:
			m.fail(t, name, "dynamic_th", "", "must be given, or static_th")
		}
		m.profiles[name] = p
	}
}

// priorityGroups gives the lossless priority groups their profiles.
func (m *importer) priorityGroups() {
	const t = "BUFFER_PG"
	for _, key := range m.keys(t) {
		ports, classes := m.members(t, key)
		name, _ := m.value(t, key, "profile")
		name = reference(name)
		for _, port := range ports {
			i, ok := m.index[port]
			if !ok {
				m.fail(t, key, "", port, "must be a port of PORT")
				return
			}
			profile, ok := m.profiles[name]
			switch {
			case name == "NULL" && m.Dynamic:
				profile = m.dynamicProfile(i)
			case name == "NULL":
				m.fail(t, key, "profile", name, "must name a profile where buffer_model is not dynamic")
				return
			case !ok && m.tables["BUFFER_PROFILE"][name] == nil:
				m.fail(t, key, "profile", name, "must be a profile of BUFFER_PROFILE")
				return
			case !ok:
				m.note(t, key, "profile", "lossy priority groups have no limit of their own here")
				continue
			}
			p := &m.Config.Ports[i]
			for c := range sluice.Class(sluice.Classes) {
				if classes.Has(c) {
					own := profile
					p.Profiles[c] = &own
					p.Classes |= 1 << c
				}
			}
		}
	}
}

// dynamicProfile is what SONiC computes where a profile is NULL.
func (m *importer) dynamicProfile(port int) pfc.Profile {
	chip := m.chip
	chip.LosslessMTU, chip.SmallPackets = m.LosslessMTU, m.SmallPackets
	chip.MTU = m.Config.Ports[port].MTU
	p := pfc.Profile{
		Alpha:    m.alpha,
		Headroom: chip.Formula(m.Config.Ports[port].Link.Rate, m.Cables[port]),
		XOnFloor: (chip.Pipeline + 1023) / 1024 * 1024, ResumeOffset: pfc.ResumeAtThreshold,
	}
	p.Reserve = p.XOnFloor
	if m.Config.HeadroomPool == 0 {
		p.Reserve += p.Headroom
	}
	return p
}

// qosMaps reads what PORT_QOS_MAP and its maps say.
func (m *importer) qosMaps() {
	const t = "PORT_QOS_MAP"
	for _, port := range m.keys(t) {
		i, ok := m.index[port]
		if !ok {
			m.note(t, port, "", "of no port of PORT")
			continue
		}
		get(m.reader, t, port, "pfc_enable", parseClasses, &m.enabled[i])
		for field, other := range map[string]string{
			"tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP", "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
			"tc_to_queue_map": "TC_TO_QUEUE_MAP",
		} {
			if name, ok := m.value(t, port, field); ok {
				m.identity(other, reference(name), m.enabled[i])
			}
		}
		m.value(t, port, "dscp_to_tc_map") // see DSCP
	}
	for _, name := range m.keys("DSCP_TO_TC_MAP") {
		dscp := pfc.DSCPMap{}
		for key := range m.tables["DSCP_TO_TC_MAP"][name] {
			var class int
			at, err := strconv.Atoi(key)
			if err != nil || at < 0 || at > 63 {
				m.fail("DSCP_TO_TC_MAP", name, key, key, "must be a code point, 0 to 63")
			} else if get(m.reader, "DSCP_TO_TC_MAP", name, key, parseClass, &class) {
				dscp[at] = sluice.Class(class)
			}
		}
		m.DSCP[name] = dscp
	}
}

// identity notes where a map sends a lossless class elsewhere.
func (m *importer) identity(t, name string, enabled sluice.ClassSet) {
	for c := range sluice.Class(sluice.Classes) {
		field := strconv.Itoa(int(c))
		to, ok := m.value(t, name, field)
		if ok && enabled.Has(c) && to != field && !m.noted(t, name, field) {
			m.note(t, name, field, "a lossless class, its queue and its priority group have one number here")
		}
	}
}

func (m *importer) noted(t, key, field string) bool {
	for _, n := range m.left {
		if n.Table == t && n.Key == key && n.Field == field {
			return true
		}
	}
	return false
}

// classes sets which classes are lossless, told and obeyed at each port.
func (m *importer) classes() {
	for i := range m.Config.Ports {
		p, enabled := &m.Config.Ports[i], explicit(m.enabled[i])
		if p.Classes == 0 {
			p.Classes = sluice.NoClasses
		}
		p.Sends = enabled
		if p.Obeys == 0 {
			p.Obeys = enabled
		}
	}
}

func explicit(set sluice.ClassSet) sluice.ClassSet {
	if set == 0 {
		return sluice.NoClasses
	}
	return set
}

// watchdog reads PFC_WD.
func (m *importer) watchdog() {
	const t, global = "PFC_WD", "GLOBAL"
	w := &m.Config.Watchdog
	get(m.reader, t, global, "POLL_INTERVAL", parseMillis, &w.Poll)
	if s, ok := m.value(t, global, "BIG_RED_SWITCH"); ok {
		w.BigRedSwitch = s == "enable"
	}
	for _, port := range m.keys(t) {
		i, ok := m.index[port]
		if !ok {
			if port != global {
				m.note(t, port, "", "of no port of PORT")
			}
			continue
		}
		own := &pfc.PortWatchdog{}
		get(m.reader, t, port, "detection_time", parseMillis, &own.Detection)
		get(m.reader, t, port, "restoration_time", parseMillis, &own.Restoration)
		get(m.reader, t, port, "action", parseAction, &own.Action)
		own.Classes = m.enabled[i]
		get(m.reader, "PORT_QOS_MAP", port, "pfcwd_sw_enable", parseClasses, &own.Classes)
		own.Classes = explicit(own.Classes)
		m.Config.Ports[i].Watchdog = own
	}
}

var (
	errAction = errors.New("must be drop, forward or alert")
	errClass  = errors.New("must be a class, 0 to 7")
)

func parseAction(s string) (pfc.WatchdogAction, error) {
	for _, a := range []pfc.WatchdogAction{
		pfc.WatchdogDrops, pfc.WatchdogForwards, pfc.WatchdogAlerts,
	} {
		if a.String() == strings.ToLower(s) {
			return a, nil
		}
	}
	return 0, errAction
}

func parseClass(s string) (int, error) {
	n, err := parseNumber(s, 7, errClass)
	return int(n), err
}

func parsePercent(s string) (int, error) {
	n, err := parseNumber(s, 100, errPercent)
	return int(n), err
}
