package tofino_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/fit"
)

// portfcBase is the first switch of layer 1 of the paper's NDC(4,1).
func portfcBase() portfc.Config {
	c := portfc.SwitchConfig(
		portfc.NDC{N: 4, K: 1}, 20, sluice.Link{Rate: 100 * sluice.Gbps, Delay: 10 * sluice.Microsecond},
	)
	c.MAC = sluice.MAC{2, 0, 0, 0, 0, 20}
	return c
}

func portfcConfig(machine portfc.Config) tofino.PortFCConfig {
	return tofino.PortFCConfig{Machine: machine,
		Site:      tofino.Site{Ports: []chip.DevPort{8, 16, 24, 32}},
		Addresses: tofino.DigitLayout{Base: netip.MustParseAddr("10.0.0.0")}}
}

func portfcEntries(t *testing.T, c portfc.Config) string {
	made, err := tofino.NewPortFC(portfcConfig(c))
	require.NoError(t, err)
	return generated(t, made.Program, made.Config)
}

func TestEachFieldOfPortFCIsDecided(t *testing.T) {
	type d = decision[portfc.Config]
	ratio := func(num int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: 1} }
	decided(t, realisation[portfc.Config]{portfcBase, tofino.RealisePortFC, portfcEntries, []d{
		{
			"Network.N", refused, func(c *portfc.Config) { c.Network.N = 128 },
			"a port group has 128 queues",
		},
		{"Network.K", refused, func(c *portfc.Config) { c.Network.K = 2 }, "must be NDC(n,1)"},
		{"Switch", realised, func(c *portfc.Config) { c.Switch = 17 }, ""},
		{"Switch", refused, func(c *portfc.Config) { c.Switch = 3 }, "nodes run in software"},
		{
			"Ports[].Link.Rate", realised,
			func(c *portfc.Config) { c.Ports[0].Link.Rate = 400 * sluice.Gbps }, "",
		},
		{
			"Ports[].Link.Rate", refused, func(c *portfc.Config) { c.Ports[0].Link.Rate = sluice.Gbps },
			"rate of a port",
		},
		{"Ports[].Link.Delay", realised, func(c *portfc.Config) { c.Ports[0].Link.Delay *= 2 }, ""},
		{"MAC", realised, func(c *portfc.Config) { c.MAC[5]++ }, ""},
		{
			"HopClasses", inert, func(c *portfc.Config) { c.HopClasses = true },
			"with two layers changes nothing",
		},
		{"High", realised, func(c *portfc.Config) { c.High = sluice.MakeClassSet(5, 6) }, ""},
		{"XOff", realised, func(c *portfc.Config) { c.XOff = ratio(7) }, ""},
		{"XOff", refused, func(c *portfc.Config) { c.XOff = ratio(1024) }, "chip's buffer"},
		{"XOn", realised, func(c *portfc.Config) { c.XOn = ratio(3) }, ""},
		{"DirectXOff", realised, func(c *portfc.Config) { c.DirectXOff = ratio(7) }, ""},
		{"DirectXOff", refused, func(c *portfc.Config) { c.DirectXOff = ratio(1024) }, "chip's buffer"},
		{"DirectXOn", realised, func(c *portfc.Config) { c.DirectXOn = ratio(3) }, ""},
		{"RelayXOff", refused, func(c *portfc.Config) { c.RelayXOff = ratio(6) }, "holds all IHFQs"},
		{
			"RelayXOn", refused, func(c *portfc.Config) { c.RelayXOn = ratio(6) },
			"must be 0 without RelayXOff",
		},
		{"RelayInTurn", inert, func(c *portfc.Config) { c.RelayInTurn = true }, "of nodes"},
		{
			"Marking", changed, func(c *portfc.Config) { c.Marking = sluice.Marking{KMin: 1, KMax: 1} },
			"marks nothing",
		},
		{"Seed", inert, func(c *portfc.Config) { c.Seed++ }, "of the marking, which is off"},
		{"Quantum", inert, func(c *portfc.Config) { c.Quantum = 9000 }, "queues weigh the same"},
		{"Buffer", changed, func(c *portfc.Config) { c.Buffer = sluice.MiB }, "was counted before"},
		{
			"Refresh", changed, func(c *portfc.Config) { c.Refresh = sluice.Microsecond },
			"repeats no pause",
		},
		{"Expiry", changed, func(c *portfc.Config) { c.Expiry = sluice.Microsecond }, "repeats no pause"},
	}})
}

