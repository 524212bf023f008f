package sonic

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/trigger"
)

type updater struct {
	db     *DB
	was    *importer  // what the tables said before
	old, c pfc.Config // with their defaults filled in
	ports  []string
	before []int    // the number in old of each port, -1 of a new one
	pools  []string // names of ingress pools, by number
	egress []string // and of egress pools
	left   []Note
}

// Update writes the differences between a configuration, whose ports have these names, and the
// Import of the tables for the same chip into the tables. All else stays, to the byte: names, the
// type and mode of pools, sizes that are absent, and entries and fields without a counterpart in
// pfc. A profile changes in its place where all that have it change alike; else those that change
// get another. Keys of which a part changes, as "Ethernet0|3-4", are split.
//
// The notes name, as table, the field of pfc that no table has. Then Update reads the tables again:
// the error names the fields that differ from the configuration and that no note names. It is the
// [*sluice.ConfigError] of pfc if the configuration is wrong, or an [*Error] if the tables cannot
// be read. After an error the tables are as before.
func (db *DB) Update(c pfc.Config, ports []string, chip Chip) ([]Note, error) {
	if len(ports) != len(c.Ports) {
		return nil, fmt.Errorf("sonic: %d names of %d ports", len(ports), len(c.Ports))
	}
	s, err := pfc.New(c)
	if err != nil {
		return nil, err
	}
	u := &updater{db: db.clone(), c: s.Config(), ports: ports}
	if err := u.readBefore(chip); err != nil {
		return nil, err
	}
	u.allPools()
	for i := range u.c.Ports {
		u.port(i)
		u.maps(i)
	}
	u.profiles()
	u.watchdog()
	u.others()
	if err := u.readAgain(chip); err != nil {
		return nil, err
	}
	*db = *u.db
	return grouped(u.left), nil
}

// readBefore reads what the tables say now. Tables without ports say nothing.
func (u *updater) readBefore(chip Chip) error {
	u.was = &importer{
		meaning: meaning{chip: chip}, reader: newReader(u.db), main: [2]string{lossless, lossy},
	}
	if u.was.findChip(); u.was.err != nil {
		return u.was.err
	}
	u.before = make([]int, len(u.ports))
	for i := range u.before {
		u.before[i] = -1
	}
	if len(u.db.parsed["PORT"]) == 0 {
		return nil
	}
	m, err := u.db.importer(chip)
	if err != nil {
		return err
	}
	s, err := pfc.New(m.Config)
	if err != nil {
		return err
	}
	u.was, u.old = m, s.Config()
	for i, name := range u.ports {
		if at, is := m.index[name]; is {
			u.before[i] = at
		}
	}
	return nil
}

// oldPort returns a port before the update.
func (u *updater) oldPort(i int) *pfc.PortConfig {
	if at := u.before[i]; at >= 0 {
		return &u.old.Ports[at]
	}
	return &pfc.PortConfig{Sends: sluice.NoClasses, Obeys: sluice.NoClasses}
}

func (u *updater) isNew(i int) bool { return u.before[i] < 0 }

func (u *updater) note(field, why string) {
	u.left = append(u.left, Note{Table: field, Why: why})
}

// allPools writes the sizes of pools that are not as they were, and new pools.
func (u *updater) allPools() {
	u.pools = named(u.was.pools, len(u.c.Pools)+1)
	u.egress = named(u.was.egress, len(u.c.EgressPools))
	u.pools[0] = u.was.main[0]
	for i := range u.pools {
		proposed := fmt.Sprintf("ingress_pool_%d", i)
		if i == u.c.LossyPool && i > 0 {
			proposed = lossy
		}
		if i > 0 {
			u.pools[i] = u.pool("ingress", u.pools[i], proposed)
			u.poolSize(u.pools[i], u.c.Pools[i-1])
		} else if _, given := u.db.parsed["BUFFER_POOL"][u.pools[0]]["size"]; !given &&
			u.old.Buffer == u.c.Buffer && u.old.Buffer != 0 {
			continue // SONiC computes it, of the chip's memory
		} else {
			u.pools[i] = u.pool("ingress", u.pools[i], proposed)
			u.mainSize()
		}
	}
	for i, size := range u.c.EgressPools {
		proposed := fmt.Sprintf("egress_pool_%d", i)
		if i < 2 {
			proposed = [...]string{"egress_lossless_pool", "egress_lossy_pool"}[i]
		}
		u.egress[i] = u.pool("egress", u.egress[i], proposed)
		u.poolSize(u.egress[i], size)
	}
	switch {
	case u.was.dynamic.ratio != 0 && u.was.sharedBy(&u.c) == u.c.HeadroomPool: // SONiC computes it
	case u.was.dynamic.ratio == 0 && u.c.HeadroomPool == u.old.HeadroomPool:
	case u.c.HeadroomPool == 0:
		u.db.unset("BUFFER_POOL", u.pools[0], "xoff")
	default:
		u.db.set("BUFFER_POOL", u.pools[0], "xoff", decimal(u.was.whole(u.c.HeadroomPool, "")))
	}
	if u.c.Buffer == 0 {
		u.note("Buffer", "a pool without a limit")
	}
}

