package sonic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// TestFormula: the versions of SONiC's script give different headrooms for cells of 144 bytes, 100
// Gb/s and 300 m, computed by hand from the script: 73,014 bytes arrive, 9,100 of our frame,
// 37,878 on the cable, 819 in MAC and PHY and 25,216 of the response. Small packets take 2.25
// times their bytes by the first script, and 3 times since.
func TestFormula(t *testing.T) {
	for _, test := range []struct {
		script Script
		small  int
		shared bool
		want   sluice.Bytes
	}{
		{ScriptByPackets, 100, false, 165_888},
		{ScriptByPackets, 50, false, 119_808},
		{ScriptByBytes, 100, false, 220_160},
		{ScriptByBytes, 50, false, 92_160}, // 64 of a mean of 544 bytes: 73,014 * 1.2353, and a frame
		{ScriptCompensated, 100, false, 220_160},
		{ScriptCompensated, 50, false, 94_208},
		{ScriptCompensated, 50, true, 92_160},
		{ScriptByBytes, 0, false, 83_968}, // 64 of 1,024: 73,014 * 1.125, and a frame
	} {
		chip := Chip{
			Cell: 144, MACPHY: 819, LosslessMTU: 1024, MTU: 9100, Script: test.script,
			SmallPackets: test.small, SharedHeadroom: test.shared,
		}
		require.Equal(t, test.want, chip.Formula(100*sluice.Gbps, 300), "%+v", test)
	}
	six := Chip{Cell: 144, MACPHY: 819, LosslessMTU: 1024, MTU: 9100, SmallPackets: 100, Spectrum: 6}
	require.Equal(t, sluice.Bytes(220_160+18<<10), six.Formula(100*sluice.Gbps, 300))
}

// TestScriptDates: versions are named by their dates.
func TestScriptDates(t *testing.T) {
	for _, s := range []Script{ScriptCompensated, ScriptByBytes, ScriptByPackets} {
		text, err := s.MarshalText()
		require.NoError(t, err)
		var again Script
		require.NoError(t, again.UnmarshalText(text))
		require.Equal(t, s, again)
	}
	var s Script
	require.ErrorContains(t, s.UnmarshalText([]byte("2020")), "must be 2021-11-15")
	require.Equal(t, "no date", Script(9).String())
}

// TestFormulaIsTheTable: the table of ACS-SN5600, a Spectrum-4 with cells of 192 bytes, is what the
// script gives if all packets are small, from 10 Gb/s to 800.
func TestFormulaIsTheTable(t *testing.T) {
	chip, ok := ChipOf("x86_64-nvidia_sn5600-r0", "")
	require.True(t, ok)
	chip.LosslessMTU, chip.MTU, chip.SmallPackets = 1024, 9216, 100
	for _, row := range []struct {
		speed  sluice.Rate
		metres int
		xoff   sluice.Bytes
	}{
		{10, 5, 45_056}, {40, 300, 101_376}, {100, 40, 126_976}, {200, 300, 355_328},
		{400, 5, 231_424}, {400, 300, 677_888}, {800, 5, 257_024}, {800, 300, 1_150_976},
	} {
		require.Equal(t, row.xoff, chip.Formula(row.speed*sluice.Gbps, row.metres), "%+v", row)
	}
}

// TestChipOf: the platform counts, then the hwsku; every name of the table has a chip.
func TestChipOf(t *testing.T) {
	chip, ok := ChipOf("x86_64-dell_s6100_c2538-r0", "Mellanox-SN2700")
	require.True(t, ok)
	require.Equal(t, Chip{Name: "Tomahawk", Cell: 208, PoolSize: PoolShared, Slices: 4}, chip)
	chip, ok = ChipOf("", "DellEMC-Z9332f-O32")
	require.True(t, ok)
	require.Equal(t, "Tomahawk 3", chip.Name)
	_, ok = ChipOf("x86_64-kvm_x86_64-r0", "Force10-S6000-not")
	require.False(t, ok)
	require.Greater(t, len(chipNames()), 200)
	for name, code := range chipNames() {
		require.Contains(t, chips, code, name)
	}
}

// TestSizesBothWays: a size without a shared headroom pool includes xoff, with one it does not; the
// configuration of a table gives the table's sizes again.
func TestSizesBothWays(t *testing.T) {
	alone, shared := meaning{}, meaning{shared: true}
	require.Equal(t, sluice.Bytes(1248), alone.reserve(56_368, 55_120))
	require.Equal(t, sluice.Bytes(56_368), shared.reserve(56_368, 55_120))
	require.Equal(t, sluice.Bytes(1518), alone.reserve(1518, 15_680), "less than xoff: not in it")
	p := &pfc.Profile{Reserve: 1248, Headroom: 55_120}
	require.Equal(t, sluice.Bytes(56_368), alone.size(p))
	require.Equal(t, sluice.Bytes(1248), shared.size(p))

	c := &pfc.Config{Classes: sluice.MakeClassSet(3, 4), HeadroomPool: 500_000}
	c.Pools = []sluice.Bytes{1_000_000} // of its own: nothing is taken of the lossless pool for it
	c.Ports = make([]pfc.PortConfig, 4)
	for i := range c.Ports {
		c.Ports[i].Profile = *p
	}
	for _, test := range []struct {
		chip Chip
		free sluice.Bytes // what groups share of 12,000,000 bytes
	}{
		{Chip{}, 12_000_000},
		{Chip{PoolSize: PoolShared, Slices: 4}, 3_000_000},
		{Chip{PoolSize: PoolTotal}, 12_000_000 - 8*1248 - 500_000},
		{Chip{PoolSize: PoolTotal, Slices: 2}, (12_000_000 - 8*1248 - 2*500_000) / 2},
	} {
		m := meaning{chip: test.chip, shared: true}
		c.Buffer = m.bufferOf(12_000_000, c)
		require.Equal(t, test.free, c.Buffer-c.SetApart(), "%+v", test.chip)
		require.Equal(t, sluice.Bytes(12_000_000), m.poolSize(c), "%+v", test.chip)
		require.Equal(t, c.SetApart(), m.bufferOf(0, c), "of a size of 0 nothing is shared")
	}
}
