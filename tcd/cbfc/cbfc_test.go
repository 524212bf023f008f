package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// TestBlocks of 64 bytes, rounded up.
func TestBlocks(t *testing.T) {
	for n, want := range map[int64]int32{1: 1, 64: 1, 65: 2, 1030: 17, 1048: 17, 1500: 24, 9216: 144} {
		require.Equal(t, want, blocks(n), "%d bytes", n)
	}
}

// TestMaySend: a packet of b blocks may go while (FCCL - (FCTBS + b)) mod 4096 is at most 2048,
// which with credit (FCCL - FCTBS) mod 4096, and none above 2048, is b <= credit.
func TestMaySend(t *testing.T) {
	for _, test := range []struct {
		limit, sent uint16
		b           int32
		want        bool
	}{
		{2048, 0, 2048, true}, {2048, 0, 2049, false}, {2048, 2031, 17, true}, {2048, 2032, 17, false},
		{100, 4090, 17, true}, {10, 4090, 17, false}, {4095, 4095, 1, false}, {0, 4095, 1, true},
	} {
		s := newSwitch(t, HostConfig(sluice.Link{Rate: 40 * g}))
		p := s.Port(0)
		p.vls[2].sent = test.sent
		p.Receive(0, &Frame{VL: 2, FCCL: test.limit})
		require.Equal(t, test.want, p.vls[2].credit >= test.b, "%+v", test)
		rule := (test.limit-(test.sent+uint16(test.b)))&counterMask <= maxCredit
		require.Equal(t, test.want, rule && test.b <= maxCredit, "the rule itself")
		require.NoError(t, s.Audit())
	}
}

// TestMaySendIsTheRule over all counters, for packets of an MTU: 17 and 24 blocks.
func TestMaySendIsTheRule(t *testing.T) {
	for _, mtu := range []sluice.Bytes{1030, 1500} {
		c := HostConfig(sluice.Link{Rate: 40 * g})
		c.MTU = mtu
		p := newSwitch(t, c).Port(0)
		random := prng.New(3)
		for range 100_000 {
			limit, sent := uint16(random.Below(4096)), uint16(random.Below(4096))
			p.vls[0].sent = sent
			p.Receive(0, &Frame{FCCL: limit})
			// The rule alone also allows packets within an MTU above 2,048, which no peer
			// announces.
			rule := (limit-(sent+uint16(blocks(int64(mtu)))))&counterMask <= maxCredit
			if credit := (limit - sent) & counterMask; credit <= maxCredit && p.Sendable(0) != rule {
				require.Equal(t, rule, p.Sendable(0), "limit %d, sent %d", limit, sent)
			}
		}
	}
}

// TestPhases: the ports of a switch tick out of phase, each VL once a period.
func TestPhases(t *testing.T) {
	c := Config{MTU: 1500}
	for range 4 {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{Rate: 40 * g}, PeerBuffer: MaxAnnounced, Period: 4 * us,
		})
	}
	s := newSwitch(t, c)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
	var f Frame
	seen := map[sluice.PortID][]sluice.Time{}
	for now := sluice.Time(0); now < 40*us; now += us / 4 {
		for id := range sluice.PortID(4) { // something changes all the time
			p.Ingress = id
			s.Port(0).Enqueue(now, &p)
			s.Port(0).Dequeue(now, 3, &p)
			renewCredit(s.Port(0), 3)
		}
		s.Expire(now)
		for id := range sluice.PortID(4) {
			for s.Port(id).PollFrame(now, &f) {
				if f.VL == 3 {
					seen[id] = append(seen[id], now)
				}
			}
		}
	}
	for id := range sluice.PortID(4) {
		require.Len(t, seen[id], 10)
		for k, now := range seen[id] {
			require.Equal(t, sluice.Time(k)*4*us+sluice.Time(id)*us, now, "port %d", id)
		}
	}
}

// TestKeepAlive: a port repeats an unchanged limit after 65,536 symbol times, 52.4 us on four lanes
// at 40 Gb/s, and sends nothing in between. An embedder that is late moves none of the next.
func TestKeepAlive(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].PeerBuffer = MaxAnnounced
	s := newSwitch(t, c)
	var f Frame
	var times []sluice.Time
	for i := range 4 {
		now := s.Deadline()
		times = append(times, now)
		s.Expire(now + sluice.Time(i)*us)
		vls := 0
		for s.Port(0).PollFrame(now, &f) {
			require.Equal(t, Normal, f.Op)
			vls++
		}
		require.Equal(t, 8, vls)
	}
	require.Equal(t, []sluice.Time{0, 52_428_800, 2 * 52_428_800, 3 * 52_428_800}, times)
}

// TestAnOverdueTickStays: a limit that moves after the instant of a tick, which the embedder has
// yet to serve, does not put the tick off.
func TestAnOverdueTickStays(t *testing.T) {
	s := twoPorts(t, func(c *Config) { c.Ports[1].Buffer = 2 * MaxAnnounced })
	settle(s, 20*us)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	s.Port(0).Enqueue(20*us, &packet) // the limit of port 1 moves
	due := s.Deadline()
	packet.Class = 4
	s.Port(0).Enqueue(due+20*us, &packet)
	require.Equal(t, due, s.Deadline())
}

// TestAnOwedFCPNeedsNoTick: an FCP is built when it is polled, so that it has the limit that moved
// while it waited.
func TestAnOwedFCPNeedsNoTick(t *testing.T) {
	s := twoPorts(t, nil)
	p := s.Port(0)
	settle(s, 20*us)
	due := s.Deadline()
	p.Receive(20*us, &Frame{Op: Init, VL: 3, FCCL: 960}) // answered at once
	p.Consume(20*us, &sluice.Packet{Size: 640, Class: 3})
	require.Equal(t, due, s.Deadline())
	var f Frame
	require.True(t, p.PollFrame(20*us, &f))
	require.Equal(t, Frame{VL: 3, FCCL: 960 + 10}, f)
}

// settle serves the ticks until now, and takes every FCP.
func settle(s *Switch, now sluice.Time) {
	s.Expire(now)
	var f Frame
	for i := range s.ports {
		for s.ports[i].PollFrame(now, &f) {
		}
	}
}
