// Bfc-port follows some packets through one egress port under Backpressure Flow Control.
//
// A switch of two 100 Gb/s ports has four queues per port. Packets come in by port 0, from eight
// queues of the switch upstream, and leave by port 1. A flow gets a queue of its own while there
// are free ones. When a queue grows above the pause threshold, the upstream queue that its packets
// come from is paused, and no other; every period a bitmap repeats the state of all, in case a
// frame was lost. The switch downstream does the same to our queues.
//
// Printed are the packets with the verdicts of the hooks, and the frames sent with the bytes of the
// first bitmap.
package main

import (
	"encoding/hex"
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
)

const (
	ingress = sluice.PortID(0)
	egress  = sluice.PortID(1)
	rate    = 100 * sluice.Gbps
	mtu     = 1500
)

// device is the embedder's switch, as far as one egress port needs it: the output of a driver. Its
// egress sends a packet in each round while it drains.
type device struct {
	machine *bfc.Switch
	out     *bfc.Port
	store   *kit.Store[string] // packets with the name of their flow
	driver  *kit.Driver[string]
	now     sluice.Time
	drains  bool
}

func main() {
	link := sluice.Link{Rate: rate, Delay: 500 * sluice.Nanosecond}
	machine, err := bfc.New(bfc.Config{
		Ports:      []bfc.PortConfig{ingress: {Link: link, UpstreamQueues: 8}, egress: {Link: link}},
		Queues:     4,
		Assignment: bfc.LowestFree, // RandomScan, the default, draws among the free queues
		Quantum:    mtu,
		Period:     2 * sluice.Microsecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	store, err := kit.NewStore[string](100)
	if err != nil {
		log.Fatal(err)
	}
	d := &device{machine: machine, out: machine.Port(egress), store: store}
	d.driver = kit.NewDriver(kit.Wrap(machine), store, d)

	fmt.Println("Three flows, two of which shared an upstream queue, get a queue each:")
	for range 2 {
		d.enqueue("a", 2)
		d.enqueue("b", 5)
		d.enqueue("c", 5)
	}
	fmt.Printf("\nFlow a goes on alone and passes the threshold, %d bytes with %d active queues:\n",
		machine.Threshold(ingress, egress, d.out.Active()), d.out.Active())
	for range 3 {
		d.enqueue("a", 2)
	}
	fmt.Println("\nThe period ends, and a bitmap says the same of all eight queues:")
	d.now = machine.Deadline()
	d.driver.Expire(d.now)

	fmt.Print("\nDownstream pauses our queue 1, so flow b waits. The others go, and with the last " +
		"of the packets that were above the\nthreshold goes the pause:\n")
	queue1 := [bfc.MaxListed]sluice.QueueID{1}
	d.receive(bfc.Frame{Type: bfc.Pause, Sequence: 1, Count: 1, Queues: queue1})
	fmt.Println("\nDownstream lets it go on:")
	d.receive(bfc.Frame{Type: bfc.Resume, Sequence: 2, Count: 1, Queues: queue1})

	if err := machine.Quiescent(); err != nil {
		log.Fatal(err)
	}
	c := machine.Counters()
	fmt.Printf("\nDone: %d packets, %d assignments, %d collisions of queues, %d pause, %d resume.\n",
		c.Transmitted, c.Assignments, c.QueueCollisions, c.Pauses, c.Resumes)
}

// enqueue takes in a packet of a flow, which carries the number of the upstream queue that it came
// from: bfc.ParseShim reads it off the wire.
func (d *device) enqueue(flow string, from sluice.QueueID) {
	h, _ := d.store.Take()
	p := d.store.At(h)
	p.Packet = sluice.Packet{
		Flow: uint64(flow[0]), Size: mtu, Ingress: ingress, UpstreamQueue: from, Stamped: true,
	}
	p.Value = flow
	verdict := d.driver.Enqueue(d.now, egress, h)
	fmt.Printf("%8v  %s from upstream queue %d: %v\n", d.now, flow, from, verdict)
}

// transmit sends packets as long as there are any that may go.
func (d *device) transmit() {
	for before := sluice.Bytes(-1); before != d.machine.Buffered(); d.now += rate.TimeOf(mtu) {
		before = d.machine.Buffered()
		d.driver.Expire(d.now)
		d.drains = true // a packet
		d.driver.Ready(d.now, egress)
	}
	d.drains = false
}

// receive takes in a frame of the switch downstream.
func (d *device) receive(f bfc.Frame) {
	fmt.Printf("%8v  received %v\n", d.now, f)
	if err := d.driver.Receive(d.now, egress, f.AppendTo(nil)); err != nil {
		log.Fatal(err)
	}
	d.transmit()
}

// Free lets frames leave by the ingress at any time, and a packet by the egress in each round.
func (d *device) Free(port sluice.PortID) bool { return port == ingress || d.drains }

// Send sends a packet with the queue it left, which is the upstream queue to the next hop.
func (d *device) Send(_ sluice.PortID, h kit.Handle) {
	p := d.store.At(h)
	shim := bfc.AppendShim(nil, p.UpstreamQueue)
	fmt.Printf("%8v  %s from queue %d with shim %x\n", d.now, p.Value, p.UpstreamQueue, shim)
	d.store.Release(h)
	d.drains = false
}

// SendFrame sends a frame upstream, and prints the bytes of a bitmap.
func (d *device) SendFrame(port sluice.PortID, wire []byte, _ string) {
	var f bfc.Frame
	if err := f.Parse(wire); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%8v  frame by port %d: %v\n", d.now, port, f)
	if f.Type == bfc.Bitmap {
		fmt.Print(hex.Dump(wire))
	}
}

// Drop is what must not happen.
func (d *device) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
