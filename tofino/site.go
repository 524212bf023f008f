package tofino

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// DepthSource is the source from which ingress knows the depth of a queue.
type DepthSource uint8

// Depth sources.
const (
	// Notices counts the packets that come in, and the packets that left by their notices: exact.
	Notices DepthSource = iota
	// Ghost reads the last depth that the ghost thread received, in whole units and before the packet
	// at hand, as the papers do.
	Ghost
	depthSources
)

// Route sends packets for an IPv4 prefix by a port of the switch.
type Route struct {
	To   netip.Prefix
	Port sluice.PortID
}

// Site is where a program runs: ports of the chip with their queues, and the packets that come
// there.
type Site struct {
	// Ports are the chip's ports, by the number that they have in the machine. All are of one pipe.
	Ports []chip.DevPort
	// Carving is how many queues the ports have. The zero value shares each port group evenly among
	// as few channels as Ports need.
	Carving chip.Carving
	// MTU is the longest IP packet, rounded up to whole cells. Zero means 9,216.
	MTU int
	// Depth is the source of queues' depths, Unit the unit in which the ghost thread counts.
	Depth DepthSource
	Unit  chip.DepthUnit
}

// Made is the program of a protocol with what fills it, and where it runs.
type Made struct {
	Program *ir.Program
	Config  *ir.Config
	Site    // as the configuration has it, every default filled in

	rates []sluice.Rate
}

// Recirculation returns how many bits of notices go round in a second at most, while all ports send
// packets of that many bytes at their rates: 64 octets for each packet.
func (m *Made) Recirculation(size sluice.Bytes) sluice.Rate {
	return m.rate() / sluice.Rate(max(size, 1)) * noticeOctets
}

// rate returns the sum of the ports' rates.
func (m *Made) rate() (sum sluice.Rate) {
	for _, rate := range m.rates {
		sum += rate
	}
	return sum
}

// site is a site under construction.
type site struct {
	Site
	Routes []Route

	rates    []sluice.Rate // of the ports
	mac      sluice.MAC
	overhead int // of Ethernet, in the buffer
	portBits int
}

const (
	defaultMTU = 9216

	// noticeOctets is the length of a notice on its way: the smallest packet.
	noticeOctets = 64
)

// clonedOctets is the length of the copy of a packet that becomes a signal: the octets are thrown
// away.
const clonedOctets = 14

// FrameOverhead is what Ethernet adds to an IP packet in the buffer: header and check sequence.
const FrameOverhead = 14 + 4

// complete fills what a configuration leaves out, and refuses a site for which no program can be
// made: ports that the chip does not have; ports of several pipes, where why says the reason for
// one pipe; ports with fewer queues than given, for which few returns the error; an MTU that is
// less than least or more than most.
func (s *site) complete(
	queues int, few func(at, count int) error, why string, least, most int,
) error {
	ports := len(s.rates)
	if err := checkPorts(s.Ports, ports); err != nil {
		return err
	}
	s.Ports = s.Ports[:ports]
	if err := s.onePipe(why); err != nil {
		return err
	}
	if s.Carving == (chip.Carving{}) {
		s.Carving = fewestChannels(s.Ports)
	}
	for at, port := range s.Ports {
		if count := s.Carving.Count(port.Channel()); count < queues {
			return few(at, count)
		}
	}
	for at, route := range s.Routes {
		if err := route.check(fmt.Sprintf("Routes[%d]", at), ports); err != nil {
			return err
		}
	}
	if s.MTU = cmp.Or(s.MTU, defaultMTU); s.MTU < least || s.MTU > most {
		return refused("MTU", s.MTU, fmt.Sprintf("must be %d to %d", least, most))
	}
	if s.Depth >= depthSources {
		return refused("Depth", s.Depth, "must be Notices or Ghost")
	}
	s.portBits = width(ports)
	return nil
}

// check refuses a route without a prefix, and a route that leads to no port.
func (r Route) check(field string, ports int) error {
	if !r.To.IsValid() || !r.To.Addr().Is4() || r.To != r.To.Masked() {
		return refused(field, r.To, "must be a prefix of IPv4 without bits behind it")
	}
	if int(r.Port) >= ports {
		return refused(field, r.Port, "must lead to a port of the switch")
	}
	return nil
}

// onePipe refuses ports of several pipes: each pipe has its own copy of a register. It gives the
// reason, why, and whether the ports' rates fit one pipe.
func (s *site) onePipe(why string) error {
	byPipe, channels := map[int][]int{}, 0
	for at, port := range s.Ports {
		byPipe[port.Pipe()] = append(byPipe[port.Pipe()], at)
		channels += chip.ChannelsOf(s.rates[at])
	}
	if len(byPipe) < 2 {
		return nil
	}
	text := ""
	for pipe := range chip.Pipes {
		if len(byPipe[pipe]) > 0 {
			text += fmt.Sprintf(", ports %v in pipe %d", byPipe[pipe], pipe)
		}
	}
	fit := "they fit one"
	if channels > chip.FrontChannels {
		fit = "lower rates take fewer"
	}
	return refused("Ports", len(s.Ports), fmt.Sprintf("must be of one pipe: %s%s; a pipe has %d "+
		"channels of %v, and ports of these rates take %d: %s", why, text, chip.FrontChannels,
		chip.ChannelRate, channels, fit))
}

// fewestChannels returns the carving with the most queues in which each port has some.
func fewestChannels(ports []chip.DevPort) chip.Carving {
	for count := 1; count <= chip.Channels; count *= 2 {
		carving, err := chip.Breakout(count)
		if err != nil {
			panic(err) // powers of two up to 8
		}
		if !slices.ContainsFunc(ports, func(p chip.DevPort) bool {
			return carving.Count(p.Channel()) == 0
		}) {
			return carving
		}
	}
	return chip.DefaultCarving()
}

