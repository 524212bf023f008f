package replay_test

import (
	"flag"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

var ofcInputs = flag.Int("replay.ofc", 100_000, "inputs of the replay of OFC")

// ofcProgram is the program of a switch as the chip can run it, whose packets for 10.0.p.1 leave by
// port p, and a replay of it.
func ofcProgram(
	machine ofc.Config, change ...func(*tofino.OFCConfig),
) (*tofino.OFC, replay.Config, error) {
	machine, _, err := tofino.RealiseOFC(machine)
	if err != nil {
		return nil, replay.Config{}, err
	}
	c := tofino.OFCConfig{Machine: machine}
	var routes []netip.Addr
	for at := range machine.Ports {
		port, err := chip.NewDevPort(1, 1+at/4, at%4*2)
		if err != nil {
			return nil, replay.Config{}, err
		}
		to := netip.AddrFrom4([4]byte{10, 0, byte(at), 1})
		c.Ports, routes = append(c.Ports, port), append(routes, to)
		c.Routes = append(c.Routes, tofino.Route{To: netip.PrefixFrom(to, 32), Port: sluice.PortID(at)})
	}
	for _, one := range change {
		one(&c)
	}
	made, err := tofino.NewOFC(c)
	if err != nil {
		return nil, replay.Config{}, err
	}
	config, err := replay.OFC(made, routes)
	return made, config, err
}

var link40 = sluice.Link{Rate: 40 * sluice.Gbps, Delay: 100 * sluice.Nanosecond}

// ofcSwitch is a switch of four ports with thresholds of few packets and little room for flows.
func ofcSwitch() ofc.Config {
	c := ofc.Config{Flows: 128, MAC: sluice.MAC{2, 0, 0, 0, 0, 5}}
	for at := range 4 {
		c.Ports = append(c.Ports, ofc.PortConfig{Link: link40, XOff: sluice.Bytes(9000 + 500*at),
			XOffCongested: 5000, XOn: sluice.Bytes(1500 + 300*at)})
	}
	return c
}

// ofcTraffic drives a switch through a tap as its neighbours would, and worse.
type ofcTraffic struct {
	tap      *replay.Tap
	ports    int
	now      sluice.Time
	fifo     map[[2]int][]*sluice.Packet
	waiting  []int
	sequence []uint32
	steps    int
	kinds    map[string]int
	told     map[uint64]bool // flows that frames named
}

func newOFCTraffic(tap *replay.Tap) *ofcTraffic {
	return &ofcTraffic{tap: tap, ports: tap.Ports(), fifo: map[[2]int][]*sluice.Packet{},
		waiting: make([]int, tap.Ports()), sequence: make([]uint32, tap.Ports()),
		kinds: map[string]int{}, told: map[uint64]bool{}}
}

// spread makes a number what a hash is like, for flows are hashes: the chip takes those for one
// that have half of their bits in common and a cell.
func spread(flow uint64) uint64 { return max((flow+1)*0x9e3779b97f4a7c15, 1) }

// flow is one of a few of a class for an egress port.
func (r *ofcTraffic) flow(egress sluice.PortID, class sluice.Class, a uint64) uint64 {
	return spread(a%12 + 12*uint64(egress) + 100*uint64(class))
}

var ofcClasses = [...]sluice.Class{3, 3, 3, 5}

// step is one input, chosen by two numbers.
func (r *ofcTraffic) step(what, a uint64) {
	r.now = r.now.Add(sluice.Time(a%1000) * sluice.Nanosecond)
	port := sluice.PortID(a >> 10 % uint64(r.ports))
	switch what % 100 {
	case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15:
		r.frame(port, a>>20)
	default:
		// For a while more comes in than goes out, then more goes out: sums cross all thresholds.
		most := uint64(70)
		if r.steps++; r.steps/150%2 == 1 {
			most = 20
		}
		if what%100 < most && r.waiting[port] < 60 {
			r.arrive(port, a>>20)
		} else {
			r.depart(port)
		}
	}
	for id := range sluice.PortID(r.ports) {
		for {
			_, kind, ok := r.tap.PollFrame(r.now, id, nil)
			if !ok {
				break
			}
			r.kinds[kind]++
		}
	}
}

func (r *ofcTraffic) arrive(egress sluice.PortID, a uint64) {
	class := ofcClasses[a>>8%4]
	p := &sluice.Packet{Flow: r.flow(egress, class, a), Size: sluice.Bytes(64 + a>>24%1455),
		Class:   class,
		Ingress: sluice.PortID((uint64(egress) + 1 + a>>16%uint64(r.ports)) % uint64(r.ports))}
	if v := r.tap.Enqueue(r.now, egress, p); v.Action() == sluice.Append {
		key := [2]int{int(egress), int(v.Queue())}
		r.fifo[key] = append(r.fifo[key], p)
		r.waiting[egress]++
	}
}

// depart takes what is next at a port, and puts it where it moves.
func (r *ofcTraffic) depart(port sluice.PortID) bool {
	q, ok := r.tap.Next(r.now, port)
	if !ok {
		return false
	}
	key := [2]int{int(port), int(q)}
	p := r.fifo[key][0]
	r.fifo[key] = r.fifo[key][1:]
	v := r.tap.Dequeue(r.now, port, q, p)
	if v.Action() == sluice.Append {
		key[1] = int(v.Queue())
		r.fifo[key] = append(r.fifo[key], p)
		r.kinds["move"]++
		return true
	}
	r.waiting[port]--
	return true
}

// frame is what the device downstream says, most of it sensible.
func (r *ofcTraffic) frame(port sluice.PortID, a uint64) {
	class := ofcClasses[a>>8%4]
	f := ofc.Frame{Type: ofc.Pause, Class: class, Sequence: r.sequence[port] + 1, Count: 1}
	if a%5 > 0 {
		f.Type = ofc.Resume
	}
	f.Keys[0] = r.flow(port, class, a>>12)
	f.Last = f.Type == ofc.Resume && a>>16%2 == 0
	if a>>20%8 == 0 {
		f.All, f.Count, f.Last, f.Type = true, 0, false, ofc.Resume
		if a>>28%4 == 0 {
			f.Type = ofc.Pause
		}
	}
	switch a >> 32 % 32 {
	case 0:
		f.Sequence -= uint32(a >> 40 % 5) // late, or again
	case 1:
		f.Sequence = uint32(a * 0x9E3779B1) // of a device that started anew
	case 2:
		f.Class = sluice.Class(a >> 40 % 8)
	case 3:
		f.Keys[0] = r.flow(port+1, class, a>>40) // which comes to no queue of this port
	}
	r.told[f.Keys[0]] = true
	octets := f.AppendTo(nil)
	if a>>37%32 == 0 {
		octets[a>>42%60] ^= byte(a >> 48) // not what a device sends
	} else {
		r.sequence[port] = f.Sequence
	}
	_, _ = r.tap.Receive(r.now, port, octets)
}

// end resumes all flows and lets all packets go.
func (r *ofcTraffic) end(t require.TestingT) {
	for port := range sluice.PortID(r.ports) {
		r.sequence[port] += 1 << 17
		tell := func(f ofc.Frame) {
			r.sequence[port]++
			f.Type, f.Sequence = ofc.Resume, r.sequence[port]
			_, _ = r.tap.Receive(r.now, port, f.AppendTo(nil))
		}
		for range 2 { // a resume that waits for a rotation, and one of what moved meanwhile
			for class := range sluice.Class(sluice.Classes) {
				tell(ofc.Frame{Class: class, All: true})
				for flow := range r.told {
					f := ofc.Frame{Class: class, Count: 1, Last: true}
					f.Keys[0] = flow
					tell(f)
				}
			}
			for r.depart(port) {
			}
		}
	}
	for port := range sluice.PortID(r.ports) {
		require.Zero(t, r.waiting[port])
	}
}

// run drives the given inputs and stops at the first difference.
func (r *ofcTraffic) run(inputs int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for r.tap.Stats().Inputs < uint64(inputs) && r.tap.Err() == nil {
		r.step(random.Uint64(), random.Uint64())
	}
}

// The program decides as the machine does, input by input, moves, gates and frames included.
func TestOFCReplay(t *testing.T) {
	made, config, err := ofcProgram(ofcSwitch())
	require.NoError(t, err)
	config.Every = 1000
	tap, err := replay.New(config)
	require.NoError(t, err)
	r := newOFCTraffic(tap)
	start := time.Now()
	inputs := *ofcInputs
	if testing.Short() {
		inputs /= 5
	}
	r.run(inputs, 1)
	stats := tap.Stats()
	t.Logf("%.0f inputs a second, harness included: %+v, %v", float64(stats.Inputs)/
		time.Since(start).Seconds(), stats, r.kinds)
	require.NoError(t, tap.Err())
	r.end(t)
	require.NoError(t, tap.Check())
	assert.Empty(t, stats.LeftOut)
	assert.Greater(t, r.kinds["pause"], inputs/1000)
	assert.Greater(t, r.kinds["resume"], inputs/1000)
	assert.Greater(t, stats.Moves, uint64(inputs/100))
	for _, register := range made.Program.Registers {
		switch register.Name {
		case "q_in", "q_out", "backup", "paused_flows", "pause_frames", "pause_frame_a",
			"pause_frame_b", "unknown":
			for at := range register.Size {
				assert.Zero(t, tap.Program().Register(register, 1, at), register.Name)
			}
		}
	}
}

// With ghost as the source of q_out frames differ, and nothing else: a depth is of before the
// packet, in units, and late. The log is a table of how many.
func TestOFCGhostDiffers(t *testing.T) {
	inputs := *ofcInputs / depth.Choose(40, 40, 5, 2)
	for _, c := range ghostSources {
		made, config, err := ofcProgram(ofcSwitch(), func(o *tofino.OFCConfig) {
			o.Depth, o.Unit = c.depth, c.unit
		})
		require.NoError(t, err)
		require.NoError(t, made.Config.Validate(made.Program))
		config.Count, config.Latency.Report = true, c.report
		tap, err := replay.New(config)
		require.NoError(t, err)
		newOFCTraffic(tap).run(inputs, 1)
		c.logged(t, tap.Stats())
	}
}
