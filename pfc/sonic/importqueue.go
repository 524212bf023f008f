package sonic

import (
	"net"
	"strings"

	"github.com/sluicefc/sluice"
)

// egress is a lossy BUFFER_PROFILE of a queue.
type egress struct {
	alpha   sluice.Ratio
	reserve sluice.Bytes
}

// queues reads the limits of lossy queues, of which a port has one here.
func (m *importer) queues() {
	const t = "BUFFER_QUEUE"
	seen := map[int]egress{}
	for _, key := range m.keys(t) {
		ports, classes := m.members(t, key)
		name, _ := m.value(t, key, "profile")
		name = reference(name)
		if m.tables["BUFFER_PROFILE"][name] == nil && name != "NULL" {
			m.fail(t, key, "profile", name, "must be a profile of BUFFER_PROFILE")
			return
		}
		var own egress
		pool, _ := m.value("BUFFER_PROFILE", name, "pool")
		get(m.reader, "BUFFER_PROFILE", name, "size", parseBytes, &own.reserve)
		dynamic := get(m.reader, "BUFFER_PROFILE", name, "dynamic_th", parseDynamic, &own.alpha)
		for _, port := range ports {
			i, ok := m.index[port]
			if !ok {
				m.fail(t, key, "", port, "must be a port of PORT")
				return
			}
			before, again := seen[i]
			switch {
			case classes&^m.Config.Ports[i].Classes == 0:
				m.note(t, key, "profile", "lossless queues have no limit here")
			case !dynamic:
				m.note(t, key, "profile", "a limit that is not dynamic_th")
			case again && before != own:
				m.note(t, key, "profile", "the lossy queues of a port have one limit here")
			default:
				seen[i] = own
				m.Config.Ports[i].LossyAlpha, m.Config.Ports[i].LossyReserve = own.alpha, own.reserve
				if lossyPool := strings.Replace(lossy, "ingress", "egress", 1); reference(pool) != lossyPool {
					m.note(t, key, "profile", "lossy packets share the ingress pool of LossyPool here")
				}
			}
		}
	}
}

// wred reads the marking of queues: of QUEUE, by WRED_PROFILE.
func (m *importer) wred() {
	for _, key := range m.keys("QUEUE") {
		name, ok := m.value("QUEUE", key, "wred_profile")
		if !ok {
			continue
		}
		name = reference(name)
		if m.tables["WRED_PROFILE"][name] == nil {
			m.fail("QUEUE", key, "wred_profile", name, "must be a profile of WRED_PROFILE")
			return
		}
		ports, classes := m.members("QUEUE", key)
		marking, ok := m.marking(name)
		for _, port := range ports {
			i, known := m.index[port]
			if !known {
				m.note("QUEUE", key, "", "of no port of PORT")
				continue
			}
			for c := range sluice.Class(sluice.Classes) {
				if ok && classes.Has(c) {
					m.Config.Ports[i].ECN[c] = marking
				}
			}
		}
	}
}

// marking returns the marking of green packets; false if the profile marks none.
func (m *importer) marking(name string) (marking sluice.Marking, ok bool) {
	const t = "WRED_PROFILE"
	ecn, _ := m.value(t, name, "ecn")
	if ecn != "ecn_all" && !strings.Contains(ecn, "green") {
		if !m.noted(t, name, "ecn") {
			m.note(t, name, "ecn", "only what is marked is marked here: WRED drops nothing")
		}
		return marking, false
	}
	if ecn != "ecn_green" && !m.noted(t, name, "ecn") {
		m.note(t, name, "ecn", "packets have no colour here: all are green")
	}
	m.value(t, name, "wred_green_enable")
	percent := 0
	ok = get(m.reader, t, name, "green_min_threshold", parseBytes, &marking.KMin) &&
		get(m.reader, t, name, "green_max_threshold", parseBytes, &marking.KMax) &&
		get(m.reader, t, name, "green_drop_probability", parsePercent, &percent)
	if !ok && m.err == nil {
		m.fail(t, name, "green_min_threshold", "",
			"must be given, and green_max_threshold and green_drop_probability")
	}
	marking.PMax = sluice.Ratio{Num: int64(percent), Den: 100}
	if percent == 0 {
		m.note(t, name, "green_drop_probability", "nothing is marked at 0 %")
		return sluice.Marking{}, false
	}
	if err := marking.Check(); err != nil {
		m.fail(t, name, "green_min_threshold", "", "must make a marking: "+err.Error())
	}
	return marking, true
}

func parseMAC(s string) (mac [6]byte, err error) {
	b, err := net.ParseMAC(s)
	if err != nil || len(b) != len(mac) {
		return mac, errMAC
	}
	return [6]byte(b), nil
}
