package main

import (
	"io"

	"github.com/sluicefc/sluice/internal/lab/params"
)

// help is the command "help": what the commands do, or one of them.
func (c command) help(args []string) error {
	name := ""
	if len(args) > 0 && args[0] != "help" {
		name = args[0]
	}
	text, known := helpTexts[name]
	if !known || len(args) > 1 {
		return usagef("no help on %q; \"go run ./bench help\" has the commands%s", args[len(args)-1],
			params.DidYouMean(args[len(args)-1], commands))
	}
	_, err := io.WriteString(c.stdout, text)
	return err
}

var helpTexts = map[string]string{
	"": `usage: go run ./bench [command] [flags] [scenario]

Simulates networks under flow-control protocols and compares the protocols.

  (no command)    the scenario "reference" under the main protocols; draws ./sluice-bench.svg
  run             one scenario, or your own network and flows, under some protocols
  sweep           a scenario for several seeds and several values of a parameter, also on a cluster
  merge           what a sweep writes, from the files of its slices
  report          the pages of results: the papers' numbers and ours
  convergence     how flows share a link under every congestion control
  hol             which flow can be blocked by which port: the model, without a simulation
  speed           how fast the simulator is on this machine
  topology        the network of a scenario as a file, for -topology
  flows           the flows of a scenario as a file, for -flows
  schedule        a collective operation, or a schedule, as a file, for -schedule
  list            the names of scenarios, protocols, workloads, topologies and parameters
  version         which version of this program it is
  help COMMAND    what a command does, and its flags

Exit status: 0; 2 if what was asked for is wrong: then nothing ran and nothing was written; 1 if
something failed later.
`,

	"run": `usage: go run ./bench run [flags] [scenario]

Runs a scenario ("reference" if you name none), or a network and a flow list from files, under some
protocols, and prints what happened to the flows and to the network.

` + commonFlags + runFlags + `  -json FILE          results: one array with an object per protocol, as bench/schema.json says;
                      all that the tables say, and the state of the network over time
  -fct FILE.csv       src,dst,bytes,start_ns,fct_ns,ideal_ns of every flow in input order; fct_ns is
                      empty if the flow did not complete; several protocols: FILE.<fc>.csv
  -slowdown FILE      50th, 95th and 99th percentile of the slowdown by size of flow, three columns
                      per protocol: what fct_analysis.py of HPCC's simulator prints
  -plot FILE          picture, .svg, .png or .pdf: completion times by group, queues and pauses over
                      time, slowdown by size, and the rate of each flow if there are at most 12.
                      Its panels: fct-incast, fct-vulnerable, fct-background, queue, paused,
                      goodput, slowdown-p50, -p95, -p99, w, port-queue, port-rate, flows; and if
                      they are asked for timeline, of what the ranks of jobs do, and
                      measured:MEASURE, of what the claims measure
` + pictureFlags + `  -view FILE.html     a page that plays the run, for any browser, without a server: who waits for
                      whom, queues, congestion roots, flows; all protocols on one clock
  -probe LIST         ports and flows to watch, as 160:3,flow:12 (a flow by its place in the list,
                      from 0 on): in the tables, in -json, -plot and -samples
  -every TIME         time between samples, also between samples of -qlen, -plot and -view
  -warmup TIME        nothing is counted before: flows that start, and what ports do
  -samples FILE.csv   time_ns,what,backlog_bytes,held_queues,pauses,ue,ce,state,rate_bps,
                      set_rate_bps of each sample of -probe; pauses, marks and rate are since the
                      last sample
  -ports FILE.csv     of every port: mean queue, weighted with time, longest queue, what was sent,
                      marked and held
  -pfc FILE           a line per pause or resume of a queue, as pfc.txt of HPCC's simulator: time in
                      ns, node, 1 for a switch, interface from 1 on, 1 for a pause
  -qlen FILE          how many samples found a port with how many kilobytes, as qlen.txt of HPCC's
                      simulator
  -pcapng FILE        every control frame, for Wireshark: an interface per port; our own frames are
                      dissected by wireshark/sluice.lua
  -headers PORT,...   the file of -pcapng also has the headers of packets of these ports
                      (several protocols: FILE.<fc>.csv, and the like)
  -threads N          threads that share the work of a run, which changes no result (default: one
                      per core if there is one run, else 1; 1 where probes or -view are)
  -memory             measure the peak memory of each protocol's run: they run one after the other
` + machineFlags + `
The file name "-" means standard output, in place of the tables.

For one seed and one set of parameters the results are the same in every run, with and without
-plot; only wall_s, packet_hops_per_s and peak_rss_bytes differ. Protocols that run side by side
take longer each, so use -jobs 1 to compare wall times. -memory reads VmHWM of /proc/self/status,
reset before each protocol; on other systems than Linux, the memory that the Go runtime took.
`,

	"sweep": `usage: go run ./bench sweep -sweep NAME=VALUE,... -seeds 1-10 [flags] [scenario]

Runs a scenario for every protocol and variant of it, every value of a parameter and every seed.
Prints a row per point, a protocol and a value: the mean over the seeds and the standard deviation.

  -sweep NAME=VALUE,... the parameter and its values, as pfc.alpha=1/8,1/4,1/2; several: a grid
  -seeds LIST           seeds, as 1-10 or 1,2,5-7 (default 1)
  -repeat N             N seeds that follow from -seed; counts of deadlocks and stalls have the
                        interval that their probability is in, with 95 % (Wilson)
  -csv FILE.csv         a row per point. Every run that ends is also kept as a row of FILE.runs.csv.
                        If the sweep is interrupted, the same command goes on where it was, and the
                        files will be the same, to the byte; more seeds or values may be added.
  -tidy FILE.csv        a row per run, group and measure: fc, the parameters, seed, group, measure,
                        value; examples/figure reads it with pandas and draws it with matplotlib
  -json FILE            the points as an array with an object per point
  -plot FILE            picture, .svg, .png or .pdf: completion times by group over the values, with
                        95 % confidence intervals (Student's); its panels: fct-incast,
                        fct-vulnerable, fct-background, fct-all_flows, and job:NAME
                        for the mean iteration of a job
` + pictureFlags + `  -fct FILE.csv         the flows of every run, as "run" has them: FILE.<fc>.<value>.seed<n>.csv

On a cluster, see docs/clusters.md:

  -slurm                the runs are done by a job array of Slurm: submits it, shows how far it is,
                        submits again what failed, and writes the same files as without; needs -csv,
                        in a folder that all nodes see. -jobs are the CPUs of a task (default 1).
  -slurm-tasks N        tasks of the array (default: one per run, at most 100)
  -slurm-options TEXT   options of sbatch, as in: -slurm-options "--partition=long --time=2:00:00"
  -slurm-script FILE    writes the batch script, and submits nothing
  -slice PART/OF        does a part of the runs, and keeps them in FILE.<part>-of-<of>.runs.csv for
                        the file of -csv; "merge", or the same command without -slice in the same
                        folder, puts the parts together

` + commonFlags + runFlags + `` + machineFlags,

	"merge": `usage: go run ./bench merge [flags] FILE...

Puts the slices of a sweep together: reads the files of their runs, FILE.<part>-of-<of>.runs.csv,
and prints and writes what the sweep would have without slices, to the byte. It must be the program
that made them, and find what the sweep reads, -topology and the like, by the same names.

  -csv FILE.csv       a row per point, and every run as a row of FILE.runs.csv
  -tidy FILE.csv      a row per run, group and measure
  -json FILE          the points as an array with an object per point
  -plot FILE          picture, .svg, .png or .pdf
` + pictureFlags + `  -q                  no tables
`,

	"report": `usage: go run ./bench report [flags] [PAPER[/FIGURE[/ENTRY]]...]

Runs the scenarios that have something to compare with, as docs/results/data has them kept, and
says of each seed whether the same came out. Nothing is changed; a run that differs is an error.
ENTRY is a run that a note names, as its file below docs/results/data is named. The cheapest come
first.

With -write it keeps what came out as JSON files below docs/results/data, and makes the pages of
docs/results and docs/reproducing.md from them. Then it runs entries that are missing, and entries
that are stale: network, traffic, parameters or what is measured of the scenario, or of a note that
names a run, have changed. Claims are judged by what is kept, without a run. Of what is named, it
also runs what older code made: more than comments and blanks has changed since in the packages that
the paper's imports. Seeds that are kept are run, too, where an entry is made anew. Every run is
kept when it is done: the same command goes on after an interruption.

  -write              keeps what came out
  -seeds LIST         seeds, as 1-10 or 1,2,5-7 (default: those that are kept; with -write also 1-5)
  -for TIME           begins no run later, as 10m
  -pages              runs nothing: judges claims, names what is stale, and makes the pages
  -stale              with -write, also whatever older code made
  -alone              of a named PAPER or FIGURE, no run that a note names
  -html DIR           makes HTML pages as well, with the pictures inside of each file: whole
                      pictures of runs that are made now, else the pictures in docs/results
  -slice PART/OF      runs a part of the entries, and makes no pages: for several machines, whose
                      files below docs/results/data together are the whole
  -slurm              a job array of Slurm makes the runs, as for "sweep"; then the pages are made
  -slurm-tasks N      tasks of the array (default: one per entry, at most 100)
  -slurm-options TEXT options of sbatch
  -slurm-script FILE  writes the batch script, and submits nothing
  -dir DIR            folder of the pages and their data (default docs/results)
  -jobs N             runs at the same time (default: processors); memory is measured with 1
  -q                  nothing on standard error
`,

	"convergence": `usage: go run ./bench convergence [flags]

Runs the scenario hosts/convergence under every congestion control and prints, from the end of the
warm-up on, Jain's index of the flows' rates, the share of the link that is used, and its queue.

  -cc NAME,...        congestion controls (default: all)
  -senders N,...      numbers of flows (default 2,4,16)
  -fc NAME            flow control (default pfc)
  -set NAME=VALUE,... parameters, as for run
  -seed N             seed of everything random (default 1)
  -until TIME         end of simulated time of every run (default 20ms)
  -warmup TIME        end of the warm-up (default 10ms)
  -csv FILE.csv       the table
  -plot FILE          picture, .svg, .png or .pdf: the rates over time, a row of panels per control;
                      its panels: flows:CONTROL-SENDERS
` + pictureFlags + machineFlags,

	"hol": `usage: go run ./bench hol [flags] [scenario]

Head-of-line blocking without a simulation: takes the flows of a scenario to be under way all at
once and some ports to be congested, and says which flow waits, in which queue, for a port that is
not on its way. This is the model of the Pyrrha paper (section VI).

` + commonFlags + `  -congested SWITCH:PORT,...  the congested ports (default: where incast flows reach their hosts)
  -cases N            blocked flows to print per protocol (default 3)
  -json FILE          everything: an array with an object per protocol
  -q                  no tables
`,

	"speed": `usage: go run ./bench speed [flags]

Simulates fat-trees of 128, 432 and 1,024 hosts, each of which sends to another: the scenario
"permutation" with packets of 4,096 bytes and an open window. Prints transmissions (of any packet on
any link) per second of wall time beside a yardstick of the machine: a hit in a Go map of 1,024
entries; what the network took to build; and the peak memory.

  -fc NAME,...        flow control (default pfc)
  -set NAME=VALUE,... parameters, as for run
  -count N            runs of each network; the fastest counts (default 3)
  -threads N,...      numbers of threads that share the work, in turns (default 1); 16 hosts are run
                      too
  -scale              also 3,456, 11,664 and 27,648 hosts
  -model              runs on one thread and says what 2, 8, 16 and 64 threads would gain
  -cpuprofile FILE    CPU profile for go tool pprof
`,

	"topology": `usage: go run ./bench topology [flags] [scenario]

Writes the network of a scenario ("reference" if you name none) in the format of HPCC's simulator.

` + fileFlags,

	"flows": `usage: go run ./bench flows [flags] [scenario]

Writes the flows of a scenario ("reference" if you name none) in the format of HPCC's simulator.
What that format cannot express follows a flow as group= and rate=, see docs/files.md.
The class of generated flows is 3 there, as in most lists of flows.

` + fileFlags,

	"schedule": `usage: go run ./bench schedule [flags] JOB

Writes what a job does in the format GOAL of LogGOPSim: JOB is a collective operation, as
allreduce-ring,ranks=8,bytes=1MB, a file of GOAL, which is checked and written again, or NAME of a
trace of Chakra in files NAME.0.et, NAME.1.et and so on, or a scenario whose traffic is a job, as
portfc/fig17.

flags:
  -set NAME=VALUE,... parameters of the scenario, as for run
  -seed N             seed of its job (default 1)
  -binary             in the binary form, as txt2bin makes it
  -o FILE             where to (default: standard output)
`,

	"list": `usage: go run ./bench list [KIND [PART]]

Prints the names that the flags accept. KIND is scenarios, protocols, workloads, topologies,
parameters, or all: with it, the list says what the names mean. Parameters have units, ranges and
defaults; scenarios, where docs/results is at hand, the time that a run of all that they compare
took. PART is a part of a name, as in: list parameters bfc.
`,

	"version": `usage: go run ./bench version

Prints the module's version and the revision, or a hash of the executable where the build knows no
revision.
`,
}

