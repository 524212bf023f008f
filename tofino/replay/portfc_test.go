package replay_test

import (
	"flag"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

var portfcInputs = flag.Int("replay.portfc", 100_000, "inputs of the replay of PortFC")

// portfcProgram is the program of a switch as the chip can run it.
func portfcProgram(
	machine portfc.Config, layout tofino.DigitLayout, change ...func(*tofino.PortFCConfig),
) (*tofino.PortFC, error) {
	machine, _, err := tofino.RealisePortFC(machine)
	if err != nil {
		return nil, err
	}
	c := tofino.PortFCConfig{Machine: machine, Addresses: layout}
	for at := range machine.Ports {
		port, err := chip.NewDevPort(1, 1+at/4, at%4*2)
		if err != nil {
			return nil, err
		}
		c.Ports = append(c.Ports, port)
	}
	for _, one := range change {
		one(&c)
	}
	return tofino.NewPortFC(c)
}

// portfcSwitch is a switch of NDC(n,1), with thresholds of few packets.
func portfcSwitch(n, number int) portfc.Config {
	network := portfc.NDC{N: n, K: 1}
	c := portfc.SwitchConfig(network, sluice.SwitchID(network.Nodes()+number),
		sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond})
	c.XOff, c.XOn = sluice.Ratio{Num: 3, Den: 2}, sluice.Ratio{Num: 1, Den: 2}
	c.DirectXOff, c.DirectXOn = sluice.Ratio{Num: 1, Den: 1}, sluice.Ratio{Num: 1, Den: 1}
	c.MAC = sluice.MAC{2, 0, 0, 0, 0, 7}
	return c
}

// byNumber is the paper's layout of addresses.
var byNumber = tofino.DigitLayout{Base: netip.AddrFrom4([4]byte{10, 1, 0, 0})}

// traffic drives a switch of a network through a tap as its nodes would, and worse.
type traffic struct {
	tap      *replay.Tap
	network  portfc.NDC
	id       sluice.SwitchID
	now      sluice.Time
	fifo     map[[2]int][]*sluice.Packet // by port and queue
	waiting  []int                       // packets at each port
	sequence []uint32                    // of frames of each node
	frames   int
	steps    int
	kinds    map[string]int
}

func newTraffic(tap *replay.Tap, machine portfc.Config) *traffic {
	return &traffic{tap: tap, network: machine.Network, id: machine.Switch,
		fifo:    map[[2]int][]*sluice.Packet{},
		waiting: make([]int, machine.Network.N), sequence: make([]uint32, machine.Network.N),
		kinds: map[string]int{}}
}

// step is one input, chosen by two numbers.
func (r *traffic) step(what, a uint64) {
	r.now = r.now.Add(sluice.Time(a%1000) * sluice.Nanosecond)
	port := sluice.PortID(a >> 10 % uint64(r.network.N))
	switch what % 100 {
	case 0, 1, 2, 3, 4:
		r.frame(port, a>>20)
	default:
		// For a while more comes in than goes out, then more goes out: sums cross all thresholds.
		most := uint64(70)
		if r.steps++; r.steps/200%2 == 1 {
			most = 30
		}
		if what%100 < most && r.waiting[port] < 100 {
			r.arrive(port, a>>20)
		} else {
			r.depart(port)
		}
	}
	for id := range sluice.PortID(r.network.N) {
		for {
			_, kind, ok := r.tap.PollFrame(r.now, id, nil)
			if !ok {
				break
			}
			r.kinds[kind]++
			r.frames++
		}
	}
}

