package replay_test

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

const (
	leaf  = sluice.SwitchID(100)
	spine = sluice.SwitchID(200)
	up    = sluice.PortID(2) // of a leaf, to the spine
)

// root is the port of the second leaf to its first host.
var root = sluice.Hop{Switch: leaf + 1, Port: 0}

func ExamplePyrrha() {
	if err := pyrrhaStory(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// changed: Organisation becomes single tier
	// changed: Unordered becomes true
	// changed: FreeMerged becomes true
	// changed: KeepPaused becomes true
	// changed: UpPorts becomes always
	// changed: Roots becomes 255
	// changed: Scheduler becomes deficit round robin
	// 14 tables, 22 registers: at least 72 of 1600 blocks
	// the spine says pause 101:0 hop 2
	// leaf 100 says by port 0: pause 101:0 hop 3
	// leaf 100 says by port 0: pause 100:2 hop 1
	// sent from queue 0 for host 3
	// sent from queue 0 for host 3
	// sent from queue 0 for host 3
	// sent from queue 0 for host 3
	// sent from queue 0 for host 3
	// leaf 100 says by port 0: resume 100:2
	// sent from queue 0 for host 3
	// sent from queue 0 for host 3
	// sent from queue 0 for host 3
	// the spine says resume 101:0
	// sent from queue 1 for host 2
	// sent from queue 1 for host 2
	// sent from queue 1 for host 2
	// sent from queue 1 for host 2
	// sent from queue 1 for host 2
	// leaf 100 says by port 0: resume 101:0
	// sent from queue 1 for host 2
	// sent from queue 1 for host 2
	// sent from queue 1 for host 2
	// leaf 100 says by port 2: dealloc 101:0
	// the program decided as the machine did, in all 34 inputs
	// every slot, queue and set is free again
}

// pyrrhaStory makes the program of a Pyrrha switch for the Tofino 2 and runs it beside the
// machine.
//
// Two leaves with two hosts each hang on one spine. RealisePyrrha says what the chip does otherwise
// than the machine of a default configuration; program and machine of leaf 100 are then given the
// same packets and frames. The port of leaf 101 to host 2 becomes a congestion root: the spine
// passes its PAUSE on, packets for host 2 wait in a queue of their own while those for host 3 go,
// host 0 is paused in turn, and when the root resumes all is given back.
func pyrrhaStory() error {
	network, err := leaves()
	if err != nil {
		return err
	}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 200 * sluice.Nanosecond}
	machine, changes, err := tofino.RealisePyrrha(pyrrha.Config{Switch: leaf,
		Ports: []pyrrha.PortConfig{{Link: link, Role: pyrrha.Host}, {Link: link, Role: pyrrha.Host},
			{Link: link, Role: pyrrha.Up}}})
	if err != nil {
		return err
	}
	printChanges(changes)
	made, err := tofino.NewPyrrha(tofino.PyrrhaConfig{Machine: machine, Network: network.Snapshot(),
		Site: tofino.Site{Ports: []chip.DevPort{136, 144, 152}}})
	if err != nil {
		return err
	}
	printCost(made.Program, made.Config)
	beside, err := replay.Pyrrha(made, network)
	if err != nil {
		return err
	}
	tap, err := replay.New(beside)
	if err != nil {
		return err
	}
	if err := story(tap, network); err != nil {
		return err
	}
	if idle := replay.PyrrhaIdle(made, tap.Program()); idle != nil {
		return idle
	}
	fmt.Println("every slot, queue and set is free again")
	return nil
}

// leaves declares the network.
func leaves() (*hashpath.Network, error) {
	b := hashpath.NewBuilder()
	b.AddSwitch(spine)
	for i := range sluice.SwitchID(2) {
		b.AddSwitch(leaf + i)
		for j := range sluice.SwitchID(2) {
			b.AddHost(2*i + j)
			b.Connect(sluice.Hop{Switch: 2*i + j}, sluice.Hop{Switch: leaf + i, Port: sluice.PortID(j)})
		}
		down := sluice.Hop{Switch: spine, Port: sluice.PortID(i)}
		b.Connect(sluice.Hop{Switch: leaf + i, Port: up}, down)
	}
	return b.Build(hashpath.Config{Hash: hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}, Seed: 1})
}

// pyrrhaDevice is the driver's sender: it prints what leaves, and the port to the spine sends one
// packet each time takes is set.
type pyrrhaDevice struct {
	store  *kit.Store[struct{}]
	driver *kit.Driver[struct{}]
	takes  bool
	heard  uint32 // frames
}

// story gives leaf 100 packets of host 0 for hosts 2 and 3, and the frames of the spine.
func story(tap *replay.Tap, network *hashpath.Network) error {
	store, err := kit.NewStore[struct{}](16)
	if err != nil {
		return err
	}
	d := &pyrrhaDevice{store: store}
	d.driver = kit.NewDriver(tap, store, d)
	if err := d.receive(pyrrha.Frame{Type: pyrrha.Pause, Root: root, Hop: 2}); err != nil {
		return err
	}
	for at := range 16 {
		to := sluice.SwitchID(2 + at%2)
		flow := hashpath.FlowBetween(0, to, 1, 4791, 17)
		path, _ := network.Path(leaf, 0, &flow)
		h, _ := store.Take()
		store.At(h).Packet = sluice.Packet{Flow: uint64(to), Size: 1518, Ingress: 0, Path: path}
		d.driver.Enqueue(0, up, h)
	}
	d.send()
	if err := d.receive(pyrrha.Frame{Type: pyrrha.Resume, Root: root}); err != nil {
		return err
	}
	d.send()
	if err := tap.Check(); err != nil {
		return err
	}
	fmt.Println("the program decided as the machine did, in all", tap.Stats().Inputs, "inputs")
	return nil
}

// receive takes in a frame of the spine.
func (d *pyrrhaDevice) receive(f pyrrha.Frame) error {
	d.heard++
	f.Sequence = d.heard
	fmt.Println("the spine says", f)
	return d.driver.Receive(0, up, f.AppendTo(nil))
}

// send lets the port to the spine send what it may.
func (d *pyrrhaDevice) send() {
	for !d.takes {
		d.takes = true
		d.driver.Ready(0, up)
	}
	d.takes = false
}

// Free lets frames leave at any time by the ports to hosts.
func (d *pyrrhaDevice) Free(port sluice.PortID) bool { return port != up || d.takes }

// Send prints a packet.
func (d *pyrrhaDevice) Send(_ sluice.PortID, h kit.Handle) {
	p := d.store.At(h)
	fmt.Printf("sent from queue %d for host %d\n", p.UpstreamQueue, p.Flow)
	d.store.Release(h)
	d.takes = false
}

// SendFrame prints a frame, upstream to host 0 or downstream to the spine.
func (d *pyrrhaDevice) SendFrame(port sluice.PortID, octets []byte, _ string) {
	var f pyrrha.Frame
	if err := f.Parse(octets); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("leaf %d says by port %d: %v\n", leaf, port, f)
}

// Drop is what must not happen.
func (d *pyrrhaDevice) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
