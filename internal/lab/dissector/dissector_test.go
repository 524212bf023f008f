package dissector

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/fabric/floodgate"
	"github.com/sluicefc/sluice/internal/lab/fabric/voq"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/tshark"
	"github.com/sluicefc/sluice/internal/wire"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
)

var update = flag.Bool("update", false, "write the dissector")

const script = "../../../wireshark/sluice.lua"

// TestScript: users get the script that the definitions make.
func TestScript(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(script, []byte(Lua()), 0o666))
	}
	kept, err := os.ReadFile(script)
	require.NoError(t, err)
	require.Equal(t, Lua(), string(kept), "go test ./internal/lab/dissector -update")
}

// frame is a frame and what tshark is to read in it, by field.
type frame struct {
	wire []byte
	want map[string]string
}

// TestFrames compares frames of every type, of random contents, with what tshark reads in them.
func TestFrames(t *testing.T) {
	random := prng.New(5)
	var frames []frame
	for range 50 {
		for kind := pyrrha.Pause; kind <= pyrrha.Dealloc; kind++ {
			frames = append(frames, pyrrhaFrame(&random, kind))
		}
		for kind := bfc.Pause; kind <= bfc.Bitmap; kind++ {
			frames = append(frames, bfcFrame(&random, kind))
		}
		for kind := ofc.Pause; kind <= ofc.Refresh; kind++ {
			frames = append(frames, ofcFrame(&random, kind))
		}
		for kind := portfc.Pause; kind <= portfc.Resume; kind++ {
			frames = append(frames, portfcFrame(&random, kind))
		}
		for kind := voq.Pause; kind <= voq.Resume; kind++ {
			frames = append(frames, voqFrame(&random, kind))
		}
		for kind := floodgate.Credit; kind <= floodgate.SYN; kind++ {
			frames = append(frames, floodgateFrame(&random, kind))
		}
	}
	fields := []string{
		"sluice.protocol", "sluice.version", "sluice.kind", "sluice.flags", "sluice.sequence",
		"sluice.root.switch", "sluice.root.port", "sluice.old.switch", "sluice.old.port", "sluice.hop",
		"sluice.queue", "sluice.class", "sluice.list", "sluice.count", "sluice.generation", "sluice.part",
		"sluice.parts", "sluice.flow", "sluice.congested.queue", "sluice.congested.port",
		"sluice.congested.layer", "sluice.destinations", "sluice.destination.switch",
		"sluice.destination.port", "sluice.credited", "sluice.sent", "_ws.malformed", "_ws.lua.error",
	}
	var wires [][]byte
	for i := range frames {
		wires = append(wires, frames[i].wire)
	}
	rows := tshark.AllFields(t, tshark.Ethernet, wires, script, fields...)
	seen := map[string]bool{}
	for i, row := range rows {
		want := frames[i].want
		want["sluice.version"], want["sluice.flags"] = "1", "0x00"
		for j, name := range fields {
			require.Equal(t, want[name], row[j], "frame %d: %s", i, name)
		}
		seen[row[0]+" "+row[2]] = true
	}
	for _, p := range protocols {
		for _, m := range p.messages {
			require.True(
				t, seen[fmt.Sprintf("%d %s", p.number, m.name)], "no %s %s was tried", p.name, m.name,
			)
		}
	}
}

// Every type of frame of every protocol that has a number has its fields here, so that captures can
// be read.
func TestEveryFrameHasFields(t *testing.T) {
	kinds := map[uint8]func(k uint8) string{
		wire.BFC: func(k uint8) string { return (&bfc.Frame{Type: bfc.Type(k)}).Kind() },
		wire.OFC: func(k uint8) string { return (&ofc.Frame{Type: ofc.Type(k)}).Kind() },
		wire.Pyrrha: func(k uint8) string {
			return (&pyrrha.Frame{Type: pyrrha.FrameType(k)}).Kind()
		},
		wire.PortFC: func(k uint8) string { return (&portfc.Frame{Type: portfc.Type(k)}).Kind() },
		wire.VOQ:    func(k uint8) string { return (&voq.Frame{Type: voq.Type(k)}).Kind() },
		wire.Floodgate: func(k uint8) string {
			return (&floodgate.Frame{Type: floodgate.Type(k)}).Kind()
		},
	}
	for n, name := range wire.Packages {
		if name == "" {
			continue
		}
		number := uint8(n)
		require.Contains(t, kinds, number, "name the frames of %s here", name)
		i := slices.IndexFunc(protocols, func(p protocol) bool { return p.number == number })
		require.GreaterOrEqual(t, i, 0, "%s lacks fields in definitions.go", name)
		var want, have []string
		for kind := uint8(1); kinds[number](kind) != "unknown"; kind++ {
			want = append(want, fmt.Sprint(kind, " ", kinds[number](kind)))
		}
		for _, m := range protocols[i].messages {
			have = append(have, fmt.Sprint(m.number, " ", m.name))
		}
		require.Equal(t, want, have, protocols[i].name)
	}
}

func pyrrhaFrame(random *prng.Source, kind pyrrha.FrameType) frame {
	f := pyrrha.Frame{Type: kind, Root: randomHop(random), Sequence: uint32(random.Uint64())}
	want := map[string]string{
		"sluice.protocol": "3", "sluice.kind": f.Kind(), "sluice.sequence": fmt.Sprint(f.Sequence),
		"sluice.root.switch": fmt.Sprint(f.Root.Switch), "sluice.root.port": fmt.Sprint(f.Root.Port),
	}
	if kind == pyrrha.Merge {
		f.Old = randomHop(random)
		want["sluice.old.switch"] = fmt.Sprint(f.Old.Switch)
		want["sluice.old.port"] = fmt.Sprint(f.Old.Port)
	}
	if kind == pyrrha.Pause || kind == pyrrha.Merge {
		f.Hop = uint8(1 + random.Below(7))
		want["sluice.hop"] = fmt.Sprint(f.Hop)
	}
	return frame{f.AppendTo(nil), want}
}

