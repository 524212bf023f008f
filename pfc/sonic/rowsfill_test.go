package sonic

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// filling is a switch into which packets of a cell come, and leave when a test lets them.
type filling struct {
	*pfc.Switch
	groups []group // of a speed and a cable, port by port
	out    *pfc.Port
}

type group struct {
	port  sluice.PortID
	class sluice.Class
}

func newFilling(t *testing.T, s *Switch, speed, cable string) *filling {
	c := s.Config
	c.Watermarks = true
	machine, err := pfc.New(c)
	require.NoError(t, err)
	f := &filling{Switch: machine}
	for i := range c.Ports {
		p := &c.Ports[i]
		is := int(p.Link.Rate/sluice.Mbps) == number32(t, speed) && cableName(s.Cables[i]) == cable
		if is && p.Classes.Has(3) {
			f.groups = append(f.groups, group{sluice.PortID(i), 3}, group{sluice.PortID(i), 4})
		}
	}
	f.out = machine.Port(f.groups[len(f.groups)-1].port)
	return f
}

// send sends a packet of a group, and reports whether it was taken.
func (f *filling) send(g group) bool {
	v := f.out.Enqueue(0, &sluice.Packet{Ingress: g.port, Class: g.class, Size: 64})
	return v.Action() == sluice.Append
}

func (f *filling) paused(g group) bool { return f.Port(g.port).Paused().Has(g.class) }

// pause sends until the group is paused, and returns how many packets that took.
func (f *filling) pause(t *testing.T, g group) (sent int) {
	for sent = 0; !f.paused(g); sent++ {
		if !f.send(g) {
			t.Fatalf("group %v loses packet %d before it is paused", g, sent+1)
		}
	}
	return sent
}

// drop sends until a packet is dropped, and returns how many were taken.
func (f *filling) drop(g group) (sent int) {
	for f.send(g) {
		sent++
	}
	return sent
}

// resume lets packets leave until the group resumes, and returns how many.
func (f *filling) resume(t *testing.T, g group) (left int) {
	for left = 0; f.paused(g); left++ {
		packet := sluice.Packet{Ingress: g.port, Class: g.class, Size: 64} // all are alike
		if f.out.Dequeue(0, sluice.QueueID(g.class), &packet).Action() != sluice.Transmit {
			t.Fatalf("group %v has no packet %d to send", g, left+1)
		}
	}
	return left
}

// TestRows: an imported configuration pauses and drops where the switch does, within a packet, or
// as far away as rows.txt says and gives a reason for: the packets of the switch are what
// sonic-mgmt's tests send to real ones, less what leaks out of the egress.
func TestRows(t *testing.T) {
	chips, speeds, rows := map[string]bool{}, map[string]bool{}, 0
	for _, p := range readRows(t) {
		t.Run(p.name, func(t *testing.T) {
			s, err := p.config(t).Import(Chip{})
			require.NoError(t, err)
			for _, row := range p.lines["row"] {
				p.row(t, s, row)
				chips[s.Chip.Name], speeds[row[0]] = true, true
				rows++
			}
			for i, h := range p.lines["headroom"] {
				var turns []string
				if i < len(p.lines["turns"]) {
					turns = p.lines["turns"][i][2:]
				}
				p.headroomPool(t, newFilling(t, s, h[0], h[1]), h[2:], turns)
			}
		})
	}
	require.GreaterOrEqual(t, len(chips), 6)
	require.GreaterOrEqual(t, len(speeds), 6)
	require.GreaterOrEqual(t, rows, 30)
}

func (p *platformFacts) row(t *testing.T, s *Switch, row []string) {
	n, because := keyed(t, row), p.lines["because"] != nil
	f := newFilling(t, s, row[0], row[1])
	g, cell := f.groups[0], int(s.Config.CellSize)
	same := func(name string, got int) {
		if own, differs := n[name+"s"]; differs {
			require.True(t, because, "rows.txt must say why")
			require.Equal(t, own, got, name)
			require.Greater(t, max(own-n[name], n[name]-own), 1, name)
			return
		}
		require.InDelta(t, n[name], got, 1, name)
	}
	paused := f.pause(t, g)
	same("pause", paused)
	if most, is := n["resume"]; is {
		left := f.resume(t, g)
		require.LessOrEqual(t, left, most+1, "resumes at the latest")
		require.Greater(t, left, 1)
		require.Equal(t, left, f.pause(t, g), "pauses where it did")
	}
	dropped := paused + f.drop(g) + 1
	same("drop", dropped)
	if reserve, is := n["reserve"]; is {
		peaks := f.Port(g.port).Counters().Class[3]
		if n["pauses"] == 0 {
			require.InDelta(t, n["pause"]-reserve, int(peaks.SharedPeak)/cell, 1, "shared watermark")
		}
		require.InDelta(t, dropped-paused, int(peaks.HeadroomPeak)/cell, 1, "headroom watermark")
	}
}

// headroomPool fills a shared headroom pool: groups that are paused one after the other, in turns,
// and then send on until they lose a packet.
func (p *platformFacts) headroomPool(t *testing.T, f *filling, h, turns []string) {
	groups, full, partial := number32(t, h[0]), number32(t, h[2]), number32(t, h[4])
	if len(h) > 5 {
		require.NotNil(t, p.lines["because"], "rows.txt must say why")
		groups = number32(t, h[6])
	}
	for i := range groups {
		at := f.pause(t, f.groups[i])
		if i < len(turns) {
			require.InDelta(t, number32(t, turns[i]), at, 1, "group %d", i)
		}
	}
	for i := range groups - 1 {
		require.InDelta(t, full, f.drop(f.groups[i]), 1, "group %d", i)
	}
	require.InDelta(t, partial, f.drop(f.groups[groups-1]), 1, "the last group")
	require.False(t, f.send(f.groups[0]), "the pool is full")
}

