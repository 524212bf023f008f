package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run/runtest"
)

// badInputs are kinds of bad input and what is said of each: what it is, and where.
var badInputs = []struct{ args, want string }{
	{
		"fly",
		`unknown command "fly"; the commands are run, sweep, merge, report, convergence, hol, speed, topology, flows`,
	},
	{"run nosuch", `unknown scenario "nosuch"; "go run ./bench list scenarios" has all`},
	{"run refrence", "did you mean reference?"},
	{"run -fc pcf", "did you mean pfc?"},
	{"run -jsn x", "did you mean -json?"},
	{"rnu", "did you mean run?"},
	{"run -seed -1", "flag -seed: must be a whole number of 0 to 2^64-1"},
	{"run -seed 1 -seed 2", "flag -seed: it is given twice"},
	{"run -plot a.svg -plot b.svg", "flag -plot: it is given twice"},
	{`run -json=`, "flag -json: it is empty"},
	{"run -cc dcqcn -set cc=hpcc", "parameter cc is given twice, as dcqcn and hpcc"},
	{"run -cc hpcc,dcqcn", `flag -cc: one at a time`},
	{"run -set fat-tree,k=2", "parameter fat-tree: must be written name=value"},
	{"run -until -1us", "must be positive"},
	{"run -set link.delay=1s incast", "parameter link.delay=1s: "},
	{"run -memory -jobs 2", "-memory runs one protocol after the other: leave -jobs out"},
	{"run -topology net.txt -flows flows.txt -json net.txt", "net.txt would be written over"},
	{"run -topology net.txt -flows flows.txt -fct ./flows.txt", "flows.txt would be written over"},
	{
		"run -topology net.txt -flows f.pfc.csv -fc pfc,bfc -fct f.csv",
		"f.pfc.csv would be written over, and it is an input",
	},
	{"run -fc pfc -sonic sonic.json -json sonic.json", "sonic.json would be written over"},
	{"run -fct x.csv -ports x.pfc.csv incast", "two outputs have the same name: x"},
	{"sweep -topology net.txt -flows f.pfc.csv -fct f.csv", "f.pfc.csv would be written over"},
	{"sweep -fct - -fc pfc incast", "-fct needs a file: each run of a sweep has its own"},
	{"sweep -sweep hosts=4,5 -sweep hosts=6 -csv x.csv -csv y.csv incast", "-csv: it is given twice"},
	{"run -memory -memory", "flag memory: it is given twice"},
	{"run -set =5", "must be written name=value"},
	{"run -set pfc.alpha= incast", "parameter pfc.alpha: must be a fraction"},
	{"run -csv x incast", "flag provided but not defined: -csv"},
	{"list all x", "list takes a kind and a part of a name"},
	{"version x", "version takes no arguments"},
	{"help run sweep", `no help on "sweep"`},
	{"topology -o flows.txt -topology net.txt -flows flows.txt", "flows.txt would be written over"},
	{"convergence -fc pfc,bfc", "one flow control at a time"},
	{"convergence incast", `convergence runs its own scenario, not "incast"`},
	{"report nosuch -dir .", `no paper, no scenario with published numbers and no entry is named "nosuch"`},
	{"report -pages -for 1m -dir .", "-pages runs nothing: leave -for, -stale and -write out"},
	{"report -write -slice 3/2 -dir .", "must be PART/OF, as 1/4 to 4/4"},
	{"report -write -slurm -for 1m -dir .", "-slurm runs what is left: leave -pages and -for out"},
	{"report -write -slurm -slice 1/2 -dir .", "either -slice or -slurm"},
	{"report -write -slurm-options=-p=x -dir .", "-slurm-tasks and -slurm-options belong to"},
	{"report -slice 1/2 -pages -dir .", "-slice makes no pages"},
	{"report -stale -dir .", "-stale, -slice and -slurm keep what is run: give -write"},
	{"report -html x -dir .", "-html makes pages"},
	{"report", "there is no folder docs/results: run it where the repository begins, or name -dir"},
	{"run -json x -plot ./x", "must be named .svg, .png or .pdf"},
	{"run -json x.svg -plot ./x.svg", "two outputs have the same name: ./x.svg"},
	{"sweep -seed 1 -seeds 1-2", "either -seeds or -seed"},
	{"sweep -sweep hosts=4,5 -set hosts=6 incast", "parameter hosts is swept, and set to 6 as well"},
	{"sweep -sweep hosts=4,5 -sweep hosts=6 incast", "-sweep hosts: the parameter is swept twice"},
	{"convergence -warmup 30ms -until 20ms", "-warmup 30ms leaves nothing to measure until 20ms"},
	{"list parametres", "did you mean parameters?"},
	{"list parameters nosuch", `no parameter has "nosuch" in its name`},
	{"flows -o net.txt -topology net.txt -flows flows.txt", "net.txt would be written over"},
	{"run -fc tcp", `flow control "tcp": must be one of none, pfc`},
	{"run -fc pfc,pfc", `flow control "pfc" is given twice`},
	{"run -fc pfc,,none", "a name is empty"},
	{"run -nosuch", "flag provided but not defined: -nosuch"},
	{"run -seed x", `invalid value "x" for flag -seed`},
	{"run -until 10", "must be a time with a unit, such as 600ns or 1.5us (units ps, ns, us, ms, s);"},
	{"run -until 0", "must be positive"},
	{"run -jobs 0", "must be a positive integer"},
	{"run -set bufer=1MB", "parameter bufer=1MB: unknown parameter; did you mean buffer?"},
	{"run -set buffer=20Mib", "parameter buffer=20Mib: must be a number of bytes"},
	{"run -set buffer=1MB,buffer=2MB", "parameter buffer is given twice, as 1MB and 2MB"},
	{"run -set pfc.alpha=1/0", "parameter pfc.alpha=1/0: must have a positive denominator"},
	{"run -set load=1/2", "parameter load=1/2 has no effect on reference"},
	{"run -fc pfc -set bfc.queues=64", "parameter bfc.queues=64 has no effect on reference under pfc"},
	{"run -set pyrrha.resume=8 incast", "under pyrrha: "},
	{"run incast incast", `one scenario at a time: "incast" and "incast"`},
	{"run -view v.txt", `the page "v.txt" must be named .html`},
	{"run -view v.html pcn/fig19", "-view shows one network, and the variant "},
	{"run -flows x", "-flows needs the network that the flows run on: -topology"},
	{"run -set load=70 mix", "parameter load=70: must be at most 1"},
	{"run -topology /dev/zero", "/dev/zero:1: the line is longer than 1048576 bytes"},
	{"run -set workload=file:nosuch mix", "parameter workload=file:nosuch: open nosuch"},
	{"run -set workload=webserch mix", "or file:PATH"},
	{"run -topology x -flows y incast", `either the scenario "incast" or -topology and -flows`},
	{"run -incast x", `"x" is not the number of a host`},
	{"run -incast 170", "-incast 170: no flow goes to node 170"},
	{"run -plot x.jpg", `the picture "x.jpg" must be named .svg, .png or .pdf`},
	{"convergence -panel queue", "-panel needs a picture: -plot FILE"},
	{"run -plot x.pdf -size 3.3in", `"3.3in" must be a size such as 3.3x2.2in (in, cm, mm, pt)`},
	{"run -plot x.pdf -panel queue,foo", `no picture has a panel "foo"`},
	{"run -plot x.pdf -panel fct-incats", `no picture has a panel "fct-incats"; did you mean fct-incast?`},
	{"run -plot x.pdf -title no", `"no" must be on or off`},
	{"run -plot x.pdf -log z", `"z" must be x, y or xy`},
	{"run -plot x.pdf -log y -linear xy", "an axis is either -log or -linear"},
	{"run -json x -fct x", "two outputs have the same name: x"},
	{"run -fct - -fc pfc,none", "-fct - needs exactly one -fc"},
	{"run -json missing/x.json", "cannot write missing/x.json: no such file or directory"},
	{"run -cpuprofile -", "-cpuprofile needs a file"},
	{"run -topology none.txt -flows none.txt", "none.txt: no such file or directory"},
	{"run -topology bad.txt -flows flows.txt", "bad.txt:1: the first line has 2 numbers"},
	{"run -topology rate.txt -flows flows.txt", `bench: rate.txt:4: rate "100Gbit" has no unit of`},
	{"run -topology net.txt -flows bad.txt", "bad.txt:1: 2 fields, the first line has 1"},
	{"run -topology net.txt -flows host.txt", "host.txt:3: destination 2 is not a host of net.txt"},
	{"run -topology net.txt -flows start.txt", `start.txt:2: start "1e-6s" is not a decimal number`},
	{"run -topology net.txt -flows empty.txt", "scenario empty.txt has no flows"},
	{
		"run -topology net.txt -flows late.txt",
		"late.txt:2: it starts at 9000000s, the range is 0 to 50 days",
	},
	{"sweep -sweep pfc.alpha", "-sweep pfc.alpha: must be written NAME=VALUE,VALUE"},
	{"sweep -sweep pfc.alpha=1/4,1/4 -fc pfc", "value 1/4 is given twice"},
	{"sweep -sweep pfc.alpha=1/4,2/8 -fc pfc", "1/4 and 2/8 are the same value"},
	{"run -set load=70 incast", "must be at most 1: it is a share of what all links of hosts carry"},
	{"sweep -sweep pfc.alpha=1/4,x -fc pfc", "parameter pfc.alpha=x: must be a fraction"},
	{
		"sweep -sweep pfc.alpha=1/4 -fc bfc",
		"parameter pfc.alpha=1/4 has no effect on reference under bfc",
	},
	{"sweep -seeds 3-1", `"3-1" is no seed and no range of seeds`},
	{"sweep -seeds 1-3,2", "seed 2 is given twice"},
	{"sweep -samples x", `flag provided but not defined: -samples; see "go run ./bench help sweep"`},
	{"sweep -slice 3/2 -csv p.csv incast", "flag -slice: must be PART/OF, as 1/4 to 4/4"},
	{"sweep -slice 1/2 incast", "-slice needs -csv FILE.csv: runs are kept in files beside it"},
	{"sweep -slice 1/2 -csv - incast", "-slice needs -csv FILE.csv"},
	{"sweep -slice 1/2 -csv p.csv -plot p.svg incast", "-slice writes runs alone: leave -plot, -tidy"},
	{"sweep -slurm incast", "-slurm needs -csv FILE.csv"},
	{"sweep -slurm -slice 1/2 -csv p.csv incast", "either -slice or -slurm"},
	{"sweep -slurm -slurm-script s -csv p.csv incast", "either -slurm or -slurm-script"},
	{"sweep -slurm-script p.csv -csv p.csv incast", "two outputs have the same name: p.csv"},
	{"sweep -slurm-script - -csv p.csv incast", "-slurm-script needs a file"},
	{"sweep -slurm-tasks 4 incast", "-slurm-tasks and -slurm-options belong to -slurm or"},
	{"sweep -slurm -slurm-options -c4 incast", "--cpus-per-task is said by the sweep itself"},
	{"sweep -csv other.csv incast", "other.runs.csv:1: the runs there are of another sweep"},
	{"hol -congested 160", `"160" is not a port: write SWITCH:PORT`},
	{"hol -congested 160:99", "-congested 160:99: leaf-spine 10x4x16 has no such port"},
	{"hol -fc none", "flow control none has no model of head-of-line blocking"},
	{"hol -fc bfc -set pfc.alpha=1/4", "parameter pfc.alpha=1/4 has no effect on reference"},
	{"run -fail 3:1 incast", `"3:1": no time; write SWITCH:PORT@TIME`},
	{"run -fail 3:1@30us-20us incast", "it must be repaired after it fails"},
	{"run -fail 17:99@30us incast", "-fail 17:99: single switch 17 has no such port"},
	{
		"run -fail 17:1@10us-30us,1:0@20us-40us incast",
		"-fail 1:0@20us-40us: the link is down then already, by 17:1@10us-30us",
	},
	{"run -fail 17:1@20us,17:1@10us-30us incast", "the link is down then already, by 17:1@20us"},
	{"run -until never", "must be a time, and left out for none"},
	{"run -probe 160", `"160" is not a port: write SWITCH:PORT, as 160:3, or flow:NUMBER`},
	{"run -probe flow:x", `"flow:x" is no flow`},
	{"run -probe 99:0 incast", "-probe 99:0: single switch 17 has no such port"},
	{"run -probe flow:999 incast", "-probe flow:999: incast has 205 flows"},
	{"run -samples x incast", "-samples needs -probe"},
	{"run -headers 17:0 incast", "-headers needs -pcapng"},
	{"run -headers 17:99 -pcapng x incast", "-headers 17:99: single switch 17 has no such port"},
	{"run -every 1", "must be a time with a unit"},
	{"run -pfc x -qlen x", "two outputs have the same name: x"},
	{"run -pfc - incast", "on standard output needs exactly one -fc"},
	{"sweep -repeat 1000000000 incast", "-repeat 1000000000: more than 10000 seeds"},
	{"sweep -csv p.csv -tidy p.csv incast", "two outputs have the same name: p.csv"},
	{
		"sweep -csv p.csv -tidy p.runs.csv incast",
		"p.runs.csv would be written over p.runs.csv, where -csv keeps the runs",
	},
	{"sweep -csv p.csv -json ./p.runs.csv incast", "where -csv keeps the runs"},
	{"sweep -topology net.txt -flows flows.txt -tidy net.txt", "net.txt would be written over, and it"},
	{"sweep -tidy missing/x.csv incast", "cannot write missing/x.csv: no such file or directory"},
	{"sweep -topology net.txt -flows {seed}.txt", "open 1.txt: no such file or directory"},
	{"sweep -slice 1/2 -csv p.csv -tidy t.csv incast", "-slice writes runs alone"},
	{"run -tidy x.csv incast", "flag provided but not defined: -tidy"},
	{"run -topology /dev/zero", "/dev/zero:1: the line is longer than 1048576 bytes"},
	{"run -topology net.txt -flows /dev/zero", "/dev/zero:1: the line is longer than"},
	{"run -topology net.txt -set workload=file:/dev/zero", "/dev/zero:1: the line is longer than"},
	{"run -topology /dev/null", "/dev/null: the file is empty"},
	{"run -topology link.txt", "too many levels of symbolic links"},
	{"run -topology ends.txt", `ends.txt:5: host "99999999999999999999" is above 2`},
	{"run -topology back.txt", `back.txt:5: hosts "1-0": a range begins with its lowest host`},
	{"run -topology switch.txt", "switch.txt:5: group a: node 2 is a switch"},
	{"run -topology twice.txt", "twice.txt:6: group a is named twice"},
	{"run -topology same.txt", "same.txt:5: group a: host 1 is listed twice"},
	{"run -topology none.grp", "none.grp:5: a group has a name and hosts"},
	{"run -topology name.txt", `name.txt:5: the name "ü" of a group must be a letter`},
	{"run -topology many.txt", "many.txt:69: more than 64 groups"},
	{"run -topology net.txt -flows groups.txt", "groups.txt:52: more than 50 groups"},
	{"run -topology net.txt -flows group.txt", `group.txt:2: group "All" must be a letter and up to`},
	{"run -topology net.txt -traffic from=a,load=1", "from=a: the network names no group of hosts"},
	{"run -topology net.txt -traffic load=NaN", "-traffic load=NaN: parameter load=NaN: must be a"},
	{"run -topology net.txt -traffic load=2", "-traffic load=2: parameter load=2: must be at most 1"},
	{"run -topology net.txt -traffic group=x", "-traffic group=x: it has no flows: it needs load"},
	{"run -topology net.txt -traffic group=ü,load=1", `group "ü" must be a letter`},
	{"run -topology net.txt -traffic =", "-traffic =: parameter : must be written name=value"},
	{"run -topology net.txt -set duration=1us -traffic alltoall.bytes=1KB", "duration=1us has no effect"},
	{"run -plot x.pdf -panel fct-storage incast", "-panel fct-storage: no flow has the group storage"},
	{"run -plot x.pdf -size NaNxNaNin", `"NaNxNaNin" must be a size`},
	{"run -jobs 99999999999999999999", "must be a positive integer"},
	{"run -until 1e30s", "is out of the range of 64 bits"},
	{"run -sonic /dev/null", "-sonic"},
	{"merge /dev/zero", "/dev/zero:1: it does not say what the sweep is"},
	{"merge .", "is a directory"},
	{"run -set " + strings.Repeat("a", 1e5) + "=1", "unknown parameter"},
	{"speed incast", `speed runs its own scenario, not "incast"`},
	{"speed -set k=7", "must be even"},
	{"list x", "list x: the kinds are all, scenarios"},
	{"help me", `no help on "me"`},
	{"run -topology net.txt -flows self.txt", "self.txt:2: the flow goes from host 0 to itself"},
	{"run -topology net.txt -flows class.txt", `class.txt:2: class "8" is above 7`},
	{"run -topology net.txt -flows count.txt", "count.txt:2: the file ends after 1 of 2 flows"},
	{"run -topology net.txt -flows l-{seed}.txt", "open l-1.txt: no such file or directory"},
	{"run -topology net.txt -flows /dev/null", "/dev/null: the file is empty"},
	{"run -topology . -flows flows.txt", ".:1: read .: is a directory"},
	{"run -topology lossy.txt -flows flows.txt", `lossy.txt:3: error rate "0.5"`},
	{"run -topology net.txt -set workload=file:fall.txt,load=1/2", "fall.txt:2: the percentage is below"},
	{"run -topology net.txt -set workload=file:open.txt,load=1/2", "open.txt:1: the file ends before 100"},
	{"run -topology net.txt -schedule circle.goal", "waits for the first: a circle"},
	{"run -schedule alltoall-direct,ranks=2", "schedule: bytes = 0B: must be 1 to"},
	{"run -topology net.txt -schedule alltoall-direct,ranks=9,bytes=1", "9 ranks need 9 hosts, and 2"},
	{"sweep -tidy flows.txt -topology net.txt -flows flows.txt", "flows.txt would be written over"},
	{"sweep -tidy x.csv -csv x.csv incast", "two outputs have the same name: x.csv"},
	{"sweep -sweep pfc.alpha=1/2, -fc pfc", "must be written NAME=VALUE,VALUE"},
	{"merge other.runs.csv", "other.runs.csv:1: it does not say"},
}

