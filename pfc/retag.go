package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// AnyPort in a [Retag] is every port of the switch. [sluice.Local] is none of them.
const AnyPort sluice.PortID = 0xfffe

// Retag is a rule by which a class changes on the way: what came in by Ingress in Class and leaves
// by Egress leaves in the class To, "(tag, InPort, OutPort) -> newTag" (Hu et al.: Tagger, CoNEXT
// 2017).
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

// leaving is Leaving of a packet.
func (p *Port) leaving(packet *sluice.Packet) sluice.Class {
	return p.Leaving(packet.Ingress, packet.Class)
}

// retagTable returns the class in which packets leave by an egress port, by ingress, Local the
// last, and class; nil where no rule speaks of that port.
func (c *Config) retagTable(egress sluice.PortID) []sluice.Class {
	if len(c.Retag) == 0 {
		return nil
	}
	var table []sluice.Class
	for in := range len(c.Ports) + 1 {
		for class := range sluice.Class(sluice.Classes) {
			to, ok := c.retagged(c.ingressAt(in), class, egress)
			if ok && table == nil {
				table = c.sameClasses()
			}
			if ok {
				table[in*sluice.Classes+int(class)] = to
			}
		}
	}
	return table
}

// ingressAt returns the ingress of a row of the table.
func (c *Config) ingressAt(row int) sluice.PortID {
	if row == len(c.Ports) {
		return sluice.Local
	}
	return sluice.PortID(row)
}

// sameClasses returns a table in which no class changes.
func (c *Config) sameClasses() []sluice.Class {
	table := make([]sluice.Class, (len(c.Ports)+1)*sluice.Classes)
	for i := range table {
		table[i] = sluice.Class(i % sluice.Classes)
	}
	return table
}

// retagged returns what the first rule that fits says; false if none does.
func (c *Config) retagged(
	in sluice.PortID, class sluice.Class, out sluice.PortID,
) (sluice.Class, bool) {
	for _, r := range c.Retag {
		from := r.Ingress == in || r.Ingress == AnyPort && in != sluice.Local
		if from && r.Class == class && (r.Egress == out || r.Egress == AnyPort) {
			return r.To, true
		}
	}
	return 0, false
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
