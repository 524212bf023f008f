package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
)

// settings is what a user can choose. Nodes read a copy each.
type settings struct {
	protocol string
	topology string
	hosts    int // of the star
	megabits int // rate of every link
	size     int // of packets, from the Ethernet header on
	xoff     int
	xon      int
	duration time.Duration // 0: until it is interrupted
	refresh  time.Duration
	day      time.Duration // between two moves of the clock's origin
	delay    time.Duration // instead of a measurement
	control  string
	metrics  string
	capture  string
	foreign  string // host that another program runs, at the end of its cable
	delays   delays
}

func (s *settings) flags(f *flag.FlagSet) {
	f.StringVar(&s.protocol, "fc", "pfc", "flow control: "+names(protocols))
	f.StringVar(&s.topology, "topology", "star", "network: "+names(topologies))
	f.IntVar(&s.hosts, "hosts", 3, "hosts of the star, 2 to 16: all others send to the last")
	f.IntVar(&s.megabits, "rate", 20, "rate of the links in Mb/s")
	f.IntVar(&s.size, "size", 1000, "size of the packets in bytes, from the Ethernet header on")
	f.IntVar(&s.xoff, "xoff", 30_000, "threshold to pause in bytes (pfc, ofc)")
	f.IntVar(&s.xon, "xon", 15_000, "threshold to resume in bytes (pfc, ofc)")
	f.DurationVar(&s.duration, "duration", 0, "how long; 0: until it is interrupted")
	f.DurationVar(&s.refresh, "refresh", time.Second, "how often a terminal shows the counters")
	f.DurationVar(&s.day, "day", 24*time.Hour, "how often clocks move their origin")
	f.DurationVar(&s.delay, "delay", 0, "scheduling delay to cover; 0: measure it")
	f.StringVar(&s.control, "control", "", "path of a Unix socket for commands")
	f.StringVar(&s.metrics, "metrics", "", "address to serve Prometheus at")
	f.StringVar(&s.foreign, "foreign", "", "host that is not ours: ip netns exec shows its end")
	f.StringVar(&s.capture, "capture", "", "pcapng file of all that the switches' ports saw")
}

// check refuses what cannot be run.
func (s *settings) check() error {
	switch {
	case protocols[s.protocol] == nil:
		return fmt.Errorf("-fc %q is none of %s", s.protocol, names(protocols))
	case topologies[s.topology] == nil:
		return fmt.Errorf("-topology %q is none of %s", s.topology, names(topologies))
	case s.hosts < 2 || s.hosts > maxPorts:
		return fmt.Errorf("-hosts %d is not 2 to %d", s.hosts, maxPorts)
	case (s.protocol == "portfc") != topologies[s.topology](s).nodeCentric():
		return fmt.Errorf("-fc portfc and -topology ndc go together: hosts of an NDC forward")
	case s.megabits < 1 || s.megabits > 10_000:
		return fmt.Errorf("-rate %d is not 1 to 10000", s.megabits)
	case s.size < minFrame || s.size > maxFrame:
		return fmt.Errorf("-size %d is not %d to %d", s.size, minFrame, maxFrame)
	case s.xon < 0 || s.xoff < s.xon || s.xoff > 1<<30:
		return fmt.Errorf("-xon %d and -xoff %d are not in order", s.xon, s.xoff)
	case s.day <= 0 || s.refresh <= 0 || s.delay < 0 || s.delay > time.Second:
		return fmt.Errorf("-day and -refresh must be positive, -delay 0 to 1s")
	}
	return nil
}

func (s *settings) rate() sluice.Rate { return sluice.Rate(s.megabits) * sluice.Mbps }

// link is a cable as thresholds see it: its delay is the usual delay of scheduling.
func (s *settings) link() sluice.Link {
	return sluice.Link{Rate: s.rate(), Delay: sluice.FromDuration(s.delays.usual)}
}

// port is the configuration of a port under PFC. The headroom covers the worst delay: a pause waits
// so long until the peer is scheduled, and what the peer sent before waits so long until we are;
// meanwhile the peer may make up for a time in which it slept.
func (s *settings) port() pfc.PortConfig {
	port := pfc.PortConfig{
		Link:     sluice.Link{Rate: s.rate(), Delay: sluice.FromDuration(s.delays.worst)},
		Pipeline: sluice.FromDuration(s.delays.credit()),
		Profile: pfc.Profile{
			XOff: sluice.Bytes(s.xoff), XOn: sluice.Bytes(s.xon), Reserve: sluice.Bytes(s.xon),
		},
	}
	port.Headroom = port.HeadroomFor(maxFrame, 0).Total
	return port
}

func (s *settings) share() sluice.Bytes {
	port := s.port()
	return port.XOff + port.Headroom
}

func (s *settings) headroomText() string {
	return fmt.Sprintf("%v links of %v delay, %v at worst: headroom %d bytes per port",
		s.rate(), s.delays.usual.Round(time.Microsecond), s.delays.worst, s.port().Headroom)
}

func names[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
