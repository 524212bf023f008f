package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inFolder runs a test in a folder of its own, with a network of four hosts in two racks.
func inFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	var net strings.Builder
	net.WriteString("6 2 5\n4 5\n4 5 100Gbps 1us 0\n")
	for host := range 4 {
		fmt.Fprintf(&net, "%d %d 100Gbps 1us 0\n", host, 4+host/2)
	}
	require.NoError(t, os.WriteFile("net.txt", []byte(net.String()), 0o644))
}

// flowsOf returns the flows that a command line would run.
func flowsOf(t *testing.T, args ...string) (lines []string) {
	code, stdout, stderr := invoke(append([]string{"flows"}, args...)...)
	require.Equal(t, exitOK, code, stderr)
	return strings.Split(strings.TrimSpace(stdout), "\n")[1:]
}

// A network of a file takes all traffic that generated networks take, several kinds at once, and no
// incast unless one is asked for.
func TestTrafficOnAnOwnNetwork(t *testing.T) {
	inFolder(t)
	set := func(list string) []string {
		return flowsOf(t, "-topology", "net.txt", "-set", list)
	}
	require.Len(t, set("load=0,alltoall.bytes=5KB"), 12)
	require.Len(t, set("load=0,permutations=3,flow.bytes=1KB,alltoall.bytes=5KB"), 3*4+12)
	incast := set("load=0,incast.degree=6")
	require.Len(t, incast, 6)
	poisson := set("load=1/2,duration=100us,workload=hadoop")
	require.NotEmpty(t, poisson)
	for _, flow := range append(incast, poisson...) {
		require.Equal(t, "3", strings.Fields(flow)[2], "one class in all traffic")
	}
	code, stdout, stderr := invoke("run", "-topology", "net.txt", "-fc", "pfc", "-set",
		"load=1/2,duration=20us,alltoall.bytes=5KB")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "generated traffic on the network of a file")
}

// Sizes of a file in the format of HPCC's traffic generator.
func TestOwnSizes(t *testing.T) {
	inFolder(t)
	require.NoError(t, os.WriteFile("ones.txt", []byte("1234 0\n1234 100\n"), 0o644))
	flows := flowsOf(t, "-topology", "net.txt", "-set", "workload=file:ones.txt,duration=10us")
	require.NotEmpty(t, flows)
	for _, flow := range flows {
		require.Equal(t, "1234", strings.Fields(flow)[4])
	}
	require.NoError(t, os.WriteFile("ones.txt", []byte("1234 0\n1233 100\n"), 0o644))
	code, _, stderr := invoke("flows", "-topology", "net.txt", "-set", "workload=file:ones.txt")
	require.Equal(t, exitUsage, code)
	require.Equal(t, "bench: ones.txt:2: the size 1233 is below the size before, 1234\n", stderr,
		"help on the command line says nothing of a file's line")
}

// A list of flows for each seed.
func TestFlowsOfASeed(t *testing.T) {
	inFolder(t)
	for seed := range 2 {
		text := fmt.Sprintf("1\n0 %d 3 100 1000 0\n", seed+1)
		require.NoError(t, os.WriteFile(fmt.Sprintf("flows-%d.txt", seed), []byte(text), 0o644))
	}
	for seed := range 2 {
		flows := flowsOf(t, "-topology", "net.txt", "-flows", "flows-{seed}.txt", "-seed",
			fmt.Sprint(seed))
		require.Equal(t, fmt.Sprint(seed+1), strings.Fields(flows[0])[1])
	}
	code, _, stderr := invoke("run", "-topology", "net.txt", "-flows", "flows-{seed}.txt",
		"-seed", "7")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "flows-7.txt: no such file or directory")
}

func TestVersionByFlag(t *testing.T) {
	_, want, _ := invoke("version")
	for _, flag := range []string{"-version", "--version"} {
		code, stdout, _ := invoke(flag)
		require.Equal(t, exitOK, code)
		require.Equal(t, want, stdout)
	}
}

