// Ofc-states takes one egress port through the four states of OFC as frames and packets come.
//
// Two flows, A and B, wait in the normal queue of class 0, which has queues 0, 1 and 2. Downstream
// pauses A: its packets move to the paused queue when they get to the head, and B goes by. When A
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
	"github.com/sluicefc/sluice/ofc"
)

const (
	flowA = 0xA
	flowB = 0xB
)

// port is an egress port and the embedder's three queues of class 0.
type port struct {
	*ofc.Port
	queues   [ofc.QueuesPerClass][]*sluice.Packet
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
	p := &port{Port: device.Port(0)}
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
	counters := p.Counters()
	fmt.Printf("\n%d packets moved, %d rotations, %d resumes deferred\n",
		counters.Moved, counters.Rotations, counters.Deferrals)
}

// arrive enqueues packets.
func (p *port) arrive(flows ...uint64) {
	for _, flow := range flows {
		packet := &sluice.Packet{Flow: flow, Size: 1500, Ingress: sluice.Local}
		v := p.Enqueue(p.now, packet)
		p.queues[v.Queue()] = append(p.queues[v.Queue()], packet)
	}
}

// hear receives a frame about flows.
func (p *port) hear(f ofc.Frame, flows ...uint64) {
	p.sequence++
	f.Sequence = p.sequence
	f.Count = uint16(copy(f.Keys[:], flows))
	p.Receive(p.now, &f)
	p.show(f.String())
}

// send lets the transmitter take up to so many packets.
func (p *port) send(most int) {
	for most > 0 {
		q, ok := p.Next(p.now)
		if !ok {
			p.show("nothing may go")
			return
		}
		packet := p.queues[q][0]
		p.queues[q] = p.queues[q][1:]
		v := p.Dequeue(p.now, q, packet)
		if v.Action() == sluice.Append {
			p.queues[v.Queue()] = append(p.queues[v.Queue()], packet)
			p.show(fmt.Sprintf("  %X moves from queue %d to %d", packet.Flow, q, v.Queue()))
			continue
		}
		p.now += 300 * sluice.Nanosecond
		most--
		p.show(fmt.Sprintf("  %X is sent from queue %d", packet.Flow, q))
	}
}

// show prints what happened, the state, and the queues.
func (p *port) show(what string) {
	var queues []string
	for _, queue := range p.queues {
		text := ""
		for _, packet := range queue {
			text += fmt.Sprintf("%X", packet.Flow)
		}
		queues = append(queues, fmt.Sprintf("%-7s", text+"-"))
	}
	fmt.Printf("%-30s %-16v %s\n", what, p.State(0), strings.TrimRight(strings.Join(queues, " "), " "))
}