// The address layout must give each digit bits of its own.
func TestPortFCLayouts(t *testing.T) {
	base := netip.MustParseAddr("10.0.0.0")
	made := func(n int, layout tofino.DigitLayout) (*tofino.PortFC, error) {
		network := portfc.NDC{N: n, K: 1}
		c := tofino.PortFCConfig{Addresses: layout,
			Machine: portfc.SwitchConfig(network, sluice.SwitchID(network.Nodes()),
				sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})}
		for at := range n {
			c.Ports = append(c.Ports, chip.DevPort(8+8*at))
		}
		return tofino.NewPortFC(c)
	}
	for want, one := range map[string]struct {
		n      int
		layout tofino.DigitLayout
	}{
		"n is no power of two":    {3, tofino.DigitLayout{Base: base}},
		"must be an IPv4 address": {4, tofino.DigitLayout{}},
		"must be 2, as many as layers": {
			4, tofino.DigitLayout{Base: base, Digits: []tofino.AddressBits{{0, 2}}},
		},
		"Digits[1] = {1 2}: must be bits of its own": {
			4, tofino.DigitLayout{Base: base, Digits: []tofino.AddressBits{{0, 2}, {1, 2}}},
		},
		"Digits[1] = {2 1}: must be at least 2 bits": {
			4, tofino.DigitLayout{Base: base, Digits: []tofino.AddressBits{{0, 2}, {2, 1}}},
		},
		"Digits[1] = {31 2}: must be bits of an address": {
			4, tofino.DigitLayout{Base: base, Digits: []tofino.AddressBits{{0, 2}, {31, 2}}},
		},
		"must have zeros where digits are": {
			4, tofino.DigitLayout{Base: netip.MustParseAddr("10.0.0.1")},
		},
	} {
		_, err := made(one.n, one.layout)
		assert.ErrorContains(t, err, want)
	}
	p, err := made(4, tofino.DigitLayout{Base: base})
	require.NoError(t, err)
	p3, err := made(3, tofino.DigitLayout{Base: base, Digits: []tofino.AddressBits{{8, 2}, {0, 8}}})
	require.NoError(t, err)
	for node := range sluice.SwitchID(16) {
		got, ok := p.Address(node)
		want, _ := portfc.NDC{N: 4, K: 1}.Address(base, node)
		assert.True(t, ok)
		assert.Equal(t, want, got, "the paper's: base plus number")
	}
	got, _ := p3.Address(7) // digits 1 and 2
	assert.Equal(t, netip.MustParseAddr("10.0.1.2"), got)
	_, ok := p3.Address(9)
	assert.False(t, ok)
}

func TestPortFCRefuses(t *testing.T) {
	for want, change := range map[string]func(*tofino.PortFCConfig){
		"must name the chip's port of each of 4": func(c *tofino.PortFCConfig) {
			c.Ports = c.Ports[:3]
		},
		"ports [0 1 2] in pipe 0, ports [3] in pipe 2": func(c *tofino.PortFCConfig) {
			c.Ports[3] = 264
		},
		"a port needs 5 queues, and port 0 has 4": func(c *tofino.PortFCConfig) {
			c.Carving, _ = chip.NewCarving([8]int{4})
		},
		"MTU = 19: must be 20 to 65517": func(c *tofino.PortFCConfig) {
			c.MTU = 19
		},
		"Config.Marking = {1B 1B 0/0}: the program marks nothing": func(c *tofino.PortFCConfig) {
			c.Machine.Marking = sluice.Marking{KMin: 1, KMax: 1}
		},
	} {
		c := portfcConfig(portfcBase())
		change(&c)
		_, err := tofino.NewPortFC(c)
		assert.ErrorContains(t, err, want)
	}
}

// A threshold of less than a byte is one of a byte: a DDQ that holds nothing is not congested.
func TestPortFCLeastThreshold(t *testing.T) {
	machine := portfcBase()
	machine.DirectXOff = sluice.Ratio{Num: 1, Den: 1 << 22}
	machine.DirectXOn = machine.DirectXOff
	made, err := tofino.NewPortFC(portfcConfig(machine))
	require.NoError(t, err)
	entries := generated(t, made.Program, made.Config)
	for at := range machine.Ports {
		assert.Contains(t, entries, fmt.Sprintf(`"action":"Ingress.arrives","key":{"kind":1,`+
			`"queue_class":2,"port":%d},"data":{"limit":1,`, at), "a cell pauses")
		assert.Contains(t, entries, fmt.Sprintf(`"action":"Ingress.leaves","key":{"kind":2,`+
			`"queue_class":2,"port":%d},"data":{"limit":0,`, at), "an empty queue resumes")
	}
}

// The program, the entries and the cost of a switch of NDC(4,1), as they are in testdata.
func TestPortFCGolden(t *testing.T) {
	c := portfcConfig(portfcBase())
	c.MTU = 1500
	made, err := tofino.NewPortFC(c)
	require.NoError(t, err)
	var entries, cost bytes.Buffer
	require.NoError(t, emit.Entries(&entries, made.Program, made.Config))
	report := fit.Of(made.Program, made.Config)
	require.NoError(t, report.Write(&cost))
	assert.LessOrEqual(t, report.Stages, chip.Stages)
	assert.Less(t, report.Share(), 20, "under 2 % of the chip, in thousandths")
	golden(t, map[string]string{"portfc.p4h": decisions(t, made.Program),
		"portfc_entries.json": entries.String(),
		"portfc_cost.txt":     cost.String()})
}

// Notices are a small part of what a pipe's recirculation port carries only for large packets: it
// is to be known beforehand.
func TestPortFCRecirculation(t *testing.T) {
	made, err := tofino.NewPortFC(portfcConfig(portfcBase()))
	require.NoError(t, err)
	assert.InDelta(t, 400e9*64/1518, float64(made.Recirculation(1518)), 1e9)
}