// Patterns that -set asks for beside others have groups of their own.
func TestPatternsAreGroups(t *testing.T) {
	inFolder(t)
	set := "workload=hadoop,load=1/2,duration=100us,alltoall.bytes=5KB,permutations=1,flow.bytes=7KB"
	sizes := map[string]string{"group=alltoall": "5000", "group=permutation": "7000"}
	count := map[string]int{}
	for _, flow := range flowsOf(t, "-topology", "net.txt", "-set", set) {
		fields := strings.Fields(flow)
		group := fields[6]
		count[group]++
		if size := sizes[group]; size != "" {
			require.Equal(t, size, fields[4])
		}
	}
	require.Positive(t, count["group=background"])
	delete(count, "group=background")
	require.Equal(t, map[string]int{"group=alltoall": 12, "group=permutation": 4}, count)
	for _, flow := range flowsOf(t, "-topology", "net.txt", "-set", "load=0,alltoall.bytes=5KB") {
		require.Contains(t, flow, "group=background", "alone it is what there is")
	}
}

// Several kinds of traffic at once: each between the hosts of its groups, with settings and a group
// of flows of its own, beside what -set asks for.
func TestTrafficOfGroups(t *testing.T) {
	inFolder(t)
	text, err := os.ReadFile("net.txt")
	require.NoError(t, err)
	text = append(text, "group gpus 0-1 3\ngroup storage 2\n"...)
	require.NoError(t, os.WriteFile("net.txt", text, 0o644))
	count := map[string]int{}
	for _, flow := range flowsOf(t, "-topology", "net.txt", "-traffic",
		"from=gpus,to=gpus,group=ml,alltoall.bytes=5KB", "-traffic",
		"from=storage,to=gpus,group=writes,load=1/2,workload=hadoop", "-set",
		"duration=300us,permutations=1,flow.bytes=7KB") {
		fields := strings.Fields(flow)
		group := fields[6]
		count[group]++
		switch group {
		case "group=ml":
			require.Equal(t, "5000", fields[4])
			require.NotContains(t, fields[:2], "2")
		case "group=writes":
			require.Equal(t, "2", fields[0])
		}
	}
	require.Positive(t, count["group=writes"])
	delete(count, "group=writes")
	require.Equal(t, map[string]int{"group=ml": 6, "group=background": 4}, count)

	// A network is written with its groups.
	code, network, stderr := invoke("topology", "-topology", "net.txt")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, network, "\ngroup gpus 0-1 3\ngroup storage 2\n")

	for want, traffic := range map[string]string{
		`from=disks: the groups of hosts are gpus, storage`: "from=disks,load=1/2",
		`it has no flows: it needs load`:                    "from=gpus",
		`group "all" must be a letter`:                      "group=all,load=1/2",
		`buffer has no effect on what is generated`:         "load=1/2,buffer=1MiB",
		`parameter load=-1: must not be negative`:           "load=-1",
		`from is given twice`:                               "from=gpus,from=gpus",
		`a permutation is among the hosts of one group`:     "from=gpus,permutations=1",
		`parameter load=1/2: given twice`:                   "load=1/2,load=1/2",
		`Destinations`:                                      "from=storage,to=storage,load=1",
		`must be hosts that others can send to`:             "from=storage,to=storage,alltoall.bytes=1KB",
	} {
		code, _, stderr := invoke("flows", "-topology", "net.txt", "-traffic", traffic)
		require.Equal(t, exitUsage, code, traffic)
		require.Contains(t, stderr, want)
	}
}

// Two classes in one run are said.
func TestClassesAreSaid(t *testing.T) {
	inFolder(t)
	list := "2\n0 2 3 100 1000 0\n1 2 4 100 1000 0\n"
	require.NoError(t, os.WriteFile("flows.txt", []byte(list), 0o644))
	code, stdout, stderr := invoke("run", "-topology", "net.txt", "-flows", "flows.txt", "-fc", "pfc")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "flows of classes 3 and 4: protocols hold each class by itself")
}