// Bad input of any kind: the error says what and where, the exit code is 2, and nothing is written.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"
	for name, text := range map[string]string{
		"bad.txt": "3 1\n", "net.txt": network,
		"rate.txt":  strings.Replace(network, "1 2 100Gbps", "1 2 100Gbit", 1),
		"flows.txt": "1\n0 1 3 100 1000 0\n", "empty.txt": "0\n",
		"host.txt":  "2\n0 1 3 100 1000 0\n0 2 3 100 1000 0\n",
		"start.txt": "1\n0 1 3 100 1000 1e-6s\n", "late.txt": "1\n0 1 3 100 1000 9e6\n",
		"self.txt": "1\n0 0 3 100 5 0\n", "class.txt": "1\n0 1 8 100 5 0\n",
		"count.txt": "2\n0 1 3 100 5 0\n",
		"lossy.txt": strings.Replace(network, "1us 0", "1us 0.5", 1),
		"fall.txt":  "1000 50\n2000 40\n", "open.txt": "1000 99\n",
		"circle.goal": "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\n" +
			"a requires b\nb requires a\n}\n",
		"other.runs.csv": "fc,value\n", "sonic.json": "{}",
		"ends.txt": network + "group a 0-99999999999999999999\n", "back.txt": network + "group a 1-0\n",
		"switch.txt": network + "group a 0-2\n", "twice.txt": network + "group a 0\ngroup a 1\n",
		"same.txt": network + "group a 0-1 1\n", "none.grp": network + "group a\n",
		"name.txt": network + "group ü 1\n", "many.txt": network + lines(65, "group g%d 0\n"),
		"groups.txt": "200\n" + lines(200, "0 1 3 100 1000 0 group=g%d\n"),
		"group.txt":  "1\n0 1 3 100 1000 0 group=All\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	require.NoError(t, os.Symlink("link.txt", "link.txt"))
	before, err := os.ReadDir(".")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(badInputs), 30)
	for _, c := range badInputs {
		args := strings.Fields(c.args)
		if len(args) > 1 && args[0] == "run" && !strings.Contains(c.args, "-plot") {
			args = append(args, "-plot", "picture.svg")
		}
		code, stdout, stderr := invoke(args...)
		assert.Equal(t, exitUsage, code, "%v: %s", c.args, stderr)
		assert.Contains(t, stderr, c.want, c.args)
		require.Empty(t, stdout, c.args)
		after, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Equal(t, before, after, "%s wrote a file", c.args)
	}
}

