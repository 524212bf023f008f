// Pfc-switch is the smallest embedding: a software switch that polls its ports, with priority-based flow control.
//
// The switch has its own packets, FIFOs and clock; package pfc only decides. At its three 100 Gb/s ports are two senders and
// a receiver. The receiver asks for a pause itself, which runs out, and then is slower than the two senders
// together, so that the switch pauses them again and again. Printed are the pause frames, the first pause and the first
// resume as the bytes on the wire. At the end every packet has arrived, in order.
//
// Look first at act, the one rule for embedders, and at the four methods that call it. Cables have no length here, and
// senders obey at once; pfc-eventloop has cables, and headroom says what they cost.
package main

import (
	"encoding/hex"
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

const (
	rate     = 100 * sluice.Gbps
	mtu      = 1500 * sluice.Byte
	class    = 3 // the lossless one
	senders  = 2 // at ports 0 and 1
	receiver = sluice.PortID(senders)
	quota    = 60 // packets each sender has
)

// packet is the switch's own packet. What the machine may know of it rides inside.
type packet struct {
	sluice.Packet
	number int // of its sender
}

// forwarder is the software switch: a machine, and a FIFO for each queue of each port.
type forwarder struct {
	machine *pfc.Switch
	fifos   [senders + 1][sluice.Classes][]*packet
	frame   pfc.Frame // one, used again and again
	send    func(now sluice.Time, port sluice.PortID, wire []byte)
}

// forward takes in a packet that was routed to port.
func (f *forwarder) forward(now sluice.Time, port sluice.PortID, p *packet) {
	verdict := f.machine.Port(port).Enqueue(now, &p.Packet)
	if verdict.Action() == sluice.Append {
		fifo := &f.fifos[port][verdict.Queue()]
		*fifo = append(*fifo, p)
	} // else it is dropped, and verdict.Reason() says why
	f.act(now, verdict.Wake())
}

// transmit returns the packet that port sends next, nil if there is none that may go.
func (f *forwarder) transmit(now sluice.Time, port sluice.PortID) *packet {
	q, ok := f.machine.Port(port).Next(now)
	if !ok {
		return nil
	}
	fifo := &f.fifos[port][q]
	p := (*fifo)[0]
	*fifo = (*fifo)[1:]
	verdict := f.machine.Port(port).Dequeue(now, q, &p.Packet)
	f.act(now, verdict.Wake())
	return p // pfc without a watchdog transmits whatever Next chose
}

// receive takes in a pause frame that came in at port.
func (f *forwarder) receive(now sluice.Time, port sluice.PortID, wire []byte) {
	if err := f.frame.Parse(wire); err != nil {
		return // not a pause frame: nothing changes
	}
	f.act(now, f.machine.Port(port).Receive(now, &f.frame))
}

// tick serves the timers: pauses sent that are to be repeated, pauses received that have run out.
func (f *forwarder) tick(now sluice.Time) {
	if now >= f.machine.Deadline() {
		f.act(now, f.machine.Expire(now))
	}
}

// act does what a hook asked for before the next hook is called. A switch that polls asks all its transmitters and
// reads the deadline in every round anyway: the frames are left.
func (f *forwarder) act(now sluice.Time, wake sluice.Wake) {
	if !wake.Has(sluice.WakeFrames) {
		return
	}
	for {
		port, ok := f.machine.PollFrame(now, &f.frame)
		if !ok {
			return
		}
		f.send(now, port, f.frame.AppendTo(nil))
	}
}

// main plays the senders, the receiver and the clock.
func main() {
	port := pfc.PortConfig{Link: sluice.Link{Rate: rate}, XOff: 20 * mtu, XOn: 10 * mtu, Pause: 1000}
	port.Headroom = port.HeadroomFor(mtu)
	machine, err := pfc.New(pfc.Config{
		Ports:    []pfc.PortConfig{port, port, port},
		Buffer:   sluice.MiB,
		Lossless: sluice.MakeClassSet(class),
		MAC:      [6]byte{2, 0, 0, 0, 0, 1},
	})
	if err != nil {
		log.Fatal(err)
	}

	var sent, delivered [senders]int
	var pausedUntil [senders]sluice.Time
	dumped := map[string]bool{}
	f := &forwarder{machine: machine, send: func(now sluice.Time, port sluice.PortID, wire []byte) {
		var heard pfc.Frame // by the sender's network card
		if err := heard.Parse(wire); err != nil {
			log.Fatal(err)
		}
		pausedUntil[port] = now + rate.TimeOfQuanta(heard.Time[class])
		kind := heard.Kind()
		fmt.Printf("%8v  switch -> sender %d: %v\n", now, port, heard)
		if !dumped[kind] {
			fmt.Print(hex.Dump(wire))
		}
		dumped[kind] = true
	}}

	pause := pfc.Frame{Opcode: pfc.OpcodePFC, Enabled: sluice.MakeClassSet(class), Time: [sluice.Classes]sluice.Quanta{class: 800}}
	f.receive(0, receiver, pause.AppendTo(nil))
	fmt.Printf("%8v  receiver -> switch: %v, until %v\n", sluice.Time(0), pause, machine.Port(receiver).HeldUntil(class))
	for now := sluice.Time(0); now < 20*sluice.Microsecond; now += rate.TimeOf(mtu) {
		f.tick(now)
		for i := range sent {
			if now >= pausedUntil[i] && sent[i] < quota {
				p := &packet{sluice.Packet{Size: int32(mtu), Class: class, Ingress: sluice.PortID(i)}, sent[i]}
				sent[i]++
				f.forward(now, receiver, p)
			}
		}
		if p := f.transmit(now, receiver); p != nil {
			if p.number != delivered[p.Ingress] {
				log.Fatal("lost, or out of order")
			}
			delivered[p.Ingress]++
		}
	}
	c := machine.Counters()
	fmt.Printf("delivered %v, dropped %d, most in the buffer %d bytes\n", delivered, c.Class[class].Dropped, c.BufferPeak)
}
