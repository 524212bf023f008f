package pfc

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// AnyPort in a [Retag] is every port of the switch. [sluice.Local] is none of them.
const AnyPort sluice.PortID = 0xfffe

// Retag is a rule by which a class changes on the way: a packet that came in by Ingress in Class
// and leaves by Egress leaves in the class To (Hu et al.: Tagger, CoNEXT 2017).
type Retag struct {
	Ingress sluice.PortID // a port, AnyPort, or sluice.Local
	Class   sluice.Class
	Egress  sluice.PortID // a port, or AnyPort
	To      sluice.Class
}

// Leaving returns the class in which a packet leaves by this port that came in by a port, or is
// Local, in a class: see Config.Retag. A class that does not exist stays as it is. O(1).
func (p *Port) Leaving(ingress sluice.PortID, class sluice.Class) sluice.Class {
	table := p.state.retag
	i := int(ingress)*sluice.Classes + int(class)
	if ingress == sluice.Local {
		i = len(table) - sluice.Classes + int(class)
	}
	if class >= sluice.Classes || uint(i) >= uint(len(table)) {
		return class
	}
	return table[i]
}

func (p *Port) leaving(packet *sluice.Packet) sluice.Class {
	return p.Leaving(packet.Ingress, packet.Class)
}

// retagTable returns the class in which packets leave by an egress port, by ingress, Local the
// last, and class; nil where no rule speaks of that port.
func (c *Config) retagTable(egress sluice.PortID) (table []sluice.Class) {
	for _, r := range slices.Backward(c.Retag) { // the first that fits has the last word
		if r.Egress != egress && r.Egress != AnyPort {
			continue
		}
		if table == nil {
			table = make([]sluice.Class, (len(c.Ports)+1)*sluice.Classes)
			for i := range table {
				table[i] = sluice.Class(i % sluice.Classes)
			}
		}
		from, end := int(r.Ingress), int(r.Ingress)+1
		switch r.Ingress {
		case AnyPort:
			from, end = 0, len(c.Ports)
		case sluice.Local:
			from, end = len(c.Ports), len(c.Ports)+1
		}
		for in := from; in < end; in++ {
			table[in*sluice.Classes+int(r.Class)] = r.To
		}
	}
	return table
}

func (c *Config) checkRetag(k *check.Config) {
	port := func(id sluice.PortID) bool { return int(id) < len(c.Ports) || id == AnyPort }
	for i, r := range c.Retag {
		k.That(port(r.Ingress) || r.Ingress == sluice.Local, r.Ingress,
			"must be a port, AnyPort or Local", "Retag[%d].Ingress", i)
		k.That(port(r.Egress), r.Egress, "must be a port or AnyPort", "Retag[%d].Egress", i)
		k.That(r.Class < sluice.Classes, r.Class, "must be 0 to 7", "Retag[%d].Class", i)
		k.That(r.To < sluice.Classes, r.To, "must be 0 to 7", "Retag[%d].To", i)
	}
	k.That(len(c.Retag) == 0 || c.Trigger == trigger.AtIngress, len(c.Retag),
		"must be empty where Trigger is not AtIngress", "Retag")
}
