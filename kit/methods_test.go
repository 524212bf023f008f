package kit_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sluicefc/sluice/.ci/module"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of methods to testdata/methods.md")

// protocols have their types in the order Switch, Port, Frame.
var protocols = []struct {
	name  string
	types [3]any
}{
	{"pfc", [3]any{&pfc.Switch{}, &pfc.Port{}, &pfc.Frame{}}},
	{"bfc", [3]any{&bfc.Switch{}, &bfc.Port{}, &bfc.Frame{}}},
	{"pyrrha", [3]any{&pyrrha.Switch{}, &pyrrha.Port{}, &pyrrha.Frame{}}},
	{"ofc", [3]any{&ofc.Switch{}, &ofc.Port{}, &ofc.Frame{}}},
	{"cbfc", [3]any{&cbfc.Switch{}, &cbfc.Port{}, &cbfc.Frame{}}},
	{"portfc", [3]any{&portfc.Switch{}, &portfc.Port{}, &portfc.Frame{}}},
}

// why explains each method that not all protocols have.
var why = map[string]string{
	"Switch.BigRedSwitch": "SONiC's name for what its watchdog has; no other protocol has a watchdog",
	"Switch.Free":         "PFC alone divides a shared pool among ingresses",
	"Switch.Pool":         "the size of PFC's shared pool",
	"Switch.Threshold": "BFC's threshold depends on a pair of ports and on N_active; PFC's is a " +
		"port's",

	"Port.Held":          "PFC holds classes, the others queues: Sendable tells of those",
	"Port.HeldUntil":     "a PFC pause runs out",
	"Port.HeadroomBytes": "PFC accounts bytes by ingress and class",
	"Port.IngressBytes":  "PFC and OFC account bytes by ingress and class",
	"Port.Leaving":       "only PFC has rules by which classes change on the way",
	"Port.Paused":        "PFC's answer for an ingress: the classes that it pauses",
	"Port.PausedByPeer": "queues of Pyrrha and OFC may be not Sendable for reasons of their own " +
		"device; of the others Sendable says it",
	"Port.PausedFor": "Pyrrha's pauses name a congestion root",
	"Port.Threshold": "PFC's threshold of an (ingress, class) now",
	"Port.XOn":       "at how many bytes an (ingress, class) of PFC resumes",
	"Port.XOff":      "at how many bytes an (ingress, class) of PFC pauses",
	"Port.Storming":  "classes in a pause storm, which PFC's watchdog found",
	"Port.Active":    "BFC's N_active",
	"Port.Counter":   "BFC's pause counter of an upstream queue",
	"Port.Holding":   "BFC's answer for an ingress: whether it pauses an upstream queue",
	"Port.Blocked": "a host that pulls packets from flows asks before it takes one (Pyrrha, " +
		"IV-D)",
	"Port.Congested":     "a host behind its card can be a congestion root (Pyrrha, IV-D)",
	"Port.Hold":          "a flow control beneath holds the port (Pyrrha, IV-E)",
	"Port.Thresholds":    "K_pause and K_resume of two ports; BFC has Threshold, PFC XOff and XOn",
	"Port.IncastBacklog": "Pyrrha's output queue, whose length makes a port a root",

	"Switch.Memory":      "the size of tables that OFC's and Pyrrha's papers give",
	"Port.Tables":        "how many flows are in OFC's three tables now",
	"Port.State":         "the four states of OFC (II-B)",
	"Port.FlowPaused":    "whether a flow is in OFC's congested_flow_tab",
	"Frame.Flows":        "an OFC frame lists flows",
	"Port.Consume":       "credit-based flow control counts arrivals that no Enqueue sees",
	"Port.Credit":        "what the peer has room for, in credit-based flow control",
	"Port.IngressBlocks": "credit-based flow control counts buffers in blocks of 64 bytes",

	"Switch.FreeOf":       "pools of a buffer are PFC's",
	"Switch.FreeOfEgress": "limits of egress queues are PFC's",
	"Switch.FreeHeadroom": "PFC alone has headroom that ports share",
	"Switch.PollStorm":    "pause storms that PFC's watchdog found",
	"Switch.Untroubled":   "whether PFC's counters of pauses and losses are worth a look",
	"Port.XOffMargin":     "how far an (ingress, class) of PFC was from a pause",
	"Switch.Reconfigure":  "PFC's thresholds are an operator's to change",
	"Switch.ClearPeaks":   "watermarks of a buffer, as an operator clears them",
	"Port.ClearPeaks":     "watermarks of a port, as an operator clears them",
	"Port.WaitsBehind":    "PortFC alone has nodes that pass pauses on",
	"Frame.Overhead":      "a flow control packet is in no Ethernet frame",
	"Frame.ParseStrict":   "Parse is as strict as that for frames of this library's own",
	"Frame.AppendPaused":  "a BFC bitmap names queues",
	"Frame.Covered":       "how many queues a BFC bitmap speaks of",
	"Frame.Listed":        "a BFC pause or resume lists queues",
	"Frame.Paused":        "a BFC bitmap names queues",
}

