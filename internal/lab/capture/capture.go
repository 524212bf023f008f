// Package capture writes what leaves the ports of a simulated network as a capture file that
// Wireshark opens, in the pcapng format: every control frame to the bit, and of chosen ports the
// headers of packets. Each port that sent something is an interface, named as 160:3.
package capture

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
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

// New returns an empty file. Of the given ports the headers of packets are captured too.
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

// Frame adds a control frame.
func (f *File) Frame(now sluice.Time, at sluice.Hop, frame []byte) {
	if len(frame) == cbfc.FrameLength {
		record := erfRecord(now, frame)
		f.file.packet(now, f.numberOf(at, linkERF), record, len(record))
		return
	}
	f.file.packet(now, f.numberOf(at, linkEthernet), frame, len(frame)+checkSequence)
}

// Wants reports whether packets of a port are captured.
func (f *File) Wants(at sluice.Hop) bool { return slices.Contains(f.headers, at) }

// Packet adds the headers of a packet.
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
