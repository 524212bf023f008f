package tofino

import (
	"fmt"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino/chip"
)

// PortFCConfig says for which switch of a node-centric network a program is made.
type PortFCConfig struct {
	// Machine is the configuration of the switch, in which [RealisePortFC] has nothing to change.
	Machine portfc.Config
	// Site is where the program runs: a port needs n+1 queues, the MTU is 20 to 65,517. With Ghost the
	// DDQ's length is the last depth that ghost received; the length of the IHFQs is a sum, which
	// ghost cannot add up.
	Site
	// Addresses say where the digits of a node's number are in its address.
	Addresses DigitLayout
}

// DigitLayout says where an IPv4 address has the digits of a node's number. The chip divides by
// nothing, so that each digit must have bits of its own.
type DigitLayout struct {
	// Base is the address of node 0, whose bits of digits are 0.
	Base netip.Addr
	// Digits are the bits of the digits of layer 0, 1 and so on. Nil means the paper's layout, the
	// base plus the node's number (section IV-A), in which digits have bits of their own if n is a
	// power of two.
	Digits []AddressBits
}

// AddressBits are Bits bits of an address from bit Low on; bit 0 is the address's least
// significant.
type AddressBits struct{ Low, Bits int }

// PortFC is the switch of PortFC (section IV) on the chip: a program with what fills it.
//
// A packet's egress and its queue are read off its address, digit by digit. Bytes in the IHFQs of a
// port, and in its DDQ, are counted in cells: packets add them, notices of departures, which go
// round by the recirculation port, subtract them. Each sum has a flag beside it in one register:
// the packet that takes a sum to X_off sets it and sends a copy of itself round, a notice that
// takes it down to X_on clears it and becomes a signal. A signal is sent to the multicast group of
// all ports but the congested one, and becomes a frame in egress. A frame that comes in holds or
// releases the IHFQ that it is about by a word of flow control.
//
//	register  bits x elements  written by
//	ihfq      2 x 32 x n       cells: packet, notice; flag
//	ddq       2 x 32 x n       the same; with ghost the flag alone
//	ddq_depth 32 x n           with ghost: the last depth that it received
//	heard     2 x 32 x n       frame: the last sequence number
//	sequence  32 x n           egress: the number of the next frame
//
// Queues are the machine's: IHFQs, the DDQ, HQ, which is for signals too.
type PortFC struct {
	Made
	// Machine is the configuration of the machine to compare with, every default filled in.
	Machine   portfc.Config
	Addresses DigitLayout
}

// NewPortFC returns the program of a switch and its entries. It refuses, with a
// [*sluice.ConfigError], a configuration in which [RealisePortFC] has something to change, naming
// the first field, a layout of addresses whose digits are not bits of their own, and ports of
// several pipes.
func NewPortFC(config PortFCConfig) (*PortFC, error) {
	machine, err := machineOf(config.Machine, RealisePortFC, portfc.New)
	if err != nil {
		return nil, err
	}
	full := machine.Config()
	b := &portfcBuilder{full: full, network: full.Network, addresses: config.Addresses,
		layer: full.Network.Layer(full.Switch)}
	b.site = site{Site: config.Site, mac: full.MAC, overhead: FrameOverhead}
	for at := range full.Ports {
		b.rates = append(b.rates, full.Ports[at].Link.Rate)
	}
	few := func(at, count int) error {
		need, most := b.network.SwitchQueues(), (chip.Groups-1)*chip.QueuesPerGroup
		advice := "fewer channels in a port group have more"
		if all := need * len(b.rates); all > most {
			advice = fmt.Sprintf("all ports need %d, and a pipe has %d", all, most)
		}
		return refused("Machine.Network", b.network, fmt.Sprintf(
			"a port needs %d queues, and port %d has %d: %s", need, at, count, advice))
	}
	if err := b.complete(b.network.SwitchQueues(), few, "what waits for an egress port is added up "+
		"where packets come in", 20, 1<<16-1-FrameOverhead); err != nil {
		return nil, err
	}
	if err := b.addresses.fill(b.network); err != nil {
		return nil, err
	}
	if err := b.program(); err != nil {
		return nil, err
	}
	b.entries()
	return &PortFC{b.made(), full, b.addresses}, nil
}

// Address returns the address of a node; false if it is none of the network.
func (p *PortFC) Address(node sluice.SwitchID) (netip.Addr, bool) {
	if !p.Machine.Network.IsNode(node) {
		return netip.Addr{}, false
	}
	return p.Addresses.address(p.Machine.Network, node), true
}

// fill replaces a layout that is not given by the paper's layout, and refuses a layout whose digits
// have no bits of their own.
func (l *DigitLayout) fill(t portfc.NDC) error {
	if !l.Base.Is4() {
		return refused("Addresses.Base", l.Base, "must be an IPv4 address")
	}
	if l.Digits == nil {
		bits := width(t.N)
		if t.N != 1<<bits {
			return refused("Addresses.Digits", t, "n is no power of two: in base + number a digit has no "+
				"bits of its own, and the chip cannot take the number modulo n; give each digit bits")
		}
		for layer := range t.Layers() {
			l.Digits = append(l.Digits, AddressBits{layer * bits, bits})
		}
	}
	if len(l.Digits) != t.Layers() {
		return refused("Addresses.Digits", len(l.Digits), fmt.Sprintf("must be %d, as many as layers",
			t.Layers()))
	}
	taken := uint32(0)
	for layer, d := range l.Digits {
		field := fmt.Sprintf("Addresses.Digits[%d]", layer)
		switch {
		case d.Low < 0 || d.Bits < 1 || d.Low+d.Bits > 32:
			return refused(field, d, "must be bits of an address of 32")
		case t.N > 1<<min(d.Bits, 31):
			return refused(field, d, fmt.Sprintf("must be at least %d bits", width(t.N)))
		case taken&d.mask() != 0:
			return refused(field, d, "must be bits of its own, and shares some with another digit")
		case l.number()&d.mask() != 0:
			return refused("Addresses.Base", l.Base, "must have zeros where digits are")
		}
		taken |= d.mask()
	}
	return nil
}

func (l *DigitLayout) number() uint32 {
	octets := l.Base.As4()
	return uint32(octets[0])<<24 | uint32(octets[1])<<16 | uint32(octets[2])<<8 | uint32(octets[3])
}

func (b AddressBits) mask() uint32 { return uint32(1<<b.Bits-1) << b.Low }

func (l *DigitLayout) address(t portfc.NDC, node sluice.SwitchID) netip.Addr {
	number := l.number()
	for layer, d := range l.Digits {
		number |= uint32(t.Digit(node, layer)) << d.Low
	}
	return netip.AddrFrom4([4]byte{
		byte(number >> 24), byte(number >> 16), byte(number >> 8), byte(number),
	})
}
