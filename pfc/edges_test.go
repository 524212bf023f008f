package pfc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// TestConfigEdges: the last values that are taken, and the first that are refused.
func TestConfigEdges(t *testing.T) {
	cell := func(n sluice.Bytes) func(*Config) { return func(c *Config) { c.CellSize = n } }
	pool := func(n int) func(*Config) {
		return func(c *Config) { c.Pools, c.Ports[1].Pool = []sluice.Bytes{10_000}, n }
	}
	for _, test := range []struct {
		field  string
		good   bool
		change func(*Config)
	}{
		{"CellSize", true, cell(0)}, {"CellSize", true, cell(1)}, {"CellSize", false, cell(2)},
		{"CellSize", false, cell(63)}, {"CellSize", true, cell(64)}, {"CellSize", false, cell(-1)},
		{"CellSize", true, cell(1 << 16)}, {"CellSize", false, cell(1<<16 + 1)},
		{"Ports[1].Sends", true, func(c *Config) { c.Ports[1].Sends = sluice.NoClasses }},
		{"Ports[1].Sends", true, func(c *Config) { c.Ports[1].Sends = sluice.NoClasses | 1 }},
		{"Ports[1].Obeys", false, func(c *Config) { c.Ports[1].Obeys = 1 << 9 }},
		{"Ports[1].Classes", false, func(c *Config) { c.Ports[1].Classes = 1 << 9 }},
		{"Ports[1].Pool", true, pool(0)}, {"Ports[1].Pool", true, pool(1)},
		{"Ports[1].Pool", false, pool(2)}, {"Ports[1].Pool", false, pool(-1)},
	} {
		config := goodConfig()
		test.change(&config)
		_, err := New(config)
		if test.good {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.field)
		}
	}
}

