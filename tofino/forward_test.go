package tofino_test

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Frames leave by the port of their path, unchanged; what is no packet of the network's hosts does
// not leave.
func TestForwardingOfFrames(t *testing.T) {
	g := fatTree(t, 4)
	net := network(
		t, g, hashpath.Config{Hash: hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}, Seed: 5},
	)
	s := net.Snapshot()
	var ports []chip.DevPort
	for port := range 8 {
		ports = append(ports, chip.DevPort(8+8*port))
	}
	at := firstOfTier(t, s, 0)
	made, err := tofino.NewForwarding(tofino.PathConfig{Network: s, Switch: at, Ports: ports})
	require.NoError(t, err)
	require.NoError(t, made.Config.Validate(made.Program))
	m, err := ir.NewMachine(made.Program)
	require.NoError(t, err)
	require.NoError(t, m.Load(made.Config))
	other := sluice.SwitchID(15)
	for _, protocol := range []uint8{6, 17, 1} {
		for port := range uint16(64) {
			flow := hashpath.FlowBetween(0, other, port, 4791, protocol)
			frame := ipv4Frame(&flow)
			if protocol == 1 { // it has no ports
				flow.SrcPort, flow.DstPort = 0, 0
			}
			want, _ := net.Path(at, 0, &flow)
			out := m.Receive(0, ports[0], frame)
			require.Len(t, out.Copies, 1)
			require.Equal(t, ports[want.Hops()[0].Port], out.Copies[0].Port)
			require.Equal(t, frame, out.Copies[0].Octets)
		}
	}
	flow := hashpath.FlowBetween(0, other, 1, 2, 17)
	for _, spoil := range []func([]byte){
		func(f []byte) { f[30] = 11 },            // of another network
		func(f []byte) { f[12], f[13] = 8, 6 },   // ARP
		func(f []byte) { f[12], f[13] = 136, 8 }, // pause frame
	} {
		frame := ipv4Frame(&flow)
		spoil(frame)
		require.Empty(t, m.Receive(0, ports[0], frame).Copies)
	}
	// A later fragment has no ports: it goes as its flow without them.
	frame := ipv4Frame(&flow)
	frame[21] = 4
	flow.SrcPort, flow.DstPort = 0, 0
	want, _ := net.Path(at, 0, &flow)
	require.Equal(t, ports[want.Hops()[0].Port], m.Receive(0, ports[0], frame).Copies[0].Port)
}

// An IPv6 packet leaves by the port of its path, which the addresses and the flow label choose; the
// program of an IPv6 network takes no IPv4 packet.
func TestForwardingOfIPv6(t *testing.T) {
	net := twoWays(t)
	ports := []chip.DevPort{8, 16, 24, 32}
	made, err := tofino.NewForwarding(tofino.PathConfig{
		Network: net.Snapshot(), Ports: ports, IPv6: true,
	})
	require.NoError(t, err)
	m, err := ir.NewMachine(made.Program)
	require.NoError(t, err)
	require.NoError(t, m.Load(made.Config))
	taken := map[chip.DevPort]bool{}
	for label := range uint32(64) {
		flow := hashpath.MakeFlow(netip.AddrPortFrom(lastOctet(1), 7),
			netip.AddrPortFrom(lastOctet(2), 80), 6)
		flow.FlowLabel = label * 4099
		frame := ipv6Frame(&flow)
		want, _ := net.Path(0, 2, &flow)
		out := m.Receive(0, ports[2], frame)
		require.Len(t, out.Copies, 1)
		require.Equal(t, ports[want.Hops()[0].Port], out.Copies[0].Port)
		require.Equal(t, frame, out.Copies[0].Octets)
		taken[out.Copies[0].Port] = true
	}
	require.Len(t, taken, 2, "both ways")
	v4 := hashpath.FlowBetween(0, 1, 1, 2, 17)
	require.Empty(t, m.Receive(0, ports[2], ipv4Frame(&v4)).Copies)
}

// ipv6Frame returns the beginning of a frame of a flow.
func ipv6Frame(f *hashpath.Flow) []byte {
	frame := append(make([]byte, 12, 80), 0x86, 0xDD)
	frame = binary.BigEndian.AppendUint32(frame, 6<<28|f.FlowLabel)
	frame = append(frame, 0, 26, f.Protocol, 64)
	frame = append(append(frame, f.Src[:]...), f.Dst[:]...)
	frame = binary.BigEndian.AppendUint16(frame, f.SrcPort)
	frame = binary.BigEndian.AppendUint16(frame, f.DstPort)
	return append(frame, make([]byte, 22)...)
}

// ipv4Frame returns the beginning of a frame of a flow.
func ipv4Frame(f *hashpath.Flow) []byte {
	frame := make([]byte, 12, 64)
	frame = append(frame, 0x08, 0x00, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, f.Protocol, 0, 0)
	frame = append(append(frame, f.Src[:4]...), f.Dst[:4]...)
	frame = binary.BigEndian.AppendUint16(frame, f.SrcPort)
	frame = binary.BigEndian.AppendUint16(frame, f.DstPort)
	return append(frame, make([]byte, 26)...)
}
