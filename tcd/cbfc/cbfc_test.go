package cbfc

import (
	"io"
	"slices"
	"strings"
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
			// The rule alone also lets go what is within an MTU above 2,048, which no peer
			// announces.
			rule := (limit-(sent+uint16(blocks(int64(mtu)))))&counterMask <= maxCredit
			if credit := (limit - sent) & counterMask; credit <= maxCredit && p.Sendable(0) != rule {
				require.Equal(t, rule, p.Sendable(0), "limit %d, sent %d", limit, sent)
			}
		}
	}
}

// TestHandshake: a link that comes up is held until each end has heard the other, and an FCP with
// op 1 is answered at once.
func TestHandshake(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g, Delay: us})
	c.Classes = sluice.MakeClassSet(3)
	a, b := newSwitch(t, c), newSwitch(t, c)
	require.Zero(t, a.Deadline(), "announced by Deadline")
	require.False(t, a.Port(0).Sendable(3))
	require.Error(t, a.Quiescent())

	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, a.Expire(0))
	frames := exchange(t, 0, a.Port(0), b.Port(0))
	require.Equal(t, []Frame{{Op: Init, VL: 3, FCCL: 2048}}, frames)
	require.True(t, b.Port(0).Sendable(3))
	require.False(t, a.Port(0).Sendable(3))

	frames = exchange(t, 0, b.Port(0), a.Port(0))
	require.Equal(t, []Frame{{Op: Normal, VL: 3, FCCL: 2048}}, frames, "it knows a, and so may a know")
	require.True(t, a.Port(0).Sendable(3))
	require.Empty(t, exchange(t, 0, a.Port(0), b.Port(0)), "op 0 is not answered")
	require.Equal(t, 2048, a.Port(0).Credit(3))
}

// TestHandshakeGoesOn: op 1 is sent every T_c until the peer is heard.
func TestHandshakeGoesOn(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].Period = us
	s := newSwitch(t, c)
	var f Frame
	for i := range 5 {
		now := sluice.Time(i) * us
		require.Equal(t, now, s.Deadline())
		s.Expire(now)
		for vl := range sluice.Classes {
			require.True(t, s.Port(0).PollFrame(now, &f))
			require.Equal(t, Frame{Op: Init, VL: uint8(vl), FCCL: 2048}, f)
		}
		require.False(t, s.Port(0).PollFrame(now, &f))
	}
}

// TestLinkUpTwice: whichever end notices first that the link is there again, both come to the same
// counters.
func TestLinkUpTwice(t *testing.T) {
	for _, first := range []int{0, 1} {
		c := HostConfig(sluice.Link{Rate: 40 * g})
		c.Classes, c.MTU, c.Ports[0].PeerBuffer = sluice.MakeClassSet(3), 1500, MaxAnnounced
		ends := [2]*Switch{newSwitch(t, c), newSwitch(t, c)}
		p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
		for range 10 {
			ends[0].Port(0).Enqueue(0, &p)
			ends[0].Port(0).Dequeue(0, 3, &p) // all lost on the wire
		}
		require.Equal(t, 2048-240, ends[0].Port(0).Credit(3))
		for _, s := range ends {
			s.Port(0).LinkDown(0)
			require.True(t, s.Port(0).Sendable(3), "no queue is held on the word of the peer")
			require.Equal(t, sluice.Never, s.Deadline())
			require.NoError(t, s.Audit())
		}
		ends[first].Port(0).LinkUp(us)
		require.False(t, ends[first].Port(0).Sendable(3))
		exchange(t, us, ends[first].Port(0), ends[1-first].Port(0))
		require.EqualValues(t, 1, ends[1-first].Port(0).Counters().Stale, "its link is still down")
		ends[1-first].Port(0).LinkUp(2 * us)
		for range 2 {
			for _, i := range []int{1 - first, first} {
				exchange(t, 2*us, ends[i].Port(0), ends[1-i].Port(0))
			}
		}
		for _, s := range ends {
			require.Equal(t, 2048, s.Port(0).Credit(3))
			require.NoError(t, s.Audit())
		}
	}
}

