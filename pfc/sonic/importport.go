package sonic

import (
	"errors"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// groupProfile reads the profile of a priority group, which is lossless if it has an xoff.
func (m *importer) groupProfile(name string) (p pfc.Profile, lossless bool) {
	const t = "BUFFER_PROFILE"
	_, lossless = m.tables[t][name]["xoff"]
	pool, _ := m.value(t, name, "pool")
	index, ok := m.pools[reference(pool)]
	switch {
	case !ok && !lossless && m.tables["BUFFER_POOL"][reference(pool)] != nil:
		m.noteOnce(t, name, "pool", "no ingress pool that has a size: it cannot be shared")
		return p, lossless
	case !ok:
		m.fail(t, name, "pool", pool, "must be an ingress pool of BUFFER_POOL that has a size")
		return p, lossless
	}
	p.Pool = index
	get(m.reader, t, name, "size", parseBytes, &p.Reserve)
	get(m.reader, t, name, "xoff", parseBytes, &p.Headroom)
	if !m.shared && p.Reserve < p.Headroom {
		m.noteOnce(t, name, "size", "less than xoff, so that it is taken not to include it")
	}
	p.Reserve = m.reserve(p.Reserve, p.Headroom)
	var floor, offset, static sluice.Bytes
	get(m.reader, t, name, "xon", parseBytes, &floor)
	get(m.reader, t, name, "xon_offset", parseBytes, &offset)
	switch {
	case get(m.reader, t, name, "dynamic_th", m.alpha, &p.Alpha):
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
	return p, lossless
}

func (m *importer) priorityGroups() {
	const t = "BUFFER_PG"
	m.each(t, "profile", "BUFFER_PROFILE", func(key, name string, port int, class sluice.Class) {
		profile, lossless := pfc.Profile{}, true
		switch {
		case name == "NULL" && m.Dynamic && m.Cables[port] == 0 && m.cabled(m.Ports[port]):
			m.noteOnce(t, key, "profile", "SONiC makes no lossless group for a cable of 0 m")
			return
		case m.down[m.Ports[port]] && (name == "NULL" || isGenerated(name)):
			m.noteOnce(t, key, "profile", "SONiC takes it away: the port is down")
			return
		case name == "NULL" && m.Dynamic:
			profile = m.dynamicProfile(port)
		case name == "NULL":
			m.noteOnce(t, key, "profile", "SONiC computes it in the dynamic model alone: no group")
			return
		default:
			profile, lossless = m.groupProfile(name)
		}
		switch p := &m.Config.Ports[port]; {
		case lossless:
			p.Profiles[class] = &profile
			p.Classes |= 1 << class
			if p.QoS != nil {
				p.QoS.Lossy &^= 1 << class // of a key before, which overlaps
			}
		case profile != (pfc.Profile{}):
			p.Profiles[class] = &profile
			p.Classes &^= 1 << class
			m.rules(port).Lossy |= 1 << class
		}
	})
}

// classes sets the classes that are lossless, sent and obeyed at each port, and notes where the
// length of the cable, on which headroom depends, is not known.
func (m *importer) classes() {
	for i := range m.Config.Ports {
		p := &m.Config.Ports[i]
		_, _, pauseQueue, pauseGroup := p.QoS.Maps()
		if m.given = append(m.given, m.cabled(m.Ports[i])); p.Classes != 0 && !m.given[i] {
			m.note("CABLE_LENGTH", "", m.Ports[i], "not given: taken to be 0 m")
		}
		if bare := pauseGroup.Of(m.enabled[i]) &^ p.Classes; bare != 0 && !m.idle(i) {
			m.bare = append(m.bare, Note{
				Table: "PORT_QOS_MAP", Key: m.Ports[i], Field: "pfc_enable",
				Why: "no lossless group for priority group " + numbers(uint64(bare)) +
					": the peer is paused for packets that are dropped",
			})
		}
		p.Classes = p.Classes.Or(sluice.NoClasses)
		p.Sends = pauseGroup.Of(m.enabled[i]).Or(sluice.NoClasses)
		p.Obeys = p.Obeys.Or(pauseQueue.Of(m.enabled[i]) | sluice.NoClasses)
	}
}

// idle reports whether SONiC makes no lossless groups for a port: it is down, or its cable has 0 m.
func (m *importer) idle(port int) bool {
	name := m.Ports[port]
	return m.down[name] || m.Cables[port] == 0 && m.cabled(name)
}

// CableGiven reports whether the tables say how long the cable of a port is, by its number.
func (s *Switch) CableGiven(port int) bool { return s.given[port] }

func (m *importer) cabled(port string) bool {
	for _, cables := range m.tables["CABLE_LENGTH"] {
		if _, is := cables[port]; is {
			return true
		}
	}
	return false
}

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
		get(m.reader, "PORT_QOS_MAP", m.qosKey[i], "pfcwd_sw_enable", parseClasses, &own.Classes)
		_, _, pauseQueue, _ := m.Config.Ports[i].QoS.Maps()
		own.Classes = pauseQueue.Of(own.Classes).Or(sluice.NoClasses)
		m.Config.Ports[i].Watchdog = own
	}
}

var errAction = errors.New("must be drop, forward or alert")

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
