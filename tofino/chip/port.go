package chip

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
)

// FrontChannels is how many channels the front ports of a pipe have: 8 port groups with 8 each.
const FrontChannels = (Groups - 1) * Channels

// ChannelRate is the fastest that one channel is, so that a pipe has 32 ports of 100 Gb/s.
const ChannelRate = 50 * sluice.Gbps

// ChannelsOf returns how many channels a port of a rate takes: 1, 2, 4 or 8; 0 for a rate beyond a
// port group's 400 Gb/s. A port of 40 Gb/s takes four, of 10 Gb/s each. O(1).
func ChannelsOf(rate sluice.Rate) int {
	if rate == 40*sluice.Gbps {
		return 4
	}
	for n := 1; n <= Channels; n *= 2 {
		if rate <= sluice.Rate(n)*ChannelRate {
			return n
		}
	}
	return 0
}

// DevPort is a port as the driver and the program number it: the pipe in bits 8:7, the port group
// in bits 6:3, the channel in bits 2:0. T2NA's PortId_t has the same nine bits.
type DevPort uint16

// NewDevPort returns the port of a channel, 0 to 7, of a port group, 0 to 8, of a pipe, 0 to 3.
func NewDevPort(pipe, group, channel int) (DevPort, error) {
	fault := cmp.Or(within("pipe", pipe, Pipes-1), within("port group", group, Groups-1),
		within("channel", channel, Channels-1))
	if fault != nil {
		return 0, fault
	}
	return DevPort(pipe<<7 | group<<3 | channel), nil
}

// ParseDevPort returns the port with a number, or an error if the chip has none of that number: a
// pipe has 72 ports, so that 72 to 127 and their like are not ports.
func ParseDevPort(number int) (DevPort, error) {
	if fault := within("dev_port", number, Pipes<<7-1); fault != nil {
		return 0, fault
	}
	if number&0x7f >= PortsPerPipe {
		return 0, &RangeError{"dev_port", number, "its low seven bits must be 0 to 71"}
	}
	return DevPort(number), nil
}

// Pipe returns the pipe, 0 to 3.
func (p DevPort) Pipe() int { return int(p >> 7) }

// Local returns the port's number in its pipe, 0 to 71.
func (p DevPort) Local() int { return int(p & 0x7f) }

// Group returns the port group, 0 to 8: pg_id in the driver's tables, tm_mac_id in the AFC word.
func (p DevPort) Group() int { return p.Local() >> 3 }

// Channel returns the channel in the port group, 0 to 7.
func (p DevPort) Channel() int { return int(p & 7) }

// Internal reports whether the port is of group 0: a port of the CPU, of recirculation or of the
// packet generator. The others are front ports.
func (p DevPort) Internal() bool { return p.Group() == 0 }

// Recirculation returns the port by which packets go round in a pipe, 0 to 3, and by which the
// packet generator injects its own: 6, 134, 262, 390.
func Recirculation(pipe int) (DevPort, error) { return NewDevPort(pipe, 0, 6) }

// String formats as "137 (pipe 1, group 1, channel 1)".
func (p DevPort) String() string {
	return fmt.Sprintf("%d (pipe %d, group %d, channel %d)", uint16(p), p.Pipe(), p.Group(),
		p.Channel())
}