// TestLostPacket: "a lost packet costs its credit until the next FCP and not longer".
func TestLostPacket(t *testing.T) {
	w := newWire(t, PortConfig{Link: sluice.Link{Rate: 40 * g, Delay: us}, Period: 4 * us, KeepAlive: 10 * us, PeerBuffer: MaxAnnounced}, 1500, 1500)
	w.loss = 20
	w.run(500 * us)
	lost := w.sent - w.arrived
	require.Greater(t, lost, sluice.Bytes(100_000), "more than 2,048 blocks were lost in all")
	require.Zero(t, w.offs, "and the sender never noticed")
	w.loss = 0
	for w.from.Port(0).Backlog(3) > 0 {
		p := w.packet()
		w.from.Port(0).Dequeue(w.now, 3, &p)
	}
	require.NotZero(t, w.to.Port(0).Counters().VL[3].Corrections)
	require.Zero(t, w.to.Port(0).Counters().VL[3].Overflows)
}

// TestLostCreditComesBack counts it: what was lost is missing until the sender's next FCP, which
// tells how much it sent, has been answered by the receiver's.
func TestLostCreditComesBack(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Classes, c.MTU, c.Ports[0].PeerBuffer = sluice.MakeClassSet(3), 1500, MaxAnnounced
	a, b := newSwitch(t, c), newSwitch(t, c)
	var now sluice.Time
	tick := func(s, to *Switch) {
		now = max(now, s.Deadline())
		s.Expire(now)
		exchange(t, now, s.Port(0), to.Port(0))
	}
	tick(a, b)
	tick(b, a)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	for range 10 {
		a.Port(0).Enqueue(now, &p)
		a.Port(0).Dequeue(now, 3, &p)
	}
	require.Equal(t, 2048-240, a.Port(0).Credit(3))
	tick(b, a) // every VL, by keep-alive: b has received nothing
	require.Equal(t, 2048-240, a.Port(0).Credit(3))
	tick(a, b) // a has sent 240 blocks
	require.EqualValues(t, 1, b.Port(0).Counters().VL[3].Corrections)
	tick(b, a)
	require.Equal(t, 2048, a.Port(0).Credit(3))
}

// TestStaleFCP: an FCP that others overtook is safe while fewer than 2,048 blocks were sent since.
// Beyond, the overflow is counted at the receiver, and credit is right again after the next FCP.
func TestStaleFCP(t *testing.T) {
	c := Config{MTU: 1500, Classes: sluice.MakeClassSet(3)}
	for range 2 {
		c.Ports = append(c.Ports, PortConfig{Link: sluice.Link{Rate: 40 * g}, PeerBuffer: MaxAnnounced})
	}
	sender, receiver := newSwitch(t, c), newSwitch(t, c)
	out, in, onward := sender.Port(0), receiver.Port(0), receiver.Port(1)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	arriving := sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
	move := func(packets int) (dropped int) {
		for range packets {
			sender.Port(0).Enqueue(0, &p)
			require.Equal(t, sluice.Transmit, out.Dequeue(0, 3, &p).Action())
			if onward.Enqueue(0, &arriving).Action() == sluice.Drop {
				dropped++
			}
		}
		return dropped
	}
	leave := func(packets int) {
		for range packets {
			onward.Receive(0, &Frame{VL: 3, FCCL: (onward.vls[3].sent + maxCredit) & counterMask})
			require.Equal(t, sluice.Transmit, onward.Dequeue(0, 3, &arriving).Action())
		}
	}
	fcp := func() *Frame { // as it would be built now
		v := &in.vls[3]
		return &Frame{VL: 3, FCTBS: in.vls[3].sent, FCCL: v.announced()}
	}
	old := fcp()
	require.Zero(t, move(85)) // 2,040 blocks
	leave(85)
	fresh := fcp()
	out.Receive(0, fresh)
	require.Equal(t, 2048, out.Credit(3))
	out.Receive(0, old)
	require.Equal(t, 8, out.Credit(3), "within the bound it understates")
	out.Receive(0, fresh)
	require.Zero(t, move(80)) // 3,960 blocks since the old one
	out.Receive(0, old)
	require.Equal(t, 2048-3960+4096, 2184, "which mod 4096 is more than 2,048: no credit")
	require.Zero(t, out.Credit(3))

	leave(80)
	out.Receive(0, fcp())
	require.Zero(t, move(7)) // 4,128 blocks since the old one: it overstates by 4,096
	out.Receive(0, old)
	require.Equal(t, 2048-(4128-4096), out.Credit(3))
	dropped := move(84)
	require.Equal(t, 7+84-85, dropped, "the buffer holds 85 packets")
	require.EqualValues(t, dropped, in.Counters().VL[3].Overflows)
	require.EqualValues(t, dropped, onward.Counters().Dropped[sluice.HeadroomExhausted])
	leave(85)
	out.Receive(0, fcp())
	require.Equal(t, 2048, out.Credit(3), "and is right again")
	require.NoError(t, sender.Audit())
	require.NoError(t, receiver.Audit())
}

