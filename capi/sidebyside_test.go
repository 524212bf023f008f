package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/portfc"
)

var inputs = flag.Int("inputs", 100_000,
	"random inputs of each protocol that C and Go get side by side")

// sides are the configurations of two machines that are linked port to port.
type sides struct {
	name, protocol string
	configs        [2]string
	path           func(d *drive, side int, port sluice.PortID) sluice.Path
}

func alike(name, protocol, config string) sides {
	return sides{name: name, protocol: protocol, configs: [2]string{config, config}, path: anyPath}
}

const fourPorts = "Ports=4, Ports[*].Link.Rate=100Gbps, Ports[*].Link.Delay=600ns, "

var sideBySide = []sides{
	alike("pfc", "pfc", fourPorts+"Buffer=500KB, Ports[*].Alpha=1/2, Ports[*].Headroom=20KB, "+
		"Ports[*].Classes=1+3+4+5, Ports[*].Pause=2000, Seed=7"),
	alike("pfc with a watchdog", "pfc",
		fourPorts+"Buffer=800KB, Ports[*].XOff=12KB, Ports[*].XOn=6KB, "+
			"Ports[*].Headroom=20KB, Watchdog.Detection=5us, Watchdog.Restoration=5us, Watchdog.Poll=2us"),
	alike("bfc", "bfc",
		fourPorts+"Queues=16, VFIDs=256, Buffer=400KB, Ports[*].UpstreamQueues=16, Seed=3"),
	alike("bfc as its authors have it", "bfc-authors",
		fourPorts+"Queues=16, VFIDs=256, Ports[*].UpstreamQueues=16"),
	alike("ofc", "ofc", fourPorts+"Ports[*].XOff=8KB, Flows=64, Seed=5"),
	alike("cbfc", "cbfc", fourPorts+"Ports[*].Buffer=64KiB, Ports[*].PeerBuffer=64KiB"),
	{name: "pyrrha", protocol: "pyrrha", path: anyPath, configs: [2]string{
		fourPorts + "Switch=1, IQs=12, Levels=3, Roots=16, Buffer=400KB",
		fourPorts + "Switch=2, IQs=12, Levels=3, Roots=16, Buffer=400KB",
	}},
	{name: "pyrrha in a single tier", protocol: "pyrrha", path: anyPath, configs: [2]string{
		fourPorts + "Switch=1, IQs=12, Levels=3, Roots=16, Organisation=single tier, Refresh=20us",
		fourPorts + "Switch=2, IQs=12, Levels=3, Roots=16, Organisation=single tier, Refresh=20us",
	}},
	{name: "portfc", protocol: "portfc", path: pathOfNDC, configs: [2]string{
		// of layer 0
		fourPorts + "Network.N=4, Network.K=3, HopClasses=on, XOff=1/4, XOn=1/8, Switch=256",
		fourPorts + "Network.N=4, Network.K=3, HopClasses=on, XOff=1/4, XOn=1/8, Switch=0", // a node
	}},
}

// TestSideBySide drives machines through Go, has a C program make the same calls, and compares all
// answers, to the byte. The inputs are random: packets and frames of two machines that are linked
// to each other, damaged frames, misuse, timers, links that fail, and a moving origin of time.
func TestSideBySide(t *testing.T) {
	depth.Need(t, "C", "cc")
	program := compile(t, "testdata/replay.c")
	for i, s := range sideBySide {
		for _, batch := range []int{1, 32} {
			t.Run(fmt.Sprintf("%s in batches of %d", s.name, batch), func(t *testing.T) {
				n := *inputs
				if testing.Short() {
					n /= 10
				}
				c := exec.Command(program, fmt.Sprint(batch), s.protocol, s.configs[0], s.configs[1])
				compareSides(t, c, newDrive(t, &s, uint64(i)), n)
			})
		}
	}
}

// compareSides lets a C program replay what a drive does.
func compareSides(t *testing.T, c *exec.Cmd, d *drive, n int) {
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	const round = 4096
	for done := 0; done < n; {
		d.begin()
		for d.calls < round {
			d.step()
		}
		done += d.calls
		d.endRound()
		go stdin.Write(bytes.Clone(d.requests.Bytes()))
		got := make([]byte, d.replies.Len())
		if _, err := io.ReadFull(stdout, got); err != nil {
			_ = c.Wait()
			t.Fatalf("the C program ended: %v: %s", err, &stderr)
		}
		if want := d.replies.Bytes(); !bytes.Equal(got, want) {
			t.Fatal(d.difference(got))
		}
	}
	require.NoError(t, stdin.Close())
	require.NoError(t, c.Wait(), "%s", &stderr)
	d.report(t)
}

// TestLayout checks what layout.go cannot: the fields of a path are not exported.
func TestLayout(t *testing.T) {
	path, ok := sluice.MakePath(sluice.Hop{Switch: 1}, sluice.Hop{Switch: 0x01020304, Port: 0x0506})
	require.True(t, ok)
	path.Advance()
	raw := (*[unsafe.Sizeof(path)]byte)(unsafe.Pointer(&path))
	require.Equal(t, []byte{1 | 1<<4, 0, 0, 6, 5}, raw[:5])
	require.Equal(t, []byte{1, 0, 0, 0, 4, 3, 2, 1}, raw[17:25])
}

// anyPath begins at the port, and goes on by hops that the peer may be asked to pause.
func anyPath(d *drive, side int, port sluice.PortID) (path sluice.Path) {
	path.Append(sluice.Hop{Switch: sluice.SwitchID(side + 1), Port: port})
	for range d.below(4) {
		path.Append(sluice.Hop{Switch: sluice.SwitchID(1 + d.below(4)), Port: sluice.PortID(d.below(4))})
	}
	return path
}

// pathOfNDC is a shortest way in NDC(4,3) by a port of switch 256, or of node 0, to some node.
func pathOfNDC(d *drive, side int, port sluice.PortID) (path sluice.Path) {
	network := portfc.NDC{N: 4, K: 3}
	at, corrected, digit := sluice.Hop{Switch: 256, Port: port}, 0, int(port)
	if side == 1 {
		at, corrected, digit = sluice.Hop{Port: port}, int(port), 1+d.below(3)
		path.Append(at)
		at, _ = network.Peer(at)
		at.Port = sluice.PortID(digit)
	}
	path.Append(at)
	node := network.NodeAt(at.Switch, digit)
	dst := network.WithDigit(sluice.SwitchID(d.below(256)), corrected, digit)
	onward, _ := network.Path(node, dst, 0)
	for _, hop := range onward.Hops() {
		path.Append(hop)
	}
	return path
}
