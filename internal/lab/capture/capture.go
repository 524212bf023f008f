// Package capture writes what leaves the ports of a simulated network as a capture file that
// Wireshark opens, in the pcapng format: every control frame to the bit, and the headers of packets
// that leave chosen ports. Each port that sent something is an interface, named as 160:3.
package capture

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// File is a capture of one run: a probe.Capture.
type File struct {
	graph      *topo.Graph
	headers    []sluice.Hop
	keys       map[uint64]hashpath.Flow // by what packets carry
	hosts      map[uint64][2]sluice.SwitchID
	interfaces map[interfaceKey]uint32
	file       *pcapng
}

type interfaceKey struct {
	at   sluice.Hop
	link linkType
}

// New returns an empty file. The headers of packets are captured at the given ports.
func New(graph *topo.Graph, flows []workload.Flow, headers []sluice.Hop) *File {
	f := &File{
		graph: graph, headers: headers, file: newPcapng(), interfaces: map[interfaceKey]uint32{},
	}
	if len(headers) > 0 {
		f.keys = make(map[uint64]hashpath.Flow, 2*len(flows))
		f.hosts = make(map[uint64][2]sluice.SwitchID, 2*len(flows))
		for i := range flows {
			key := workload.Key(&flows[i], i)
			back := key.Reverse()
			f.keys[key.Hash()], f.keys[back.Hash()] = key, back
			f.hosts[key.Hash()] = [2]sluice.SwitchID{flows[i].Src, flows[i].Dst}
			f.hosts[back.Hash()] = [2]sluice.SwitchID{flows[i].Dst, flows[i].Src}
		}
	}
	return f
}

// Bytes returns the file so far. It is the caller's until something is added.
func (f *File) Bytes() []byte { return f.file.out.Bytes() }

func (f *File) Frame(now sluice.Time, at sluice.Hop, frame []byte) {
	if len(frame) == cbfc.FrameLength {
		record := erfRecord(now, frame)
		f.file.packet(now, f.numberOf(at, linkERF), record, len(record))
		return
	}
	f.file.packet(now, f.numberOf(at, linkEthernet), frame, len(frame)+checkSequence)
}

func (f *File) Wants(at sluice.Hop) bool { return slices.Contains(f.headers, at) }

func (f *File) Packet(now sluice.Time, at sluice.Hop, p *sluice.Packet) {
	if key, ok := f.keys[p.Flow]; ok {
		f.file.packet(now, f.numberOf(at, linkEthernet), headersOf(p, &key, f.hosts[p.Flow]), int(p.Size))
	}
}

func (f *File) numberOf(at sluice.Hop, link linkType) uint32 {
	key := interfaceKey{at, link}
	number, known := f.interfaces[key]
	if !known {
		end := f.graph.Nodes[at.Switch].Ports[at.Port]
		to := fmt.Sprintf("to %d:%d, %v", end.Peer, end.PeerPort, end.Link.Rate)
		number = f.file.addInterface(link, at.String(), to, end.Link.Rate)
		f.interfaces[key] = number
	}
	return number
}

// erfRecord is a flow-control packet of an InfiniBand link in Endace's format (type 25), with the
// octets behind it that Wireshark's dissector wants.
func erfRecord(now sluice.Time, frame []byte) []byte {
	const infiniBandLink, header, behind = 25, 16, 42
	record := make([]byte, header, header+len(frame)+behind)
	// Seconds with 32 bits behind the point, little endian.
	high, low := bits.Mul64(uint64(now), 1<<32)
	stamp, _ := bits.Div64(high, low, uint64(sluice.Second))
	binary.LittleEndian.PutUint64(record, stamp)
	record[8] = infiniBandLink
	binary.BigEndian.PutUint16(record[10:], uint16(header+len(frame)+behind))
	binary.BigEndian.PutUint16(record[14:], uint16(len(frame)+behind))
	return append(append(record, frame...), make([]byte, behind)...)
}

// Lengths of headers in bytes, and what is behind them.
const (
	ethernetLength = 14
	tagLength      = 4
	ipLength       = 20
	udpLength      = 8
	checkSequence  = 4
)

// headersOf returns the headers of a packet between two hosts: Ethernet with a priority tag (IEEE
// 802.1Q, VLAN 0) for the class, IPv4 and UDP. The class is the class selector too (RFC 2474).
func headersOf(p *sluice.Packet, key *hashpath.Flow, hosts [2]sluice.SwitchID) []byte {
	const length = ethernetLength + tagLength + ipLength + udpLength
	b := make([]byte, 0, length)
	to, from := fabric.MAC(hosts[1]), fabric.MAC(hosts[0])
	b = append(append(b, to[:]...), from[:]...)
	b = append(b, 0x81, 0x00, byte(p.Class)<<5, 0, 0x08, 0x00)
	inside := uint16(max(int(p.Size)-ethernetLength-tagLength-checkSequence, ipLength+udpLength))
	ip := len(b)
	b = append(b, 0x45, byte(p.Class)<<5|byte(p.ECN))
	b = binary.BigEndian.AppendUint16(b, inside)
	b = append(b, 0, 0, 0x40, 0, 64, key.Protocol, 0, 0) // not to be fragmented; 64 hops
	b = append(append(b, key.Src[:4]...), key.Dst[:4]...)
	binary.BigEndian.PutUint16(b[ip+10:], checksum(b[ip:]))
	b = binary.BigEndian.AppendUint16(b, key.SrcPort)
	b = binary.BigEndian.AppendUint16(b, key.DstPort)
	b = binary.BigEndian.AppendUint16(b, inside-ipLength)
	return append(b, 0, 0) // no UDP checksum
}

// checksum is the checksum of an IPv4 header (RFC 791) in which it is still zero.
func checksum(header []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