// mostCells returns how many cells the longest packet takes.
func (s *site) mostCells() int { return int(chip.Cells(int64(s.MTU + s.overhead))) }

// pipe returns the pipe of the ports, roundPort the port by which packets go round in that pipe.
func (s *site) pipe() int { return s.Ports[0].Pipe() }

func (s *site) roundPort() int64 {
	port, err := chip.Recirculation(s.pipe())
	if err != nil {
		panic(err) // the pipe of a port
	}
	return int64(port)
}

// physical returns a queue of a port, which complete has found.
func (s *site) physical(at, qid int) chip.Queue {
	queue, err := s.Carving.Queue(s.Ports[at], qid)
	if err != nil {
		panic(err)
	}
	return queue
}

// list is the keys or the data of an entry of the chip's tables.
type list = []ir.FixedDatum

func (b *builder) add(t *ir.FixedTable, pipe int, action string, keys, values list) {
	b.filled.Fixed = append(b.filled.Fixed,
		ir.FixedEntry{Table: t, Pipe: pipe, Action: action, Keys: keys, Data: values})
}

// datum is a number of a fixed table.
func datum(field string, value int64) ir.FixedDatum {
	return ir.FixedDatum{Field: field, Value: uint64(value)}
}

func turnOn(field string) ir.FixedDatum { return ir.FixedDatum{Field: field, Value: true} }

// speed returns the entry of a port in the chip's table of ports, with more data for pfc.
func speed(port chip.DevPort, rate sluice.Rate, pfc ...ir.FixedDatum) (keys, values list) {
	s := speeds[rate]
	return list{datum("$DEV_PORT", int64(port))}, append(list{{Field: "$SPEED", Value: s.speed},
		{Field: "$FEC", Value: s.fec}, turnOn("$PORT_ENABLE")}, pfc...)
}

// chipTables fills the tables of the chip that every program needs: ports, the carving of the port
// groups in use, the port by which packets go round, with more data, and the switch that lets words
// of flow control act.
func (b *builder) chipTables(more ...ir.FixedDatum) {
	for at, port := range b.Ports {
		keys, values := speed(port, b.rates[at])
		b.add(ir.Ports, 0, "", keys, values)
	}
	var counts []uint64
	for _, count := range b.Carving.Counts() {
		counts = append(counts, uint64(count))
	}
	for group := range chip.Groups {
		if slices.ContainsFunc(b.Ports, func(p chip.DevPort) bool { return p.Group() == group }) {
			b.add(ir.PortGroup, b.pipe(), "seq", list{datum("pg_id", int64(group))},
				list{{Field: "port_queue_count", Value: counts}})
		}
	}
	b.add(ir.GeneratorPort, 0, "", list{datum("dev_port", b.roundPort())},
		append(list{turnOn("recirculation_enable")}, more...))
	if b.Depth == Ghost {
		b.add(ir.PipeConfig, b.pipe(), "", nil, list{{Field: "queue_depth_report_mode", Value: "ANY"}})
	}
	b.add(ir.PipeScheduling, b.pipe(), "", nil, list{turnOn("advanced_flow_control_enable")})
}

// mirror fills the session that the text gives a name, which copies the first octets of a packet,
// up to a number. The copies go round if round is true; otherwise the program says where they go.
func (b *builder) mirror(session, direction string, octets int64, round bool) {
	values := list{{Field: "$direction", Value: direction}, turnOn("$session_enable")}
	if round {
		values = append(values, datum("$ucast_egress_port", b.roundPort()),
			turnOn("$ucast_egress_port_valid"))
	}
	b.add(ir.MirrorSession, 0, "$normal", list{datum("$sid", int64(b.number(session)))},
		append(values, datum("$max_pkt_len", octets)))
}

// queueUse says how the scheduler and the buffer use a queue.
type queueUse struct {
	priority int
	held     bool  // by words of flow control
	signals  bool  // the queue of signals, which has the best priority
	reported bool  // the chip reports its depth to ghost, if ghost is the source
	cells    int64 // the most cells that it may have; 0 leaves the driver's limit
}

// queueTables fills the tables of one queue of a port.
func (b *builder) queueTables(at, qid int, use queueUse) {
	queue := b.physical(at, qid)
	key := list{datum("pg_id", int64(queue.Group())), datum("pg_queue", int64(queue.Number()))}
	priority := strconv.Itoa(use.priority)
	if use.signals {
		priority = "7"
	}
	var scheduling list
	if use.held {
		scheduling = list{{Field: "advanced_flow_control", Value: "XOFF"}}
	}
	scheduling = append(scheduling, list{{Field: "max_priority", Value: priority},
		{Field: "min_priority", Value: priority}}...)
	if !use.signals {
		scheduling = append(scheduling, datum("dwrr_weight", 1))
	}
	b.add(ir.QueueScheduling, queue.Pipe(), "", key, scheduling)
	if use.cells > 0 {
		b.add(ir.QueueBuffer, queue.Pipe(), "shared_pool", key, list{
			{Field: "pool_id", Value: "EG_APP_POOL_0"}, datum("pool_max_cells", use.cells),
			{Field: "dynamic_baf", Value: "DISABLE"}})
	}
	if use.reported && b.Depth == Ghost {
		b.add(ir.QueueConfig, queue.Pipe(), "", key, list{turnOn("depth_report_enable")})
	}
}
