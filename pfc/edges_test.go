package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
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