// counters64 is a VL of one direction of a link with counters that do not wrap.
type counters64 struct{ sent, received, limit, used int64 }

// TestAgainst64Bits: counters of 12 bits say what counters of 64 would, over a million packets,
// and no byte is sent over the peer's buffer.
func TestAgainst64Bits(t *testing.T) {
	packets := 1_000_000
	if testing.Short() {
		packets /= 10
	}
	random := prng.New(9)
	for _, buffer := range []sluice.Bytes{1536, 20_000, MaxAnnounced, 400_000} {
		c := Config{MTU: 1500, Classes: sluice.MakeClassSet(5)}
		for range 2 {
			c.Ports = append(c.Ports, PortConfig{Link: sluice.Link{Rate: 40 * g}, Buffer: buffer, PeerBuffer: buffer, Period: 1})
		}
		sender, receiver := newSwitch(t, c), newSwitch(t, c)
		out, in, onward := sender.Port(0), receiver.Port(0), receiver.Port(1)
		capacity := int64(buffer / Block)
		m := counters64{limit: min(capacity, maxCredit)}
		var sizes []int32
		var now sluice.Time
		type told struct {
			Frame
			limit int64
		}
		var flying []told // FCPs on the way
		for sent := 0; sent < packets/4; {
			now++
			switch action := random.Below(8); {
			case action < 4:
				p := sluice.Packet{Size: int32(1 + random.Below(1500)), Class: 5, Ingress: sluice.Local}
				b := int64(blocks(int64(p.Size)))
				may := m.limit-m.sent >= int64(blocks(1500))
				if out.Sendable(5) != may || int64(out.Credit(5)) != m.limit-m.sent {
					require.Equal(t, m.limit-m.sent, int64(out.Credit(5)))
					require.Equal(t, may, out.Sendable(5))
				}
				if !may {
					continue
				}
				out.Enqueue(now, &p)
				out.Dequeue(now, 5, &p)
				m.sent += b
				m.received += b
				sent++
				p.Ingress = 0
				if random.Below(4) == 0 { // to the host itself
					in.Consume(now, &p)
					continue
				}
				m.used += b
				if v := onward.Enqueue(now, &p); v.Action() != sluice.Append || m.used > capacity {
					require.FailNow(t, "over the peer's buffer", "%v, %d of %d blocks", v, m.used, capacity)
				}
				sizes = append(sizes, p.Size)
			case action < 6 && len(sizes) > 0:
				p := sluice.Packet{Size: sizes[0], Class: 5}
				sizes = sizes[1:]
				onward.Dequeue(now, 5, &p)
				m.used -= int64(blocks(int64(p.Size)))
			case action == 6:
				receiver.Expire(now)
				var f Frame
				for in.PollFrame(now, &f) {
					flying = append(flying, told{f, m.received + min(capacity-m.used, maxCredit)})
				}
			case len(flying) > 0 && random.Below(4) == 0:
				out.Receive(now, &flying[0].Frame)
				if random.Below(10) == 0 { // doubled
					out.Receive(now, &flying[0].Frame)
				}
				m.limit = flying[0].limit
				flying = flying[1:]
			}
			if out.vls[5].sent != uint16(m.sent&counterMask) || in.vls[5].received != uint16(m.received&counterMask) {
				require.Equal(t, uint16(m.sent&counterMask), out.vls[5].sent)
				require.Equal(t, uint16(m.received&counterMask), in.vls[5].received)
			}
			if onward.vls[5].credit < receiver.needed { // its own link never runs out here
				onward.Receive(now, &Frame{VL: 5, FCCL: (onward.vls[5].sent + maxCredit) & counterMask})
			}
		}
		require.Greater(t, m.sent, int64(10*4096), "the counters wrapped often")
		require.NoError(t, sender.Audit())
		require.NoError(t, receiver.Audit())
	}
}

