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
	missing, quiet := f.history()
	if missing != "" {
		r.Note("%s", missing)
	}
	if quiet != "" {
		r.Note("%s", quiet)
	}
	if f.sonic != nil {
		f.reportSONiC(r)
	}
}

// eachPort calls visit for every switch port, in order.
func (f *pfcFleet) eachPort(visit func(at sluice.Hop, s *pfc.Switch, port *pfc.Port)) {
	for id := range f.graph.Nodes {
		s := f.switches[sluice.SwitchID(id)]
		if s == nil {
			continue
		}
		for i := range s.Ports() {
			at := sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(i)}
			visit(at, s, s.Port(at.Port))
		}
	}
}

// history returns where headroom was missing, and how near to a pause it was if there never was
// one. The counters of a large network are many megabytes, so it reads few of them.
func (f *pfcFleet) history() (missing, quiet string) {
	acted := false
	var worst, least struct {
		at    sluice.Hop
		class sluice.Class
		port  *pfc.Port
		pfc.ClassCounters
	}
	least.XOffMargin = pfc.MaxBuffer
	f.eachPort(func(at sluice.Hop, s *pfc.Switch, port *pfc.Port) {
		for class := range sluice.Class(sluice.Classes) {
			if margin := port.XOffMargin(class); margin < least.XOffMargin {
				least.at, least.class, least.port, least.XOffMargin = at, class, port, margin
			}
		}
		if s.Untroubled() {
			return
		}
		counters := port.Counters()
		for class := range sluice.Class(sluice.Classes) {
			c := &counters.Class[class]
			acted = acted || c.XOffs > 0
			if c.HeadroomDrops > 0 && c.HeadroomMissing > worst.HeadroomMissing {
				worst.at, worst.class, worst.port, worst.ClassCounters = at, class, port, *c
			}
		}
	})
	if worst.port != nil {
		missing = fmt.Sprintf("pfc lost %d packets at ingress %v class %d (counter HeadroomDrops): %d "+
			"bytes of headroom were missing there, beyond a peak of %d",
			worst.HeadroomDrops, worst.at, worst.class, worst.HeadroomMissing, worst.HeadroomPeak)
	}
	switch {
	case acted:
	case least.port == nil:
		quiet = "pfc never paused: no packet met a lossless class"
	default:
		quiet = fmt.Sprintf("pfc never paused: the nearest to it was ingress %v class %d, %d bytes "+
			"below X_off; it held %d bytes at most, and X_off is %d with the buffer as it is now",
			least.at, least.class, least.XOffMargin,
			least.port.Counters().Class[least.class].IngressPeak, least.port.XOff(least.class))
	}
	return missing, quiet
}
