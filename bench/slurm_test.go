package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// asCommand is the environment variable that makes the test's executable the command.
const asCommand = "SLUICE_TEST_AS_BENCH"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		slurmRest = time.Second
		os.Exit(command{stdout: os.Stdout, stderr: os.Stderr, alone: true}.main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// process is a program that the test has started.
type process struct {
	*exec.Cmd
	t    *testing.T
	file string // of what it says
	done chan struct{}
}

func start(t *testing.T, name string, args ...string) *process {
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()
	p := &process{Cmd: exec.Command(name, args...), t: t, file: file.Name(), done: make(chan struct{})}
	p.Stdout, p.Stderr = file, file
	require.NoError(t, p.Start())
	go func() { _ = p.Wait(); close(p.done) }()
	t.Cleanup(p.end)
	return p
}

func (p *process) said() string {
	said, err := os.ReadFile(p.file)
	require.NoError(p.t, err)
	return string(said)
}

// end ends a program as a user does, and if it does not listen, for certain.
func (p *process) end() {
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		p.kill()
	}
}

func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.done
}

// code waits for the end and returns the exit code.
func (p *process) code() int {
	select {
	case <-p.done:
	case <-time.After(4 * time.Minute):
		require.Fail(p.t, "it does not end", p.said())
	}
	return p.ProcessState.ExitCode()
}

// cluster is Slurm with a controller and two nodes of a processor each, all on this machine.
type cluster struct {
	t     *testing.T
	nodes map[string]*process
}

