package main

const usage = `usage: go run ./bench [flags]
       go run ./bench run [flags] [scenario]
       go run ./bench list

Without a command, the scenario "reference" runs under every protocol, and a picture is written to
./sluice-bench.svg. "run" takes any scenario, or a topology and a flow list from files; it draws a
picture only with -plot. "list" names scenarios, protocols, workloads, topologies and parameters.

flags:
  -fc NAME,...        flow control to compare (default: those of the scenario)
  -topology FILE      network, in the format of HPCC's or of Pyrrha's simulator; needs -flows
  -flows FILE         flow list, in the format of the same simulator; needs -topology
  -set NAME=VALUE,... parameters of the network, of a protocol or of a scenario, with units:
                      -set buffer=20MiB,pfc.alpha=1/4; may be repeated, the last one counts
  -seed N             seed of everything random (default 1)
  -until TIME         end of simulated time, as 10ms (default: when nothing is left to happen)
  -json FILE          results, one JSON array with an object a protocol
  -fct FILE.csv       src,dst,bytes,start_ns,fct_ns,ideal_ns of every flow in input order; fct_ns is
                      empty if the flow did not complete; several protocols: FILE.<fc>.csv
  -plot FILE          picture, .svg or .png: completion times by group, queue and pauses over time
  -q                  no tables, no progress

The file name "-" means standard output, in place of the tables. In the JSON, wall_s and
peak_rss_bytes differ from run to run; everything else depends on the seed and the parameters
only. peak_rss_bytes is VmHWM of /proc/self/status, reset before each protocol; on other systems
than Linux, the memory that the Go runtime took from the system.

Exit status: 0, 1 if something failed, 2 for a mistake in the command line.
`
