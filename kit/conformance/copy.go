package conformance

import (
	"bytes"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// goOnWithACopy replaces the machine under test by a copy, if its state can be copied. What is done
// to the original after that must not reach the copy. The state must be the twin's, whose origin of
// time is another, and which was spared what changes nothing.
func (d *driver) goOnWithACopy() {
	original, ok := kit.StatefulOf(d.m)
	if !ok {
		return
	}
	now := d.now - d.base
	state := original.AppendState(nil, now)
	if twin, _ := kit.StatefulOf(d.twin); !bytes.Equal(state, twin.AppendState(nil, d.now)) {
		d.fail(determinism, "AppendState: what tells of the past; what is relative to a time",
			"after the same inputs the machine and its twin append different states")
	}
	copied := original.Clone()
	p := d.drawPacket(&d.flows[0])
	d.m.Enqueue(now, d.flows[0].port, &p)
	for port := range d.ports {
		d.m.LinkDown(now, sluice.PortID(port))
	}
	d.m = copied
	if again, _ := kit.StatefulOf(copied); !bytes.Equal(state, again.AppendState(nil, now)) {
		d.fail(determinism, "Clone: memory that the copy shares; AppendState: what it changes",
			"the copy's state changed with the original")
	}
}