// TestRowsNeedTheChip: without the facts of the chip, or with another reading of a size, the
// machine is far from the switch, by as much as the cause is worth.
func TestRowsNeedTheChip(t *testing.T) {
	for _, test := range []struct {
		name  string
		chip  Chip
		pause int // as the machine would
		why   string
	}{
		{"7050CX3-C32 t1", Chip{QueueReserves: -1}, 60_166, "queues reserve 1,792 bytes, 5 of a port"},
		{"Z9332f-O32", Chip{QueueReserves: -1}, 15_377, "queues reserve 1,778 bytes in each slice"},
		{"Z9332f-M-O16C64", Chip{QueueReserves: -1}, 22_587, "the same"},
		{"Z9332f-O32", Chip{QueueReserves: 1}, 15_265, "in each slice: twice"},
		{"7050CX3-C32 t0", Chip{}, 59_784, "8 ports of 32 without lossy queues: the row itself"},
		{"7050CX3-C32 dual-ToR", Chip{QueueReserves: -1}, 60_204, "the row itself"},
		{"7060CX-C32", Chip{Slices: 1}, 26_148, "memory is cut in four"},
		{"7260CX3-D108C8", Chip{Slices: 1}, 80_124, "memory is cut in four"},
		{"S6000", Chip{PoolSize: PoolShared}, 6826, "the size is the total"},
		{"7060X6-256x200G", Chip{PoolSize: PoolShared}, 163_126, "the size is the total"},
	} {
		for _, p := range readRows(t) {
			if p.name != test.name {
				continue
			}
			if test.chip == (Chip{}) {
				p.queueless = 8
			}
			s, err := p.config(t).Import(test.chip)
			require.NoError(t, err)
			row := p.lines["row"][0]
			f := newFilling(t, s, row[0], row[1])
			require.Equal(t, test.pause, f.pause(t, f.groups[0]), "%s: %s", test.name, test.why)
		}
	}
}

// TestRowsUpdate: an imported configuration changes nothing in its tables; one with more of
// everything is read again from the tables that it is written into.
func TestRowsUpdate(t *testing.T) {
	for _, p := range readRows(t) {
		if !slices.Contains([]string{"S6000", "7060CX-C32", "7050CX3-C32 t1", "Z9332f-O32", "MSN2700 t1",
			"SN2700 t1 shared"}, p.name) {
			continue // one of a kind
		}
		db := p.config(t)
		before, err := db.MarshalJSON()
		require.NoError(t, err)
		s, err := db.Import(Chip{})
		require.NoError(t, err)
		left, err := db.Update(s.Config, s.Ports, Chip{})
		require.NoError(t, err, p.name)
		require.Empty(t, left)
		after, err := db.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), p.name)

		c := s.Config
		c.Buffer += 64 * sluice.KiB
		for i := range c.EgressPools {
			c.EgressPools[i] += 8 * sluice.KiB
		}
		if c.HeadroomPool != 0 {
			c.HeadroomPool += 4 * sluice.KiB
		}
		for i := range c.Ports {
			for class, own := range c.Ports[i].Profiles {
				if c.Ports[i].Classes.Has(sluice.Class(class)) {
					more := *own
					more.Headroom, more.Reserve = more.Headroom+1000, more.Reserve+100
					c.Ports[i].Profiles[class] = &more
				}
			}
		}
		c.Buffer += c.SetApart() - s.Config.SetApart()
		_, err = db.Update(c, s.Ports, Chip{})
		require.NoError(t, err, p.name)
		again, err := db.Import(Chip{})
		require.NoError(t, err)
		require.Equal(t, filled(t, c), filled(t, again.Config), p.name)
	}
}

// TestUnknownChip: a note names each assumption about an unknown chip, and nothing is assumed of a
// known one; a chip in slices is noted, too.
func TestUnknownChip(t *testing.T) {
	first := readRows(t)[0]
	first.lines["platform"] = [][]string{{"x86_64-none", "none"}}
	s, err := first.config(t).Import(Chip{})
	require.NoError(t, err)
	require.Contains(t, s.Left[0].String(), "DEVICE_METADATA|localhost hwsku: no known chip: pools")
	first.lines["platform"] = [][]string{{"x86_64-nokia_ixr7220_d4-r0", ""}}
	s, err = first.config(t).Import(Chip{})
	require.NoError(t, err)
	require.Contains(t, s.Left[0].String(), "of Trident 4 the memory is not known")
	s, err = first.config(t).Import(Chip{PoolSize: PoolTotal, Slices: 3})
	require.NoError(t, err)
	var notes []string
	for _, n := range s.Left {
		notes = append(notes, n.String())
	}
	require.NotContains(t, strings.Join(notes, "\n"), "not known")
	require.Contains(t, strings.Join(notes, "\n"), "Trident 4 has its memory in 3 slices")

	first.lines["pool"][2][3] = "3000000"
	_, err = first.config(t).Import(Chip{PoolSize: PoolTotal})
	require.ErrorContains(t, err, `BUFFER_POOL|ingress_lossless_pool size = "3000000": must be at `+
		"least the 3607552 bytes")
}
