package tofino

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// PFCConfig says for which switch the tables of the traffic manager are made.
type PFCConfig struct {
	// Machine is the configuration of the switch, in which [RealisePFC] has nothing to change.
	Machine pfc.Config
	// Ports are the chip's ports, by the number that they have in Machine.
	Ports []chip.DevPort
}

// PFC is priority flow control on the chip: entries of the traffic manager's and the ports' tables
// and no program, for the traffic manager accounts, pauses and resumes by itself.
//
//	Config                    table and field
//	Alpha                     tf2.tm.ppg.cfg dynamic_baf, and one cell of pool_max_cells
//	XOff                      pool_max_cells, less the reserve, with dynamic_baf off
//	ResumeOffset, XOff - XOn  hysteresis_cells
//	Reserve, Headroom         guaranteed_cells, pfc_skid_max_cells
//	Classes                   icos: a priority group for each lossless class of each port
//	Buffer, Pools             tf2.tm.pool.cfg size_cells, tf2.tm.pool.app_pfc pfc_limit_cells
//	HeadroomPool              size_cells of IG_SKID_POOL; otherwise the sum of all headrooms
//	Sends, Obeys              $PORT $TX_PFC_EN_MAP, $RX_PFC_EN_MAP
//	Groups                    tf2.tm.queue.sched_cfg priorities and dwrr_weight
//
// Class c has queue c of its port and honours pauses of class c (tf2.tm.queue.cfg pfc_cos). Ports
// have the queues of the driver's own carving, 16 to a channel.
type PFC struct {
	Config *ir.Config
	// Omitted lists what is left as the driver has it.
	Omitted []string
}

// maxPriorityGroups is how many a pipe has, besides the default ones of its ports.
const maxPriorityGroups = 128

// NewPFC returns the entries for a switch. It refuses, with a [*sluice.ConfigError], a
// configuration in which [RealisePFC] has something to change, naming the first field, and more
// lossless classes than a pipe has priority groups, naming the ports that are too many.
func NewPFC(config PFCConfig) (*PFC, error) {
	machine, err := machineOf(config.Machine, RealisePFC, pfc.New)
	if err != nil {
		return nil, err
	}
	made := &pfcTables{full: machine.Config(), ports: config.Ports, pool: machine.Pool()}
	made.filled = &ir.Config{}
	if err := made.check(); err != nil {
		return nil, err
	}
	for at := range made.full.Ports {
		made.portEntries(at)
	}
	made.pools()
	for at := range made.full.Ports {
		made.priorityGroups(at)
		made.queues(at)
	}
	return &PFC{made.filled, made.omitted()}, nil
}

// pfcTables are the entries under construction.
type pfcTables struct {
	builder
	full   pfc.Config
	ports  []chip.DevPort
	pool   sluice.Bytes
	groups [chip.Pipes]int // priority groups in use
}

// check refuses ports that the chip does not have or that are too many.
func (m *pfcTables) check() error {
	if err := checkPorts(m.ports, len(m.full.Ports)); err != nil {
		return err
	}
	var groups [chip.Pipes]int
	var many []int
	for at := range m.full.Ports {
		pipe := m.ports[at].Pipe()
		if groups[pipe] += m.full.Ports[at].Classes.Len(); groups[pipe] > maxPriorityGroups {
			many = append(many, at)
		}
	}
	if many == nil {
		return nil
	}
	return refused(fmt.Sprintf("Ports[%d].Classes", many[0]), m.full.Ports[many[0]].Classes,
		fmt.Sprintf("a pipe has 128 priority groups, one for each lossless class of a port: none are "+
			"left for ports %v: move them to another pipe or have fewer lossless classes", many))
}

// checkPorts refuses front ports that the chip does not have, or that are named twice or not at
// all.
func checkPorts(ports []chip.DevPort, needed int) error {
	if len(ports) < needed {
		return refused("Ports", len(ports), fmt.Sprintf("must name the chip's port of each of %d",
			needed))
	}
	for at, port := range ports[:needed] {
		field := fmt.Sprintf("Ports[%d]", at)
		if _, err := chip.ParseDevPort(int(port)); err != nil {
			return refused(field, uint16(port), err.Error())
		}
		if port.Internal() {
			return refused(field, uint16(port), "must be a front port: group 0 is the chip's own")
		}
		if slices.Contains(ports[:at], port) {
			return refused(field, uint16(port), "is named twice")
		}
	}
	return nil
}

// portEntries makes the entries of a front port: its speed and the classes for which it sends and
// obeys pauses.
func (m *pfcTables) portEntries(at int) {
	p, dev := &m.full.Ports[at], int64(m.ports[at])
	sends := p.Sends & p.Classes & sluice.AllClasses
	keys, values := speed(m.ports[at], p.Link.Rate, datum("$TX_PFC_EN_MAP", int64(sends)),
		datum("$RX_PFC_EN_MAP", int64(p.Obeys&sluice.AllClasses)))
	m.add(ir.Ports, 0, "", keys, values)
	mode := "PFC"
	if sends == 0 {
		mode = "NONE"
	}
	m.add(ir.PortFlowControl, 0, "", list{datum("dev_port", dev)}, list{
		{Field: "mode_tx", Value: mode},
		{Field: "cos_to_icos", Value: []uint64{0, 1, 2, 3, 4, 5, 6, 7}}})
}

