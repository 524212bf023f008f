package sonic

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/sluicefc/sluice"
)

// The chips of sonic-buildimage, by the names that chips.txt has.
//
// Cells are the cell_size of sonic-mgmt's tests/qos/files/qos_params.*.yaml, which agree with
// Nvidia's ASIC_TABLE (platform/mellanox/asic_table.j2 of sonic-buildimage), from which are also
// what arrives in MAC, PHY and pipeline.
//
// What sizes mean is from the packets at which these tests see a pause, and from which the pools of
// sonic-buildimage follow to the packet: see TestRows, which has every number. In short: Tomahawk
// and Tomahawk 2 pause at half of a quarter of the size, so that nothing is taken out of it and it
// is cut in four; Trident 2 at a ninth (alpha 1/8) of the size less all groups, headrooms included;
// Trident 3 at half of the size less the shared headroom pool, the groups and the queues; Tomahawk
// 3 and 5 as Trident 3, with the queues twice and all cut in two. The shared headroom pools fill to
// the last partial one in the same slices. On Nvidia's chips the script that sizes the pool
// (buffer_pool_mellanox.lua of sonic-swss) takes everything else out of the memory first.
//
// The alpha of 64 and the shares of ports are in sonic-mgmt's tests/qos/qos_sai_base.py, in what
// computes the threshold of Nvidia's newer platforms, SN5400, SN5600 and SN5640.
var chips = map[string]Chip{
	"TD2": {Name: "Trident 2", Cell: 208, PoolSize: PoolTotal, Slices: 1},
	"TD3": {Name: "Trident 3", Cell: 256, PoolSize: PoolTotal, Slices: 1, QueueReserves: 1},
	"TH":  {Name: "Tomahawk", Cell: 208, PoolSize: PoolShared, Slices: 4},
	"TH2": {Name: "Tomahawk 2", Cell: 208, PoolSize: PoolShared, Slices: 4},
	"TH3": {Name: "Tomahawk 3", Cell: 254, PoolSize: PoolTotal, Slices: 2, QueueReserves: 2},
	"TH5": {Name: "Tomahawk 5", Cell: 254, PoolSize: PoolTotal, Slices: 2, QueueReserves: 2},

	"TH6": {Name: "Tomahawk 6", Cell: 420, PoolSize: PoolTotal, Slices: 1},

	"SPC1": nvidia(1, 96, 19),
	"SPC2": nvidia(2, 144, 19),
	"SPC3": nvidia(3, 144, 19),
	"SPC4": nvidia(4, 192, 19),
	"SPC5": nvidia(5, 192, 19),
	"SPC6": nvidia(6, 256, 42),

	// Of these only the name is known here.
	"TD4": {Name: "Trident 4"}, "TH4": {Name: "Tomahawk 4"},
	"J2": {Name: "Jericho 2"}, "J2C+": {Name: "Jericho 2C+"}, "Q3D": {Name: "Qumran 3D"},
}

func nvidia(generation int, cell, pipeline sluice.Bytes) Chip {
	return Chip{
		Name: "Spectrum", Cell: cell, PoolSize: PoolShared, Slices: 1, LargestAlpha: 64,
		PortShares: generation == 4 || generation == 5, Spectrum: generation,
		MACPHY: 819, Pipeline: pipeline * sluice.KiB,
	}
}

//go:embed chips.txt
var chipsText string

// chipNames are the names in chips by platforms and hwskus.
var chipNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(chipsText) {
		if f := strings.Fields(line); len(f) == 3 {
			names[f[0]] = f[1]
		}
	}
	return names
})

// ChipOf returns the chip of a platform, as "x86_64-arista_7060_cx32s", or, where that is not
// known, of an hwsku, as "Arista-7060CX-32S-C32": the fields platform and hwsku of
// DEVICE_METADATA. False: neither is known. Of some chips only the name is. Buffer, frames and
// traffic are never given.
func ChipOf(platform, hwsku string) (Chip, bool) {
	for _, name := range []string{platform, hwsku} {
		if chip, ok := chips[chipNames()[name]]; ok {
			return chip, true
		}
	}
	return Chip{}, false
}
