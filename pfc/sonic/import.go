package sonic

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// Switch is what a configuration of SONiC says about a switch.
type Switch struct {
	// Config is of pfc: New takes it.
	Config pfc.Config
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
	// Left says what is not carried over.
	Left []Note
}

type importer struct {
	*reader
	Switch
	chip    Chip
	index   map[string]int    // of ports
	pools   map[string]int    // of pfc, of ingress
	egress  map[string]int    // and of egress
	enabled []sluice.ClassSet // pfc_enable
	alpha   sluice.Ratio      // of profiles that are NULL
	sizes   map[string]sluice.Bytes
}

// frameBytes is what a frame has beyond the IP packet that SONiC's mtu counts: MAC header, a VLAN
// tag and check sequence.
const frameBytes = 14 + 4 + 4

// Import makes a switch of the configuration, for a chip. An error is an [*Error], with table, key
// and field, or the [*sluice.ConfigError] of pfc.
func (db *DB) Import(chip Chip) (*Switch, error) {
	m := &importer{
		reader: newReader(db), chip: chip, index: map[string]int{}, pools: map[string]int{},
		egress: map[string]int{}, sizes: map[string]sluice.Bytes{},
	}
	m.DSCP = map[string]pfc.DSCPMap{}
	for _, part := range []func(){
		m.traffic, m.ports, m.bufferPools, m.qosMaps, m.priorityGroups, m.queues, m.portProfiles,
		m.wred, m.schedulers, m.watchdog, m.classes, m.buffer,
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
	m.Left = m.left
	return &m.Switch, nil
}

// traffic reads what is said once for the switch.
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
	m.LosslessMTU, m.SmallPackets = m.chip.LosslessMTU, m.chip.SmallPackets
	for _, key := range m.keys("LOSSLESS_TRAFFIC_PATTERN") {
		get(m.reader, "LOSSLESS_TRAFFIC_PATTERN", key, "mtu", parseBytes, &m.LosslessMTU)
		get(m.reader, "LOSSLESS_TRAFFIC_PATTERN", key, "small_packet_percentage", parsePercent,
			&m.SmallPackets)
	}
	m.alpha = sluice.Ratio{Num: 1, Den: 1}
	for _, key := range m.keys("DEFAULT_LOSSLESS_BUFFER_PARAMETER") {
		get(m.reader, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", key, "default_dynamic_th", parseDynamic,
			&m.alpha)
	}
}

func (m *importer) ports() {
	for i, name := range m.keys("PORT") {
		p := m.chip.Port(0, 0)
		if !get(m.reader, "PORT", name, "speed", parseSpeed, &p.Link.Rate) {
			m.fail("PORT", name, "speed", "", "must be given")
			return
		}
		p.Pipeline = p.Link.Rate.TimeOf(m.chip.MACPHY)
		if get(m.reader, "PORT", name, "mtu", parseBytes, &p.MTU) {
			p.MTU += frameBytes
		}
		if s, _ := m.value("PORT", name, "pfc_asym"); s == "on" {
			p.Obeys = sluice.AllClasses
		}
		metres := 0
		for _, key := range m.keys("CABLE_LENGTH") {
			get(m.reader, "CABLE_LENGTH", key, name, parseCable, &metres)
		}
		p.Link.Delay = pfc.Cable(metres)
		m.index[name] = i
		m.Ports, m.Cables = append(m.Ports, name), append(m.Cables, metres)
		m.Config.Ports = append(m.Config.Ports, p)
	}
	m.Config.Classes, m.Config.CellSize = sluice.NoClasses, m.chip.Cell
	m.enabled = make([]sluice.ClassSet, len(m.Ports))
	if len(m.Ports) == 0 {
		m.fail("PORT", "", "", "", "must have a port")
	}
}

// lossless is the pool that is pool 0 of pfc, and lossy the pool that lossy packets share.
const lossless, lossy = "ingress_lossless_pool", "ingress_lossy_pool"

// bufferPools reads the ingress pools.
func (m *importer) bufferPools() {
	var others, egress []string
	for _, name := range m.keys("BUFFER_POOL") {
		kind, _ := m.value("BUFFER_POOL", name, "type")
		m.value("BUFFER_POOL", name, "mode") // the mode of each profile counts
		size := sluice.Bytes(-1)
		get(m.reader, "BUFFER_POOL", name, "size", parseBytes, &size)
		m.sizes[name] = size
		if kind == "egress" && size > 0 {
			egress = append(egress, name)
			continue
		}
		if name == lossless {
			m.pools[name] = 0
			get(m.reader, "BUFFER_POOL", name, "xoff", parseBytes, &m.Config.HeadroomPool)
			continue
		}
		if size <= 0 {
			m.note("BUFFER_POOL", name, "", "a pool without a size cannot be shared")
			continue
		}
		others = append(others, name)
	}
	for _, name := range egress {
		m.egress[name] = len(m.Config.EgressPools)
		m.Config.EgressPools = append(m.Config.EgressPools, m.sizes[name])
	}
	for _, name := range others {
		m.Config.Pools = append(m.Config.Pools, m.sizes[name])
		m.pools[name] = len(m.Config.Pools)
	}
	m.Config.LossyPool = m.pools[lossy]
}

func (m *importer) buffer() {
	size, ok := m.sizes[lossless]
	if ok && size >= 0 {
		m.Config.Buffer = size + m.Config.SetApart()
		return
	}
	if m.chip.Buffer == 0 {
		m.fail("BUFFER_POOL", lossless, "size", "", "must be given, or the chip's memory")
	}
	m.Config.Buffer = m.chip.Buffer
}