// TestPhases: the ports of a switch tick out of phase, each VL once a period.
func TestPhases(t *testing.T) {
	c := Config{MTU: 1500}
	for range 4 {
		c.Ports = append(c.Ports, PortConfig{Link: sluice.Link{Rate: 40 * g}, PeerBuffer: MaxAnnounced, Period: 4 * us})
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
			s.Port(0).Receive(now, &Frame{VL: 3, FCTBS: s.Port(0).vls[3].received, FCCL: (s.Port(0).vls[3].sent + 2048) & counterMask})
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

// TestKeepAlive: "every 65,536 symbol times, changed or not", 52.4 us on four lanes at 40 Gb/s,
// and nothing in between.
func TestKeepAlive(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].PeerBuffer = MaxAnnounced
	s := newSwitch(t, c)
	var f Frame
	var times []sluice.Time
	for range 4 {
		now := s.Deadline()
		times = append(times, now)
		s.Expire(now)
		vls := 0
		for s.Port(0).PollFrame(now, &f) {
			require.Equal(t, Normal, f.Op)
			vls++
		}
		require.Equal(t, 8, vls)
	}
	require.Equal(t, []sluice.Time{0, 52_428_800, 2 * 52_428_800, 3 * 52_428_800}, times)
}

// predicted returns the bytes that arrive by a time, packet by packet from the definition of the
// limit: FCP k says at k*T_c what had arrived, and the sender may have a buffer's worth beyond
// that on the way.
func predicted(link sluice.Link, period sluice.Time, size, buffer sluice.Bytes, until sluice.Time) sluice.Bytes {
	perPacket := int64(blocks(int64(size)))
	room := min(int64(buffer/Block), maxCredit)
	frame, fcp := link.Rate.TimeOf(size), link.Rate.TimeOf(WireLength)
	var arrivals []sluice.Time
	received := 0 // of arrivals
	limit, free := room, sluice.Time(0)
	for tick := sluice.Time(0); ; tick += period {
		heard := tick + fcp + link.Delay
		for int64(len(arrivals)+1)*perPacket <= limit && free < heard {
			free += frame
			arrivals = append(arrivals, free+link.Delay)
		}
		for received < len(arrivals) && arrivals[received] <= tick {
			received++
		}
		if limit < room+int64(received)*perPacket && free < heard {
			free = heard
		}
		limit = room + int64(received)*perPacket
		if tick > until {
			n, _ := slices.BinarySearch(arrivals, until+1)
			return sluice.Bytes(n) * size
		}
	}
}

// TestThroughput: one flow over one link, its rate against a prediction from the definition and
// between two bounds: at least a buffer's worth per T_c and loop, at most one per so many periods
// as begin in the loop; and the rate of the link. Run with -v for the table.
func TestThroughput(t *testing.T) {
	const size = 1030
	t.Log("rate, T_c, buffer: Gb/s measured, predicted; at least, at most")
	for _, rate := range []sluice.Rate{10 * g, 40 * g, 100 * g, 400 * g} {
		for _, period := range []sluice.Time{us, 4096 * sluice.Nanosecond, 13_107_200, 65_536 * sluice.Nanosecond, 100 * us} {
			for _, buffer := range []sluice.Bytes{4 * 1088, 20_000, 65_536, MaxAnnounced, sluice.MB} {
				link := sluice.Link{Rate: rate, Delay: 4 * us}
				w := newWire(t, PortConfig{
					Link: link, Period: period, Buffer: buffer, PeerBuffer: buffer, KeepAlive: sluice.Second,
				}, size, size)
				from, until := 20*(period+10*us), 120*(period+10*us)
				w.run(from)
				before := w.arrived
				w.run(until)
				over := func(n sluice.Bytes) float64 {
					return float64(n) * 8 / (float64(until-from) / float64(sluice.Second))
				}
				got := over(w.arrived - before)
				want := over(predicted(link, period, size, buffer, until) - predicted(link, period, size, buffer, from))
				credit := min(buffer/Block, maxCredit) / 17 * size
				least := min(float64(rate), float64(credit)*8/(float64(period+loop(link, size))/float64(sluice.Second)))
				most := float64(ceiling(link, period, size, buffer))
				t.Logf("%v %v %d: %.2f %.2f; %.2f %.2f", rate, period, buffer, got/1e9, want/1e9, least/1e9, most/1e9)
				require.InEpsilon(t, want, got, 0.03, "%v, T_c %v, buffer %d", rate, period, buffer)
				require.GreaterOrEqual(t, got, 0.97*least, "%v, T_c %v, buffer %d", rate, period, buffer)
				require.LessOrEqual(t, got, 1.03*most, "%v, T_c %v, buffer %d", rate, period, buffer)
			}
		}
	}
}

// TestFullRate: with the buffer that BufferFor asks for, the sender never waits for credit; with
// half of it, it does.
func TestFullRate(t *testing.T) {
	for _, rate := range []sluice.Rate{10 * g, 40 * g, 100 * g} {
		for _, period := range []sluice.Time{us / 2, 2 * us, 5 * us} {
			for _, size := range []sluice.Bytes{1030, 1500, 4096} {
				link := sluice.Link{Rate: rate, Delay: us}
				need, err := BufferFor(link, period, size)
				require.NoError(t, err)
				w := newWire(t, PortConfig{
					Link: link, Period: period, Buffer: need, PeerBuffer: need, KeepAlive: 100 * us,
				}, size, int32(size))
				w.run(sluice.Millisecond)
				require.Zero(t, w.offs, "%v, T_c %v, packets of %d", rate, period, size)
				w = newWire(t, PortConfig{
					Link: link, Period: period, Buffer: need / 2, PeerBuffer: need / 2, KeepAlive: 100 * us,
				}, size, int32(size))
				w.run(sluice.Millisecond)
				require.NotZero(t, w.offs, "half of it does not do")
			}
		}
	}
}

func TestBufferFor(t *testing.T) {
	link := sluice.Link{Rate: 40 * g, Delay: 4 * us}
	need, err := BufferFor(link, 13_107_200, 1030)
	require.NoError(t, err)
	require.InDelta(t, 112_000, int(need), 4000)
	_, err = BufferFor(link, 65_500*sluice.Nanosecond, 1030)
	require.ErrorContains(t, err, "131072 can be announced")
	_, err = BufferFor(sluice.Link{}, us, 1030)
	require.ErrorContains(t, err, "Link.Rate")
}

func TestInspection(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].PeerBuffer = 20_000
	s := newSwitch(t, c)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	s.Port(0).Enqueue(us, &p)
	require.Equal(t, "port 0: backlog {3}, held {}, owes {}", s.Port(0).String())
	var text strings.Builder
	require.NoError(t, s.Dump(&text))
	require.Contains(t, text.String(), "VL 3: backlog 1500, sent 0, limit 312, credit 312; received 0, used 0 of 2048, announced 2048")
	for lines := range strings.Count(text.String(), "\n") {
		require.ErrorIs(t, s.Dump(&brokenWriter{after: lines}), io.ErrClosedPipe, "after %d lines", lines)
	}
	snapshot := s.Snapshot()
	require.Equal(t, us, snapshot.Now)
	require.EqualValues(t, 1500, snapshot.Buffered)
	require.Equal(t, VLSnapshot{Backlog: 1500, Credit: 312, Limit: 312, Capacity: 2048, FCCL: 2048}, snapshot.Ports[0].VL[3])
	require.Nil(t, s.Port(1))
	require.Equal(t, sluice.PortID(0), s.Port(0).ID())
	require.Zero(t, s.Port(0).Backlog(8))
	require.Zero(t, s.Port(0).Credit(8))
	require.Zero(t, s.Port(0).IngressBlocks(8))
	require.False(t, s.Port(0).Sendable(8))
	require.Equal(t, DefaultMTU, s.Config().MTU)
	require.Equal(t, 13_107_200*sluice.Picosecond, s.Config().Ports[0].Period)
	s.Port(0).LinkDown(us)
	require.Contains(t, s.Port(0).String(), "link down")
}

