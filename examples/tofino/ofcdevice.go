package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/replay"
)

// ofcDevice is the machine with the program beside it, and where its driver sends.
type ofcDevice struct {
	*replay.Tap
	store  *kit.Store[struct{}]
	driver *kit.Driver[struct{}]
	sends  int // packets that port 1 takes
}

// tell has the device behind port 1 pause or resume flow A.
func (d *ofcDevice) tell(kind ofc.Type, sequence uint32) {
	f := ofc.Frame{Type: kind, Sequence: sequence, Class: class, Count: 1}
	f.Keys[0], f.Last = flowA, kind == ofc.Resume
	fmt.Printf("  %v\n", f)
	_ = d.driver.Receive(0, 1, f.AppendTo(nil))
}

// send lets so many packets leave, if they may.
func (d *ofcDevice) send(packets int) {
	d.sends = packets
	d.driver.Ready(0, 1)
	d.sends = 0
}

var names = map[uint64]string{flowA: "A", flowB: "B"}

// Dequeue shows a move.
func (d *ofcDevice) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := d.Tap.Dequeue(now, port, q, p)
	if v.Action() == sluice.Append {
		fmt.Printf("  %s moves from queue %d to %d\n", names[p.Flow], q, v.Queue())
	}
	return v
}

// Free, Send, SendFrame and Drop are the transmitter of port 1.
func (d *ofcDevice) Free(port sluice.PortID) bool { return port == 1 && d.sends > 0 }

func (d *ofcDevice) Send(_ sluice.PortID, h kit.Handle) {
	p := d.store.At(h)
	fmt.Printf("  %s leaves by queue %d\n", names[p.Flow], p.UpstreamQueue)
	d.store.Release(h)
	d.sends--
}

func (d *ofcDevice) SendFrame(_ sluice.PortID, _ []byte, kind string)      { log.Fatal(kind) }
func (d *ofcDevice) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { log.Fatal(why) }