// A picture that cannot be drawn does not cost the results.
func TestWhatCannotBeWrittenDoesNotCostTheRest(t *testing.T) {
	t.Chdir(t.TempDir())
	s, outcomes := runtest.SmallSubject(t)
	require.NoError(t, os.Mkdir("picture.svg", 0o777))
	var stdout, stderr bytes.Buffer
	err := command{stdout: &stdout, stderr: &stderr}.write(
		&options{plot: "picture.svg", json: "results.json", fct: "flows.csv"}, s, outcomes, nil,
	)
	require.EqualError(t, err, "cannot write picture.svg: it is a directory")
	require.Contains(t, stdout.String(), "Flow completion time")
	require.FileExists(t, "results.json")
	require.FileExists(t, "flows.pfc.csv")
	require.Contains(t, stderr.String(), "results: results.json")
}

func TestPointlessParametersAreRefused(t *testing.T) {
	for _, c := range []struct{ scenario, fc, set, want string }{
		{
			"mix", "pfc", "topology=single,k=8",
			"parameter k=8 has no effect on mix under pfc: used are topology, hosts, host.rate",
		},
		{"mix", "pfc", "topology=fat-tree,racks=2", "parameter racks=2 has no effect"},
		{"mix", "pfc", "load=0,workload=hadoop", "parameter workload=hadoop has no effect"},
		{"mix", "pfc", "load=1/3", "parameter load=1/3 must be a whole number of thousandths"},
		{"mix", "pfc", "load=0,incast.degree=0", "scenario mix has no flows"},
		{"mix", "pfc", "topology=fat-tree,k=5", "must be even"},
		{"mix", "pfc", "incast.min=50", "MinPackets"},
		{"mix", "pfc", "racks=1,spines=1,locality=other-racks", "Destinations"},
		{
			"mix", "pfc", "bfc.queues=64",
			"parameter bfc.queues=64 has no effect on mix under pfc: no parameter of section bfc is used",
		},
		{"mix", "pfc,bfc-128", "bfc.queues=64,pfc.alpha=1/2", ""},
		{"mix", "none", "pfc.alpha=1/2", "has no effect on mix under none"},
		{
			"mix", "ideal", "buffer=1MiB",
			"parameter buffer=1MiB has no effect on mix under ideal: used are lb, resequence, payload, header",
		},
		{"mix", "pyrrha+pfc", "pfc.alpha=1/2,pyrrha.iqs=50", ""},
		{
			"pyrrha/ring", "pfc", "hosts=3",
			"parameter hosts=3 has no effect on pyrrha/ring under pfc: no parameter of section scenario is used",
		},
		{"incast", "pfc", "hosts=9", ""}, // the user's value overrides the scenario's
	} {
		o := options{scenario: c.scenario, set: []string{c.set}, seed: 1}
		o.protocols = strings.Split(c.fc, ",")
		_, err := o.prepare()
		if c.want == "" {
			require.NoError(t, err, c.set)
			continue
		}
		require.ErrorContains(t, err, c.want, c.set)
	}
}

// What has no effect is an error, also without an output.
func TestEveryNeedsAnOutput(t *testing.T) {
	code, _, stderr := invoke("run", "-every", "1us", "incast")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr,
		"-every needs an output that has samples: -plot, -json, -view, -probe or -qlen")
}

// lines are a number of lines, each with its number in it.
func lines(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}