// TestEveryProtocol: the tables of this package's tests have every protocol of the library, which
// is every public package with a Switch, a Port and a Frame. Their files are named alike, and each
// runs the conformance suite.
func TestEveryProtocol(t *testing.T) {
	all, err := module.Protocols("..")
	require.NoError(t, err)
	var compared, found []string
	for _, p := range protocols {
		compared = append(compared, reflect.TypeOf(p.types[0]).Elem().PkgPath())
	}
	for _, p := range all {
		found = append(found, p.ImportPath)
		for test, file := range map[string]string{
			"TestExternalModule": "testdata/external/drive_test.go",
			"TestNeverIsMisuse":  "conformance/never_test.go",
		} {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.True(t, strings.Contains(string(text), "\""+p.ImportPath+"\""),
				"%s in kit/%s leaves out %s", test, file, p.ImportPath)
		}
		assert.Empty(t, p.Missing(
			"doc.go", "config.go", "switch.go", "port.go", "receive.go", "frame.go", "timers.go",
			"counters.go", "audit.go", "inspect.go", "conformance_test.go", "example_test.go",
		), "files that %s lacks", p.ImportPath)
	}
	require.ElementsMatch(t, found, compared, "public protocols, and protocols in kit/methods_test.go")
}

// TestMethods: concrete types have hooks with equal names (ARCHITECTURE). The table
// in testdata/methods.md is made from the code: every difference between the protocols is explained
// in it, and what they have in common has one signature.
func TestMethods(t *testing.T) {
	var table strings.Builder
	explained := map[string]bool{}
	table.WriteString(
		"# Methods of the protocols\n\nMade by TestMethods of package kit.\n\n| method |",
	)
	for _, p := range protocols {
		fmt.Fprintf(&table, " %s |", p.name)
	}
	table.WriteString(" why not all |\n| --- |" + strings.Repeat(" --- |", len(protocols)+1) + "\n")
	for i, kind := range []string{"Switch", "Port", "Frame"} {
		for _, method := range methodsOf(i) {
			name := kind + "." + method
			row, in := "| `"+name+"` |", 0
			signatures := map[string]bool{}
			for _, p := range protocols {
				m, ok := reflect.TypeOf(p.types[i]).MethodByName(method)
				if !ok {
					row += " |"
					continue
				}
				in++
				row += " x |"
				signatures[strings.ReplaceAll(m.Type.String(), p.name+".", "")] = true
			}
			reason := ""
			if in < len(protocols) {
				reason = why[name]
				explained[name] = true
				require.NotEmpty(t, reason, "%s is not in every protocol: explain it in why", name)
			}
			require.Len(t, signatures, 1, "%s has several signatures", name)
			table.WriteString(row + " " + reason + " |\n")
		}
	}
	for name := range why {
		require.True(t, explained[name], "%s needs no explanation", name)
	}
	const golden = "testdata/methods.md"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), table.String(), "go test ./kit -run TestMethods -update")
}

// methodsOf returns the names of the methods that any protocol's type has, in order.
func methodsOf(i int) []string {
	var names []string
	for _, p := range protocols {
		kind := reflect.TypeOf(p.types[i])
		for m := range kind.NumMethod() {
			if name := kind.Method(m).Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
