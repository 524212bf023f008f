package replay_test

import (
	"fmt"
	"log"
	"net/netip"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/replay"
)

var storyNetwork = portfc.NDC{N: 4, K: 1}

const storySwitch = 16 // the first switch of layer 0

func ExamplePortFC() {
	if err := portfcStory(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// changed: Buffer becomes 0B
	// 8 tables, 4 registers: at least 21 of 1600 blocks
	// with its entries:
	// 48 packets wait: pause to node 3: pause queue 0 of port 1, layer 0
	// 48 packets wait: pause to node 2: pause queue 0 of port 1, layer 0
	// 48 packets wait: pause to node 0: pause queue 0 of port 1, layer 0
	// 31 packets wait: resume to node 3: resume queue 0 of port 1, layer 0
	// 31 packets wait: resume to node 2: resume queue 0 of port 1, layer 0
	// 31 packets wait: resume to node 0: resume queue 0 of port 1, layer 0
	// the program decided as the machine did, in all 120 inputs
	// with X_off a packet too high:
	// 48 packets wait: pause to node 3: pause queue 0 of port 1, layer 0
	// 48 packets wait: pause to node 2: pause queue 0 of port 1, layer 0
	// 48 packets wait: pause to node 0: pause queue 0 of port 1, layer 0
	// 31 packets wait: resume to node 3: resume queue 0 of port 1, layer 0
	// 31 packets wait: resume to node 2: resume queue 0 of port 1, layer 0
	// 31 packets wait: resume to node 0: resume queue 0 of port 1, layer 0
	// replay: input 48, Enqueue at 0ps: port 1, flow 0x0 from port...
}

// portfcStory makes the program of a PortFC switch for the Tofino 2 and runs it beside the
// machine.
//
// NewPortFC makes a program and what fills it of the machine's own configuration. An interpreter
// runs both, packet by packet: here a switch of NDC(4,1) gets packets until it tells the nodes to
// pause, and lets them go until it tells them to resume. A tap compares each decision with the
// machine's. Then the same with thresholds that are a packet too high.
func portfcStory() error {
	asked := portfc.SwitchConfig(
		storyNetwork, storySwitch, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond},
	)
	asked.Buffer = 5 * sluice.MB
	machine, changes, err := tofino.RealisePortFC(asked)
	if err != nil {
		return err
	}
	printChanges(changes)
	made, err := tofino.NewPortFC(tofino.PortFCConfig{Machine: machine,
		Site:      tofino.Site{Ports: []chip.DevPort{136, 144, 152, 160}},
		Addresses: tofino.DigitLayout{Base: netip.MustParseAddr("10.0.0.0")}})
	if err != nil {
		return err
	}
	printCost(made.Program, made.Config)

	fmt.Println("with its entries:")
	if err := portfcReplayed(made); err != nil {
		return err
	}
	fmt.Println("with X_off a packet too high:")
	for _, filled := range made.Config.Tables {
		for at := range filled.Entries {
			if filled.Table.Name == "limits" && filled.Entries[at].Action.Name == "arrives" {
				filled.Entries[at].Data[0] = ir.Uint(filled.Entries[at].Data[0].Lo + 9) // cells
			}
		}
	}
	return portfcReplayed(made)
}

// portfcReplayed fills the IHFQs of port 1 and empties them, and prints the frames with their
// receivers.
func portfcReplayed(made *tofino.PortFC) error {
	config, err := replay.PortFC(made)
	if err != nil {
		return err
	}
	tap, err := replay.New(config)
	if err != nil {
		return err
	}
	path, _ := storyNetwork.Through(0, 5, 0, 1) // node 0 by this switch to node 1, which passes it on
	path.Advance()
	store, err := kit.NewStore[struct{}](60)
	if err != nil {
		return err
	}
	d := &storyDevice{store: store, port: 1,
		frames: func(port sluice.PortID) bool { return port != 1 }}
	d.show = func(port sluice.PortID, octets []byte, kind string) {
		var f portfc.Frame
		if err := f.Parse(octets); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%2d packets wait: %s to node %d: %v\n", d.driver.Waiting(1), kind,
			storyNetwork.NodeAt(storySwitch, int(port)), f)
	}
	d.driver = kit.NewDriver(tap, store, d)
	for h, ok := store.Take(); ok; h, ok = store.Take() {
		store.At(h).Packet = sluice.Packet{Size: 1518, Path: path}
		d.driver.Enqueue(0, 1, h)
	}
	for d.driver.Waiting(1) > 0 {
		d.takes = true
		d.driver.Ready(0, 1)
	}
	if err := tap.Check(); err != nil {
		lines := strings.SplitN(err.Error(), "\n", 2)
		fmt.Printf("%.60s...\n", lines[0])
		return nil
	}
	fmt.Println("the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}

// storyDevice is the driver's sender: it prints frames, and one port sends one packet each time
// takes is set.
type storyDevice struct {
	store  *kit.Store[struct{}]
	driver *kit.Driver[struct{}]
	port   sluice.PortID
	takes  bool
	frames func(port sluice.PortID) bool // whether frames may leave by a port at any time
	show   func(port sluice.PortID, octets []byte, kind string)
}

// Free reports whether a port may send.
func (d *storyDevice) Free(port sluice.PortID) bool {
	return d.frames(port) || port == d.port && d.takes
}

// Send ends the way of a packet.
func (d *storyDevice) Send(_ sluice.PortID, h kit.Handle) {
	d.store.Release(h)
	d.takes = false
}

// SendFrame shows a frame.
func (d *storyDevice) SendFrame(port sluice.PortID, octets []byte, kind string) {
	d.show(port, octets, kind)
}

// Drop is what must not happen.
func (d *storyDevice) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