const fileFlags = `flags:
  -set NAME=VALUE,... parameters of the scenario, as for run
  -topology FILE      a network and flows of your own, to write again
  -flows FILE
  -traffic LIST       traffic beside, as for run
  -seed N             seed of everything random (default 1)
  -o FILE             where to (default: standard output)
`

const commonFlags = `flags:
  -fc NAME,...        flow control to compare (default: the scenario's)
  -topology FILE      network, in the format of HPCC's or of Pyrrha's simulator; without -flows
                      traffic is generated: -set workload=hadoop,load=7/10,alltoall.bytes=64KB
  -flows FILE         flow list, in the format of the same simulators; needs -topology;
                      flows-{seed}.txt is a file for each seed
  -incast HOST,...    flows to these hosts are the group "incast", other flows to their racks
                      "vulnerable", the rest "background" (default: the scenario's groups; for
                      files, the host that receives most bytes)
  -set NAME=VALUE,... parameters of the network, of a protocol or of a scenario, with units:
                      -set buffer=20MiB,pfc.alpha=1/4; may be repeated
  -traffic LIST       traffic beside the scenario's, for each that is given: settings for it alone,
                      group=NAME of its flows in tables, and from=, to= groups of hosts that the
                      topology file names: -traffic group=ml,from=gpus,to=gpus,alltoall.bytes=64KB
  -seed N             seed of everything random (default 1)
`

