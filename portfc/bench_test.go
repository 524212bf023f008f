package portfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

var benchLink = sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}

// BenchmarkQuiet is a packet through a device, enqueue, next and dequeue, without a pause: every
// egress of a switch, every port of a node in turn, all queues:
//
//	go test -run '^$' -bench Quiet -benchtime 200ms -count 10 ./portfc ./pfc
func BenchmarkQuiet(b *testing.B) {
	for _, n := range []int{4, 128} {
		network := NDC{n, 1}
		for name, device := range map[string]sluice.SwitchID{
			"switch": network.SwitchOf(0, 0), "node": sluice.SwitchID(network.Nodes() - 1),
		} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				c := SwitchConfig(network, device, benchLink)
				if network.IsNode(device) {
					c = NodeConfig(network, device, benchLink)
				}
				passThrough(b, mustNew(b, c), benchPackets(network, device))
			})
		}
	}
}

// benchPackets is 1,024 packets of 1,000 bytes with routes of all kinds.
func benchPackets(network NDC, device sluice.SwitchID) []sluice.Packet {
	packets := make([]sluice.Packet, 1024)
	ports := network.Ports(device)
	for i := range packets {
		port := i % ports
		packets[i] = sluice.Packet{Size: 1000, Ingress: sluice.PortID((port + 1) % ports)}
		if network.IsNode(device) && i/ports%3 != 0 {
			packets[i].Ingress = sluice.Local
		}
		packets[i].Path = anyPath(network, device, port, i/ports)
	}
	return packets
}

func passThrough(b *testing.B, s *Switch, packets []sluice.Packet) {
	b.ReportAllocs()
	require.Zero(b, len(packets)%s.Ports())
	i, egress, now := 0, sluice.PortID(0), sluice.Time(0)
	for b.Loop() {
		p, port := &packets[i&(len(packets)-1)], s.Port(egress)
		i++
		if egress++; int(egress) == s.Ports() {
			egress = 0
		}
		now += 80 * sluice.Nanosecond
		port.Enqueue(now, p)
		q, _ := port.Next(now)
		port.Dequeue(now, q, p)
	}
	require.Zero(b, s.Counters().Misuse)
	require.Zero(b, s.Buffered())
}

// BenchmarkBusy is the same with four queues of each port holding a packet all the while.
func BenchmarkBusy(b *testing.B) {
	const ports, waiting = 16, 4
	network := NDC{ports, 1}
	device := network.SwitchOf(0, 0)
	s, packets := mustNew(b, SwitchConfig(network, device, benchLink)), benchPackets(network, device)
	var heads [ports][2 * ports]*sluice.Packet // packets of a queue are alike
	enqueue := func(p *sluice.Packet, egress int) {
		q := s.Port(sluice.PortID(egress)).Enqueue(0, p).Queue()
		heads[egress][q%(2*ports)] = p
	}
	for i := range ports * waiting {
		enqueue(&packets[i], i%ports)
	}
	for i := ports * waiting; b.Loop(); i++ {
		egress := i % ports
		enqueue(&packets[i%len(packets)], egress)
		port := s.Port(sluice.PortID(egress))
		q, _ := port.Next(0)
		port.Dequeue(0, q, heads[egress][q%(2*ports)])
	}
	require.Zero(b, s.Counters().Misuse)
	require.EqualValues(b, ports*waiting*1000, s.Buffered())
}

// BenchmarkTransition is a packet that makes a detector pause, and its departure, which makes it
// resume, with the frames polled: two for each other port.
func BenchmarkTransition(b *testing.B) {
	for _, n := range []int{4, 128} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			network := NDC{n, 1}
			c := SwitchConfig(network, network.SwitchOf(0, 0), benchLink)
			c.XOff, c.XOn = sluice.Ratio{Num: 1, Den: 100}, sluice.Ratio{Num: 0, Den: 1}
			s := mustNew(b, c)
			p := sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, c.Switch, 0, 1)}
			port := s.Port(0)
			var f Frame
			frames := 0
			poll := func() {
				for id, ok := s.PollPort(); ok; id, ok = s.PollPort() {
					for s.Port(id).PollFrame(0, &f) {
						frames++
					}
				}
			}
			for b.Loop() {
				q := port.Enqueue(0, &p).Queue()
				poll()
				port.Dequeue(0, q, &p)
				poll()
			}
			b.ReportMetric(float64(frames)/float64(b.N), "frames/op")
		})
	}
}
