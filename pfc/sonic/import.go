package sonic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Switch is the configuration of a switch as SONiC's tables have it.
type Switch struct {
	// Config is of pfc: New takes it. Where the chip's memory is cut in slices, it is of one slice,
	// which all ports share: its pools and its shared headroom pool. Which ports share a slice SONiC
	// does not say.
	Config pfc.Config
	// Chip is the one given to Import, with what ChipOf has of the platform.
	Chip Chip
	// Ports are the names of Config.Ports, Cables their lengths in metres.
	Ports  []string
	Cables []int
	// LosslessMTU is the largest lossless frame, SmallPackets the percentage of frames of 64 bytes:
	// from LOSSLESS_TRAFFIC_PATTERN, or the chip's.
	LosslessMTU  sluice.Bytes
	SmallPackets int
	// Dynamic: the headrooms of profiles that are NULL are computed by the formula.
	Dynamic bool
	// DSCP are the maps of DSCP_TO_TC_MAP, by name.
	DSCP map[string]pfc.DSCPMap
	// Left lists the settings that are not carried over.
	Left []Note
	// Faults are what [DB.Faults] finds, and classes of pfc_enable that have no lossless group.
	Faults []Note
	// Generated are the lossless groups that SONiC makes by the table of DB.UseLookup: keys of
	// BUFFER_PG that the file does not have.
	Generated []string

	given []bool // ports whose cables have a length
}

type importer struct {
	*reader
	Switch
	meaning
	system  string            // what begins keys of this ASIC's ports, "host|asic0|", if it has a name
	down    map[string]bool   // ports whose lossless groups SONiC takes away
	main    [2]string         // names of the ingress pools of lossless and of lossy packets
	index   map[string]int    // of ports
	pools   map[string]int    // of pfc, of ingress
	egress  map[string]int    // and of egress
	enabled []sluice.ClassSet // pfc_enable
	qosKey  []string          // keys of PORT_QOS_MAP, by port
	dynamic dynamic
	sizes   map[string]sluice.Bytes
	uses    map[slot]string // names of profiles
	bare    []Note          // classes of pfc_enable without a lossless group
}

// slot is a place that has a profile: a queue or a group of a port, or a port's limit of a pool.
type slot struct {
	table, field string
	port         int
	number       sluice.Class // of the queue, group or pool
}

func (m *importer) use(table, field string, port int, number sluice.Class, name string) {
	m.uses[slot{table, field, port, number}] = name
}

// frameBytes is a frame's bytes beyond the IP packet that SONiC's mtu counts: MAC header, a VLAN
// tag and check sequence.
const frameBytes = 14 + 4 + 4

// Import makes a switch of the configuration, for a chip: zero fields have the values of the
// platform that DEVICE_METADATA names, see [ChipOf]. A note names each assumption about an unknown
// chip. An error is an [*Error], with table, key and field, or the [*sluice.ConfigError] of pfc.
func (db *DB) Import(chip Chip) (*Switch, error) {
	m, err := db.importer(chip)
	if err != nil {
		return nil, err
	}
	return &m.Switch, nil
}

// importer imports, and keeps what Update needs.
func (db *DB) importer(chip Chip) (*importer, error) {
	m := &importer{
		reader: newReader(db), meaning: meaning{chip: chip}, index: map[string]int{},
		pools: map[string]int{}, egress: map[string]int{}, sizes: map[string]sluice.Bytes{},
		down: map[string]bool{}, uses: map[slot]string{},
	}
	if m.err != nil {
		return nil, m.err
	}
	m.DSCP = map[string]pfc.DSCPMap{}
	for _, part := range []func(){
		m.findChip, m.traffic, m.ports, m.bufferPools, m.qosMaps, m.generate, m.priorityGroups,
		m.queues, m.portProfiles, m.wred, m.schedulers, m.watchdog, m.classes, m.buffer,
	} {
		if part(); m.err != nil {
			return nil, m.err
		}
	}
	m.noteUnread("BUFFER_PG", "BUFFER_POOL", "BUFFER_PORT_EGRESS_PROFILE_LIST",
		"BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PROFILE", "BUFFER_QUEUE",
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN", "PFC_WD", "PORT_QOS_MAP",
		"QUEUE", "SCHEDULER", "WRED_PROFILE")
	if _, err := pfc.New(m.Config); err != nil {
		return nil, err
	}
	m.Left, m.Chip = grouped(m.left), m.chip
	m.Faults = append(db.Faults(), grouped(m.bare)...)
	return m, nil
}