// TestConfigErrors: an error names the field, the value and the rule. The last value that keeps the
// rule is taken.
func TestConfigErrors(t *testing.T) {
	const limit, second = int64(maxLimit), int64(sluice.Second)
	buffer, classes := int64(MaxBuffer), int64(sluice.AllClasses|sluice.NoClasses)
	for _, test := range []struct {
		good, bad int64
		want      string
		set       func(c *Config, p *PortConfig, n int64)
	}{
		{buffer, buffer + 1, "HeadroomPool = 4398046511105B: must be 0B to 4096GiB",
			func(c *Config, _ *PortConfig, n int64) { c.HeadroomPool = sluice.Bytes(n) }},
		{7, 8, "Pools = 8: must be 0 to 7",
			func(c *Config, _ *PortConfig, n int64) { c.Pools = slices.Repeat([]sluice.Bytes{1}, int(n)) }},
		{1, 0, "Pools[0] = 0B: must be 1B to",
			func(c *Config, _ *PortConfig, n int64) { c.Pools = []sluice.Bytes{sluice.Bytes(n)} }},
		{0, -1, "LossyPool = -1: must be 0, or one of Pools from 1 on",
			func(c *Config, _ *PortConfig, n int64) { c.LossyPool = int(n) }},
		{0, 1, "LossyPool = 1: must be 0, or one of Pools from 1 on",
			func(c *Config, _ *PortConfig, n int64) { c.LossyPool = int(n) }},
		{8, 9, "EgressPools = 9: must be 0 to 8", func(c *Config, _ *PortConfig, n int64) {
			c.EgressPools = slices.Repeat([]sluice.Bytes{1}, int(n))
		}},
		{0xff, 0x1ff, "Groups[0].Classes = 511: must be a set of classes 0 to 7",
			func(c *Config, _ *PortConfig, n int64) { c.Groups = []Group{{Classes: sluice.ClassSet(n)}} }},
		{limit, limit + 1, "Groups[0].Quantum[0] = 2GiB: " + ruleLimit,
			func(c *Config, _ *PortConfig, n int64) {
				c.Groups = []Group{{Classes: 0xff, Quantum: [8]sluice.Bytes{sluice.Bytes(n)}}}
			}},
		{second, second + 1, "Ports[1].Pipeline = 1.000000000001s: " + ruleSecond,
			func(_ *Config, p *PortConfig, n int64) { p.Pipeline = sluice.Time(n) }},
		{0, -1, "Ports[1].PHY = -1ps: " + ruleSecond,
			func(_ *Config, p *PortConfig, n int64) { p.PHY = sluice.Time(n) }},
		{limit, limit + 1, "Ports[1].MTU = 2GiB: " + ruleLimit,
			func(_ *Config, p *PortConfig, n int64) { p.MTU = sluice.Bytes(n) }},
		{0, -1, "Ports[1].Overhead = -1B: " + ruleLimit,
			func(_ *Config, p *PortConfig, n int64) { p.Overhead = sluice.Bytes(n) }},
		{limit, limit + 1, "Ports[1].LossyReserve = 2GiB: " + ruleLimit,
			func(_ *Config, p *PortConfig, n int64) { p.LossyReserve = sluice.Bytes(n) }},
		{classes, classes + 1, "Ports[1].Sends = 512: " + ruleClasses,
			func(_ *Config, p *PortConfig, n int64) { p.Sends = sluice.ClassSet(n) }},
		{limit, limit + 1, "Ports[1].XOnFloor = 2GiB: " + ruleLimit,
			func(c *Config, p *PortConfig, n int64) {
				c.Pools = []sluice.Bytes{1}
				p.Profile = Profile{Alpha: ratio(1, 2), Pool: 1, XOnFloor: sluice.Bytes(n)}
			}},
		{1, 0, "Ports[1].Alpha = 1/2: " + ruleLimited, func(c *Config, p *PortConfig, n int64) {
			c.Pools = []sluice.Bytes{1}
			p.Profile = Profile{Alpha: ratio(1, 2), Pool: int(n)}
		}},
		{buffer, buffer + 1, "Ports[1].XOff = 4398046511105B: must be at least Reserve and at most 4 TiB",
			func(_ *Config, p *PortConfig, n int64) { p.XOff, p.XOn = sluice.Bytes(n), sluice.Bytes(n) }},
		{limit, limit + 1, "Ports[1].XOn = 2GiB: must be less than 2 GiB below XOff",
			func(_ *Config, p *PortConfig, n int64) { p.XOff, p.XOn = 1<<32, 1<<32-sluice.Bytes(n) }},
		{0, 1, "Ports[1].XOnFloor = 1B: must be zero where XOff is given",
			func(_ *Config, p *PortConfig, n int64) { p.XOnFloor = sluice.Bytes(n) }},
		{0, 1, "Ports[1].ResumeOffset = 1B: must be zero where XOff is given",
			func(_ *Config, p *PortConfig, n int64) { p.ResumeOffset = sluice.Bytes(n) }},
		{2, 3, "Ports[1].Watchdog.Action = WatchdogAction(3): must be one of the actions",
			func(_ *Config, p *PortConfig, n int64) {
				p.Watchdog = &PortWatchdog{Action: WatchdogAction(n)}
			}},
		{classes, classes + 1, "Watchdog.Classes = 512: " + ruleClasses,
			func(c *Config, _ *PortConfig, n int64) { c.Watchdog.Classes = sluice.ClassSet(n) }},
		{0, -1, "Watchdog.Looks = -1: must not be negative",
			func(c *Config, _ *PortConfig, n int64) { c.Watchdog.Looks = int(n) }},
		{1 << 20, 1<<20 + 1, "Watchdog.Events = 1048577: must be 0 to 2^20",
			func(c *Config, _ *PortConfig, n int64) { c.Watchdog.Events = int(n) }},
		{0, -1, "Watchdog.Events = -1: must be 0 to 2^20",
			func(c *Config, _ *PortConfig, n int64) { c.Watchdog.Events = int(n) }},
		{0, 1, "Ports[1].ECN[2] = 1B: must be left out where QoS.WRED is given",
			func(_ *Config, p *PortConfig, n int64) {
				p.QoS = &qos.Port{}
				p.QoS.WRED[2] = &qos.WRED{}
				p.ECN[2] = sluice.Marking{KMin: sluice.Bytes(n), KMax: sluice.Bytes(n)}
			}},
	} {
		made := func(n int64) error {
			port := PortConfig{Link: sluice.Link{Rate: 1}, Profile: Profile{XOff: 5000, XOn: 1000}}
			c := Config{Ports: []PortConfig{port, port}} // without a limit of the buffer
			test.set(&c, &c.Ports[1], n)
			_, err := New(c)
			return err
		}
		require.NoError(t, made(test.good), test.want)
		require.ErrorContains(t, made(test.bad), "pfc: Config."+test.want)
	}
}