// pools makes the entries of the buffer's parts: the pool of all classes that have no other, the
// pools of the configuration, the headrooms.
func (m *pfcTables) pools() {
	size := func(pool string, bytes sluice.Bytes) {
		m.add(ir.PoolConfig, 0, "", list{{Field: "pool", Value: pool}},
			list{datum("size_cells", int64(bytes/cell))})
	}
	sizes := append([]sluice.Bytes{m.pool}, m.full.Pools...)
	for at, bytes := range sizes {
		size(poolName(at), bytes)
	}
	headroom, lossless := m.full.HeadroomPool, [maxPools]sluice.ClassSet{}
	for at := range m.full.Ports {
		p := &m.full.Ports[at]
		for class := range sluice.Class(sluice.Classes) {
			if profile := profileOf(p, class); p.Classes.Has(class) {
				lossless[profile.Pool] |= 1 << class
				if m.full.HeadroomPool == 0 {
					headroom += profile.Headroom
				}
			}
		}
	}
	size("IG_SKID_POOL", headroom)
	for at, bytes := range sizes {
		for class := range sluice.Class(sluice.Classes) {
			if lossless[at].Has(class) {
				m.add(ir.PoolPFC, 0, "", list{{Field: "pool", Value: poolName(at)},
					datum("cos", int64(class))}, list{datum("pfc_limit_cells", int64(bytes/cell))})
			}
		}
	}
}

// maxPools is how many pools of applications an ingress has.
const maxPools = 4

func poolName(pool int) string { return fmt.Sprintf("IG_APP_POOL_%d", pool) }

// priorityGroups makes the entries of what an ingress may hold of each lossless class.
func (m *pfcTables) priorityGroups(at int) {
	p, dev := &m.full.Ports[at], m.ports[at]
	for class := range sluice.Class(sluice.Classes) {
		if !p.Classes.Has(class) {
			continue
		}
		m.groups[dev.Pipe()]++
		profile := profileOf(p, class)
		share, most, hysteresis := "DISABLE", (profile.XOff-profile.Reserve)/cell,
			profile.XOff-profile.XOn
		if profile.XOff == 0 {
			share, _, _ = shareOf(profile.Alpha)
			most, hysteresis = 1, max(0, profile.ResumeOffset) // with 0 a group takes nothing of the pool
		}
		m.add(ir.PriorityGroup, dev.Pipe(), "dev_port",
			list{datum("ppg_id", int64(m.groups[dev.Pipe()]))}, list{
				datum("dev_port", int64(dev)), {Field: "pfc_enable", Value: p.Sends.Has(class)},
				datum("pfc_skid_max_cells", int64(profile.Headroom/cell)),
				{Field: fmt.Sprintf("icos_%d", class), Value: true},
				datum("guaranteed_cells", int64(profile.Reserve/cell)),
				datum("hysteresis_cells", int64(hysteresis/cell)),
				{Field: "pool_id", Value: poolName(profile.Pool)},
				datum("pool_max_cells", int64(most)), {Field: "dynamic_baf", Value: share}})
	}
}

// queues makes the entries of the queues of a port: whose pauses they honour, and when they send.
func (m *pfcTables) queues(at int) {
	carving := chip.DefaultCarving()
	for class := range sluice.Class(sluice.Classes) {
		queue, err := carving.Queue(m.ports[at], int(class))
		if err != nil {
			panic(err) // every channel has 16 in that carving
		}
		keys := list{datum("pg_id", int64(queue.Group())),
			datum("pg_queue", int64(queue.Number()))}
		m.add(ir.QueueConfig, queue.Pipe(), "", keys, list{datum("pfc_cos", int64(class))})
		priority, weight := m.scheduling(class)
		values := list{{Field: "max_priority", Value: priority},
			{Field: "min_priority", Value: priority}, datum("dwrr_weight", weight)}
		m.add(ir.QueueScheduling, queue.Pipe(), "", keys, values)
	}
}

// scheduling returns the priority of a class, 7 for the class that goes first, and its weight.
func (m *pfcTables) scheduling(class sluice.Class) (priority string, weight int64) {
	for at := range m.full.Groups {
		if g := &m.full.Groups[at]; g.Classes.Has(class) {
			weights, _ := weightsOf(g)
			return fmt.Sprint(sluice.Classes - 1 - at), int64(weights[class])
		}
	}
	return fmt.Sprint(class), 1
}

// omitted says what is left as the driver has it.
func (m *pfcTables) omitted() []string {
	var lossy sluice.ClassSet
	for at := range m.full.Ports {
		lossy |= ^m.full.Ports[at].Classes & sluice.AllClasses
	}
	left := []string{"ECN marking, pause watchdog, classic pause, address and time of pause frames"}
	if lossy != 0 {
		left = append(left, fmt.Sprintf("limits of the lossy classes %v: their packets are in the "+
			"default priority group of their port", lossy))
	}
	return left
}