func bfcFrame(random *prng.Source, kind bfc.Type) frame {
	f := bfc.Frame{Type: kind, Sequence: uint32(random.Uint64())}
	var queues []sluice.QueueID
	if kind == bfc.Bitmap {
		f.Count = uint16(1 + random.Below(300))
		for range random.Below(20) {
			q := random.Below(uint64(f.Count))
			f.Bits[q/64] |= 1 << (q % 64)
		}
		queues = f.AppendPaused(nil)
	} else {
		f.Count = uint16(1 + random.Below(bfc.MaxListed))
		for i := range f.Listed() {
			f.Queues[i] = sluice.QueueID(random.Below(4096))
		}
		queues = f.Listed()
	}
	return frame{f.AppendTo(nil), map[string]string{
		"sluice.protocol": "1", "sluice.kind": f.Kind(), "sluice.sequence": fmt.Sprint(f.Sequence),
		"sluice.queue": strings.Trim(strings.ReplaceAll(fmt.Sprint(queues), " ", ";"), "[]"),
	}}
}

func ofcFrame(random *prng.Source, kind ofc.Type) frame {
	f := ofc.Frame{Type: kind, Sequence: uint32(random.Uint64()), Class: sluice.Class(random.Below(8)),
		Last: kind == ofc.Resume, Count: uint16(1 + random.Below(ofc.MaxListed))}
	if kind == ofc.Refresh {
		f.Generation, f.Part, f.Parts = uint32(1+random.Below(1<<30)), 3, 9
	}
	var keys []string
	for i := range f.Count {
		f.Keys[i] = random.Uint64()
		keys = append(keys, fmt.Sprint(f.Keys[i]))
	}
	flags := "0"
	if f.Last {
		flags = "2"
	}
	want := map[string]string{
		"sluice.protocol": "2", "sluice.kind": f.Kind(), "sluice.sequence": fmt.Sprint(f.Sequence),
		"sluice.class": fmt.Sprint(f.Class), "sluice.list": flags, "sluice.count": fmt.Sprint(f.Count),
		"sluice.generation": fmt.Sprint(f.Generation), "sluice.part": fmt.Sprint(f.Part),
		"sluice.parts": fmt.Sprint(f.Parts), "sluice.flow": strings.Join(keys, ";"),
	}
	return frame{f.AppendTo(nil), want}
}

func portfcFrame(random *prng.Source, kind portfc.Type) frame {
	f := portfc.Frame{Type: kind, Sequence: uint32(random.Uint64()),
		Queue: sluice.QueueID(random.Below(256)), Port: sluice.PortID(random.Below(256)),
		Layer: uint8(random.Below(4))}
	return frame{f.AppendTo(nil), map[string]string{
		"sluice.protocol": "4", "sluice.kind": f.Kind(), "sluice.sequence": fmt.Sprint(f.Sequence),
		"sluice.congested.queue": fmt.Sprint(f.Queue), "sluice.congested.port": fmt.Sprint(f.Port),
		"sluice.congested.layer": fmt.Sprint(f.Layer),
	}}
}

func voqFrame(random *prng.Source, kind voq.Type) frame {
	f := voq.Frame{Type: kind, Sequence: uint32(random.Uint64()),
		Count: uint16(1 + random.Below(voq.MaxListed))}
	var switches, ports []string
	for i := range f.Listed() {
		f.Destinations[i] = randomHop(random)
		switches = append(switches, fmt.Sprint(f.Destinations[i].Switch))
		ports = append(ports, fmt.Sprint(f.Destinations[i].Port))
	}
	return frame{f.AppendTo(nil), map[string]string{
		"sluice.protocol": "7", "sluice.kind": f.Kind(), "sluice.sequence": fmt.Sprint(f.Sequence),
		"sluice.destinations":       fmt.Sprint(f.Count),
		"sluice.destination.switch": strings.Join(switches, ";"),
		"sluice.destination.port":   strings.Join(ports, ";"),
	}}
}

func floodgateFrame(random *prng.Source, kind floodgate.Type) frame {
	f := floodgate.Frame{Type: kind, Sequence: uint32(random.Uint64()),
		Count: uint16(1 + random.Below(floodgate.MaxListed))}
	want := map[string][]string{}
	for i := range f.Listed() {
		e := floodgate.Entry{Destination: randomHop(random), Credited: uint32(random.Uint64())}
		if kind == floodgate.SYN {
			e.Sent = uint32(random.Uint64())
			want["sluice.sent"] = append(want["sluice.sent"], fmt.Sprint(e.Sent))
		}
		f.Entries[i] = e
		for name, value := range map[string]any{
			"sluice.destination.switch": e.Destination.Switch,
			"sluice.destination.port":   e.Destination.Port, "sluice.credited": e.Credited,
		} {
			want[name] = append(want[name], fmt.Sprint(value))
		}
	}
	all := map[string]string{
		"sluice.protocol": "8", "sluice.kind": f.Kind(), "sluice.sequence": fmt.Sprint(f.Sequence),
		"sluice.destinations": fmt.Sprint(f.Count),
	}
	for name, values := range want {
		all[name] = strings.Join(values, ";")
	}
	return frame{f.AppendTo(nil), all}
}

func randomHop(random *prng.Source) sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(random.Uint64()), Port: sluice.PortID(random.Uint64())}
}
