package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestZeroAlloc: no hook allocates, at a switch and at a node, with every option.
func TestZeroAlloc(t *testing.T) {
	network := NDC{4, 1}
	for name, device := range map[string]sluice.SwitchID{"node": 15, "switch": 19} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig(network, device)
			c.RelayXOff = sluice.Ratio{Num: 2, Den: 1}
			c.Refresh = 10 * sluice.Microsecond
			c.Marking = sluice.Marking{KMin: 100, KMax: 5000, PMax: sluice.Ratio{Num: 1, Den: 2}}
			s := mustNew(t, c)
			egress := s.Port(0)
			var packets []sluice.Packet
			for i := range 30 {
				p := sluice.Packet{Size: 1000, Ingress: 1, ECN: sluice.ECT0, Class: sluice.Class(i % 3 / 2 * 7)}
				if s.node && i&1 == 0 {
					p.Ingress = sluice.Local
				}
				p.Path = anyPath(network, device, 0, i)
				packets = append(packets, p)
			}
			queues := make([]sluice.QueueID, len(packets))
			var f Frame
			buffer := make([]byte, 0, 100)
			now, sequence := sluice.Time(0), uint32(0)
			round := func() {
				for i := range packets {
					v := egress.Enqueue(now, &packets[i])
					if v.Action() != sluice.Append {
						panic(v.String())
					}
					queues[i] = v.Queue()
				}
				drainFrames(s, now, &f, buffer)
				for _, kind := range []Type{Pause, Resume} {
					for q := range network.DDQ() + 1 {
						sequence++
						f = Frame{Type: kind, Sequence: sequence, Queue: q, Port: 1, Layer: uint8(1 - s.layer)}
						if s.node {
							f.Layer = 0
						}
						wire := f.AppendTo(buffer)
						if _, err := egress.ReceiveWire(now, wire); err != nil {
							panic(err)
						}
					}
				}
				now += 20 * sluice.Microsecond
				s.Expire(now)
				drainFrames(s, now, &f, buffer)
				egress.Next(now)
				for i := range packets {
					egress.Dequeue(now, queues[i], &packets[i])
				}
				egress.Dequeue(now, 0, &packets[0])
				drainFrames(s, now, &f, buffer)
				egress.LinkDown(now)
				egress.LinkUp(now)
				s.Rebase(sluice.Nanosecond)
				now -= sluice.Nanosecond
				s.Counters()
				_, _, _, _ = s.Deadline(), s.Buffered(), egress.Counters(), egress.Counters()
			}
			round()
			require.Zero(t, testing.AllocsPerRun(50, round))
			require.NoError(t, s.Audit())
			counters := s.Counters()
			require.Positive(t, counters.Refreshed)
			require.Positive(t, counters.QueuesReleased)
			require.Positive(t, counters.Marked)
		})
	}
	wire := (&Frame{Type: Pause}).AppendTo(nil)
	wire[16] = 200
	var f Frame
	require.Zero(t, testing.AllocsPerRun(50, func() {
		if f.Parse(wire) == nil {
			panic("accepted")
		}
	}))
}

func drainFrames(s *Switch, now sluice.Time, f *Frame, buffer []byte) {
	for i := range s.Ports() {
		for s.Port(sluice.PortID(i)).PollFrame(now, f) {
			f.AppendTo(buffer)
		}
	}
	for _, ok := s.PollPort(); ok; _, ok = s.PollPort() {
	}
}

// smallConfig is a device whose thresholds are a few packets.
func smallConfig(network NDC, device sluice.SwitchID) Config {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 80 * sluice.Nanosecond} // 1,000 bytes
	if network.IsNode(device) {
		return NodeConfig(network, device, link)
	}
	return SwitchConfig(network, device, link)
}

// anyPath returns the i-th of the routes of k = 1 that go on from a port of a device, of all
// lengths.
func anyPath(network NDC, device sluice.SwitchID, port, i int) (path sluice.Path) {
	at, layer := device, port
	if !network.IsNode(device) {
		path.Append(sluice.Hop{Switch: device, Port: sluice.PortID(port)})
		at, layer = network.NodeAt(device, port), 1-network.Layer(device)
		if i%network.N == 0 {
			return path
		}
	}
	digit := (network.Digit(at, layer) + 1 + i%(network.N-1)) % network.N
	at = network.step(&path, at, layer, digit)
	if network.IsNode(device) && i/network.N%2 == 0 {
		digit = (network.Digit(at, 1-layer) + 1 + i%(network.N-1)) % network.N
		network.step(&path, at, 1-layer, digit)
	}
	return path
}
