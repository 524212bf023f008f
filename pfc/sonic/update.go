package sonic

import (
	"fmt"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/trigger"
)

type updater struct {
	db       *DB
	c        pfc.Config // with its defaults filled in
	ports    []string
	profiles map[groupProfile]string
	markings map[sluice.Marking]string
	limits   map[pooledLimit]string
	wreds    map[qos.WRED]string
	egress   []string // names of pools
	left     []Note
	err      error
}

type groupProfile struct {
	p        pfc.Profile
	lossless bool
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
		profiles: map[groupProfile]string{}, markings: map[sluice.Marking]string{},
		limits: map[pooledLimit]string{}, wreds: map[qos.WRED]string{},
	}
	u.pools()
	for i := range u.c.Ports {
		u.port(i)
		u.groups(i)
		u.marking(i)
		u.rules(i)
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
	u.egressPools()
}

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
		u.note(fmt.Sprintf("Ports[%d].Link.Delay", i), "not a delay of whole metres, at 5 ns")
	}
	_, _, pauseQueue, pauseGroup := p.QoS.Maps()
	enabled := pauseGroup.Inverse().Of(p.Sends)
	u.set("PORT_QOS_MAP", name, "pfc_enable", classNames(enabled))
	switch {
	case p.Obeys == sluice.AllClasses && p.Sends != sluice.AllClasses:
		u.set("PORT", name, "pfc_asym", "on")
	case p.Obeys&sluice.AllClasses != pauseQueue.Of(enabled):
		u.note(fmt.Sprintf("Ports[%d].Obeys", i), "neither all classes nor the classes of Sends")
	}
}

func (u *updater) groups(i int) {
	p := &u.c.Ports[i]
	for c := range sluice.Class(sluice.Classes) {
		lossless := p.Classes.Has(c)
		if !lossless && (p.QoS == nil || !p.QoS.Lossy.Has(c)) {
			continue
		}
		profile := p.Profile
		if own := p.Profiles[c]; own != nil {
			profile = *own
		}
		key := u.ports[i] + "|" + strconv.Itoa(int(c))
		u.set("BUFFER_PG", key, "profile",
			u.profile(profile, lossless, fmt.Sprintf("Ports[%d].Profiles[%d]", i, c)))
	}
}

// profile writes a profile once, and returns its name.
func (u *updater) profile(p pfc.Profile, lossless bool, field string) string {
	const t = "BUFFER_PROFILE"
	format := "pg_lossy_%d_profile"
	if lossless {
		format = "pg_lossless_%d_profile"
	}
	name, is := named(u.profiles, groupProfile{p, lossless}, format)
	if is {
		return name
	}
	u.set(t, name, "pool", u.poolName(p.Pool))
	u.bytes(t, name, "size", p.Reserve)
	if lossless {
		u.bytes(t, name, "xoff", p.Headroom)
	}
	if p.XOff != 0 {
		u.bytes(t, name, "static_th", p.XOff-p.Reserve)
		u.bytes(t, name, "xon", 0)
		u.bytes(t, name, "xon_offset", p.XOff-p.XOn)
		if p.XOff == p.Reserve {
			u.note(field+".XOff", "a static_th of 0, which is none")
		}
		return name
	}
	u.exponent(t, name, p.Alpha, field+".Alpha")
	u.bytes(t, name, "xon", p.XOnFloor)
	u.bytes(t, name, "xon_offset", max(0, p.ResumeOffset))
	return name
}

func (u *updater) marking(i int) {
	for c, m := range u.c.Ports[i].ECN {
		if m == (sluice.Marking{}) {
			continue
		}
		name, is := named(u.markings, m, "WRED_%d")
		if !is {
			u.set("WRED_PROFILE", name, "ecn", "ecn_green")
			u.curve(name, "green", m, fmt.Sprintf("Ports[%d].ECN[%d]", i, c))
		}
		u.set("QUEUE", u.ports[i]+"|"+strconv.Itoa(c), "wred_profile", name)
	}
}

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
		_, _, pauseQueue, _ := u.c.Ports[i].QoS.Maps()
		u.set("PORT_QOS_MAP", u.ports[i], "pfcwd_sw_enable",
			classNames(pauseQueue.Inverse().Of(own.Classes)))
	}
}

func (u *updater) millis(from, key, field string, t sluice.Time) {
	u.set("PFC_WD", key, field, strconv.FormatInt(int64(t/sluice.Millisecond), 10))
	if t%sluice.Millisecond != 0 {
		u.note(from, "not whole milliseconds")
	}
}

func (u *updater) others() {
	c := &u.c
	if c.MAC != ([6]byte{}) {
		u.set("DEVICE_METADATA", "localhost", "mac", formatMAC(c.MAC))
	}
	said := func(is bool, field, why string) {
		if is {
			u.note(field, why)
		}
	}
	said(c.ReservedClasses != sluice.Classes, "ReservedClasses", "every class has its own")
	said(c.Watermarks, "Watermarks", "they are always counted")
	said(len(c.Retag) > 0, "Retag", "classes do not change on the way")
	said(c.Trigger != trigger.AtIngress, "Trigger", "PFC alone")
	said(c.Watchdog.Looks > 1 || c.Watchdog.CountPolls, "Watchdog.Looks", "its scripts decide")
	for i := range c.Ports {
		p := &c.Ports[i]
		said(p.Mode != pfc.PriorityPause, fmt.Sprintf("Ports[%d].Mode", i), "PFC alone")
		said(p.Pause != pfc.DefaultPause, fmt.Sprintf("Ports[%d].Pause", i), "the chip decides")
		said(p.MAC != c.MAC, fmt.Sprintf("Ports[%d].MAC", i), "one address for the switch")
		said(p.Strict, fmt.Sprintf("Ports[%d].Strict", i), "the chip decides")
		said(p.LossyReserve != 0 || p.LossyAlpha != sluice.Ratio{} &&
			p.LossyAlpha != sluice.Ratio{Num: 1, Den: 1}, fmt.Sprintf("Ports[%d].LossyAlpha", i),
			"QoS.Queues has the limits of queues")
		for class, own := range p.Profiles {
			has := p.Classes.Has(sluice.Class(class)) || p.QoS != nil && p.QoS.Lossy.Has(sluice.Class(class))
			said(own != nil && !has, fmt.Sprintf("Ports[%d].Profiles[%d]", i, class),
				"the class has no profile")
		}
	}
}
