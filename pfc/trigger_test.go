package pfc

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/pfc/trigger"
)

var g40 = sluice.Link{Rate: 40 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}

// variantOf returns a switch of four ports with the thresholds of OFC's evaluation.
func variantOf(t require.TestingT, kind trigger.Kind, change ...func(*Config)) *Switch {
	c := Config{Trigger: kind}
	for range 4 {
		c.Ports = append(c.Ports, PortConfig{Link: g40, Profile: Profile{
			XOff: 75_000, XOn: 45_000, Headroom: ofBytes(g40.Rate, g40.Delay, 1500, 0),
		}})
	}
	for _, f := range change {
		f(&c)
	}
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// load enqueues bytes in packets of up to 1,000 bytes and returns whether the ingress is to be
// paused in the class then.
func load(
	t require.TestingT, s *Switch, egress, ingress sluice.PortID, class sluice.Class,
	bytes sluice.Bytes,
) bool {
	for bytes > 0 {
		n := min(bytes, 1000)
		v := s.Port(egress).Enqueue(0, &sluice.Packet{Size: n, Class: class, Ingress: ingress})
		require.Equal(t, sluice.Append, v.Action(), v)
		bytes -= n
	}
	require.NoError(t, s.Audit())
	return s.Port(ingress).Paused().Has(class)
}

// unload dequeues bytes in the sizes that load enqueued them in.
func unload(
	t require.TestingT, s *Switch, egress, ingress sluice.PortID, class sluice.Class,
	bytes sluice.Bytes,
) {
	for bytes > 0 {
		n := min(bytes, 1000)
		p := sluice.Packet{Size: n, Class: class, Ingress: ingress}
		require.Equal(t, sluice.Transmit, s.Port(egress).Dequeue(0, sluice.QueueID(class), &p).Action())
		bytes -= n
	}
	require.NoError(t, s.Audit())
}

// caPFC needs an egress queue above a fixed threshold besides the ingress above XOff (OFC, section
// IV-A4). To the byte.
func TestCAPFC(t *testing.T) {
	s := variantOf(t, trigger.CAPFC, func(c *Config) { c.Variant.Egress = 68_000 })
	require.False(t, load(t, s, 0, 1, 3, 67_999))
	require.False(t, load(t, s, 2, 1, 3, 60_000), "q_in is over, and either egress queue below 68,000")
	require.True(t, load(t, s, 0, 1, 3, 1))
	unload(t, s, 2, 1, 3, 60_000)
	require.True(t, s.Port(1).Paused().Has(3), "68,000 is above X_on")
	unload(t, s, 0, 1, 3, 22_000)
	require.True(t, s.Port(1).Paused().Has(3))
	unload(t, s, 0, 1, 3, 1000)
	require.False(t, s.Port(1).Paused().Has(3), "45,000")

	s = variantOf(t, trigger.CAPFC)
	require.False(t, load(t, s, 0, 1, 3, 67_000))
	require.False(t, load(t, s, 2, 1, 3, 67_000))
	require.False(t, load(t, s, 3, 1, 3, 15_999))
	require.True(t, load(t, s, 3, 1, 3, 1), "the guard, 150,000")
}

// PFC's ingress threshold does not imply the default egress threshold: an egress to which one
// ingress sends, or two, is no "congested port" when PFC pauses them. To the byte.
func TestCAPFCActsByDefault(t *testing.T) {
	plain, s := variantOf(t, trigger.AtIngress), variantOf(t, trigger.CAPFC)
	require.True(t, load(t, plain, 0, 1, 3, 75_000), "PFC: X_off")
	require.False(t, load(t, s, 0, 1, 3, 75_000), "port 0 holds 75,000")
	require.False(t, load(t, s, 0, 2, 3, 75_000), "150,000")
	require.False(t, load(t, s, 0, 3, 3, 74_999), "a byte below 225,000")
	require.True(t, load(t, s, 0, 3, 3, 1))
	require.False(t, s.Port(1).Paused().Has(3), "its next arrival pauses the first ingress")
	require.True(t, load(t, s, 0, 1, 3, 1))
}

// P-PFC needs an egress port above the mean of all egress ports (OFC, section IV-A4).
func TestPPFC(t *testing.T) {
	s := variantOf(t, trigger.PPFC)
	load(t, s, 2, 3, 3, 70_000) // another ingress: a long queue at port 2
	require.False(t, load(t, s, 0, 1, 3, 20_000))
	require.False(t, load(t, s, 2, 1, 3, 54_999))
	require.False(t, load(t, s, 0, 1, 3, 1), "port 0 holds 20,001, the mean is 36,250")
	require.True(t, load(t, s, 2, 1, 3, 1), "port 2 holds more than the mean")
}

// "the derivative of the occupancy": as much as it grew in the last while is taken to come again.
func TestPPFCDerivative(t *testing.T) {
	s := variantOf(t, trigger.PPFCDerivative, func(c *Config) { c.Variant.Ahead = sluice.Microsecond })
	enqueue := func(now sluice.Time, n sluice.Bytes) bool {
		s.Port(0).Enqueue(now, &sluice.Packet{Size: n, Class: 3, Ingress: 1})
		return s.Port(1).Paused().Has(3)
	}
	require.False(t, enqueue(10*sluice.Microsecond, 40_000))
	require.False(t, enqueue(12*sluice.Microsecond, 20_000), "60,000 and 10,000 in a microsecond")
	require.False(t, enqueue(12*sluice.Microsecond, 4_999))
	require.True(t, enqueue(12*sluice.Microsecond, 1), "65,000 and 10,000")
}

// G-PFC pauses low classes at a lower ingress threshold (OFC, section IV-A4).
func TestGPFC(t *testing.T) {
	s := variantOf(t, trigger.GPFC)
	require.False(t, load(t, s, 0, 1, 3, 39_999))
	require.False(t, load(t, s, 2, 1, 5, 27_999))
	require.False(t, load(t, s, 0, 1, 3, 1), "67,999")
	require.False(t, load(t, s, 0, 1, 4, 1), "4 is not among the low classes, 0 to 3")
	unload(t, s, 0, 1, 4, 1)
	require.True(t, load(t, s, 0, 1, 3, 1), "68,000 in all pause a low class")
	require.False(t, load(t, s, 0, 1, 5, 6_999))
	require.True(t, load(t, s, 0, 1, 5, 1), "75,000 in all pause the others too")
	unload(t, s, 0, 1, 3, 29_000)
	require.Equal(t, sluice.MakeClassSet(3, 5), s.Port(1).Paused())
	require.True(
		t, s.Port(1).WaitsFor(3, &sluice.Packet{Class: 5}, 5, true), "it waits for all classes",
	)
	unload(t, s, 0, 1, 3, 1000)
	require.Zero(t, s.Port(1).Paused(), "45,000 in all resume them")
}

// Each stage of GFC halves the distance to Bm and the upstream's rate: Bm - B_{k+1} = (Bm - B_k)/2,
// C/2^k. The stages are in the time field of frames.
func TestGFC(t *testing.T) {
	s := variantOf(t, trigger.GFC)
	var f Frame
	held := sluice.Bytes(0)
	for _, step := range []struct {
		held  sluice.Bytes
		stage sluice.Quanta
	}{
		{44_999, 0}, {45_000, 1}, {59_999, 1}, {60_000, 2}, {67_500, 3}, {71_250, 4}, {74_999, 15},
		{75_000, 22},
	} {
		load(t, s, 0, 1, 3, step.held-held)
		held = step.held
		if s.Port(1).PollFrame(0, &f) {
			require.Equal(t, step.stage, f.Time[3], "%d bytes", held)
		} else {
			require.Equal(t, f.Time[3], step.stage, "%d bytes: no frame", held)
		}
	}
	card := HostConfig(g40)
	card.Trigger = trigger.GFC
	up, err := New(card)
	require.NoError(t, err)
	p := up.Port(0)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	now := sluice.Microsecond
	for range 4 {
		p.Enqueue(now, &packet)
	}
	p.Receive(now, &Frame{Opcode: OpcodePFC, Enabled: 1 << 3, Time: [8]sluice.Quanta{3: 2}})
	require.True(t, p.Sendable(3), "at first it may send at once")
	require.Equal(t, sluice.Transmit, p.Dequeue(now, 3, &packet).Action())
	require.False(t, p.Sendable(3))
	_, ok := p.Next(now + 5*sluice.Microsecond)
	require.False(t, ok)
	due := up.Deadline()
	require.Equal(t, now+4*g40.Rate.TimeOf(1500), due, "a quarter of the rate")
	wake := up.Expire(due)
	port, ok := wake.Port()
	require.True(t, ok && port == 0)
	require.True(t, p.Sendable(3))
	require.NoError(t, up.Audit())
	require.Equal(t, sluice.Transmit, p.Dequeue(due, 3, &packet).Action())
	p.Receive(due, &Frame{Opcode: OpcodePFC, Enabled: 1 << 3})
	require.True(t, p.Sendable(3), "stage 0 is the full rate")
	p.Receive(due, &Frame{Opcode: OpcodePFC, Enabled: 1 << 3, Time: [8]sluice.Quanta{3: 3}})
	require.False(t, p.Sendable(3), "an eighth, from when the last packet began")
	require.Equal(t, due+8*g40.Rate.TimeOf(1500), up.Deadline())
	p.Receive(due, &Frame{Opcode: OpcodePFC, Enabled: 1 << 3})
	require.Equal(t, sluice.Transmit, p.Dequeue(due, 3, &packet).Action())
	require.True(t, p.Sendable(3), "at full rate the link alone sets the pace")
	require.True(t, p.WaitsFor(3, &packet, 3, true))
	p.Receive(due, &Frame{Opcode: OpcodePFC, Enabled: 1 << 3, Time: [8]sluice.Quanta{3: 22}})
	require.False(t, p.WaitsFor(3, &packet, 3, true), "it waits for time alone")
	p.Receive(due, &Frame{Opcode: OpcodePFC, Enabled: 1 << 3})

	stop := variantOf(t, trigger.GFC, func(c *Config) { c.Variant.Stop = true })
	load(t, stop, 0, 1, 3, 75_000)
	require.True(t, stop.Port(1).PollFrame(0, &f))
	require.EqualValues(t, 0xffff, f.Time[3], "OFC: the last stage is zero")
	p.Receive(due, &f)
	require.False(t, p.Sendable(3))
	require.NoError(t, up.Audit())
}

// With its guard a variant loses nothing within the headroom of PFC, to the byte: nothing that
// comes after the guard exceeds it.
func TestGuardBoundsHeadroom(t *testing.T) {
	headroom := ofBytes(g40.Rate, g40.Delay, 1500, 0)
	for _, kind := range []trigger.Kind{trigger.CAPFC, trigger.PPFC} {
		s := variantOf(t, kind, func(c *Config) { c.Variant.Egress = 1 << 20 })
		for egress := range sluice.PortID(3) {
			load(t, s, egress, 3, 3, 50_000)
		}
		if kind == trigger.CAPFC {
			require.True(t, s.Port(3).Paused().Has(3), "the guard, 150,000, without any long queue")
		}
		load(t, s, 0, 3, 3, headroom)
		v := s.Port(0).Enqueue(0, &sluice.Packet{Size: 64, Class: 3, Ingress: 3})
		require.Equal(t, sluice.HeadroomExhausted, v.Reason(), kind)
	}
}

func TestTriggerErrors(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Trigger":        func(c *Config) { c.Trigger = trigger.Kinds },
		"Variant.Egress": func(c *Config) { c.Variant.Egress = -1 },
		"Variant.Lower":  func(c *Config) { c.Variant.Lower = 75_001 },
		"Variant.Ahead":  func(c *Config) { c.Variant.Ahead = -1 },
		"Variant.Guard":  func(c *Config) { c.Variant.Guard = sluice.Ratio{Num: 1, Den: 2} },
		"Ports[0].Mode":  func(c *Config) { c.Ports[0].Mode = ClassicPause },
		"Ports[0].XOff": func(c *Config) {
			c.Ports[0].XOff, c.Ports[0].XOn, c.Ports[0].Alpha, c.Buffer = 0, 0, ratio(1, 2), 1<<20
		},
		"Watchdog.Detection": func(c *Config) { c.Watchdog.Detection = sluice.Millisecond },
	} {
		c := variantOf(t, trigger.CAPFC).Config()
		change(&c)
		_, err := New(c)
		var fault *sluice.ConfigError
		require.True(t, errors.As(err, &fault), field)
		require.Equal(t, field, fault.Field)
	}
	require.Equal(t, "P-PFC derivative", trigger.PPFCDerivative.String())
	require.Equal(t, "Trigger(77)", trigger.Kind(77).String())
	s := variantOf(t, trigger.GFC)
	_, err := s.Reconfigure(0, s.Config())
	require.Error(t, err)
}

