package sonic

import (
	"fmt"
	"net"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// updater is an Update under way.
type updater struct {
	db       *DB
	c        pfc.Config // with its defaults filled in
	ports    []string
	profiles map[pfc.Profile]string
	markings map[sluice.Marking]string
	left     []Note
	err      error
}

// Update writes a configuration, whose ports have these names, into the tables. Entries and fields
// that it does not speak of stay. The notes name, as table, the field of pfc that no table has. The
// error is the [*sluice.ConfigError] of pfc, or an [*Error] if a table of db is not one.
func (db *DB) Update(c pfc.Config, ports []string) ([]Note, error) {
	if len(ports) != len(c.Ports) {
		return nil, fmt.Errorf("sonic: %d names of %d ports", len(ports), len(c.Ports))
	}
	s, err := pfc.New(c)
	if err != nil {
		return nil, err
	}
	u := &updater{
		db: db, c: s.Config(), ports: ports,
		profiles: map[pfc.Profile]string{}, markings: map[sluice.Marking]string{},
	}
	u.pools()
	for i := range u.c.Ports {
		u.port(i)
		u.groups(i)
		u.egress(i)
	}
	u.watchdog()
	u.others()
	return u.left, u.err
}

func (u *updater) set(table, key, field, value string) {
	if u.err == nil {
		u.err = u.db.set(table, key, field, value)
	}
}

func (u *updater) bytes(table, key, field string, n sluice.Bytes) {
	u.set(table, key, field, strconv.FormatInt(int64(n), 10))
}

func (u *updater) note(field, why string) { u.left = append(u.left, Note{Table: field, Why: why}) }

// poolName returns the name of a pool of pfc.
func (u *updater) poolName(pool int) string {
	switch {
	case pool == 0:
		return lossless
	case pool == u.c.LossyPool:
		return lossy
	}
	return fmt.Sprintf("ingress_pool_%d", pool)
}

func (u *updater) pools() {
	const t = "BUFFER_POOL"
	for pool := range len(u.c.Pools) + 1 {
		name, size := u.poolName(pool), u.c.Buffer-u.c.SetApart()
		if pool > 0 {
			size = u.c.Pools[pool-1]
		}
		u.set(t, name, "type", "ingress")
		u.set(t, name, "mode", "dynamic")
		u.bytes(t, name, "size", size)
	}
	if u.c.HeadroomPool != 0 {
		u.bytes(t, lossless, "xoff", u.c.HeadroomPool)
	}
	if u.c.Buffer == 0 {
		u.note("Buffer", "a pool without a limit")
	}
	const egressLossy = "egress_lossy_pool"
	u.set(t, egressLossy, "type", "egress")
	u.set(t, egressLossy, "mode", "dynamic")
	u.bytes(t, egressLossy, "size", u.c.Buffer)
}

// port writes a port, its cable and its classes.
func (u *updater) port(i int) {
	p, name := &u.c.Ports[i], u.ports[i]
	speed := p.Link.Rate / sluice.Mbps
	u.set("PORT", name, "speed", strconv.FormatInt(int64(speed), 10))
	if speed*sluice.Mbps != p.Link.Rate {
		u.note(fmt.Sprintf("Ports[%d].Link.Rate", i), "not whole Mb/s")
	}
	if p.MTU > frameBytes {
		u.bytes("PORT", name, "mtu", p.MTU-frameBytes)
	}
	metres := int(p.Link.Delay / pfc.Cable(1))
	u.set("CABLE_LENGTH", "AZURE", name, cableName(metres))
	if pfc.Cable(metres) != p.Link.Delay {
		u.note(fmt.Sprintf("Ports[%d].Link.Delay", i), "not that of whole metres, at 5 ns each")
	}
	u.set("PORT_QOS_MAP", name, "pfc_enable", classNames(p.Sends))
	switch {
	case p.Obeys == sluice.AllClasses && p.Sends != sluice.AllClasses:
		u.set("PORT", name, "pfc_asym", "on")
	case p.Obeys&sluice.AllClasses != p.Sends&sluice.AllClasses:
		u.note(fmt.Sprintf("Ports[%d].Obeys", i), "neither all classes nor those of Sends")
	}
}

// groups writes the profiles of the lossless priority groups.
func (u *updater) groups(i int) {
	p := &u.c.Ports[i]
	for c := range sluice.Class(sluice.Classes) {
		if !p.Classes.Has(c) {
			continue
		}
		profile := p.Profile
		if own := p.Profiles[c]; own != nil {
			profile = *own
		}
		key := u.ports[i] + "|" + strconv.Itoa(int(c))
		u.set("BUFFER_PG", key, "profile",
			u.profile(profile, fmt.Sprintf("Ports[%d].Profiles[%d]", i, c)))
	}
}

// profile writes a profile once, and returns its name.
func (u *updater) profile(p pfc.Profile, field string) string {
	const t = "BUFFER_PROFILE"
	name, ok := u.profiles[p]
	if ok {
		return name
	}
	name = fmt.Sprintf("pg_lossless_%d_profile", len(u.profiles)+1)
	u.profiles[p] = name
	u.set(t, name, "pool", u.poolName(p.Pool))
	u.bytes(t, name, "size", p.Reserve)
	u.bytes(t, name, "xoff", p.Headroom)
	if p.XOff != 0 {
		u.bytes(t, name, "static_th", p.XOff-p.Reserve)
		u.bytes(t, name, "xon", 0)
		u.bytes(t, name, "xon_offset", p.XOff-p.XOn)
		if p.XOff == p.Reserve {
			u.note(field+".XOff", "a static_th of 0, which is none")
		}
		return name
	}
	exponent, ok := dynamicName(p.Alpha)
	if !ok {
		u.note(field+".Alpha", "no power of two")
		exponent = "0"
	}
	u.set(t, name, "dynamic_th", exponent)
	u.bytes(t, name, "xon", p.XOnFloor)
	u.bytes(t, name, "xon_offset", max(0, p.ResumeOffset))
	return name
}

// egress writes the limit and the marking of a port's queues.
func (u *updater) egress(i int) {
	p, port := &u.c.Ports[i], u.ports[i]
	for c := range sluice.Class(sluice.Classes) {
		key := port + "|" + strconv.Itoa(int(c))
		if !p.Classes.Has(c) && p.LossyAlpha != (sluice.Ratio{}) {
			exponent, ok := dynamicName(p.LossyAlpha)
			if !ok {
				u.note(fmt.Sprintf("Ports[%d].LossyAlpha", i), "no power of two")
				exponent = "0"
			}
			name := fmt.Sprintf("egress_lossy_%s_%d_profile", exponent, p.LossyReserve)
			u.set("BUFFER_PROFILE", name, "pool", "egress_lossy_pool")
			u.bytes("BUFFER_PROFILE", name, "size", p.LossyReserve)
			u.set("BUFFER_PROFILE", name, "dynamic_th", exponent)
			u.set("BUFFER_QUEUE", key, "profile", name)
		}
		if p.ECN[c] != (sluice.Marking{}) {
			u.set("QUEUE", key, "wred_profile", u.marking(p.ECN[c], i, c))
		}
	}
}

// marking writes a marking once, and returns its name.
func (u *updater) marking(m sluice.Marking, port int, class sluice.Class) string {
	const t = "WRED_PROFILE"
	name, ok := u.markings[m]
	if ok {
		return name
	}
	name = fmt.Sprintf("WRED_%d", len(u.markings)+1)
	u.markings[m] = name
	percent := int64(100)
	if m.PMax.Den > 0 {
		percent = m.PMax.Num * 100 / m.PMax.Den
	}
	if m.PMax.Den > 0 && percent*m.PMax.Den != m.PMax.Num*100 || percent == 0 {
		u.note(fmt.Sprintf("Ports[%d].ECN[%d].PMax", port, class), "not whole percent")
	}
	u.set(t, name, "ecn", "ecn_green")
	u.set(t, name, "wred_green_enable", "true")
	u.bytes(t, name, "green_min_threshold", m.KMin)
	u.bytes(t, name, "green_max_threshold", m.KMax)
	u.set(t, name, "green_drop_probability", strconv.FormatInt(percent, 10))
	return name
}

// watchdog writes PFC_WD.
func (u *updater) watchdog() {
	const t = "PFC_WD"
	w := &u.c.Watchdog
	u.millis("Watchdog.Poll", "GLOBAL", "POLL_INTERVAL", w.Poll)
	if w.BigRedSwitch {
		u.set(t, "GLOBAL", "BIG_RED_SWITCH", "enable")
	}
	for i := range u.c.Ports {
		own := pfc.PortWatchdog{
			Detection: w.Detection, Restoration: w.Restoration, Action: w.Action, Classes: w.Classes,
		}
		if u.c.Ports[i].Watchdog != nil {
			own = *u.c.Ports[i].Watchdog
		}
		if own.Detection == 0 {
			continue
		}
		field := fmt.Sprintf("Ports[%d].Watchdog.", i)
		u.millis(field+"Detection", u.ports[i], "detection_time", own.Detection)
		u.millis(field+"Restoration", u.ports[i], "restoration_time", own.Restoration)
		u.set(t, u.ports[i], "action", own.Action.String())
		u.set("PORT_QOS_MAP", u.ports[i], "pfcwd_sw_enable", classNames(own.Classes))
	}
}

func (u *updater) millis(from, key, field string, t sluice.Time) {
	u.set("PFC_WD", key, field, strconv.FormatInt(int64(t/sluice.Millisecond), 10))
	if t%sluice.Millisecond != 0 {
		u.note(from, "not whole milliseconds")
	}
}

// others writes the address, and notes what no table has.
func (u *updater) others() {
	c := &u.c
	if c.MAC != ([6]byte{}) {
		u.set("DEVICE_METADATA", "localhost", "mac", net.HardwareAddr(c.MAC[:]).String())
	}
	said := func(is bool, field, why string) {
		if is {
			u.note(field, why)
		}
	}
	said(c.ReservedClasses != sluice.Classes, "ReservedClasses", "every class has its own")
	said(c.Groups != nil, "Groups", "SCHEDULER is not written")
	said(len(c.Retag) > 0, "Retag", "classes do not change on the way")
	said(c.Trigger != pfc.AtIngress, "Trigger", "PFC alone")
	said(c.Watchdog.Looks > 1 || c.Watchdog.CountPolls, "Watchdog.Looks", "its scripts decide")
	for i := range c.Ports {
		p := &c.Ports[i]
		said(p.Mode != pfc.PriorityPause, fmt.Sprintf("Ports[%d].Mode", i), "PFC alone")
		said(p.Pause != pfc.DefaultPause, fmt.Sprintf("Ports[%d].Pause", i), "the chip decides")
		said(p.MAC != c.MAC, fmt.Sprintf("Ports[%d].MAC", i), "one address for the switch")
		said(p.Strict, fmt.Sprintf("Ports[%d].Strict", i), "the chip decides")
		for class, own := range p.Profiles {
			said(own != nil && !p.Classes.Has(sluice.Class(class)),
				fmt.Sprintf("Ports[%d].Profiles[%d]", i, class), "the class is not lossless")
		}
	}
}