const runFlags = `  -schedule JOB       a job beside the flows, see docs/schedules.md; may be repeated. JOB is a
                      file of GOAL, NAME of a trace of Chakra in files NAME.0.et, NAME.1.et and
                      so on, or allreduce-ring,ranks=8,bytes=1MB (allreduce-halving,
                      alltoall-direct, alltoall-pairwise, parameter-server, stencil), then
                      start=TIME, repeat=N, class=N, perhost=N and place=order, random or
                      file:FILE. With -topology and without -flows there is no other traffic,
                      unless -set load= says so
  -cc NAME            congestion control of the hosts, as -set cc=NAME (default none)
  -detect NAME        what marks packets: none, ecn, tcd, fecn, npecn, as -set detect=NAME (default:
                      what -cc learns from)
  -transport NAME     how hosts repair losses, as -set transport=NAME (default gbn)
  -lb NAME            how load is balanced over equally short ways: ecmp, spray, drill, plb, as
                      -set lb=NAME (default ecmp)
  -sonic FILE         every switch under pfc is as a config_db.json of SONiC says: buffer, profiles,
                      queues, WRED, schedulers, watchdog; its chip is -set sonic.cell, sonic.buffer
  -fail PORT@TIME,... links that fail, as 160:3@30us, or 160:3@30us-60us if they are repaired
  -until TIME         end of simulated time, as 10ms (default: when nothing is left to happen)
`

const pictureFlags = `  -panel NAME,...     only these panels; of several of a kind, as flows:pfc, the kind is enough
  -size WIDTHxHEIGHT  of the whole picture, as 3.3x2.2in (in, cm, mm, pt), with texts of 8 points
                      (7 for marks) whatever the size (default: 13in wide, as high as it needs)
  -title off          no title, and no notes: the caption has them
  -legend off         no legend
  -log x|y|xy         these axes are logarithmic where they are numbers
  -linear x|y|xy      these axes are linear
`

const machineFlags = `  -jobs N             runs at a time (default: one per core)
  -cpuprofile FILE    CPU profile for go tool pprof
  -q                  no tables, no progress
`