// poolSize writes the size of a pool, unless the present text means the same.
func (u *updater) poolSize(name string, size sluice.Bytes) {
	f := u.db.parsed["BUFFER_POOL"][name]
	if before, err := parseBytes(f["size"]); err != nil || u.was.slice(before, f["mode"]) != size {
		u.db.set("BUFFER_POOL", name, "size", decimal(u.was.whole(size, f["mode"])))
	}
}

// mainSize is poolSize for the lossless pool.
func (u *updater) mainSize() {
	text := u.db.parsed["BUFFER_POOL"][u.pools[0]]["size"]
	if before, err := parseBytes(text); err != nil || u.was.bufferOf(before, &u.c) != u.c.Buffer {
		u.db.set("BUFFER_POOL", u.pools[0], "size", decimal(u.was.poolSize(&u.c)))
	}
}

// named returns the names of numbers.
func named(numbers map[string]int, n int) []string {
	names := make([]string, n)
	for name, i := range numbers {
		if i < n {
			names[i] = name
		}
	}
	return names
}

// pool returns the name of a pool, which begins to be if it has none.
func (u *updater) pool(kind, name, proposed string) string {
	const t = "BUFFER_POOL"
	if name == "" {
		name = u.unused(t, proposed)
	}
	if u.db.parsed[t][name] == nil {
		u.db.set(t, name, "type", kind)
		u.db.set(t, name, "mode", "dynamic")
	}
	return name
}

// unused returns a name that no entry of a table has: the one proposed, or one like it.
func (u *updater) unused(table, name string) string {
	proposed := name
	for n := 2; u.db.parsed[table][name] != nil; n++ {
		name = fmt.Sprintf("%s_%d", proposed, n)
	}
	return name
}

func (u *updater) others() {
	c := &u.c
	if c.MAC != u.old.MAC {
		u.db.set("DEVICE_METADATA", "localhost", "mac", c.MAC.String())
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
		u.groupNotes(i)
		p := &c.Ports[i]
		said(p.Mode != pfc.PriorityPause, fmt.Sprintf("Ports[%d].Mode", i), "PFC alone")
		said(p.Pause != pfc.DefaultPause, fmt.Sprintf("Ports[%d].Pause", i), "the chip decides")
		said(p.MAC != c.MAC, fmt.Sprintf("Ports[%d].MAC", i), "one address for the switch")
		said(p.Strict, fmt.Sprintf("Ports[%d].Strict", i), "the chip decides")
		said(p.LossyReserve != 0 || p.LossyAlpha != sluice.Ratio{} &&
			p.LossyAlpha != sluice.Ratio{Num: 1, Den: 1}, fmt.Sprintf("Ports[%d].LossyAlpha", i),
			"QoS.Queues has the limits of queues")
		for class, own := range p.Profiles {
			has := p.Classes.Has(sluice.Class(class)) ||
				p.QoS != nil && p.QoS.Lossy.Has(sluice.Class(class))
			said(own != nil && !has, fmt.Sprintf("Ports[%d].Profiles[%d]", i, class),
				"the class has no profile")
		}
	}
}

// groupNotes notes groups that no schedulers make.
func (u *updater) groupNotes(i int) {
	p, field := &u.c.Ports[i], fmt.Sprintf("Ports[%d].Groups", i)
	groups := p.Groups
	if groups == nil {
		groups, field = u.c.Groups, "Groups"
	}
	if _, whole := weightsOf(groups); !whole {
		u.note(field, "queues are strict, highest first, or share after these by weights of KiB")
	}
	if groups == nil && p.QoS != nil && p.QoS.Shapers != [sluice.Classes]qos.Shaper{} {
		u.note(field, "queues that share by a weight of 1, beside a shaped queue")
	}
}
