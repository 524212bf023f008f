package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// egressPools writes the egress pools under the names that there are, in their order.
func (u *updater) egressPools() {
	const t = "BUFFER_POOL"
	pools, err := u.db.table(t)
	if u.err == nil {
		u.err = err
	}
	for _, name := range slices.SortedFunc(maps.Keys(pools), natural) {
		if kind, _ := text(pools[name]["type"]); kind == "egress" {
			u.egress = append(u.egress, name)
		}
	}
	for i, size := range u.c.EgressPools {
		if i == len(u.egress) {
			name := fmt.Sprintf("egress_pool_%d", i)
			if i < 2 {
				name = [...]string{"egress_lossless_pool", "egress_lossy_pool"}[i]
			}
			u.egress = append(u.egress, name)
		}
		u.set(t, u.egress[i], "type", "egress")
		u.set(t, u.egress[i], "mode", "dynamic")
		u.bytes(t, u.egress[i], "size", size)
	}
}

func (u *updater) rules(i int) {
	p, port := &u.c.Ports[i], u.ports[i]
	u.groupsOf(i)
	q := p.QoS
	if q == nil {
		return
	}
	field := fmt.Sprintf("Ports[%d].QoS.", i)
	for _, of := range portMaps {
		if m := *of.of(q); m != nil {
			u.set("PORT_QOS_MAP", port, of.field, u.aMap(of.table, *m))
		}
	}
	for c := range sluice.Class(sluice.Classes) {
		key := port + "|" + strconv.Itoa(int(c))
		if l := q.Queues[c]; l != nil {
			u.set("BUFFER_QUEUE", key, "profile",
				u.limit(*l, u.egress[l.Pool], fmt.Sprintf("%sQueues[%d]", field, c)))
		}
		if w := q.WRED[c]; w != nil {
			u.set("QUEUE", key, "wred_profile", u.wred(w, fmt.Sprintf("%sWRED[%d]", field, c)))
		}
		if q.Colors[c] != qos.Green {
			u.note(fmt.Sprintf("%sColors[%d]", field, c), "all packets are green")
		}
	}
	u.portLimits(port, "BUFFER_PORT_INGRESS_PROFILE_LIST", q.Ingress, field+"Ingress", u.poolName)
	u.portLimits(port, "BUFFER_PORT_EGRESS_PROFILE_LIST", q.Egress, field+"Egress",
		func(pool int) string { return u.egress[pool] })
	if q.Shaper != (qos.Shaper{}) {
		u.set("PORT_QOS_MAP", port, "scheduler", u.scheduler(-1, q.Shaper, field+"Shaper"))
	}
}

// named returns the name of an entry that is written once for equal values.
func named[T comparable](names map[T]string, value T, format string) (name string, is bool) {
	if name, is = names[value]; !is {
		name = fmt.Sprintf(format, len(names)+1)
		names[value] = name
	}
	return name, is
}

func (u *updater) aMap(table string, m qos.Map) string {
	name := "AZURE"
	for _, to := range m {
		name += "_" + strconv.Itoa(int(to))
	}
	for from, to := range m {
		u.set(table, name, strconv.Itoa(from), strconv.Itoa(int(to)))
	}
	return name
}

type pooledLimit struct {
	l    qos.Limit
	pool string
}

func (u *updater) limit(l qos.Limit, pool, field string) string {
	const t = "BUFFER_PROFILE"
	name, is := named(u.limits, pooledLimit{l, pool}, "limit_%d_profile")
	if is {
		return name
	}
	u.set(t, name, "pool", pool)
	u.bytes(t, name, "size", l.Reserve)
	switch {
	case l.Static != 0:
		u.bytes(t, name, "static_th", l.Static)
	case l.Alpha != sluice.Ratio{}:
		u.exponent(t, name, l.Alpha, field+".Alpha")
	default:
		u.bytes(t, name, "static_th", 0)
	}
	return name
}

func (u *updater) exponent(table, name string, alpha sluice.Ratio, field string) {
	exponent, ok := dynamicName(alpha)
	if !ok {
		u.note(field, "no power of two")
		exponent = "0"
	}
	u.set(table, name, "dynamic_th", exponent)
}

