package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// hear hands a frame of class 3 about flow 7 to port 0.
func hear(s *Switch, now sluice.Time, kind Type, sequence uint32) sluice.Wake {
	f := Frame{Type: kind, Class: 3, Sequence: sequence}
	if f.add(7); kind == Refresh {
		f.Parts = 1
	}
	return s.Port(0).Receive(now, &f)
}

// paused reports how many flows of class 3 downstream of port 0 pauses.
func paused(s *Switch) int32 { return s.ports[0].classes[3].congested }

// One forged list, numbered 65,535 ahead, made all that the peer said stale until its own numbers
// had passed. Now three true frames are refused, and the fourth is obeyed.
func TestOneForgedFrameDoesNotFreezeALink(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: sluice.Link{Rate: sluice.Gbps}}}})
	hear(s, 0, Pause, 1)
	hear(s, 0, Resume, 2)
	hear(s, 0, Pause, 2+wire.Reordering-1)
	for i := range uint32(wire.Persistence - 1) {
		hear(s, 0, Resume, 3+i)
		require.EqualValues(t, 1, paused(s))
	}
	hear(s, 0, Resume, 3+wire.Persistence-1)
	require.Zero(t, paused(s))
	hear(s, 0, Pause, 3+wire.Persistence)
	require.EqualValues(t, 1, paused(s), "and so is what comes after it")
	c := s.Counters()
	require.EqualValues(t, 1, c.Resynchronised)
	require.EqualValues(t, wire.Persistence-1, c.Stale)
}

// A pause of a flow or of a class ends without a repetition, a forged one too. A pause that a
// refresh repeats holds.
func TestForgedPauseExpires(t *testing.T) {
	const refresh, expiry = 2 * sluice.Microsecond, 5 * sluice.Microsecond
	s := mustNew(t, Config{
		Ports: []PortConfig{{Link: sluice.Link{Rate: sluice.Gbps}}}, Refresh: refresh, Expiry: expiry,
	})
	p := s.Port(0)
	require.Equal(t, sluice.WakeDeadline, hear(s, 0, Pause, 1))
	held := Frame{Type: Pause, Class: 5, All: true, Sequence: 2}
	p.Receive(0, &held)
	now := sluice.Time(0)
	for sequence := range uint32(20) {
		now += refresh
		_, released := s.Expire(now).Port()
		require.Equal(t, now >= expiry && now-refresh < expiry, released, "class 5: %v", now)
		hear(s, now, Refresh, 3+sequence)
		require.EqualValues(t, 1, paused(s), "repeated")
		require.Equal(t, now < expiry, p.State(5) == AllPaused, "not repeated: %v", now)
	}
	last := now
	for s.Deadline() != sluice.Never {
		require.EqualValues(t, 1, paused(s))
		now = s.Deadline()
		s.Expire(now)
	}
	require.Equal(t, last+expiry, now, "counted from the last of them")
	require.Zero(t, paused(s))
	require.EqualValues(t, 2, s.Counters().Expired)
}

func TestExpiryOfAConfiguration(t *testing.T) {
	port := PortConfig{Link: sluice.Link{Rate: 8 * sluice.Gbps}} // a byte a nanosecond
	ports := []PortConfig{port, port}
	lists := (9216 + 8*1508 + 8*1024*2) * sluice.Nanosecond // the flows of two egress ports
	for _, test := range []struct {
		config Config
		want   sluice.Time
	}{
		{Config{}, 0},
		{Config{Refresh: sluice.Microsecond}, 8 * (sluice.Microsecond + lists)},
		{Config{Refresh: sluice.Microsecond, Expiry: NoExpiry}, 0},
		{Config{Expiry: sluice.Millisecond}, sluice.Millisecond},
		{Config{Expiry: 1}, 1},
	} {
		test.config.Ports = ports
		require.Equal(t, test.want, mustNew(t, test.config).ports[0].state.expiry)
	}
	_, err := New(Config{Ports: ports, Refresh: sluice.Second, Expiry: sluice.Second})
	require.ErrorContains(t, err, "Expiry")
}

// A pause holds on while a PAUSE or a refresh says something of its class. A RESUME does not: it
// says only what is no longer paused.
func TestAResumeRenewsNoPause(t *testing.T) {
	for _, expiry := range []sluice.Time{1, 5 * sluice.Microsecond} {
		s := mustNew(t, Config{Ports: []PortConfig{{Link: link40}}, Expiry: expiry})
		s.Port(0).Receive(0, &Frame{Type: Refresh, Parts: 1})
		require.Equal(t, sluice.Never, s.Deadline(), "nothing is paused")
		s.Port(0).Receive(0, &Frame{Type: Pause, Sequence: 1, Count: 2, Keys: [MaxListed]uint64{1, 2}})
		require.Equal(t, expiry, s.Deadline())
		s.Port(0).Receive(expiry-1, &Frame{
			Type: Resume, Sequence: 2, Count: 1, Keys: [MaxListed]uint64{1},
		})
		s.Expire(expiry)
		require.False(t, s.Port(0).FlowPaused(0, 2))
		require.Equal(t, sluice.Never, s.Deadline())
		require.EqualValues(t, 1, s.Counters().Expired)
	}
}
