package sonic

import (
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// dynamic is what the dynamic buffer model computes from, beside the chip.
type dynamic struct {
	alpha sluice.Ratio // of profiles that are NULL
	ratio sluice.Bytes // over_subscribe_ratio: of headrooms to the pool that they share; 0: none
}

// defaultMTU is the mtu that SONiC's buffer manager takes for a port without one.
const defaultMTU = 9100

// dynamicProfile is what SONiC computes where a profile is NULL, with [Chip.Formula]. Its size is
// xon, the pipeline; without a shared headroom pool xoff is in it, too, and on a port of eight
// lanes, which has twice the pipeline, a frame.
func (m *importer) dynamicProfile(port int) pfc.Profile {
	chip, name := m.chip, m.Ports[port]
	chip.LosslessMTU, chip.SmallPackets = m.LosslessMTU, m.SmallPackets
	chip.MTU, chip.SharedHeadroom = defaultMTU, m.shared
	get(m.reader, "PORT", name, "mtu", parseBytes, &chip.MTU)
	lanes, _ := m.value("PORT", name, "lanes")
	wide := strings.Count(lanes, ",") == 7
	if wide {
		chip.Pipeline *= 2
	}
	p := pfc.Profile{
		Alpha:    m.dynamic.alpha,
		Headroom: chip.Formula(m.Config.Ports[port].Link.Rate, m.Cables[port]),
		XOnFloor: (chip.Pipeline + 1023) / 1024 * 1024, ResumeOffset: pfc.ResumeAtThreshold,
	}
	p.Reserve = p.XOnFloor
	if wide && !m.shared {
		size := p.XOnFloor + p.Headroom + chip.MTU
		p.Reserve = (size+1023)/1024*1024 - p.Headroom
	}
	return p
}

// privateHeadroom is what each port with lossless groups has of its headrooms for itself where the
// others share.
const privateHeadroom = 10 * sluice.KiB

// dynamicHeadroomPool sizes the pool that headrooms share by over_subscribe_ratio, where the pool
// itself has no xoff (buffer_pool_mellanox.lua of sonic-swss).
func (m *importer) dynamicHeadroomPool() {
	if m.dynamic.ratio != 0 && m.Config.HeadroomPool == 0 {
		m.Config.HeadroomPool = m.sharedBy(&m.Config)
	}
}

func (m *importer) sharedBy(c *pfc.Config) sluice.Bytes {
	sum := sluice.Bytes(0)
	for i := range c.Ports {
		p := &c.Ports[i]
		for _, class := range classesOf(p.Classes & sluice.AllClasses) {
			if own := p.Profiles[class]; own != nil {
				sum += own.Headroom
			}
		}
		if p.Classes&sluice.AllClasses != 0 {
			sum -= privateHeadroom
		}
	}
	return max(1, (sum+m.dynamic.ratio-1)/m.dynamic.ratio)
}
