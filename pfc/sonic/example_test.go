package sonic_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// A switch as SONiC configures it: the threshold at which a port pauses, and the headroom that it
// lacks.
func Example() {
	db, err := sonic.Parse([]byte(`{
		"PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {
			"type": "ingress", "mode": "dynamic", "size": "4000000"
		}},
		"BUFFER_PROFILE": {"pg": {
			"pool": "ingress_lossless_pool", "size": "78432", "xoff": "60000", "dynamic_th": "-3"
		}},
		"BUFFER_PG": {"Ethernet0|3-4": {"profile": "pg"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}
	}`))
	if err != nil {
		panic(err)
	}
	chip := sonic.Chip{Cell: 256, MACPHY: 1024, LosslessMTU: 4096, PoolSize: sonic.PoolShared}
	imported, err := db.Import(chip)
	if err != nil {
		panic(err)
	}
	for _, note := range imported.Left {
		fmt.Println("not carried over:", note)
	}
	machine, err := pfc.New(imported.Config)
	if err != nil {
		panic(err)
	}
	fmt.Println(imported.Ports[0], "pauses class 3 at", machine.Port(0).XOff(3))
	for _, short := range imported.Config.Shortages(chip.LosslessMTU) {
		fmt.Println("class", short.Class, "has", short.Headroom, "and needs", short.Needed)
	}
	// Output:
	// Ethernet0 pauses class 3 at 518432B
	// class 3 has 60000B and needs 115968B
	// class 4 has 60000B and needs 115968B
}

// The headroom of a port to the byte, and by the formula of SONiC's dynamic buffer model.
func ExampleChip() {
	chip := sonic.Chip{Cell: 256, MACPHY: 1024, LosslessMTU: 4096, MTU: 9216, SmallPackets: 100}
	fmt.Println(chip.Exact(100*sluice.Gbps, pfc.Cable(40)).Total)
	fmt.Println(chip.Formula(100*sluice.Gbps, 40))
	// Output:
	// 131584B
	// 163KiB
}