// TestClassEightIsNone: it is not the first class of the next port.
func TestClassEightIsNone(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	require.Equal(t, sluice.DropBecause(sluice.BadClass), k.enqueue(1, 0, 8, 100))
	require.Zero(t, k.s.Buffered())

	config := twoClasses(PriorityPause, 0, g100, g100)
	config.Classes = sluice.AllClasses // that class is lossless, too, and has room
	k = newBench(t, config)
	k.enqueue(0, 1, 0, 500)
	k.drain(0)
	require.Equal(t, sluice.DropBecause(sluice.BadClass), k.enqueue(1, 0, 8, 100))
	require.Zero(t, k.s.Buffered())
}

// TestRefreshIsAThirdOfThePause, and of a pause shorter than three picoseconds one.
func TestRefreshIsAThirdOfThePause(t *testing.T) {
	for rate, want := range map[sluice.Rate]sluice.Time{
		512 * sluice.Gbps: 333, 200 * sluice.Tbps: 1, 1000 * sluice.Tbps: 1,
	} {
		k := newBench(t, twoClasses(PriorityPause, 1, rate, rate))
		k.busy = true
		k.enqueue(0, 1, 3, 1000)
		require.Equal(t, want, k.s.Deadline(), "%v", rate)
	}
}

// TestResumesOfADeadLinkWakeNoPort, but are counted.
func TestResumesOfADeadLinkWakeNoPort(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.s.Port(1).LinkDown(0)
	k.enqueue(0, 1, 3, 2000)
	require.Equal(t, uint64(1), k.s.Port(1).Counters().Class[3].XOffs)
	_, v, ok := k.send(0)
	require.True(t, ok)
	require.Zero(t, v.Wake())
	require.Equal(t, uint64(1), k.s.Port(1).Counters().Class[3].XOns)
}

// TestRestoreOfAnUnpolledPause: the restored switch owes its peer the pause, and sends the
// smallest packet.
func TestRestoreOfAnUnpolledPause(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.busy = true
	k.enqueue(0, 1, 3, 1000)
	k.enqueue(0, 1, 0, 1)
	snapshot := k.s.Snapshot()
	s, err := Restore(k.s.Config(), &snapshot)
	require.NoError(t, err)
	var f Frame
	require.True(t, s.Port(1).PollFrame(0, &f))
	require.Equal(t, sluice.MakeClassSet(3), f.Enabled)
	s.Port(0).Dequeue(0, 3, &sluice.Packet{Size: 1000, Class: 3, Ingress: 1})
	q, ok := s.Port(0).Next(0)
	require.True(t, ok)
	require.EqualValues(t, 0, q)
}

// TestAuditSeesAnAccountBelowZero that another one makes up for.
func TestAuditSeesAnAccountBelowZero(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.s.ports[0].account(3).bytes--
	k.s.ports[1].account(3).bytes++
	k.s.free[0]--
	require.ErrorContains(t, k.s.Audit(), "invariant 3: class 3: queue 0, of it lossy 0, account -1")
}

// TestRestoreUnderLowerThresholds: an account above them is paused at once.
func TestRestoreUnderLowerThresholds(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 3000)
	require.Empty(t, k.take())
	config, snapshot := k.s.Config(), k.s.Snapshot()
	config.Ports[1].XOff, config.Ports[1].XOn = 2000, 1000
	s, err := Restore(config, &snapshot)
	require.NoError(t, err)
	var f Frame
	require.True(t, s.Port(1).PollFrame(0, &f))
	require.Equal(t, pauseOf(DefaultPause, 3), f)
}

// TestFrameThatIsTheLargestTakesTwoCells: the worst packet is of a byte more than a cell, which is
// a packet as long as the largest is no less.
func TestFrameThatIsTheLargestTakesTwoCells(t *testing.T) {
	require.Equal(t, sluice.Bytes(4), heaviest(160, 80, 79, 0).cells(),
		"two packets of 80 bytes, two cells each")
	require.Equal(t, sluice.Bytes(2), heaviest(160, 79, 79, 0).cells(), "none is longer than a cell")
}

func TestModesThatDoNotExistHaveNames(t *testing.T) {
	require.Equal(t, "classic obey", ClassicObey.String())
	require.Equal(t, "Mode(3)", (ClassicObey + 1).String())
	require.Equal(t, "alert", WatchdogAlerts.String())
	require.Equal(t, "WatchdogAction(3)", numWatchdogActions.String())
}