// arrive is a packet from a node to another, which ends there or goes on.
func (r *traffic) arrive(egress sluice.PortID, a uint64) {
	t, n := r.network, uint64(r.network.N)
	ingress := sluice.PortID((uint64(egress) + 1 + a%(n-1)) % n)
	layer := t.Layer(r.id)
	from, to := t.NodeAt(r.id, int(ingress)), t.NodeAt(r.id, int(egress))
	if a>>8%3 > 0 { // a relay: another digit of the other layer
		other := 1 - layer
		to = t.WithDigit(to, other, (t.Digit(to, other)+1+int(a>>16%(n-1)))%t.N)
	}
	layers := []int{layer}
	if t.Differing(from, to) == 2 {
		layers = append(layers, 1-layer)
	}
	path, ok := t.Through(from, to, layers...)
	if !ok {
		panic("no path")
	}
	path.Advance()
	p := &sluice.Packet{
		Flow: a, Size: sluice.Bytes(64 + a>>24%1455), Ingress: ingress, Class: sluice.Class(a >> 40 % 8),
		Path: path,
	}
	v := r.tap.Enqueue(r.now, egress, p)
	if v.Action() == sluice.Append {
		key := [2]int{int(egress), int(v.Queue())}
		r.fifo[key] = append(r.fifo[key], p)
		r.waiting[egress]++
	}
}

// depart takes what is next at a port.
func (r *traffic) depart(port sluice.PortID) {
	q, ok := r.tap.Next(r.now, port)
	if !ok {
		return
	}
	key := [2]int{int(port), int(q)}
	p := r.fifo[key][0]
	r.fifo[key] = r.fifo[key][1:]
	r.waiting[port]--
	r.tap.Dequeue(r.now, port, q, p)
}

// frame is what a node says: of a queue of the machine's choice, most of it sensible.
func (r *traffic) frame(port sluice.PortID, a uint64) {
	t := r.network
	f := portfc.Frame{Type: portfc.Resume - portfc.Type(a%5/4), Sequence: r.sequence[port] + 1,
		Queue: t.DDQ(),
		Port:  sluice.PortID(a >> 8 % uint64(t.N)), Layer: uint8(1 - t.Layer(r.id))}
	switch a >> 16 % 16 {
	case 0:
		f.Sequence -= uint32(a >> 32 % 5) // late, or again
	case 1:
		f.Sequence = uint32(a * 0x9E3779B1) // of a node that started anew
	case 2:
		f.Queue = sluice.QueueID(a >> 32 % uint64(t.DDQ()+1))
	case 3:
		f.Layer = uint8(a >> 32 % 3)
	case 4:
		f.Type = portfc.Type(a >> 32 % 4)
	}
	r.sequence[port] = f.Sequence
	octets := f.AppendTo(nil)
	if a>>20%32 == 0 {
		octets[a>>40%60] ^= byte(a >> 48) // not what a node sends
	}
	_, _ = r.tap.Receive(r.now, port, octets)
}

// end takes all that may go, and then all else after every hold is taken back.
func (r *traffic) end() {
	for port := range sluice.PortID(r.network.N) {
		for e := range r.network.N {
			r.sequence[port] += 1 << 17
			f := portfc.Frame{Type: portfc.Resume, Sequence: r.sequence[port], Queue: r.network.DDQ(),
				Port: sluice.PortID(e), Layer: uint8(1 - r.network.Layer(r.id))}
			_, _ = r.tap.Receive(r.now, port, f.AppendTo(nil))
		}
		for _, ok := r.tap.Next(r.now, port); ok; _, ok = r.tap.Next(r.now, port) {
			r.depart(port)
		}
	}
}

// run drives the given inputs and stops at the first difference.
func (r *traffic) run(inputs int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for r.tap.Stats().Inputs < uint64(inputs) && r.tap.Err() == nil {
		r.step(random.Uint64(), random.Uint64())
	}
}

