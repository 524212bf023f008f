package sonic

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// drawConfig draws a configuration that the tables can express without a note.
func drawConfig(t *rapid.T) (pfc.Config, []string) {
	c := pfc.Config{Classes: sluice.NoClasses, CellSize: spectrum.Cell,
		MAC: sluice.MAC{2, 0, 0, 0, 0, 9}}
	pools := rapid.IntRange(0, 2).Draw(t, "pools")
	for range pools {
		c.Pools = append(c.Pools, sluice.Bytes(rapid.IntRange(1, 1<<20).Draw(t, "pool")))
	}
	for range rapid.IntRange(0, 3).Draw(t, "egress pools") {
		c.EgressPools = append(c.EgressPools, sluice.Bytes(rapid.IntRange(1, 1<<20).Draw(t, "pool")))
	}
	c.LossyPool = rapid.IntRange(0, min(1, pools)).Draw(t, "lossy pool")
	c.HeadroomPool = sluice.Bytes(rapid.SampledFrom([]int{0, 300_000}).Draw(t, "headroom pool"))
	c.Watchdog.Poll = sluice.Time(rapid.IntRange(1, 1000).Draw(t, "poll")) * sluice.Millisecond
	c.Watchdog.BigRedSwitch = rapid.Bool().Draw(t, "big red")
	var names []string
	for i := range rapid.IntRange(2, 6).Draw(t, "ports") {
		c.Ports = append(c.Ports, drawPort(t, pools, len(c.EgressPools)))
		names = append(names, fmt.Sprintf("Ethernet%d", 4*i))
	}
	beyond := sluice.Bytes(rapid.IntRange(0, 1<<24).Draw(t, "buffer"))
	c.Buffer = max(1, c.SetApart()+beyond) // a pool of 0 bytes says that its size is not known
	return c, names
}

func drawPort(t *rapid.T, pools, egress int) pfc.PortConfig {
	speed := rapid.SampledFrom([]sluice.Rate{10, 25, 100, 400}).Draw(t, "speed") * sluice.Gbps
	p := spectrum.Port(speed, pfc.Cable(rapid.IntRange(0, 2000).Draw(t, "metres")))
	p.MTU = sluice.Bytes(rapid.IntRange(100, 9238).Draw(t, "mtu"))
	p.Classes = drawClasses(t)
	p.Sends = sluice.AllClasses & drawClasses(t)
	if p.Sends == 0 {
		p.Sends = sluice.NoClasses
	}
	if rapid.Bool().Draw(t, "rules") {
		drawRules(t, &p, pools, egress)
	}
	p.Obeys = p.QoS.QueuesOf(p.Sends) | p.Sends&sluice.NoClasses
	if rapid.Bool().Draw(t, "asymmetric") {
		p.Obeys = sluice.AllClasses
	}
	for class := range sluice.Class(sluice.Classes) {
		if p.Classes.Has(class) {
			p.Profiles[class] = drawProfile(t, pools)
		}
		ruled := p.QoS != nil && p.QoS.WRED[class] != nil
		if rapid.IntRange(0, 3).Draw(t, "marking") == 0 && !ruled {
			p.ECN[class] = drawMarking(t)
		}
	}
	if rapid.Bool().Draw(t, "watchdog") {
		p.Watchdog = &pfc.PortWatchdog{
			Detection:   sluice.Time(rapid.IntRange(1, 5000).Draw(t, "detection")) * sluice.Millisecond,
			Restoration: sluice.Time(rapid.IntRange(1, 5000).Draw(t, "restoration")) * sluice.Millisecond,
			Action:      pfc.WatchdogAction(rapid.IntRange(0, 2).Draw(t, "action")),
			Classes:     p.QoS.QueuesOf(p.Sends) | p.Sends&sluice.NoClasses,
		}
	}
	return p
}

func drawClasses(t *rapid.T) sluice.ClassSet {
	return rapid.SampledFrom(
		[]sluice.ClassSet{sluice.MakeClassSet(3, 4), sluice.MakeClassSet(3), sluice.AllClasses,
			sluice.NoClasses, sluice.MakeClassSet(0, 7)},
	).Draw(t, "classes")
}

func drawProfile(t *rapid.T, pools int) *pfc.Profile {
	p := &pfc.Profile{
		Reserve:  sluice.Bytes(rapid.IntRange(0, 9000).Draw(t, "size")),
		Headroom: sluice.Bytes(rapid.IntRange(0, 200_000).Draw(t, "xoff")),
		Pool:     rapid.IntRange(0, pools).Draw(t, "pool"),
	}
	if rapid.Bool().Draw(t, "static") {
		p.XOff = p.Reserve + sluice.Bytes(rapid.IntRange(1, 90_000).Draw(t, "static_th"))
		p.XOn = sluice.Bytes(rapid.IntRange(int(p.Reserve), int(p.XOff)).Draw(t, "xon"))
		return p
	}
	p.Alpha, _ = parseDynamic(fmt.Sprint(rapid.IntRange(-7, 7).Draw(t, "dynamic_th")))
	p.XOnFloor = sluice.Bytes(rapid.IntRange(0, 20_000).Draw(t, "floor"))
	offsets := []sluice.Bytes{pfc.ResumeAtThreshold, 1, 2288}
	p.ResumeOffset = rapid.SampledFrom(offsets).Draw(t, "offset")
	return p
}

