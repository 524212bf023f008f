package replay

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/ir"
)

// wiring is the common part of the wirings of all programs: their registers, by name.
type wiring struct {
	pipe      int
	ports     int
	registers map[string]*ir.Register
	late      late
}

func newWiring(made *tofino.Made) wiring {
	w := wiring{registers: map[string]*ir.Register{}, late: newLate(made.Program),
		ports: len(made.Ports)}
	for _, r := range made.Program.Registers {
		w.registers[r.Name] = r
	}
	if len(made.Ports) > 0 {
		w.pipe = made.Ports[0].Pipe()
	}
	return w
}

// beside is the configuration of a machine beside its program.
func beside(machine kit.Machine, made *tofino.Made, w Wiring) Config {
	return Config{Machine: machine, Program: made.Program, Entries: made.Config, Ports: made.Ports,
		Carving: made.Carving, Ghost: made.Depth == tofino.Ghost, Unit: made.Unit, Wiring: w}
}

// element returns an element of a register, value its low half.
func (w *wiring) element(m *ir.Machine, name string, at int) [2]uint32 {
	return m.Register(w.registers[name], w.pipe, at)
}

func (w *wiring) value(m *ir.Machine, name string, at int) uint64 {
	return uint64(w.element(m, name, at)[0])
}

// same compares a half of an element with the machine's value.
func (w *wiring) same(m *ir.Machine, name string, at, half int, want uint64) *Difference {
	if got := uint64(w.element(m, name, at)[half]); got != want {
		return unlike(name, at, want, got)
	}
	return nil
}

// bits returns how many bits of a register's index lie behind the bits of the port.
func (w *wiring) bits(name string) int {
	return bits.Len(uint(w.registers[name].Size/w.ports)) - 1
}

// unlike is the difference of an element of a register.
func unlike(name string, at int, machine, program any) *Difference {
	return &Difference{What: fmt.Sprintf("register %s[%d]", name, at), Machine: fmt.Sprint(machine),
		Program: fmt.Sprint(program)}
}

// unread is why a frame that the machine's parser does not read is left out: a program may obey a
// frame that is longer than the shortest.
func unread(octets []byte) string {
	const least = 60
	if len(octets) > least {
		return "longer than a frame, which only the machine sees"
	}
	return ""
}

// addresses are the two addresses of an Ethernet header.
var addresses = []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}

// ipLength returns the length of a packet's IP packet, or why no IP packet has that length; least
// is the length of its headers.
func ipLength(p *sluice.Packet, overhead, least int) (int, string) {
	length := int(p.Size) - overhead
	if length < least || length > 1<<16-1 {
		return 0, "of a length that no IP packet has"
	}
	return length, ""
}

// appendIP appends the EtherType of IP and its header with source and destination, appendUDP the
// header of UDP.
func appendIP(dst []byte, p *sluice.Packet, length int, protocol byte, between []byte) []byte {
	dst = append(dst, 8, 0, 0x45, byte(p.Class)<<5|byte(p.ECN))
	dst = binary.BigEndian.AppendUint16(dst, uint16(length))
	return append(append(dst, 0, 0, 0, 0, 64, protocol, 0, 0), between...)
}

func appendUDP(dst []byte, ports []byte, length int) []byte {
	return append(append(dst, ports...), byte(length-20>>8), byte(length-20), 0, 0)
}