// The program decides as the machine does, input by input, gates and frames included; at the end
// nothing is held on either side.
func TestPortFCReplay(t *testing.T) {
	for number := range 8 { // switches of both layers
		machine := portfcSwitch(4, number)
		made, err := portfcProgram(machine, byNumber)
		require.NoError(t, err)
		c, err := replay.PortFC(made)
		require.NoError(t, err)
		tap, err := replay.New(c)
		require.NoError(t, err)
		r := newTraffic(tap, machine)
		start := time.Now()
		r.run(*portfcInputs/8, uint64(number))
		if t.Log(
			"inputs a second, harness included:", float64(tap.Stats().Inputs)/time.Since(start).Seconds(),
		); t.Failed() {
			return
		}
		require.NoError(t, tap.Err())
		r.end()
		require.NoError(t, tap.Check())
		assert.Empty(t, tap.Stats().LeftOut)
		assert.Greater(t, r.kinds["pause"], *portfcInputs/8/1000)
		assert.Greater(t, r.kinds["resume"], *portfcInputs/8/1000)
		assert.Greater(t, tap.Stats().Pauses, uint64(*portfcInputs/8/1000))
		for port := range machine.Ports {
			for _, register := range made.Program.Registers[:2] {
				assert.Equal(t, [2]uint32{}, tap.Program().Register(register, 1, port), register.Name)
			}
		}
	}
}

// The same of any network of two layers, any thresholds and any layout of digits.
func TestPortFCOfAnySwitch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		machine := portfcSwitch(n, rapid.IntRange(0, 2*n-1).Draw(t, "switch"))
		factor := func(name string, most int) sluice.Ratio {
			return sluice.Ratio{Num: int64(rapid.IntRange(0, most).Draw(t, name)), Den: 8}
		}
		machine.XOff, machine.DirectXOff = factor("off", 16), factor("direct off", 16)
		machine.XOn, machine.DirectXOn = factor(
			"on", int(machine.XOff.Num),
		), factor("direct on", int(machine.DirectXOff.Num))
		machine.High = sluice.ClassSet(rapid.SampledFrom([]int{0, 1, 0x82, 0x100}).Draw(t, "high"))
		for at := range machine.Ports {
			rate := rapid.SampledFrom([]sluice.Rate{25, 100, 400}).Draw(t, "rate")
			machine.Ports[at].Link.Rate = rate * sluice.Gbps
		}
		low := rapid.SampledFrom([]int{0, 3, 8}).Draw(t, "low")
		layout := tofino.DigitLayout{Base: netip.AddrFrom4([4]byte{172, 16, 0, 0}),
			Digits: []tofino.AddressBits{
				{Low: low + 5, Bits: 4}, {Low: low, Bits: 4}}}
		made, err := portfcProgram(machine, layout)
		require.NoError(t, err)
		c, err := replay.PortFC(made)
		require.NoError(t, err)
		c.Every = 20
		tap, err := replay.New(c)
		require.NoError(t, err)
		r := newTraffic(tap, machine)
		for range rapid.IntRange(1, 400).Draw(t, "inputs") {
			r.step(rapid.Uint64().Draw(t, "what"), rapid.Uint64().Draw(t, "how"))
			require.NoError(t, tap.Err())
		}
		r.end()
		require.NoError(t, tap.Check())
		require.Empty(t, tap.Stats().LeftOut)
	})
}

// With ghost as the source of the DDQ's length frames differ, and nothing else. The log is a table
// of how many.
func TestPortFCGhostDiffers(t *testing.T) {
	inputs := *portfcInputs / depth.Choose(40, 40, 5, 2)
	for _, c := range ghostSources {
		machine := portfcSwitch(4, 1)
		made, err := portfcProgram(machine, byNumber, func(p *tofino.PortFCConfig) {
			p.Depth, p.Unit = c.depth, c.unit
		})
		require.NoError(t, err)
		require.NoError(t, made.Config.Validate(made.Program))
		config, err := replay.PortFC(made)
		require.NoError(t, err)
		config.Count, config.Latency.Report = true, c.report
		tap, err := replay.New(config)
		require.NoError(t, err)
		newTraffic(tap, machine).run(inputs, 1)
		c.logged(t, tap.Stats())
	}
}
