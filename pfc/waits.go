package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// WaitsFor reports whether queue q, which the peer holds, waits for packet p to leave the peer's
// device: a pause of a class ends when what came in by its ingress in that class has left. in is
// the queue where p waits there, came says that it came in by this port's link. A class that GFC
// paces, and a queue that is shaped, wait for time alone; a class that GPFC pauses, for all
// classes. The maps of [qos.Port] are taken to be the peer's, too.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	t := p.state
	if !came || t.pacer.Paced.Has(sluice.Class(q)) || t.slow&^t.held>>q&1 != 0 {
		return false
	}
	if t.rules != nil && packet.Class < sluice.Classes {
		return t.rules.group[packet.Class] == p.groupOf(sluice.Class(q))
	}
	return sluice.QueueID(packet.Class) == q || p.owner.config.Trigger == trigger.GPFC
}
