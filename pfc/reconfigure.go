package pfc

import (
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Reconfigure takes over another configuration while packets are in the buffer, and loses none of
// them: thresholds, reserves, headrooms, pools, the sizes of pools and buffer, lossy limits,
// marking, pause times, addresses, groups, the watchdog, and the Classes, Obeys and Sends of a
// port. It refuses, and changes nothing, what hardware cannot do either: another number of ports or
// of pools, another Mode of a port, other cells, other rules of Retag; the error is a
// [*sluice.ConfigError].
//
// A packet leaves the account that took it in, whatever its class is by then. A class that becomes
// lossy at an ingress gives its reserve and headroom back: its bytes count to the pool, and if its
// peer is paused, the peer is resumed. A class that is no longer among Sends is accounted as
// before, and its peer is resumed; a class that comes to be among them, and is over its threshold,
// pauses the peer. A class that is no longer among Obeys is released at once, and its storm is
// over. Bytes taken from a pool count to the pool of the new profile.
//
// Every ingress is judged anew: a pause or a resume may be owed at once, and the Wake reports it.
// Bytes beyond the new limits stay, and free amounts are negative until enough has left. A lossless
// packet that arrives within the bounds of both configurations is not lost. Deadlines of pauses
// received stay as they are; a new rate counts for frames to come. O(ports log ports). It
// allocates.
func (s *Switch) Reconfigure(now sluice.Time, config Config) (sluice.Wake, error) {
	if err := config.check(); err != nil {
		return 0, err
	}
	config = config.filled()
	if err := s.config.checkChange(&config); err != nil {
		return 0, err
	}
	s.clock.Advance(now)
	before := s.config
	s.config = config
	if !before.sameAccounted(&config) {
		s.beginChange()
	}
	s.setFlags()
	for i := range s.ports {
		s.ports[i].configure()
	}
	s.setPools()
	if !config.sameWatchdogs(&before) {
		s.changeWatchdog(&before)
	}
	for i := range s.ports {
		s.ports[i].applyClasses()
		s.ports[i].reconsider()
	}
	return s.woken.Take(), nil
}

// checkChange returns an error if a switch that runs cannot change to another configuration.
func (c *Config) checkChange(to *Config) error {
	const fixed = "cannot change while the switch runs"
	k := check.Of("pfc", "Config")
	k.That(c.Trigger == trigger.AtIngress && to.Trigger == trigger.AtIngress, to.Trigger,
		"must be AtIngress: variants cannot change while the switch runs", "Trigger")
	k.That(len(c.Ports) == len(to.Ports), len(to.Ports), fixed, "Ports")
	k.That(max(1, c.CellSize) == max(1, to.CellSize), to.CellSize, fixed, "CellSize")
	k.That(len(c.Pools) == len(to.Pools), len(to.Pools), fixed, "Pools")
	k.That(len(c.EgressPools) == len(to.EgressPools), len(to.EgressPools), fixed, "EgressPools")
	k.That(c.ruled() == to.ruled(), len(to.EgressPools),
		"cannot begin or cease, with QoS of all ports, while the switch runs", "EgressPools")
	k.That((c.HeadroomPool == 0) == (to.HeadroomPool == 0), to.HeadroomPool,
		"cannot begin or cease to be shared while the switch runs", "HeadroomPool")
	k.That(slices.Equal(c.Retag, to.Retag), to.Retag, fixed, "Retag")
	for i := range min(len(c.Ports), len(to.Ports)) {
		p, q := &c.Ports[i], &to.Ports[i]
		k.That(p.Mode == q.Mode, q.Mode, fixed, "Ports[%d].Mode", i)
		k.That(p.sameMaps(q), q.QoS, "cannot change its maps while the switch runs", "Ports[%d].QoS", i)
	}
	return k.Err()
}

func (c *Config) sameAccounted(other *Config) bool {
	for i := range c.Ports {
		if c.accounted(i) != other.accounted(i) {
			return false
		}
	}
	return true
}

// fillPools gives the pools their sizes, of which nothing is taken.
func (s *Switch) fillPools() {
	s.pool = s.config.poolSizes()
	s.free = s.pool
	s.headroomPool = math.MaxInt64
	if s.config.HeadroomPool != 0 {
		s.headroomPool = int64(s.config.HeadroomPool)
	}
	s.freeHeadroom = s.headroomPool
	s.lossyPool = uint8(s.config.LossyPool)
}

// setPools gives the pools their sizes, of which what the ports hold is taken.
func (s *Switch) setPools() {
	s.fillPools()
	for i := range s.ports {
		p := &s.ports[i]
		for c := range sluice.Class(sluice.Classes) {
			a := p.account(c)
			s.free[a.pool] -= a.shared()
			s.free[s.lossyPool] -= max(0, p.queues[c].lossy-p.state.lossyReserve)
			s.freeHeadroom -= int64(a.headroom)
			p.state.excess[c] = max(0, int64(a.headroom)-int64(a.maxHeadroom))
		}
	}
	for i, free := range s.free {
		s.overdrawn[i] = min(0, free)
	}
	s.overdrawnHeadroom = min(0, s.freeHeadroom)
	s.setEgressPools()
}

// changeWatchdog takes over another watchdog: all storms end, and it begins to look anew.
func (s *Switch) changeWatchdog(before *Config) {
	if s.config.Watchdog.BigRedSwitch != before.Watchdog.BigRedSwitch {
		s.watchdog.bigRed = s.config.Watchdog.BigRedSwitch
	}
	s.watchdog.events.resize(s.config.Watchdog.Events)
	if s.config.watches() || before.watches() {
		s.startWatchdog()
		s.woken.Deadline()
	}
	s.setBigRedSwitch(s.watchdog.bigRed)
}

func (p *Port) reconsider() {
	for c := range sluice.Class(sluice.Classes) {
		a := p.account(c)
		if a.flags&(lossy|limited) != 0 {
			continue
		}
		switch over := a.bytes+int64(a.headroom) > 0 && a.over(p.room(a)); {
		case a.flags&pausing != 0 && a.under(p.room(a)):
			p.resumeUpstream(c)
		case a.flags&pausing == 0 && over:
			p.pauseUpstream(c)
		}
	}
}