// findChip fills in the known facts of the platform's chip, and notes the assumptions.
func (m *importer) findChip() {
	const t, key = "DEVICE_METADATA", "localhost"
	platform, _ := m.value(t, key, "platform")
	hwsku, _ := m.value(t, key, "hwsku")
	if found, ok := ChipOf(platform, hwsku); ok {
		m.chip = m.chip.or(found)
	}
	if why := m.assumed(); why != "" {
		m.note(t, key, "hwsku", why)
	}
	if m.chip.Slices > 1 {
		m.note("BUFFER_POOL", "", "size", fmt.Sprintf(
			"%s has its memory in %d slices: this is one of them, as all ports shared it", m.chip.Name,
			m.chip.Slices))
	}
}

// traffic reads the settings of the whole switch.
func (m *importer) traffic() {
	var model string
	if s, ok := m.value("DEVICE_METADATA", "localhost", "buffer_model"); ok {
		model = s
	}
	m.Dynamic = model == "dynamic"
	if model != "" && model != "dynamic" && model != "traditional" {
		m.fail("DEVICE_METADATA", "localhost", "buffer_model", model, "must be dynamic or traditional")
	}
	get(m.reader, "DEVICE_METADATA", "localhost", "mac", parseMAC, &m.Config.MAC)
	host, _ := m.value("DEVICE_METADATA", "localhost", "hostname")
	asic, _ := m.value("DEVICE_METADATA", "localhost", "asic_name")
	m.system = host + "|" + asic + "|"
	m.LosslessMTU, m.SmallPackets = m.chip.LosslessMTU, m.chip.SmallPackets
	for _, key := range m.keys("LOSSLESS_TRAFFIC_PATTERN") {
		get(m.reader, "LOSSLESS_TRAFFIC_PATTERN", key, "mtu", parseBytes, &m.LosslessMTU)
		get(m.reader, "LOSSLESS_TRAFFIC_PATTERN", key, "small_packet_percentage", parsePercent,
			&m.SmallPackets)
	}
	m.dynamic.alpha = sluice.Ratio{Num: 1, Den: 1}
	for _, key := range m.keys("DEFAULT_LOSSLESS_BUFFER_PARAMETER") {
		const t = "DEFAULT_LOSSLESS_BUFFER_PARAMETER"
		get(m.reader, t, key, "default_dynamic_th", m.alpha, &m.dynamic.alpha)
		if m.Dynamic {
			get(m.reader, t, key, "over_subscribe_ratio", parseRatio, &m.dynamic.ratio)
		}
	}
	m.shared = m.dynamic.ratio != 0
}

func (m *importer) ports() {
	cables := m.keys("CABLE_LENGTH")
	for _, name := range m.keys("PORT") {
		p := m.chip.Port(0, 0)
		if !get(m.reader, "PORT", name, "speed", parseSpeed, &p.Link.Rate) {
			if m.err == nil {
				m.note("PORT", name, "speed", "not given: the port is left out")
			}
			continue
		}
		p.Pipeline = p.Link.Rate.TimeOf(m.chip.MACPHY)
		if get(m.reader, "PORT", name, "mtu", parseBytes, &p.MTU) {
			p.MTU += frameBytes
		}
		if s, _ := m.value("PORT", name, "pfc_asym"); s == "on" {
			p.Obeys = sluice.AllClasses
		}
		if s, _ := m.value("PORT", name, "admin_status"); s == "down" {
			m.down[name] = m.Dynamic || m.reclaims()
		}
		metres := 0
		for _, key := range cables {
			get(m.reader, "CABLE_LENGTH", key, name, parseCable, &metres)
		}
		p.Link.Delay = pfc.Cable(metres)
		m.index[name] = len(m.Ports)
		m.Ports, m.Cables = append(m.Ports, name), append(m.Cables, metres)
		m.Config.Ports = append(m.Config.Ports, p)
	}
	m.Config.Classes, m.Config.CellSize = sluice.NoClasses, m.chip.Cell
	m.enabled, m.qosKey = make([]sluice.ClassSet, len(m.Ports)), make([]string, len(m.Ports))
	if len(m.Ports) == 0 {
		m.fail("PORT", "", "", "", "must have a port with a speed")
	}
}

