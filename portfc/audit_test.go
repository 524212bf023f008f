package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Audit finds what breaks an invariant of Switch, and says where: in port 0 of a device of NDC(4,1)
// that holds a packet of 4,000 bytes in its DDQ, or relay queue, and one in its HQ. X_on is 4,000
// bytes, X_off 6,000.
func TestAuditFindsWhatIsBroken(t *testing.T) {
	const (
		sw, node   = 19, 15
		ddq, high  = 3, 4 // queues of the switch
		relay      = 6    // queue of the node
		ownPort    = 4    // item of the switch: class 1 of port 0, which port 0 does not tell its peer
		farPause   = 1    // item of the switch: class 0 of port 1
		firstQueue = 0
	)
	direct := func(p *Port) *detector { return &p.detectors[0] }
	for _, row := range []struct {
		device sluice.SwitchID
		fault  string // "": none
		spoil  func(p *Port)
	}{
		{sw, "", func(*Port) {}},
		{node, "", func(*Port) {}},
		{node, "", func(p *Port) { p.apply(relay-1, 0, true) }}, // b: class 0, of a node
		{sw, "1: queues hold 4001 bytes, the switch counts 4002", func(p *Port) { p.owner.room-- }},
		{sw, "1: queue 3 holds 1 packets of 0 bytes", func(p *Port) { p.queue(ddq).bytes = 0 }},
		{sw, "1: 2 packets held, 1 came", func(p *Port) { p.enqueued = 1 }},
		{sw, "3: class 0 holds 4000 bytes, its detector counts 3999", func(p *Port) { direct(p).bytes-- }},
		{sw, "3: class 0 holds 4000 bytes, its detector counts 4000, peak 3999", func(p *Port) {
			p.peaks[0]--
			p.await(0)
		}},
		{sw, "4: class 0: pauses false with 4000 bytes, limits 4000 and 6000", func(p *Port) {
			direct(p).alert++
		}},
		{sw, "4: class 0: pauses false", func(p *Port) { direct(p).low++ }},
		{sw, "4: class 0: pauses true with 4000 bytes", func(p *Port) { p.over = 1; p.await(0) }},
		{sw, "4: class 0: pauses false with 6000 bytes", func(p *Port) {
			packet := sluice.Packet{Size: 2000, Ingress: 1, Path: anyPath(NDC{4, 1}, sw, 0, 0)}
			p.Enqueue(0, &packet)
			p.over = 0
			p.await(0)
		}},
		{sw, "5: queue 3 of class 0 is held", func(p *Port) { p.queue(ddq).holds = 1 }},
		{sw, "5: queue 4 of class 5 is held", func(p *Port) { p.queue(high).holds = 1 }},
		{node, "5: queue 6 of class 4 is held", func(p *Port) { p.queue(relay).holds = 1 }},
		{sw, "6: item 4 is repeated", func(p *Port) { p.out.repeats.Add(ownPort) }},
		{sw, "6: item 1 is repeated, and no announced pause", func(p *Port) {
			p.owner.ports[1].over = 1 // wanted, and not announced
			p.out.differs.Add(farPause)
			p.out.repeats.Add(farPause)
		}},
		{sw, "6: the peer is to pause for 0 items, 1 counted", func(p *Port) { p.out.paused++ }},
		{sw, "7: queue 3: eligible true, served false", func(p *Port) { p.ring.Leave(ddq) }},
		{sw, "7: queue 0: eligible false, served true", func(p *Port) { p.ring.Join(firstQueue) }},
		{sw, "7: strict queues 0 served, 1 have packets", func(p *Port) { p.strict = 0 }},
	} {
		s := mustNew(t, smallConfig(NDC{4, 1}, row.device))
		for class, size := range map[sluice.Class]sluice.Bytes{0: 4000, 7: 1} {
			p := sluice.Packet{
				Size: size, Ingress: 1, Class: class, Path: anyPath(NDC{4, 1}, row.device, 0, 0),
			}
			require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, &p).Action())
		}
		row.spoil(s.Port(0))
		if err := s.Audit(); row.fault == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "invariant "+row.fault)
		}
	}
}

// Quiescent says what is left.
func TestQuiescentNamesWhatIsLeft(t *testing.T) {
	for want, leave := range map[string]func(p *Port){
		"port 1 pauses its upstream":              func(p *Port) { p.over = 1 },
		"port 1 has not announced 1 changes":      func(p *Port) { p.setPending(0, true) },
		"port 1 has 1 queues that its peer holds": func(p *Port) { p.apply(0, 0, true) },
		"port 1 has 3 queues that its peer holds": func(p *Port) { p.Receive(0, &relayPause) },
		"portfc: 1000 bytes held":                 func(p *Port) { p.owner.room -= 1000 },
	} {
		s := mustNew(t, smallConfig(NDC{4, 1}, 19))
		require.NoError(t, s.Quiescent())
		leave(s.Port(1))
		require.ErrorContains(t, s.Quiescent(), want)
	}
}

var relayPause = Frame{Type: Pause, Sequence: 1, Queue: 6, Port: 1, Layer: 1} // of NDC(4,1)

// An explorer takes two states for one if they answer the same from now on: whatever the clock and
// the peer's sequence numbers show, and whenever a pause that is over was heard. When a pause that
// holds was last heard decides when it expires.
func TestStatesThatAnswerAlike(t *testing.T) {
	network := NDC{2, 1}
	c := smallConfig(network, 4)
	c.Refresh = sluice.Microsecond
	expiry := 4 * c.Refresh
	for name, queue := range map[string]sluice.QueueID{
		"of a DDQ": network.DDQ(), "of a relay queue": network.RelayQueue(),
	} {
		pause := Frame{Type: Pause, Queue: queue, Port: 1, Layer: 1}
		resume := pause
		resume.Type = Resume
		var s *Switch
		hear := func(now sluice.Time, sequence uint32, f Frame) {
			f.Sequence = sequence
			s.Port(0).Receive(now, &f)
		}
		over := func(sequence uint32, from, heard sluice.Time, late bool) string {
			s = mustNew(t, c)
			hear(from, sequence, pause)
			if late {
				hear(from+heard, sequence-2, pause)
			}
			hear(from+heard, sequence+1, pause)
			hear(from+heard, sequence+2, resume)
			s.Expire(from + expiry)
			require.Equal(t, sluice.Never, s.Deadline())
			return string(s.appendState(nil, from+expiry))
		}
		require.Equal(t, over(1, 0, 1, false), over(1000, 7, 3, true), "a pause %s that is over", name)
		stands := func(heard sluice.Time) string {
			s = mustNew(t, c)
			hear(0, 1, pause)
			hear(heard, 2, pause)
			return string(s.appendState(nil, 3))
		}
		require.NotEqual(t, stands(1), stands(3), "a pause %s that holds", name)
	}
}
