package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/pfc"
)

// report answers the questions "why is my PFC log empty" and "why was there a loss".
func (f *pfcFleet) report(r *sim.Result) {
	if f.classes == sluice.NoClasses {
		return
	}
	if missing := f.missingHeadroom(); missing != "" {
		r.Note("%s", missing)
	}
	if quiet := f.neverPaused(); quiet != "" {
		r.Note("%s", quiet)
	}
	if f.sonic != nil {
		f.reportSONiC(r)
	}
}

// eachClass calls visit for every lossless class of every switch port, in order.
func (f *pfcFleet) eachClass(
	visit func(at sluice.Hop, class sluice.Class, port *pfc.Port, c *pfc.ClassCounters),
) {
	for id := range f.graph.Nodes {
		s := f.switches[sluice.SwitchID(id)]
		if s == nil {
			continue
		}
		for i := range s.Ports() {
			port := s.Port(sluice.PortID(i))
			counters := port.Counters()
			for class := range sluice.Class(sluice.Classes) {
				visit(
					sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(i)}, class, port,
					&counters.Class[class],
				)
			}
		}
	}
}

func (f *pfcFleet) missingHeadroom() string {
	text := ""
	var worst sluice.Bytes
	f.eachClass(func(at sluice.Hop, class sluice.Class, _ *pfc.Port, c *pfc.ClassCounters) {
		if c.HeadroomDrops > 0 && c.HeadroomMissing > worst {
			worst = c.HeadroomMissing
			text = fmt.Sprintf("pfc lost %d packets at ingress %v class %d (counter HeadroomDrops): %d "+
				"bytes of headroom were missing there, beyond a peak of %d",
				c.HeadroomDrops, at, class, c.HeadroomMissing, c.HeadroomPeak)
		}
	})
	return text
}

func (f *pfcFleet) neverPaused() string {
	acted := false
	nearest, text := sluice.Bytes(pfc.MaxBuffer), "pfc never paused: no packet met a lossless class"
	f.eachClass(func(at sluice.Hop, class sluice.Class, port *pfc.Port, c *pfc.ClassCounters) {
		if c.XOffs > 0 {
			acted = true
		}
		if c.XOffMargin < nearest {
			nearest = c.XOffMargin
			text = fmt.Sprintf("pfc never paused: the nearest to it was ingress %v class %d, %d bytes "+
				"below X_off; it held %d bytes at most, and X_off is %d with the buffer as it is now",
				at, class, c.XOffMargin, c.IngressPeak, port.XOff(class))
		}
	})
	if acted {
		return ""
	}
	return text
}
