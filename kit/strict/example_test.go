package strict_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/strict"
	"github.com/sluicefc/sluice/pfc"
)

// A test of an embedder that asks a port for packets before frames, and that stops too early.
func Example() {
	config := pfc.HostConfig(sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
	machine, err := kit.WrapNew(pfc.New(config))
	if err != nil {
		fmt.Println(err)
		return
	}
	checks := strict.New(machine)
	packet := &sluice.Packet{Size: 1500, Ingress: sluice.Local}
	checks.Enqueue(0, 0, packet)
	checks.Next(0, 0)
	fmt.Println(checks.Done(0))
	// Output:
	// strict: Next of port 0 at 0ps without PollFrame before: frames go first
	// strict: packets left in queue 0 of port 0, which may go: 1
	// strict: at the end: pfc: port 0: classes {0} hold packets
}