// brokenWriter takes so many lines, and then breaks for one.
type brokenWriter struct{ after int }

func (w *brokenWriter) Write(b []byte) (int, error) {
	w.after--
	if w.after == -1 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

func TestConfigErrors(t *testing.T) {
	good := PortConfig{Link: sluice.Link{Rate: g}}
	for field, change := range map[string]func(*Config){
		"Ports":               func(c *Config) { c.Ports = nil },
		"Classes":             func(c *Config) { c.Classes = sluice.NoClasses },
		"MTU":                 func(c *Config) { c.MTU = MaxMTU + 1 },
		"Quantum[3]":          func(c *Config) { c.Quantum[3] = -1 },
		"Ports[1].Link.Rate":  func(c *Config) { c.Ports[1].Link.Rate = 0 },
		"Ports[1].Link.Delay": func(c *Config) { c.Ports[1].Link.Delay = -1 },
		"Ports[1].Buffer":     func(c *Config) { c.Ports[1].Buffer = DefaultMTU - 64 },
		"Ports[1].PeerBuffer": func(c *Config) { c.Ports[1].PeerBuffer = MaxBuffer + 1 },
		"Ports[1].Period":     func(c *Config) { c.Ports[1].Period = sluice.Second + 1 },
		"Ports[1].KeepAlive":  func(c *Config) { c.Ports[1].Period, c.Ports[1].KeepAlive = us, us-1 },
	} {
		c := Config{Ports: []PortConfig{good, good}}
		change(&c)
		_, err := New(c)
		var bad *sluice.ConfigError
		require.ErrorAs(t, err, &bad, field)
		require.Equal(t, field, bad.Field)
		require.Equal(t, "cbfc", bad.Package)
	}
	_, err := New(Config{Ports: []PortConfig{good}, MTU: -1})
	require.ErrorContains(t, err, "MTU")
}

// TestCountersAddUp over ports.
func TestCountersAddUp(t *testing.T) {
	c := Config{MTU: 1500, Ports: []PortConfig{{Link: sluice.Link{Rate: g}, PeerBuffer: 3000}, {Link: sluice.Link{Rate: g}, PeerBuffer: 3000}}}
	s := newSwitch(t, c)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	for id := range sluice.PortID(2) {
		s.Port(id).Enqueue(us, &p)
		s.Port(id).Dequeue(us, 3, &p)
		s.Port(id).Consume(us, &p)
		s.Port(id).Receive(3*us, &Frame{VL: 9})
		s.Port(id).Consume(3*us, &sluice.Packet{})
	}
	total := s.Counters()
	require.EqualValues(t, 2, total.Enqueued)
	require.EqualValues(t, 2, total.Transmitted)
	require.EqualValues(t, 2, total.Ignored)
	require.EqualValues(t, 2, total.Misuse)
	v := total.VL[3]
	require.Equal(t, VLCounters{Enqueued: 2, Transmitted: 2, TransmittedBytes: 3000, Holds: 2, HeldTime: v.HeldTime, Consumed: 2}, v)
	require.Equal(t, 2*us, v.HeldTime, "port 0 since 1 us, port 1 since 3 us, which is now")
	require.EqualValues(t, 1500, total.BufferPeak)
}
