package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// checkEgresses reports which lossless packets ports can drop at their egress though their ingress
// has room for them. Ports that are alike are looked at once.
func checkEgresses(r *report, s *sonic.Switch, needed []sluice.Bytes) {
	alike := map[string][]int{}
	var order []int // ports, those that are alike one after another
	for i := range s.Config.Ports {
		key := likeness(&s.Config.Ports[i])
		alike[key] = append(alike[key], i)
	}
	for i := range s.Config.Ports {
		if group := alike[likeness(&s.Config.Ports[i])]; group[0] == i {
			order = append(order, group...)
		}
	}
	c := withoutWRED(&s.Config)
	mtu := min(max(s.LosslessMTU, pfc.MinimumFrame), math.MaxInt32)
	for _, out := range order {
		group := alike[likeness(&s.Config.Ports[out])]
		if rules := s.Config.Ports[out].QoS; group[0] == out && rules != nil {
			e := egress{r, s, group, fill{
				c: &c, needed: needed, order: order, out: out, mtu: mtu,
			}}
			e.check()
		}
	}
}

// likeness returns a text that two ports have in common only if they are alike.
func likeness(p *pfc.PortConfig) string {
	text, err := json.Marshal(p)
	if err != nil {
		panic("a configuration of a port has a text: " + err.Error())
	}
	return string(text)
}

// egress is the egress of ports that are alike.
type egress struct {
	r     *report
	s     *sonic.Switch
	ports []int
	fill
}

func (e *egress) check() {
	rules, lost := e.s.Config.Ports[e.out].QoS, false
	limited := len(rules.Egress) > 0
	for queue := range sluice.Class(sluice.Classes) {
		limited = limited || rules.Queues[queue] != nil
	}
	for queue := range sluice.Class(sluice.Classes) {
		if e.queues = 1 << queue; e.empty() || !limited && rules.WRED[queue] == nil {
			continue
		}
		name := fmt.Sprintf(" queue %d", queue)
		e.lossy = false
		peak, drops := e.run()
		lost = e.drops(name, peak, drops) || lost
		e.checkWRED(queue, name, peak)
	}
	if e.queues = sluice.AllClasses; !lost && limited && !e.empty() {
		e.lossy = false
		peak, drops := e.run()
		e.drops(", all queues", peak, drops)
	}
}

// drops reports a drop of a fill; if there was none, of a fill beside lossy packets.
func (e *egress) drops(name string, peak sluice.Bytes, drops bool) bool {
	beside := ""
	if !drops {
		e.lossy, beside = true, ", beside lossy packets"
		peak, drops = e.run()
	}
	if drops {
		e.fail(fmt.Sprintf("%s: unsafe: the egress limits drop a lossless packet when %d bytes of such "+
			"are held%s", name, peak, beside))
	}
	return drops
}

func (e *egress) fail(text string) {
	e.r.failed = true
	e.say(text)
}

func (e *egress) say(text string) {
	for _, port := range e.ports {
		e.r.say(e.s.Ports[port], text)
	}
}

// checkWRED looks at the packets that WRED drops of a queue that can hold so much. From SONiC, all
// are green.
func (e *egress) checkWRED(queue sluice.Class, name string, peak sluice.Bytes) {
	w := e.s.Config.Ports[e.out].QoS.WRED[queue]
	if w == nil || !w.Drop[qos.Green] {
		return
	}
	from := w.Curves[qos.Green].KMin
	switch {
	case peak <= from:
	case w.Mark[qos.Green]:
		e.say(fmt.Sprintf("%s: WRED drops lossless packets that are not ECN-capable above %d bytes",
			name, from))
	default:
		e.fail(fmt.Sprintf("%s: unsafe: WRED drops lossless packets above %d bytes, and %d can be held",
			name, from, peak))
	}
}

// fill is lossless packets that the other ports send to queues of one port, while that may not
// send: each until it is paused, and then what its headroom is for.
type fill struct {
	c      *pfc.Config // without WRED
	needed []sluice.Bytes
	order  []int // in which ports send
	out    int
	queues sluice.ClassSet
	mtu    sluice.Bytes // of the packets, less than 2^31
	lossy  bool         // first, lossy packets for the port take what buffer they can
}

// mostPackets bounds a fill: that number of packets of 1 KiB is more than any switch holds.
const mostPackets = 1 << 20

// run fills a switch of the configuration and returns the most bytes of lossless packets that the
// port holds, and whether its egress dropped one.
func (f *fill) run() (peak sluice.Bytes, lost bool) {
	s, err := pfc.New(*f.c)
	if err != nil {
		return 0, false // Import made sure
	}
	budget := mostPackets
	out := s.Port(sluice.PortID(f.out))
	send := func(in int, class sluice.Class) sluice.Verdict {
		budget--
		return out.Enqueue(0, &sluice.Packet{
			Ingress: sluice.PortID(in), Class: class, Size: f.mtu, ECN: sluice.ECT0,
		})
	}
	if f.lossy {
		f.each(false, func(in int, class, _ sluice.Class) {
			for budget > 0 && send(in, class).Action() == sluice.Append {
			}
		})
	}
	f.each(true, func(in int, class, group sluice.Class) {
		room, ingress := f.needed[in], s.Port(sluice.PortID(in))
		for budget > 0 && !lost {
			if ingress.Paused().Has(group) {
				if room -= cells(f.mtu, f.c.CellSize); room < 0 {
					return
				}
			}
			v := send(in, class)
			if v.Action() != sluice.Append {
				lost = v.Reason() == sluice.BufferFull // the headroom has another reason
				return
			}
			peak += f.mtu
		}
	})
	return peak, lost
}

// empty reports whether no lossless packets go to the queues.
func (f *fill) empty() bool {
	is := true
	f.each(true, func(int, sluice.Class, sluice.Class) { is = false })
	return is
}

// each calls visit for the classes that go from the other ports to the queues of a fill, lossless
// there or to any queue lossy, with their priority groups.
func (f *fill) each(lossless bool, visit func(in int, class, group sluice.Class)) {
	queues, _, _, _ := f.c.Ports[f.out].QoS.Maps()
	for _, in := range f.order {
		_, groups, _, _ := f.c.Ports[in].QoS.Maps()
		for class := range sluice.Class(sluice.Classes) {
			is := f.c.Ports[in].Classes.Has(groups[class])
			if in != f.out && is == lossless && (!lossless || f.queues.Has(queues[class])) {
				visit(in, class, groups[class])
			}
		}
	}
}

// withoutWRED returns a copy of a configuration whose queues drop nothing by chance.
func withoutWRED(c *pfc.Config) pfc.Config {
	config := *c
	config.Ports = append([]pfc.PortConfig(nil), c.Ports...)
	for i := range config.Ports {
		if rules := config.Ports[i].QoS.Clone(); rules != nil {
			rules.WRED = qos.Port{}.WRED
			config.Ports[i].QoS = rules
		}
	}
	return config
}
