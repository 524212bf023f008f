package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// TestZeroAlloc: no hook allocates, on any of its ways, with rules or without.
func TestZeroAlloc(t *testing.T) {
	zeroAlloc(t, nil)
	limit := &qos.Limit{Static: 2500, Reserve: 1}
	curves := [3]sluice.Marking{{KMin: 900, KMax: 900}}
	c := zeroAlloc(t, &qos.Port{
		Lossy:  sluice.MakeClassSet(5, 7),
		Egress: []qos.Limit{{Alpha: ratio(1, 1)}}, Ingress: []qos.Limit{{Static: 1 << 20}},
		Queues:  [8]*qos.Limit{1: limit, 2: {}, 7: {}},
		WRED:    [8]*qos.WRED{2: {Curves: curves, Drop: [3]bool{true}}},
		Shaper:  qos.Shaper{Rate: sluice.Tbps},
		Shapers: [8]qos.Shaper{7: {Rate: sluice.Tbps, Burst: 1000}},
	})
	require.NotZero(t, c.Class[1].QueueDrops)
	require.NotZero(t, c.Class[2].WREDDrops[qos.Green])
	require.NotZero(t, c.Class[5].GroupDrops)
}

func zeroAlloc(t *testing.T, rules *qos.Port) Counters {
	config := twoClasses(PriorityPause, 1000, g100, g100)
	config.Groups = []Group{{Classes: 0xff}}
	config.Watchdog = Watchdog{Detection: 10 * sluice.Microsecond, Poll: 5 * sluice.Microsecond}
	for i := range config.Ports {
		config.Ports[i].QoS = rules
		config.Ports[i].Profiles[5] = &Profile{XOff: 1500}
		config.Ports[i].Profiles[7] = &Profile{XOff: 1 << 20}
		config.Ports[i].ECN[3] = sluice.Marking{KMin: 0, KMax: 2000, PMax: ratio(1, 2)}
	}
	if rules != nil {
		config.EgressPools = []sluice.Bytes{1 << 20}
	}
	s, err := New(config)
	require.NoError(t, err)
	out, in := s.Port(0), s.Port(1)
	packets := make([]sluice.Packet, 40)
	for i := range packets {
		packets[i] = sluice.Packet{
			Size:    1000,
			Class:   sluice.Class(i % 8),
			Ingress: sluice.PortID(i / 8 % 2),
			ECN:     sluice.ECT0,
		}
		if packets[i].Class == 2 {
			packets[i].ECN = sluice.NotECT
		}
	}
	bad := []sluice.Packet{
		{Size: 1, Class: 9},
		{Size: 0},
		{Size: 1, Ingress: 7},
		{Size: 1 << 30, Class: 3, Ingress: 1},
		{Size: 1 << 30, Class: 0, Ingress: 1},
	}
	var frame Frame
	var now sluice.Time
	buffer := make([]byte, 0, FrameLength)
	drainFrames := func() {
		for port := range sluice.PortID(2) {
			if !s.Port(port).PollFrame(now, &frame) {
				continue
			}
			buffer = frame.AppendTo(buffer[:0])
			if err := frame.Parse(buffer); err != nil {
				t.Fatal(err)
			}
			if frame.Kind() == "" {
				t.Fatal("no kind")
			}
		}
	}
	var queues [8]int // packets waiting
	step := func() {
		for i := range packets {
			if out.Enqueue(now, &packets[i]).Action() == sluice.Append {
				queues[packets[i].Class]++
			}
			drainFrames()
		}
		for i := range bad {
			out.Enqueue(now, &bad[i])
			out.Dequeue(now, 3, &bad[i])
		}
		for range 5 {
			frame = pauseOf(100, 3, 0)
			out.Receive(now, &frame)
			now += sluice.Microsecond
			s.Expire(now)
			drainFrames()
		}
		frame = pauseOf(0, 3)
		out.Receive(now, &frame)
		frame = Frame{Opcode: OpcodePause}
		in.Receive(now, &frame)
		in.ReceiveWire(now, buffer)
		in.ReceiveWire(now, buffer[:9])
		in.LinkDown(now)
		in.LinkUp(now)
		s.Rebase(sluice.Nanosecond)
		for _, ok := s.PollPort(); ok; _, ok = s.PollPort() {
		}
		for {
			q, ok := out.Next(now)
			if !ok && s.Deadline() < now+100*sluice.Microsecond && queues != [8]int{} {
				now = max(now, s.Deadline())
				s.Expire(now)
				continue
			}
			if !ok {
				break
			}
			queues[q]--
			for ingress := range sluice.PortID(2) {
				packets[q].Ingress = ingress
				if v := out.Dequeue(now, q, &packets[q]); v.Action() == sluice.Transmit ||
					v.Reason() == sluice.WatchdogDrop {
					break
				}
			}
			packets[q].Ingress = 0
			drainFrames()
		}
		frame.Parse(buffer[:30])
		s.Deadline()
		s.Buffered()
		out.Backlog(3)
		out.Sendable(3)
		in.XOff(3)
		in.IngressBytes(3)
		s.Counters()
		s.BigRedSwitch(now, true)
		s.BigRedSwitch(now, false)
		drainFrames()
		if s.Audit() != nil || queues != [8]int{} {
			t.Fatal(s.Audit(), queues)
		}
	}
	require.Zero(t, testing.AllocsPerRun(200, step))
	c := s.Counters()
	for name, n := range map[string]uint64{
		"pauses": c.Class[3].XOffs, "resumes": c.Class[3].XOns, "refreshes": c.Class[3].Refreshes,
		"marks": c.Class[3].Marked,
		"holds": c.Class[3].Holds, "ignored": c.Ignored, "misuse": c.Misuse,
		"lost": c.Dropped[sluice.HeadroomExhausted],
		"full": c.Dropped[sluice.BufferFull], "expiries": c.Class[3].Expiries,
	} {
		require.NotZero(t, n, "the walk does not come by: %s", name)
	}
	return c
}