// reclaims reports whether SONiC takes away the lossless groups of ports that are down though the
// buffer model is the traditional one: buffermgr does so on the platforms of Nvidia and Barefoot.
func (m *importer) reclaims() bool {
	platform, _ := m.value("DEVICE_METADATA", "localhost", "platform")
	hwsku, _ := m.value("DEVICE_METADATA", "localhost", "hwsku")
	name := strings.ToLower(platform + " " + hwsku)
	for _, maker := range []string{"mlnx", "mellanox", "nvidia", "acs-msn", "acs-sn", "barefoot"} {
		if strings.Contains(name, maker) {
			return true
		}
	}
	return false
}

// lossless is the pool that is pool 0 of pfc, and lossy the pool that lossy packets share.
const lossless, lossy = "ingress_lossless_pool", "ingress_lossy_pool"

// bufferPools reads the pools.
func (m *importer) bufferPools() {
	m.main = m.mainPools()
	var others, egress []string
	modes := map[string]string{}
	for _, name := range m.keys("BUFFER_POOL") {
		kind, _ := m.value("BUFFER_POOL", name, "type")
		modes[name], _ = m.value("BUFFER_POOL", name, "mode") // the mode of each profile counts
		size := sluice.Bytes(-1)
		get(m.reader, "BUFFER_POOL", name, "size", parseBytes, &size)
		m.sizes[name] = size
		if size > 0 && (kind == "egress" || kind == "both") {
			egress = append(egress, name)
		}
		switch {
		case name == m.main[0]:
			m.pools[name] = 0
			get(m.reader, "BUFFER_POOL", name, "xoff", parseBytes, &m.Config.HeadroomPool)
			m.shared = m.shared || m.Config.HeadroomPool != 0
			m.Config.HeadroomPool = m.slice(m.Config.HeadroomPool, "")
		case size <= 0:
			m.note("BUFFER_POOL", name, "", "a pool without a size cannot be shared")
		case kind != "egress":
			others = append(others, name)
		}
	}
	for _, name := range egress {
		m.egress[name] = len(m.Config.EgressPools)
		m.Config.EgressPools = append(m.Config.EgressPools, m.slice(m.sizes[name], modes[name]))
	}
	for _, name := range others {
		m.Config.Pools = append(m.Config.Pools, m.slice(m.sizes[name], ""))
		m.pools[name] = len(m.Config.Pools)
	}
	m.Config.LossyPool = m.pools[m.main[1]]
}

// mainPools returns the names of the ingress pools of lossless and of lossy packets. Where there is
// no pool of the name that SONiC has for the first, it is the one that has an xoff, or the one of
// the first profile that has, or the first.
func (m *importer) mainPools() (names [2]string) {
	names = [2]string{lossless, lossy}
	if m.tables["BUFFER_POOL"][lossless] != nil {
		return names
	}
	var ingress []string
	for _, name := range m.keys("BUFFER_POOL") {
		if kind := m.tables["BUFFER_POOL"][name]["type"]; kind == "ingress" || kind == "both" {
			ingress = append(ingress, name)
		}
	}
	names[0] = ""
	for _, name := range ingress {
		if _, has := m.tables["BUFFER_POOL"][name]["xoff"]; has && names[0] == "" {
			names[0] = name
		}
	}
	for _, name := range m.keys("BUFFER_PROFILE") {
		f := m.tables["BUFFER_PROFILE"][name]
		pool := reference(f["pool"])
		if _, has := f["xoff"]; has && names[0] == "" && slices.Contains(ingress, pool) {
			names[0] = pool
		}
	}
	switch {
	case names[0] == "" && len(ingress) == 0:
		names[0] = lossless
	case names[0] == "":
		names[0] = ingress[0]
	}
	if len(ingress) > 0 {
		m.note("BUFFER_POOL", names[0], "type", "taken to be what is "+lossless+" elsewhere")
	}
	return names
}

func (m *importer) buffer() {
	m.dynamicHeadroomPool()
	size, ok := m.sizes[m.main[0]]
	if ok && size >= 0 && size+m.Config.SetApart() > 0 {
		m.Config.Buffer = m.bufferOf(size, &m.Config)
		if m.Config.Buffer < m.Config.SetApart() {
			m.fail("BUFFER_POOL", m.main[0], "size", decimal(size), fmt.Sprintf(
				"must be at least the %d bytes that groups, headrooms and queues take of it",
				m.apart(&m.Config)))
		}
		return
	}
	if m.chip.Buffer == 0 {
		m.fail("BUFFER_POOL", m.main[0], "size", "", "must be given, or the chip's memory")
	}
	m.Config.Buffer = m.chip.Buffer
}
