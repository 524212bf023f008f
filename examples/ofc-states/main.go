// Ofc-states takes one egress port through the four states of OFC as frames and packets come.
//
// Two flows, A and B, wait in the normal queue of class 0, which has queues 0, 1 and 2. Downstream
// pauses A: its packets move to the paused queue when they get to the head, and B passes. When A
// is resumed, the queues rotate: what was the paused queue is served until it is empty, and the
// normal queue waits, so that no packet of A passes another. A RESUME that comes in the meantime
// waits for the end of the rotation.
//
// Printed are the frames, what is sent and moved, the state, and what each queue holds.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
)

const flowA, flowB = 0xA, 0xB

// port is an egress port and its embedder: a machine that shows moves, and where the driver sends.
type port struct {
	kit.Machine
	state    func(sluice.Class) ofc.State
	store    *kit.Store[struct{}]
	driver   *kit.Driver[struct{}]
	free     bool // the transmitter takes a packet
	moved    string
	sequence uint32
	now      sluice.Time
}

func main() {
	device, err := ofc.New(ofc.HostConfig(sluice.Link{
		Rate: 40 * sluice.Gbps, Delay: 20 * sluice.Nanosecond,
	}))
	if err != nil {
		log.Fatal(err)
	}
	store, err := kit.NewStore[struct{}](100)
	if err != nil {
		log.Fatal(err)
	}
	p := &port{Machine: kit.Wrap(device), state: device.Port(0).State, store: store}
	p.driver = kit.NewDriver(p, store, p)
	p.arrive(flowA, flowB, flowA, flowB, flowA, flowB)
	p.show("A B A B A B arrive")
	p.hear(ofc.Frame{Type: ofc.Pause}, flowA)
	p.send(2)
	p.hear(ofc.Frame{Type: ofc.Pause}, flowB)
	p.send(1)
	p.hear(ofc.Frame{Type: ofc.Resume}, flowA)
	p.arrive(flowA)
	p.show("A arrives")
	p.send(1)
	p.hear(ofc.Frame{Type: ofc.Pause, All: true})
	p.send(1)
	p.hear(ofc.Frame{Type: ofc.Resume, All: true})
	p.hear(ofc.Frame{Type: ofc.Resume, Last: true}, flowB)
	p.send(9)
	counters := device.Counters()
	fmt.Printf("\n%d packets moved, %d rotations, %d resumes deferred\n",
		counters.Moved, counters.Rotations, counters.Deferrals)
}

// arrive enqueues packets.
func (p *port) arrive(flows ...uint64) {
	for _, flow := range flows {
		h, _ := p.store.Take()
		p.store.At(h).Packet = sluice.Packet{Flow: flow, Size: 1500, Ingress: sluice.Local}
		p.driver.Enqueue(p.now, 0, h)
	}
}

// hear receives a frame about flows.
func (p *port) hear(f ofc.Frame, flows ...uint64) {
	p.sequence++
	f.Sequence = p.sequence
	f.Count = uint16(copy(f.Keys[:], flows))
	if err := p.driver.Receive(p.now, 0, f.AppendTo(nil)); err != nil {
		log.Fatal(err)
	}
	p.show(f.String())
}

// send lets the transmitter take up to most packets.
func (p *port) send(most int) {
	for range most {
		p.free = true
		p.driver.Ready(p.now, 0)
		if p.free {
			p.show("nothing may go")
			break
		}
		p.now += 300 * sluice.Nanosecond
	}
	p.free = false
}

// Dequeue notes a move, which the driver makes then.
func (p *port) Dequeue(
	now sluice.Time, id sluice.PortID, q sluice.QueueID, packet *sluice.Packet,
) sluice.Verdict {
	v := p.Machine.Dequeue(now, id, q, packet)
	if v.Action() == sluice.Append {
		p.moved = fmt.Sprintf("  %X moves from queue %d to %d", packet.Flow, q, v.Queue())
	}
	return v
}

// Next shows a move that was made.
func (p *port) Next(now sluice.Time, id sluice.PortID) (sluice.QueueID, bool) {
	if p.moved != "" {
		p.show(p.moved)
		p.moved = ""
	}
	return p.Machine.Next(now, id)
}

// Free, Send, SendFrame and Drop are the transmitter.
func (p *port) Free(sluice.PortID) bool { return p.free }

func (p *port) Send(_ sluice.PortID, h kit.Handle) {
	packet := p.store.At(h)
	p.show(fmt.Sprintf("  %X is sent from queue %d", packet.Flow, packet.UpstreamQueue))
	p.store.Release(h)
	p.free = false
}

func (p *port) SendFrame(_ sluice.PortID, _ []byte, kind string)         { log.Fatal(kind) }
func (p *port) Drop(_ sluice.PortID, _ kit.Handle, reason sluice.Reason) { log.Fatal(reason) }

// show prints what happened, the state, and the queues.
func (p *port) show(what string) {
	var queues []string
	for q := range sluice.QueueID(ofc.QueuesPerClass) {
		text := ""
		for h := p.driver.Queue(0, q).Head(); h != 0; h = p.store.After(h) {
			text += fmt.Sprintf("%X", p.store.At(h).Flow)
		}
		queues = append(queues, fmt.Sprintf("%-7s", text+"-"))
	}
	fmt.Printf("%-30s %-16v %s\n", what, p.state(0), strings.TrimRight(strings.Join(queues, " "), " "))
}