func (u *updater) portLimits(
	port, table string, limits []qos.Limit, field string, pool func(int) string,
) {
	var names []string
	for i, l := range limits {
		if l != (qos.Limit{}) {
			names = append(names, u.limit(l, pool(i), fmt.Sprintf("%s[%d]", field, i)))
		}
	}
	if names != nil {
		u.set(table, port, "profile_list", strings.Join(names, ","))
	}
}

// wred writes a profile of three colours once, and returns its name.
func (u *updater) wred(w *qos.WRED, field string) string {
	const t = "WRED_PROFILE"
	name, is := named(u.wreds, *w, "WRED_COLORS_%d")
	if is {
		return name
	}
	ecn := ""
	for c := range qos.Colors {
		u.set(t, name, "wred_"+c.String()+"_enable", strconv.FormatBool(w.Drop[c]))
		if w.Mark[c] {
			ecn += "_" + c.String()
		}
		if w.Drop[c] || w.Mark[c] {
			u.curve(name, c.String(), w.Curves[c], fmt.Sprintf("%s.Curves[%d]", field, c))
		} else if w.Curves[c] != (sluice.Marking{}) {
			u.note(fmt.Sprintf("%s.Curves[%d]", field, c), "a colour that is neither marked nor dropped")
		}
	}
	switch ecn {
	case "":
		ecn = "_none"
	case "_green_yellow_red":
		ecn = "_all"
	}
	u.set(t, name, "ecn", "ecn"+ecn)
	return name
}

func (u *updater) curve(name, color string, m sluice.Marking, field string) {
	const t = "WRED_PROFILE"
	percent := int64(100)
	if m.PMax.Den > 0 {
		percent = m.PMax.Num * 100 / m.PMax.Den
	}
	if m.PMax.Den > 0 && percent*m.PMax.Den != m.PMax.Num*100 || percent == 0 {
		u.note(field+".PMax", "not whole percent")
	}
	u.bytes(t, name, color+"_min_threshold", m.KMin)
	u.bytes(t, name, color+"_max_threshold", m.KMax)
	u.set(t, name, color+"_drop_probability", strconv.FormatInt(percent, 10))
}

func (u *updater) groupsOf(i int) {
	p, field := &u.c.Ports[i], fmt.Sprintf("Ports[%d].Groups", i)
	groups := p.Groups
	if groups == nil {
		groups, field = u.c.Groups, "Groups"
	}
	weights, whole := weightsOf(groups)
	if !whole {
		u.note(field, "queues are strict, highest first, or share after these by weights of KiB")
	}
	for c := range sluice.Class(sluice.Classes) {
		var s qos.Shaper
		if p.QoS != nil {
			s = p.QoS.Shapers[c]
		}
		if groups != nil || s != (qos.Shaper{}) {
			u.set("QUEUE", u.ports[i]+"|"+strconv.Itoa(int(c)), "scheduler",
				u.scheduler(weights[c], s, fmt.Sprintf("Ports[%d].QoS.Shapers[%d]", i, c)))
		}
		if groups == nil && s != (qos.Shaper{}) {
			u.note(field, "queues that share by a weight of 1, beside a shaped queue")
		}
	}
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
	return weights, groups == nil || slices.Equal(made, groups)
}

// scheduler writes a scheduler once: of a weight, 0 for strict, -1 for a port, and a shaper.
func (u *updater) scheduler(weight int, s qos.Shaper, field string) string {
	const t = "SCHEDULER"
	name := fmt.Sprintf("scheduler.%d.%d.%d", weight, s.Rate/8, s.Burst)
	switch {
	case weight < 0:
		name = fmt.Sprintf("scheduler.port.%d.%d", s.Rate/8, s.Burst)
	case weight == 0:
		u.set(t, name, "type", "STRICT")
	default:
		u.set(t, name, "type", "DWRR")
		u.set(t, name, "weight", strconv.Itoa(weight))
	}
	if s.Rate != 0 {
		u.set(t, name, "meter_type", "bytes")
		u.set(t, name, "pir", strconv.FormatInt(int64(s.Rate/8), 10))
		u.bytes(t, name, "pbs", s.Burst)
	}
	if s.Rate%8 != 0 {
		u.note(field+".Rate", "not whole bytes per second")
	}
	return name
}
