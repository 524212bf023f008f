package sonic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

func (u *updater) port(i int) {
	p, old, name := &u.c.Ports[i], u.oldPort(i), u.ports[i]
	speed := p.Link.Rate / sluice.Mbps
	if p.Link.Rate != old.Link.Rate {
		u.db.set("PORT", name, "speed", strconv.FormatInt(int64(speed), 10))
	}
	if speed*sluice.Mbps != p.Link.Rate {
		u.note(fmt.Sprintf("Ports[%d].Link.Rate", i), "not whole Mb/s")
	}
	switch {
	case p.MTU == old.MTU && !u.isNew(i):
	case p.MTU > frameBytes:
		u.db.set("PORT", name, "mtu", decimal(p.MTU-frameBytes))
	default:
		u.note(fmt.Sprintf("Ports[%d].MTU", i), "no frame of IP")
	}
	metres := int(p.Link.Delay / pfc.Cable(1))
	if p.Link.Delay != old.Link.Delay || u.isNew(i) {
		u.db.set("CABLE_LENGTH", u.cables(name), name, cableName(metres))
	}
	if pfc.Cable(metres) != p.Link.Delay {
		u.note(fmt.Sprintf("Ports[%d].Link.Delay", i), "not a delay of whole metres, at 5 ns")
	}
	_, _, pauseQueue, pauseGroup := p.QoS.Maps()
	_, _, _, groupBefore := old.QoS.Maps()
	enabled := pauseGroup.Inverse().Of(p.Sends)
	if before := groupBefore.Inverse().Of(old.Sends); enabled != before {
		u.setPort("PORT_QOS_MAP", name, "pfc_enable", classNames(enabled))
	}
	asymmetric := u.db.parsed["PORT"][name]["pfc_asym"] == "on"
	switch follows := p.Obeys&sluice.AllClasses == pauseQueue.Of(enabled); {
	case p.Obeys == old.Obeys && p.Obeys == sluice.AllClasses && asymmetric:
	case p.Obeys == sluice.AllClasses && !follows:
		u.db.set("PORT", name, "pfc_asym", "on")
	case !follows:
		u.note(fmt.Sprintf("Ports[%d].Obeys", i), "neither all classes nor the classes of Sends")
	case asymmetric:
		u.db.set("PORT", name, "pfc_asym", "off")
	}
}

// cables returns the key of CABLE_LENGTH that has a port, or is the first.
func (u *updater) cables(port string) string {
	keys := sortedKeys(u.db.parsed["CABLE_LENGTH"])
	for _, key := range slices.Backward(keys) {
		if _, is := u.db.parsed["CABLE_LENGTH"][key][port]; is {
			return key
		}
	}
	return append(keys, "AZURE")[0]
}

// maps writes the maps of a port that are not as they were, and its shaper.
func (u *updater) maps(i int) {
	p, old := u.c.Ports[i].QoS, u.oldPort(i).QoS
	if p == nil {
		p = &qos.Port{}
	}
	if old == nil {
		old = &qos.Port{}
	}
	for _, of := range portMaps {
		switch m, before := *of.of(p), *of.of(old); {
		case m != nil && before != nil && *m == *before, m == nil && before == nil:
		case m == nil:
			u.setPort("PORT_QOS_MAP", u.ports[i], of.field, "")
		default:
			u.setPort("PORT_QOS_MAP", u.ports[i], of.field, u.aMap(of.table, *m))
		}
	}
	for c := range sluice.Class(sluice.Classes) {
		if p.Colors[c] != qos.Green {
			u.note(fmt.Sprintf("Ports[%d].QoS.Colors[%d]", i, c), "all packets are green")
		}
	}
}

// aMap writes a map once, and returns its name.
func (u *updater) aMap(table string, m qos.Map) string {
	f, name := fields{}, "AZURE"
	for from, to := range m {
		f[strconv.Itoa(from)] = strconv.Itoa(int(to))
		name += "_" + strconv.Itoa(int(to))
	}
	return u.profile(table, name, f)
}

func (u *updater) watchdog() {
	const t, global = "PFC_WD", "GLOBAL"
	w, old := &u.c.Watchdog, &u.old.Watchdog
	if w.Poll != old.Poll {
		u.millis("Watchdog.Poll", global, "POLL_INTERVAL", w.Poll)
	}
	if w.BigRedSwitch != old.BigRedSwitch {
		state := map[bool]string{true: "enable", false: "disable"}
		u.db.set(t, global, "BIG_RED_SWITCH", state[w.BigRedSwitch])
	}
	for i, name := range u.ports {
		own, before := watchdogOf(&u.c, &u.c.Ports[i]), watchdogOf(&u.old, u.oldPort(i))
		if own == before && !u.isNew(i) {
			continue
		}
		if own.Detection == 0 {
			u.db.unset(t, name, "")
			continue
		}
		field := fmt.Sprintf("Ports[%d].Watchdog.", i)
		if own.Detection != before.Detection {
			u.millis(field+"Detection", name, "detection_time", own.Detection)
		}
		if own.Restoration != before.Restoration {
			u.millis(field+"Restoration", name, "restoration_time", own.Restoration)
		}
		if own.Action != before.Action || before.Detection == 0 {
			u.db.set(t, name, "action", own.Action.String())
		}
		if own.Classes != before.Classes {
			_, _, pauseQueue, _ := u.c.Ports[i].QoS.Maps()
			u.setPort("PORT_QOS_MAP", name, "pfcwd_sw_enable",
				classNames(pauseQueue.Inverse().Of(own.Classes)))
		}
	}
}

func watchdogOf(c *pfc.Config, p *pfc.PortConfig) pfc.PortWatchdog {
	if p.Watchdog != nil {
		return *p.Watchdog
	}
	w := &c.Watchdog
	return pfc.PortWatchdog{
		Detection: w.Detection, Restoration: w.Restoration, Action: w.Action, Classes: w.Classes,
	}
}

func (u *updater) millis(from, key, field string, t sluice.Time) {
	u.db.set("PFC_WD", key, field, strconv.FormatInt(int64(t/sluice.Millisecond), 10))
	if t%sluice.Millisecond != 0 {
		u.note(from, "not whole milliseconds")
	}
}
