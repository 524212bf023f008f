// Bfc-port follows some packets through one egress port under Backpressure Flow Control.
//
// A switch of two 100 Gb/s ports has four queues a port. Packets come in by port 0, from eight queues of the switch upstream,
// and leave by port 1. A flow gets a queue of its own while there are free ones. When a queue grows above the
// pause threshold, the upstream queue that its packets come from is paused, and no other; every period a bitmap repeats the
// state of all, in case a frame was lost. The switch downstream does the same to our queues.
//
// Printed are the packets with the verdicts of the hooks, and the frames sent with the bytes of the first bitmap.
package main

import (
	"encoding/hex"
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
)

const (
	ingress = sluice.PortID(0)
	egress  = sluice.PortID(1)
	rate    = 100 * sluice.Gbps
	mtu     = 1500
)

// device is the embedder's switch, as far as one egress port needs it.
type device struct {
	machine *bfc.Switch
	out     *bfc.Port
	fifos   [][]*packet // of the egress port
	frame   bfc.Frame   // one, used again and again
	now     sluice.Time
}

type packet struct {
	sluice.Packet
	name string
}

func main() {
	link := sluice.Link{Rate: rate, Delay: 500 * sluice.Nanosecond}
	machine, err := bfc.New(bfc.Config{
		Ports:      []bfc.PortConfig{ingress: {Link: link, UpstreamQueues: 8}, egress: {Link: link}},
		Queues:     4,
		Assignment: bfc.LowestFree, // RandomScan, the default, draws among the free ones
		Quantum:    mtu,
		Period:     2 * sluice.Microsecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	d := &device{machine: machine, out: machine.Port(egress), fifos: make([][]*packet, machine.Queues())}

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
	d.act(machine.Expire(d.now))

	fmt.Println("\nDownstream pauses our queue 1, so flow b waits. The others go, and with the last of the packets that were above the")
	fmt.Println("threshold goes the pause:")
	d.receive(bfc.Frame{Type: bfc.Pause, Sequence: 1, Count: 1, Queues: [bfc.MaxListed]sluice.QueueID{1}})
	d.transmit()
	fmt.Println("\nDownstream lets it go on:")
	d.receive(bfc.Frame{Type: bfc.Resume, Sequence: 2, Count: 1, Queues: [bfc.MaxListed]sluice.QueueID{1}})

	if err := machine.Quiescent(); err != nil {
		log.Fatal(err)
	}
	c := machine.Counters()
	fmt.Printf("\nDone: %d packets, %d assignments, %d collisions of queues, %d pause, %d resume.\n",
		c.Dequeued, c.Assignments, c.QueueCollisions, c.Pauses, c.Resumes)
}

// enqueue takes in a packet of a flow, which carries the number of the upstream queue that it came from: bfc.ParseShim
// reads it off the wire.
func (d *device) enqueue(flow string, from sluice.QueueID) {
	p := &packet{sluice.Packet{Flow: uint64(flow[0]), Size: mtu, Ingress: ingress, UpstreamQueue: from}, flow}
	verdict := d.out.Enqueue(d.now, &p.Packet)
	q := verdict.Queue()
	d.fifos[q] = append(d.fifos[q], p)
	fmt.Printf("%8v  %s from upstream queue %d: %v\n", d.now, flow, from, verdict)
	d.act(verdict.Wake())
}

// transmit sends packets as long as there are any that may go, each with the queue it left, which is the upstream queue
// to the next hop.
func (d *device) transmit() {
	for {
		if d.now >= d.machine.Deadline() {
			d.act(d.machine.Expire(d.now))
		}
		q, ok := d.out.Next(d.now)
		if !ok {
			return
		}
		p := d.fifos[q][0]
		d.fifos[q] = d.fifos[q][1:]
		verdict := d.out.Dequeue(d.now, q, &p.Packet)
		fmt.Printf("%8v  %s from queue %d with shim %x: %v\n", d.now, p.name, q, bfc.AppendShim(nil, q), verdict)
		d.act(verdict.Wake())
		d.now += rate.TimeOf(mtu)
	}
}

// receive takes in a frame of the switch downstream.
func (d *device) receive(f bfc.Frame) {
	wake := d.out.Receive(d.now, &f)
	fmt.Printf("%8v  received %v: %v\n", d.now, f, wake)
	d.act(wake)
}

// act does what a hook asked for: frames first, for they must be gone before the next hook is called, then packets that
// were released.
func (d *device) act(wake sluice.Wake) {
	for more := wake.Has(sluice.WakeFrames); more; {
		more = d.sendFrame()
	}
	if wake.Has(sluice.WakeQueues) {
		d.transmit()
	}
}

// sendFrame sends the next pending frame upstream, and reports whether there was one.
func (d *device) sendFrame() bool {
	port, ok := d.machine.PollFrame(d.now, &d.frame)
	switch {
	case !ok:
		return false
	case d.frame.Type == bfc.Bitmap:
		fmt.Printf("%8v  frame by port %d: %v\n%s", d.now, port, d.frame, hex.Dump(d.frame.AppendTo(nil)))
	default:
		fmt.Printf("%8v  frame by port %d: %v\n", d.now, port, d.frame)
	}
	return true
}