// startCluster starts Slurm in the foreground. Where SLUICE_REQUIRE_SLURM is set, as in the gates,
// it must be there; elsewhere the test takes too long.
func startCluster(t *testing.T) *cluster {
	missing := ""
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue"} {
		if _, err := exec.LookPath(name); err != nil {
			missing = name + " is not installed"
		}
	}
	if os.Getuid() != 0 {
		missing = "it needs root"
	}
	if os.Getenv("SLUICE_REQUIRE_SLURM") == "" {
		t.Skip("it takes half a minute; SLUICE_REQUIRE_SLURM=1 runs it")
	}
	require.Empty(t, missing)
	dir := t.TempDir()
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[2]s/munge.sock
StateSaveLocation=%[2]s/controller
SlurmdSpoolDir=%[2]s/%%n
SlurmctldPidFile=%[2]s/controller.pid
SlurmdPidFile=%[2]s/%%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=2
ReturnToService=2
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[4]d CPUs=1
NodeName=n2 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[5]d CPUs=1
PartitionName=small Nodes=n1,n2 State=UP
PartitionName=all Nodes=n1,n2 State=UP Default=YES
`, host, dir, freePort(t), freePort(t), freePort(t))
	for name, content := range map[string]string{
		"slurm.conf": conf, "munge.key": strings.Repeat("key of a test. ", 20),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o400))
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	file := func(flag, name string) string { return "--" + flag + "=" + filepath.Join(dir, name) }
	start(t, "munged", "--foreground", "--force", file("socket", "munge.sock"),
		file("key-file", "munge.key"), file("log-file", "munge.log"), file("pid-file", "munge.pid"),
		file("seed-file", "munge.seed"))
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "munge.sock"))
		return err == nil
	}, 10*time.Second, 20*time.Millisecond)
	start(t, "slurmctld", "-D", "-i", "-c")
	c := &cluster{t: t, nodes: map[string]*process{}}
	c.startNode("n1")
	c.startNode("n2")
	return c
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *cluster) startNode(name string) {
	c.nodes[name] = start(c.t, "slurmd", "-D", "-N", name)
	c.wait(func() bool { return strings.Contains(c.try("sinfo", "-hN", "-o%N %t"), name+" idle\n") })
}

// try runs a command of Slurm; do runs a command that must succeed.
func (c *cluster) try(name string, args ...string) string {
	out, _ := exec.Command(name, args...).CombinedOutput()
	return string(out)
}

func (c *cluster) do(name string, args ...string) string {
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(c.t, err, "%s %s: %s", name, args, out)
	return string(out)
}

func (c *cluster) wait(until func() bool) {
	c.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !until(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			require.Fail(c.t, "it does not happen",
				c.try("squeue", "-r", "-tall")+c.try("sinfo", "-lN"))
		}
	}
}

// running waits for a task on a node that has done a run, and returns its name and its number.
func (c *cluster) running(node, journals string) (name, number string) {
	c.wait(func() bool {
		var job string
		_, err := fmt.Sscan(c.try("squeue", "-h", "-r", "-tRUNNING", "-w"+node, "-o%F %K"), &job, &number)
		name = job + "_" + number
		return err == nil && rows(journals+"."+number+"-of-12.runs.csv") > 0
	})
	return name, number
}

// rows is how many runs a slice's journal has.
func rows(journal string) int {
	content, _ := os.ReadFile(journal)
	return bytes.Count(content, []byte("\n")) - strings.Count(sliceHead, "\n")
}

const sliceHead = "# slice\n# sweep\nfc,...\n"

// testReport makes entries of the report on the cluster: they equal entries made here, except times
// and memory.
func testReport(t *testing.T, program, root string) {
	made := func(dir string, args ...string) (entries []string) {
		require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, resultsDir))))
		p := start(t, program, append([]string{
			"report", "-write", "-seeds", "1-2", "-dir", dir, "tcd/isolated", "tcd/covered", "ofc/fig2",
		}, args...)...)
		if p.code() != 0 { // scenarios that are new, as the test of the pages says
			require.Contains(t, p.said(), "there is no entry of ")
		}
		for _, name := range []string{"data/tcd/isolated", "data/tcd/covered", "data/ofc/fig2"} {
			content, err := os.ReadFile(filepath.Join(dir, name+".json"))
			require.NoError(t, err)
			require.Contains(t, string(content), report.Build())
			entries = append(entries, measured.ReplaceAllString(string(content), ""))
		}
		require.NoDirExists(t, dir+".slurm")
		return entries
	}
	require.Equal(t, made("here"), made("there", "-slurm", "-slurm-tasks", "2"))
}

var measured = regexp.MustCompile(`"(seconds|peak_bytes)": [0-9.e+]+`)

// A sweep of 60 runs on a cluster has the bytes of one without, whatever happens to its tasks: one
// is killed, the node of another dies, the command that submits them is interrupted, the array is
// cancelled. A run that is done is not done again.
func TestSlurm(t *testing.T) {
	c := startCluster(t)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	t.Setenv(asCommand, "1")
	t.Chdir(t.TempDir())
	program, err := os.Executable()
	require.NoError(t, err)
	sweep := func(dir string, args ...string) *process {
		require.NoError(t, os.MkdirAll(dir, 0o777))
		return start(t, program, append([]string{
			"sweep", "-sweep", "pfc.alpha=1/8,1/4,1/2", "-seeds", "1-20", "-fc", "pfc", "-set",
			"incast.degree=6000", "-csv", dir + "/p.csv", "-json", dir + "/p.json",
			"-plot", dir + "/p.svg", "-size", "5x3in", "incast",
		}, args...)...)
	}
	local := sweep("local")
	require.Zero(t, local.code(), local.said())
	const dir = `100%a "cluster's"` // which neither the shell nor sbatch may take apart
	onSlurm := func() *process {
		return sweep(dir, "-slurm", "-slurm-tasks", "12", "-slurm-options", "-p small --no-requeue")
	}

	first := onSlurm()
	task, number := c.running("n1", dir+"/p")
	c.do("scancel", "--signal=KILL", "--batch", task)
	again := "task %s: %s before all was done, so it is submitted again"
	killed := fmt.Sprintf(again, number, "FAILED")
	c.wait(func() bool { return strings.Contains(first.said(), killed) })
	_, number = c.running("n2", dir+"/p")
	task = "-slice=" + number + "/12"
	c.do("pkill", "-STOP", "-f", "--", task) // or it might be done before its node is missed
	c.nodes["n2"].kill()
	c.do("scontrol", "update", "nodename=n2", "state=down", "reason=test")
	orphan := fmt.Sprintf(again, number, "NODE_FAIL")
	c.wait(func() bool { return strings.Contains(first.said(), orphan) })
	c.do("pkill", "-CONT", "-f", "--", task) // goes on, and writes where the next of its number does
	require.NoError(t, first.Process.Signal(os.Interrupt))
	require.Equal(t, exitInterrupted, first.code())
	require.Contains(t, first.said(), "job 1: task 1-12\n")
	require.Contains(t, first.said(), "interrupted: the tasks go on; the same command looks after them")

	second := onSlurm()
	c.wait(func() bool { return strings.Contains(second.said(), ": under way already\n") })
	c.running("n1", dir+"/p")
	c.do("scancel", "--user=root")
	require.Equal(t, exitFailure, second.code(), second.said())
	require.Contains(t, second.said(), ": CANCELLED\n")
	require.Contains(t, second.said(), "runs left; what tasks print is in ")
	require.NotContains(t, second.said(), "again", "who cancels tasks wants them to end")

	c.startNode("n2")
	third := onSlurm()
	require.Zero(t, third.code(), third.said())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		want, err := os.ReadFile("local/" + e.Name())
		require.NoError(t, err)
		got, err := os.ReadFile(dir + "/" + e.Name())
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), e.Name())
	}
	require.Equal(t, []string{"p.csv", "p.json", "p.runs.csv", "p.svg"}, names)
	t.Run("report", func(t *testing.T) { testReport(t, program, root) })
}
