package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/replay"
)

// pyrrhaDevice is where the driver sends: it shows what leaves, and the port to the spine takes a
// packet when it is told to.
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