func drawMarking(t *rapid.T) sluice.Marking {
	kMin := sluice.Bytes(rapid.IntRange(0, 1<<20).Draw(t, "min"))
	return sluice.Marking{
		KMin: kMin, KMax: kMin + 1 + sluice.Bytes(rapid.IntRange(0, 1<<20).Draw(t, "max")),
		PMax: sluice.Ratio{Num: int64(rapid.IntRange(1, 100).Draw(t, "percent")), Den: 100},
	}
}

// drawRules draws the rules of a port beside flow control.
func drawRules(t *rapid.T, p *pfc.PortConfig, pools, egress int) {
	often := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }
	q := &qos.Port{}
	for _, m := range []**qos.Map{&q.Queue, &q.Group, &q.PauseQueue, &q.PauseGroup} {
		if often("map") {
			made := qos.Same()
			made[3], made[5] = 5, 3
			*m = &made
		}
	}
	if q.Queue != nil {
		q.Queue[1] = 0
	}
	q.Lossy = sluice.ClassSet(rapid.IntRange(0, 255).Draw(t, "lossy groups")) &^ p.Classes
	limit := func() (l qos.Limit) {
		if rapid.Bool().Draw(t, "static") {
			l.Static = sluice.Bytes(rapid.IntRange(1, 1<<20).Draw(t, "static_th"))
		} else {
			l.Alpha, _ = parseDynamic(fmt.Sprint(rapid.IntRange(-7, 7).Draw(t, "dynamic_th")))
		}
		return l
	}
	if often("ingress limits") {
		q.Ingress = make([]qos.Limit, rapid.IntRange(0, pools).Draw(t, "before"))
		q.Ingress = append(q.Ingress, limit())
	}
	weights := [sluice.Classes]int{}
	for c := range sluice.Class(sluice.Classes) {
		if q.Lossy.Has(c) {
			p.Profiles[c] = drawProfile(t, pools)
			p.Profiles[c].Headroom = 0
		}
		if egress > 0 && often("queue limit") {
			l := limit()
			l.Pool = rapid.IntRange(0, egress-1).Draw(t, "egress pool")
			l.Reserve = sluice.Bytes(rapid.IntRange(0, 9000).Draw(t, "size"))
			q.Queues[c] = &l
		}
		if often("WRED") {
			q.WRED[c] = drawWRED(t)
		}
		weights[c] = rapid.SampledFrom([]int{0, 1, 15, 100}).Draw(t, "weight")
		if often("shaper") {
			q.Shapers[c] = qos.Shaper{Rate: 8 * sluice.Mbps, Burst: 5000}
		}
	}
	if egress > 0 && often("egress limits") {
		q.Egress = []qos.Limit{limit()}
	}
	if often("shaper of port") {
		q.Shaper.Rate = sluice.Gbps
	}
	if q.Shapers != [sluice.Classes]qos.Shaper{} || often("groups") {
		p.Groups = groupsOf(&weights)
	}
	if p.QoS = q; reflect.DeepEqual(q, &qos.Port{}) {
		p.QoS = nil
	}
}

func drawWRED(t *rapid.T) *qos.WRED {
	w := &qos.WRED{}
	for c := range w.Curves {
		w.Mark[c], w.Drop[c] = rapid.Bool().Draw(t, "mark"), rapid.Bool().Draw(t, "drop")
		if w.Mark[c] || w.Drop[c] {
			w.Curves[c] = drawMarking(t)
		}
	}
	if *w == (qos.WRED{}) {
		return nil
	}
	return w
}

// TestRoundTrip: a configuration, the tables made of it, and the configuration made of the tables
// are the same, and so are the tables made of that configuration; nothing is left, and unknown
// tables pass unchanged.
func TestRoundTrip(t *testing.T) {
	trips := 0
	rapid.Check(t, func(t *rapid.T) {
		trips++
		c, names := drawConfig(t)
		chip := rapid.SampledFrom([]Chip{
			spectrum,
			{Cell: spectrum.Cell, PoolSize: PoolTotal, Slices: 1, MACPHY: spectrum.MACPHY},
			{Cell: spectrum.Cell, PoolSize: PoolTotal, QueueReserves: 1, MACPHY: spectrum.MACPHY},
		}).Draw(t, "chip")
		before := filled(t, c)
		db, err := Parse([]byte(`{"VLAN": {"Vlan1000": {"x": [1, {"y": null}]}}, "PORT": {}}`))
		require.NoError(t, err)
		left, err := db.Update(c, names, chip)
		require.NoError(t, err)
		require.Empty(t, left)
		text, err := json.Marshal(db)
		require.NoError(t, err)
		db, err = Parse(text)
		require.NoError(t, err)
		s, err := db.Import(chip)
		require.NoError(t, err, string(text))
		require.Equal(t, names, s.Ports)
		after := filled(t, s.Config)
		require.Equal(t, before, after)
		require.Empty(t, s.Left)
		left, err = db.Update(s.Config, s.Ports, chip)
		require.NoError(t, err)
		require.Empty(t, left)
		again, err := json.Marshal(db)
		require.NoError(t, err)
		require.JSONEq(t, string(text), string(again))
		require.Contains(t, string(again), `"VLAN":{"Vlan1000":{"x":[1,{"y":null}]}}`)
	})
	t.Logf("%d configurations", trips)
}

func filled(t require.TestingT, c pfc.Config) pfc.Config {
	s, err := pfc.New(c)
	require.NoError(t, err)
	return s.Config()
}
