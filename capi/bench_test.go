package main

import (
	"fmt"
	"math"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
)

// BenchmarkHooks measures what a hook costs: from Go through kit.Machine, from C in a call of its
// own, and from C with 32 hooks in a call. A packet goes in and out of each of 32 ports, by
// Enqueue, Next and Dequeue; the mean of the three is reported, of the best of ten samples.
func BenchmarkHooks(b *testing.B) {
	depth.Need(b, "C", "cc")
	program := compile(b, "testdata/bench.c")
	const ports = "Ports=32, Ports[*].Link.Rate=100Gbps, Ports[*].Link.Delay=600ns, "
	for _, c := range []struct{ protocol, config string }{
		{"pfc", ports + "Buffer=20MB, Ports[*].Alpha=1/8, Ports[*].Headroom=20KB"},
		{"bfc", ports + "Queues=32"},
		{"pyrrha", ports + "Switch=1"},
	} {
		b.Run(c.protocol, func(b *testing.B) {
			const rounds, samples = 2000, 10
			m, err := newMachine(c.protocol, c.config)
			require.NoError(b, err)
			var packets [32]sluice.Packet
			for i := range packets {
				path, _ := sluice.MakePath(sluice.Hop{Switch: 1, Port: sluice.PortID(i)})
				packets[i] = sluice.Packet{
					Flow: uint64(i) * 0x9e3779b97f4a7c15, Size: 1500, Ingress: sluice.PortID(31 - i), Path: path,
				}
			}
			now, least := sluice.Time(0), time.Duration(math.MaxInt64)
			for range samples {
				began := time.Now()
				for range rounds {
					for i := range packets {
						m.Enqueue(now, sluice.PortID(i), &packets[i])
					}
					for i := range packets {
						q, _ := m.Next(now, sluice.PortID(i))
						m.Dequeue(now, sluice.PortID(i), q, &packets[i])
					}
					now += 4 * sluice.Microsecond
				}
				least = min(least, time.Since(began))
			}
			inGo := float64(least.Nanoseconds()) / (rounds * 32 * 3)
			out, err := exec.Command(program, c.protocol, c.config, fmt.Sprint(rounds)).CombinedOutput()
			require.NoError(b, err, "%s", out)
			var single, batch float64
			_, err = fmt.Sscan(string(out), &single, &batch)
			require.NoError(b, err, "%s", out)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(inGo, "go-ns")
			b.ReportMetric(single, "c-ns")
			b.ReportMetric(batch, "batch-ns")
		})
	}
}
