package sonic

import (
	"encoding/hex"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// rules returns the rules of a port, which begin to be.
func (m *importer) rules(port int) *qos.Port {
	p := &m.Config.Ports[port]
	if p.QoS == nil {
		p.QoS = &qos.Port{}
	}
	return p.QoS
}

// each calls visit for every port and class of the keys of a table, with the profile that a field
// names; a name without a profile in the other table is an error.
func (m *importer) each(
	table, field, profiles string, visit func(key, name string, port int, class sluice.Class),
) {
	for _, key := range m.keys(table) {
		text, ok := m.value(table, key, field)
		if !ok {
			continue
		}
		name := reference(text)
		if m.tables[profiles][name] == nil && name != "NULL" {
			m.fail(table, key, field, name, "must be a profile of "+profiles)
			return
		}
		ports, classes := m.members(table, key)
		for _, port := range ports {
			i, ok := m.index[port]
			if !ok {
				m.noteOnce(table, key, "", "of no port of PORT that has a speed")
				continue
			}
			for _, c := range classesOf(classes) {
				if m.err == nil {
					m.use(table, field, i, c, name)
					visit(key, name, i, c)
				}
			}
		}
	}
}

func (m *importer) limit(name string) (l qos.Limit, pool string) {
	const t = "BUFFER_PROFILE"
	get(m.reader, t, name, "size", parseBytes, &l.Reserve)
	if !get(m.reader, t, name, "dynamic_th", m.alpha, &l.Alpha) {
		get(m.reader, t, name, "static_th", parseBytes, &l.Static)
	}
	text, _ := m.value(t, name, "pool")
	return l, reference(text)
}

func (m *importer) queues() {
	const t = "BUFFER_QUEUE"
	m.each(t, "profile", "BUFFER_PROFILE", func(key, name string, port int, class sluice.Class) {
		l, pool := m.limit(name)
		index, ok := m.egress[pool]
		if !ok {
			m.noteOnce(t, key, "profile", "its pool is no egress pool that has a size")
			return
		}
		l.Pool = index
		m.rules(port).Queues[class] = &l
	})
}

func (m *importer) portProfiles() {
	for table, pools := range map[string]map[string]int{
		"BUFFER_PORT_INGRESS_PROFILE_LIST": m.pools, "BUFFER_PORT_EGRESS_PROFILE_LIST": m.egress,
	} {
		for _, key := range m.keys(table) {
			list, _ := m.value(table, key, "profile_list")
			for _, port := range parsePorts(key) {
				i, ok := m.index[port]
				if !ok {
					m.noteOnce(table, key, "", "of no port of PORT")
					continue
				}
				for name := range strings.SplitSeq(list, ",") {
					m.portProfile(table, key, i, reference(name), pools)
				}
			}
		}
	}
}

func (m *importer) portProfile(table, key string, port int, name string, pools map[string]int) {
	if m.tables["BUFFER_PROFILE"][name] == nil {
		m.fail(table, key, "profile_list", name, "must be profiles of BUFFER_PROFILE")
		return
	}
	l, pool := m.limit(name)
	index, ok := pools[pool]
	if !ok {
		m.noteOnce(table, key, "profile_list", "a pool that has no size")
		return
	}
	m.use(table, "profile_list", port, sluice.Class(index), name)
	if l.Reserve != 0 {
		m.noteOnce("BUFFER_PROFILE", name, "size", "ports have no reserve here, queues and groups have")
		l.Reserve = 0
	}
	limits := &m.rules(port).Ingress
	if strings.Contains(table, "EGRESS") {
		limits = &m.rules(port).Egress
	}
	for len(*limits) <= index {
		*limits = append(*limits, qos.Limit{})
	}
	(*limits)[index] = l
	if limits == &m.rules(port).Ingress {
		m.rules(port).Shares = m.chip.PortShares
	}
}

// wred reads the marking and dropping of queues: of QUEUE, by WRED_PROFILE.
func (m *importer) wred() {
	m.each("QUEUE", "wred_profile", "WRED_PROFILE",
		func(_, name string, port int, class sluice.Class) {
			if w := m.curves(name); w == nil {
				return
			} else if marking, ok := m.marksAlone(name, w); ok {
				m.Config.Ports[port].ECN[class] = marking
			} else {
				m.rules(port).WRED[class] = w
				m.Config.Ports[port].ECN[class] = sluice.Marking{}
			}
		})
}

// marksAlone returns the marking of a profile that marks green packets, and says nothing of drops.
func (m *importer) marksAlone(name string, w *qos.WRED) (sluice.Marking, bool) {
	for field := range m.tables["WRED_PROFILE"][name] {
		if strings.HasPrefix(field, "wred_") {
			return sluice.Marking{}, false
		}
	}
	return w.Curves[qos.Green], w.Mark == [qos.Colors]bool{qos.Green: true}
}

// curves reads a profile; nil if it neither marks nor drops.
func (m *importer) curves(name string) *qos.WRED {
	const t = "WRED_PROFILE"
	w, acts := &qos.WRED{}, false
	ecn, _ := m.value(t, name, "ecn")
	for c := range qos.Colors {
		color := c.String()
		enabled, _ := m.value(t, name, "wred_"+color+"_enable")
		w.Drop[c] = enabled == "true"
		w.Mark[c] = ecn == "ecn_all" || strings.Contains(ecn, color)
		if ecn == "ecn_all" && !w.Drop[c] && !m.hasCurve(name, color) {
			w.Mark[c] = false // no packet has the colour
		}
		if !w.Drop[c] && !w.Mark[c] {
			continue
		}
		if w.Curves[c] = m.curve(name, color); w.Curves[c] == (sluice.Marking{}) {
			w.Drop[c], w.Mark[c] = false, false
		}
		acts = acts || w.Drop[c] || w.Mark[c]
	}
	if !acts || m.err != nil {
		return nil
	}
	return w
}

func (m *importer) hasCurve(name, color string) bool {
	f := m.tables["WRED_PROFILE"][name]
	_, low := f[color+"_min_threshold"]
	_, high := f[color+"_max_threshold"]
	return low && high
}

// curve reads a curve; a probability that is not given is SAI's, 100 %.
func (m *importer) curve(name, color string) (marking sluice.Marking) {
	const t = "WRED_PROFILE"
	if !m.hasCurve(name, color) {
		m.noteOnce(t, name, color+"_max_threshold", "not given, or no min: nothing is marked or dropped")
		return sluice.Marking{}
	}
	percent := 100
	get(m.reader, t, name, color+"_min_threshold", parseBytes, &marking.KMin)
	get(m.reader, t, name, color+"_max_threshold", parseBytes, &marking.KMax)
	if !get(m.reader, t, name, color+"_drop_probability", parsePercent, &percent) && m.err == nil {
		m.noteOnce(t, name, color+"_drop_probability", "not given: taken to be 100 %")
	}
	if m.err != nil {
		return sluice.Marking{}
	}
	marking.PMax = sluice.Ratio{Num: int64(percent), Den: 100}
	if percent == 0 {
		m.noteOnce(t, name, color+"_drop_probability", "nothing is marked or dropped at 0 %")
		return sluice.Marking{}
	}
	if err := marking.Check(); err != nil {
		m.fail(t, name, color+"_min_threshold", "", "must make a marking: "+err.Error())
	}
	return marking
}

// quantumOfWeight is the quantum of a weight of 1.
const quantumOfWeight = sluice.KiB

func (m *importer) schedulers() {
	weights := map[int]*[sluice.Classes]int{} // of the queues of a port; 0: strict
	m.each("QUEUE", "scheduler", "SCHEDULER", func(_, name string, port int, class sluice.Class) {
		if weights[port] == nil {
			weights[port] = &[sluice.Classes]int{1, 1, 1, 1, 1, 1, 1, 1}
		}
		weights[port][class] = m.weight(name)
		if s := m.shaper(name); s != (qos.Shaper{}) {
			m.rules(port).Shapers[class] = s
		}
	})
	for port, w := range weights {
		m.Config.Ports[port].Groups = groupsOf(w)
	}
	for _, key := range m.keys("PORT_QOS_MAP") {
		text, ok := m.value("PORT_QOS_MAP", key, "scheduler")
		for _, port := range parsePorts(key) {
			if i, known := m.index[port]; ok && known {
				m.use("PORT_QOS_MAP", "scheduler", i, 0, reference(text))
				m.rules(i).Shaper = m.shaper(reference(text))
			}
		}
	}
}

// weight returns the weight of a scheduler, 0 if it is strict.
func (m *importer) weight(name string) int {
	const t = "SCHEDULER"
	kind, _ := m.value(t, name, "type")
	weight := 1
	switch strings.ToUpper(kind) {
	case "STRICT":
		return 0
	case "WRR":
		m.noteOnce(t, name, "type", "queues share by bytes here, as with DWRR")
	case "DWRR":
	default:
		m.fail(t, name, "type", kind, "must be STRICT, DWRR or WRR")
	}
	get(m.reader, t, name, "weight", parseWeight, &weight)
	return weight
}

// shaper returns the largest rate of a scheduler.
func (m *importer) shaper(name string) (s qos.Shaper) {
	const t = "SCHEDULER"
	if m.tables[t][name] == nil {
		m.fail(t, name, "", "", "must be there: a port or a queue has it")
		return s
	}
	if kind, ok := m.value(t, name, "meter_type"); ok && kind == "packets" {
		m.noteOnce(t, name, "pir", "rates of packets, not of bytes")
		return s
	}
	get(m.reader, t, name, "pir", parseOctetRate, &s.Rate)
	get(m.reader, t, name, "pbs", parseBytes, &s.Burst)
	if s.Rate == 0 {
		s.Burst = 0
	}
	return s
}

// groupsOf returns the groups of weights: strict queues, the highest first, then the queues that
// share.
func groupsOf(weights *[sluice.Classes]int) (groups []pfc.Group) {
	var shared pfc.Group
	for c := sluice.Class(sluice.Classes); c > 0; c-- {
		if w := weights[c-1]; w > 0 {
			shared.Classes |= 1 << (c - 1)
			shared.Quantum[c-1] = sluice.Bytes(w) * quantumOfWeight
		} else {
			groups = append(groups, pfc.Group{Classes: 1 << (c - 1)})
		}
	}
	if shared.Classes != 0 {
		groups = append(groups, shared)
	}
	return groups
}

// parseMAC spares programs package net, for which a C compiler is started.
func parseMAC(s string) (mac sluice.MAC, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
	if err != nil || len(b) != len(mac) || sluice.MAC(b).String() != strings.ToLower(s) {
		return mac, errMAC
	}
	return sluice.MAC(b), nil
}
