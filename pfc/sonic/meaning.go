package sonic

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// meaning is what the sizes of a configuration mean, in both directions: by the chip, and by
// whether its lossless pool has a shared headroom pool. Import and Update ask it, and LookupOf.
//
// Without a shared headroom pool the size of a profile includes its xoff: SONiC's script adds both
// (buffer_headroom_mellanox.lua of sonic-swss), and so do the tables of Broadcom's platforms, by a
// few cells. With one, size is what the group has beside it.
type meaning struct {
	chip   Chip
	shared bool // the lossless pool has an xoff
}

// reserve returns the part of a profile's size that is set apart beside its headroom. A size of
// less than xoff does not include it: so do tables of platforms whose lossless groups have no
// memory of their own.
func (m meaning) reserve(size, xoff sluice.Bytes) sluice.Bytes {
	if m.shared || size < xoff {
		return size
	}
	return size - xoff
}

// size is the inverse of reserve, for a profile that is lossless.
func (m meaning) size(p *pfc.Profile) sluice.Bytes {
	if m.shared {
		return p.Reserve
	}
	return p.Reserve + p.Headroom
}

func (m meaning) slices() sluice.Bytes { return sluice.Bytes(max(1, m.chip.Slices)) }

// slice returns what one slice has of a pool: a static egress pool is not cut, because the limits
// of its queues are as large as all of it.
func (m meaning) slice(size sluice.Bytes, mode string) sluice.Bytes {
	if mode == "static" {
		return size
	}
	return size / m.slices()
}

// whole is the inverse of slice, except for what does not divide.
func (m meaning) whole(size sluice.Bytes, mode string) sluice.Bytes {
	if mode == "static" {
		return size
	}
	return size * m.slices()
}

// apart returns the bytes taken out of the size of the lossless pool before groups share the rest.
func (m meaning) apart(c *pfc.Config) sluice.Bytes {
	if m.chip.PoolSize != PoolTotal {
		return 0
	}
	sum := c.SetApart() - c.HeadroomPool + m.whole(c.HeadroomPool, "") // of each group: all ports'
	for _, size := range c.Pools {
		sum -= size
	}
	if m.chip.QueueReserves > 0 {
		for i := range c.Ports {
			sum += sluice.Bytes(m.chip.QueueReserves) * queueReserves(&c.Ports[i])
		}
	}
	return sum
}

func queueReserves(p *pfc.PortConfig) (sum sluice.Bytes) {
	if p.QoS == nil {
		return 0
	}
	for _, l := range p.QoS.Queues {
		if l != nil {
			sum += l.Reserve
		}
	}
	return sum
}

// bufferOf returns Config.Buffer for a size of the lossless pool: the shared bytes of one slice,
// and the bytes set apart. Below Config.SetApart: the size is too small. Of a size of 0 groups
// share nothing.
func (m meaning) bufferOf(size sluice.Bytes, c *pfc.Config) sluice.Bytes {
	if size == 0 {
		return c.SetApart()
	}
	return m.slice(size-m.apart(c), "") + c.SetApart()
}

// poolSize is the inverse of bufferOf, except for what does not divide.
func (m meaning) poolSize(c *pfc.Config) sluice.Bytes {
	return m.whole(c.Buffer-c.SetApart(), "") + m.apart(c)
}

// alpha reads a dynamic_th.
func (m meaning) alpha(s string) (sluice.Ratio, error) {
	alpha, err := parseDynamic(s)
	if s == "7" && m.chip.LargestAlpha != 0 {
		alpha.Num = m.chip.LargestAlpha
	}
	return alpha, err
}

// assumed names the assumptions about an unknown chip; empty: there are none.
func (m meaning) assumed() string {
	if m.chip.PoolSize != PoolUnknown {
		return ""
	}
	chip := "no known chip"
	if m.chip.Name != "" {
		chip = "of " + m.chip.Name + " the memory is not known"
	}
	return chip + ": pools are taken to be of one piece, and the lossless pool's size to be what " +
		"groups share beyond their reserves and headrooms"
}