// The suite of the contract, for every trigger.
func TestConformanceOfTriggers(t *testing.T) {
	depth.Fewer(t, 12)
	for kind := trigger.CAPFC; kind < trigger.Kinds; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			variants := func(t *rapid.T, c *Config) {
				c.Trigger = kind
				c.Variant.Stop = rapid.Bool().Draw(t, "stop")
				c.Variant.Ahead = sluice.Time(rapid.IntRange(0, 3).Draw(t, "ahead")) * sluice.Microsecond
			}
			fabric := func(t *rapid.T) conformance.Fabric {
				var draw Config
				variants(t, &draw)
				return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
					c := Config{Trigger: kind, Variant: draw.Variant}
					for _, port := range n.Ports {
						p := PortConfig{Link: port.Link, Pause: 2000}
						p.XOff, p.XOn = 6000, 3000
						p.Headroom = ofBytes(port.Link.Rate, port.Link.Delay, conformance.MTU, 0) + 40_000
						c.Ports = append(c.Ports, p)
					}
					if n.Host() {
						c.Ports[0].Profile = Profile{}
					}
					return conformance.Machines(c, New)()
				}}
			}
			conformance.Run(t, conformance.Spec{
				Name: "pfc",
				New: func(t *rapid.T) func() kit.Machine {
					var c Config
					variants(t, &c)
					for range rapid.IntRange(1, 4).Draw(t, "ports") {
						p := PortConfig{Link: g40}
						p.XOff = sluice.Bytes(rapid.IntRange(200, 9000).Draw(t, "X_off"))
						p.XOn = sluice.Bytes(rapid.IntRange(1, 200).Draw(t, "X_on"))
						p.Headroom = 5000
						c.Ports = append(c.Ports, p)
					}
					c.Variant.Lower = sluice.Bytes(rapid.IntRange(0, 200).Draw(t, "lower"))
					return conformance.Machines(c, New)
				},
				Frame:   drawHostileFrame,
				Network: &conformance.Network{New: fabric, Patience: 100 * sluice.Millisecond},
			})
		})
	}
}
