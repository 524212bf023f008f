package main

import (
	"fmt"
	"io"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// checkEgress says which lossless packets a port can drop at its egress though their ingress has
// room for them, and reports whether there are any.
func checkEgress(w io.Writer, s *sonic.Switch, out int, mtu sluice.Bytes) (unsafe bool) {
	mtu = min(max(mtu, pfc.MinimumFrame), math.MaxInt32)
	for queue := range sluice.Class(sluice.Classes) {
		f := fill{out: out, queues: 1 << queue, mtu: mtu}
		name := fmt.Sprintf("%s queue %d", s.Ports[out], queue)
		unsafe = checkLimits(w, s, f, name) || checkWRED(w, s, f, queue, name) || unsafe
	}
	if unsafe {
		return true
	}
	all := fill{out: out, queues: sluice.AllClasses, mtu: mtu}
	return checkLimits(w, s, all, s.Ports[out]+", all queues")
}

// checkLimits fills queues, without lossy packets and then beside some.
func checkLimits(w io.Writer, s *sonic.Switch, f fill, name string) (unsafe bool) {
	for _, beside := range []string{"", ", beside lossy packets"} {
		f.lossy = beside != ""
		if peak, lost := f.run(&s.Config); lost {
			fmt.Fprintf(w, "%s: unsafe: the egress limits drop a lossless packet when %d bytes of such "+
				"are held%s\n", name, peak, beside)
			return true
		}
	}
	return false
}

// checkWRED looks at the packets that WRED drops of a queue. From SONiC, all are green.
func checkWRED(
	w io.Writer, s *sonic.Switch, f fill, queue sluice.Class, name string,
) (unsafe bool) {
	rules := s.Config.Ports[f.out].QoS
	if rules == nil || rules.WRED[queue] == nil || !rules.WRED[queue].Drop[qos.Green] {
		return false
	}
	from := rules.WRED[queue].Curves[qos.Green].KMin
	peak, _ := f.run(&s.Config)
	switch {
	case peak <= from:
		return false
	case rules.WRED[queue].Mark[qos.Green]:
		fmt.Fprintf(w, "%s: WRED drops lossless packets that are not ECN-capable above %d bytes\n",
			name, from)
		return false
	}
	fmt.Fprintf(w, "%s: unsafe: WRED drops lossless packets above %d bytes, and %d can be held\n",
		name, from, peak)
	return true
}

// fill is lossless packets that the other ports send to queues of one port, while that may not
// send: each until it is paused, and then what its headroom is for.
type fill struct {
	out    int
	queues sluice.ClassSet
	mtu    sluice.Bytes // of the packets, less than 2^31
	lossy  bool         // first, lossy packets for the port take what buffer they can
}

// mostPackets bounds a fill: so many of 1 KiB are more than any switch holds.
const mostPackets = 1 << 20

// run fills a switch of the configuration, but for WRED, and returns the most bytes of lossless
// packets that the port holds, and whether its egress dropped one.
func (f *fill) run(c *pfc.Config) (peak sluice.Bytes, lost bool) {
	s, err := pfc.New(withoutWRED(c))
	if err != nil {
		return 0, false // Import made sure
	}
	budget := mostPackets
	out := s.Port(sluice.PortID(f.out))
	send := func(in int, class sluice.Class) sluice.Verdict {
		budget--
		return out.Enqueue(0, &sluice.Packet{
			Ingress: sluice.PortID(in), Class: class, Size: int32(f.mtu), ECN: sluice.ECT0,
		})
	}
	if f.lossy {
		f.each(c, false, func(in int, class, _ sluice.Class) {
			for budget > 0 && send(in, class).Action() == sluice.Append {
			}
		})
	}
	f.each(c, true, func(in int, class, group sluice.Class) {
		room, ingress := c.Ports[in].HeadroomFor(f.mtu, c.CellSize), s.Port(sluice.PortID(in))
		for budget > 0 && !lost {
			if ingress.Paused().Has(group) {
				if room -= cells(f.mtu, c.CellSize); room < 0 {
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

// each calls visit for the classes that go from the other ports to the queues of a fill, lossless
// there or to any queue lossy, with their priority groups.
func (f *fill) each(c *pfc.Config, lossless bool, visit func(in int, class, group sluice.Class)) {
	queues, _, _, _ := c.Ports[f.out].QoS.Maps()
	for in := range c.Ports {
		_, groups, _, _ := c.Ports[in].QoS.Maps()
		for class := range sluice.Class(sluice.Classes) {
			is := c.Ports[in].Classes.Has(groups[class])
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
