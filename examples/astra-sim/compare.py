"""Runs ASTRA-sim over its analytical backend and over ours, and its traces in our simulator.

    python3 compare.py test|results ASTRA BUILD

ASTRA is a checkout of ASTRA-sim with its congestion-aware analytical backend built, BUILD has our
program. results prints the page RESULTS.md; test runs some of it, and fails unless times agree
where nothing is shared, or the cause of a difference is taken away, and Pyrrha takes away most of
what an incast costs under PFC.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COLLECTIVES = ["all_gather", "all_reduce", "all_to_all", "reduce_scatter"]
BYTES, CHUNKS = 1 << 20, 4  # of the examples
GIGABYTES, NANOSECONDS = 50, 500  # of their links


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr}")
    return done.stdout


def packets(size, switch=False):
    """Messages are packets of that size and nothing else; a flow has no window."""
    return f"header=0,payload={size}B,ack.size=1B,window=1GB" + (",buffer=1GB" if switch else "")


class Compared:
    def __init__(self, astra, build, folder):
        self.examples = os.path.join(astra, "examples")
        self.folder = folder
        self.theirs = os.path.join(
            astra, "build/astra_analytical/build/bin/AstraSim_Analytical_Congestion_Aware")
        self.ours = os.path.join(build, "astra-sim")
        self.bench = os.path.join(build, "bench")
        run("go", "build", "-o", self.bench, "./bench", cwd=REPOSITORY)
        os.symlink(self.examples, self.file("examples"))  # where a system names a collective

    def file(self, name):
        return os.path.join(self.folder, name)

    def example(self, *path):
        return os.path.join(self.examples, *path)

    def written(self, name, text):
        with open(self.file(name), "w") as f:
            f.write(text)
        return self.file(name)

    def network(self, topology, ranks):
        return self.written(f"{topology}{ranks}.yml",
                            f"topology: [ {topology} ]\nnpus_count: [ {ranks} ]\n"
                            f"bandwidth: [ {GIGABYTES} ]\nlatency: [ {NANOSECONDS} ]\n")

    def system(self, algorithm, plain=False, of="Ring_4chunks"):
        """Their configuration with another algorithm; plain: in one piece, at once."""
        with open(self.example(f"system/native_collectives/{of}.json")) as f:
            system = json.load(f)
        for key in system:
            if key.endswith("-implementation"):
                system[key] = [algorithm]
        if plain:
            system.update({"preferred-dataset-splits": 1, "endpoint-delay": 1,
                           "local-mem-bw": 1_000_000_000})
        return self.written(f"{of}-{algorithm}-{plain}.json", json.dumps(system))

    def trace(self, collective, ranks):
        return self.example("workload/microbenchmarks", collective, f"{ranks}npus_1MB", collective)

    def cycles(self, program, trace, system, network, *more):
        """When the last rank is finished, and what our program says at the end."""
        out = run(program, f"--workload-configuration={trace}", f"--system-configuration={system}",
                  f"--network-configuration={network}", "--remote-memory-configuration=" +
                  self.example("remote_memory/analytical/no_memory_expansion.json"), *more,
                  cwd=self.folder)
        ends = [int(end) for end in re.findall(r"sys\[\d+\] finished, (\d+) cycles", out)]
        return max(ends), dict((name, int(n)) for n, name in re.findall(
            r"(\d+) (control frames|dropped)", out))

    def both(self, *arguments, ours=()):
        there, _ = self.cycles(self.theirs, *arguments)
        return there, [self.cycles(self.ours, *arguments, *more)[0] for more in ours]

    def read(self, trace, topology, options="", switch=False):
        """When our simulator says that the last rank of a trace is done, in ns."""
        run(self.bench, "run", "-q", "-fc", "pfc", "-topology", topology, "-set",
            packets(1000, switch), "-schedule", trace + options, "-json", self.file("json"))
        with open(self.file("json")) as f:
            return 1000 * max(json.load(f)[0]["jobs"][0]["rank_ends_us"])


def head(text, *columns):
    print(f"\n{text}\n\n| " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * (len(columns) - 1))


class Table:
    """Rows, of which some values are to be within a bound of others in a test."""

    def __init__(self):
        self.wrong = []

    def row(self, *cells):
        print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)

    def want(self, holds, what):
        if not holds:
            self.wrong.append(what)


def close(a, b, bound):
    return abs(a / b - 1) <= bound


def name(collective):
    return collective.replace("_", "-")


def examples(c, t, sizes):
    head("## ASTRA-sim's examples\n\nCycles of 1 ns when the last rank is finished. *Removed*: see "
         "README.md; where a cell is\nempty, there is nothing to remove. *Our reading*: the trace by "
         "`go run ./bench run -schedule`, in\none piece.",
         "example", "ranks", "analytical", "ours, PFC", "over analytical's", "removed", "over",
         "our reading")
    ring = c.example("system/native_collectives/Ring_4chunks.json")
    custom = "system/custom_collectives/custom"
    short = ("--set=" + packets(1000), "--write-topology=" + c.file("topology"))
    rows = [(name(collective), ranks, c.trace(collective, ranks), ring,
             f"network/analytical/Ring_{ranks}npus.yml", short, None)
            for collective in COLLECTIVES for ranks in sizes]
    rows.append(("HGX-H100-validated", 8, c.trace("all_reduce", 8),
                 c.example("system/native_collectives/HGX-H100-validated.json"),
                 "network/analytical/HGX-H100-validated.yml",
                 ("--set=" + packets(1000, switch=True), short[1]),
                 ("--set=" + packets(BYTES // CHUNKS // 8, switch=True),)))
    rows.append(("custom ring", 8, c.trace("all_reduce", 8), c.example(custom + "_collective.json"),
                 "network/analytical/Ring_8npus.yml", short, short + ("--sent=arrived",)))
    for title, ranks, trace, system, network, plain, removed in rows:
        there, here = c.both(trace, system, c.example(network),
                             ours=[plain] + ([removed] if removed else []))
        if title == "custom ring":
            trace = c.example(custom + "_ring_allreduce_8npus_1MB/custom_allreduce")
        cells = [title, ranks, there, here[0], f"{here[0] / there:.4f}"]
        cells += [here[1], f"{here[1] / there:.4f}"] if removed else ["", ""]
        t.row(*cells, round(c.read(trace, c.file("topology"), switch="HGX" in title)))
        t.want(close(here[-1], there, 0.02), f"{title} of {ranks}: {here[-1]} beside {there}")


def readings(c, t, sizes):
    head("## In our simulator alone\n\nThe same traces by `go run ./bench run -schedule`. ASTRA-sim "
         "sends a collective in one piece\nhere, takes 1 ns at an end point, and none for memory.",
         "collective", "ranks", "analytical", "ours, PFC", "our reading", "over analytical's",
         "over ours")
    direct = ",allreduce=direct,allgather=direct,reducescatter=direct"
    rows = [(name(collective), algorithm, ranks, collective, c.system(algorithm, plain=True),
             c.network(topology, ranks), options)
            for algorithm, topology, options in [("ring", "Ring", ""),
                                                 ("direct", "FullyConnected", direct)]
            for collective in COLLECTIVES if (algorithm, collective) != ("ring", "all_to_all")
            for ranks in sizes]
    rows.append(("HGX-H100-validated", "ring", 8, "all_reduce",
                 c.system("ring", plain=True, of="HGX-H100-validated"),
                 c.example("network/analytical/HGX-H100-validated.yml"), ""))
    for title, algorithm, ranks, collective, system, network, options in rows:
        switch = title.startswith("HGX")
        trace = c.trace(collective, ranks)
        there, (here,) = c.both(trace, system, network, ours=[(
            "--set=" + packets(1000, switch), "--write-topology=" + c.file("topology"))])
        read = c.read(trace, c.file("topology"), options, switch)
        t.row(f"{title}, {algorithm}", ranks, there, here, round(read), f"{read / there:.4f}",
              f"{read / here:.4f}")
        t.want(close(read, here, 0.02) and (switch or close(read, there, 0.02)),
               f"{title}, {algorithm}, of {ranks}: {read}")


def shared(c, t, sizes):
    head("## Where messages share links\n\nAll ranks send to all at once, in 4 chunks. *Whole*: "
         "packets as long as messages. An odd ring is\nthe trace without its last rank.",
         "collective", "network", "ranks", "analytical", "PFC", "Pyrrha", "over analytical's",
         "whole, PFC", "over")
    counts = {"Switch": sizes, "Ring": [n - odd for n in sizes if n > 4 for odd in (0, 1)]}
    for topology in counts:
        for collective in COLLECTIVES[1:]:
            for ranks in counts[topology]:
                trace = c.trace(collective, ranks + ranks % 2)
                short = "--set=" + packets(1000, topology == "Switch")
                whole = "--set=" + packets(BYTES // CHUNKS // ranks, topology == "Switch")
                there, here = c.both(
                    trace, c.system("direct"), c.network(topology, ranks),
                    ours=[(short,), (short, "--protocol=pyrrha"), (whole,)])
                t.row(name(collective), topology, ranks, there, here[0], here[1],
                      f"{here[0] / there:.4f}", here[2], f"{here[2] / there:.4f}")
                if topology == "Switch" or ranks % 2:
                    t.want(close(here[2], there, 0.02),
                           f"{collective} of {ranks} on {topology}: {here[2]} beside {there}")


def leaf_spine(c):
    """4 racks of 8 hosts and 4 spines; flows of 12 hosts of 3 racks to host 4, for 1.8 ms."""
    racks, hosts, spines = 4, 8, 4
    first = racks * hosts
    ends = [(host, first + host // hosts) for host in range(first)]
    ends += [(first + rack, first + racks + spine) for rack in range(racks) for spine in range(spines)]
    link = f"{GIGABYTES * 8 << 30}bps {NANOSECONDS}ns 0"
    c.written("leaf-spine", "\n".join(
        [f"{first + racks + spines} {racks + spines} {len(ends)}",
         " ".join(str(first + i) for i in range(racks + spines))] +
        [f"{a} {b} {link}" for a, b in ends]) + "\n")
    flows = [(rack * hosts + host, 4) for rack in range(1, racks) for host in range(4, hosts)] * 8
    c.written("incast", "\n".join([str(len(flows))] + [
        f"{a} {b} 3 100 1000000 0" for a, b in flows]) + "\n")
    return ",".join(str(rack * hosts + host) for rack in range(racks) for host in range(4))


def congested(c, t, seeds):
    head("## Beside a storage incast\n\n16 ranks, four in each of four racks, on four spines, with "
         "links of 50 GB/s and 500 ns, and 96\nflows of 1 MB from 12 other hosts to one. Packets, "
         "windows and buffers are the simulator's.\nMeans of "
         f"{len(seeds)} seeds, in cycles.", "job", "flow control", "alone", "beside the incast",
         "times", "worst seed", "control frames", "dropped")
    where = ("--topology=" + c.file("leaf-spine"), "--hosts=" + leaf_spine(c))
    for collective, algorithm in [("all_reduce", "ring"), ("all_reduce", "direct"),
                                  ("all_to_all", "direct")]:
        means = {}
        for protocol in ["pfc", "bfc", "pyrrha"]:
            alone, beside = [], []
            for seed in seeds:
                arguments = (c.ours, c.trace(collective, 16), c.system(algorithm),
                             c.network("Switch", 16), *where, "--protocol=" + protocol,
                             f"--seed={seed}")
                alone.append(c.cycles(*arguments)[0])
                beside.append(c.cycles(*arguments, "--flows=" + c.file("incast")))
            worst = max(b / a for (b, _), a in zip(beside, alone))
            counts = [statistics.mean(count[of] for _, count in beside)
                      for of in ("control frames", "dropped")]
            means[protocol] = statistics.mean(alone), statistics.mean(b for b, _ in beside)
            t.row(f"{name(collective)}, {algorithm}", protocol, *[round(m) for m in means[protocol]],
                  f"{means[protocol][1] / means[protocol][0]:.2f}", f"{worst:.2f}",
                  *[round(count) for count in counts])
            t.want(counts[1] == 0, f"{protocol} drops")
        cost = {p: beside - alone for p, (alone, beside) in means.items()}
        t.want(cost["pyrrha"] < cost["pfc"] / 5, f"{collective}, {algorithm}: {cost}")


def main():
    what, astra, build = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    sizes, seeds = ([4, 8], [1]) if what == "test" else ([4, 8, 16], [1, 2, 3, 4, 5])
    print("# ASTRA-sim over its analytical backend and over ours\n\n<!-- made by make results -->")
    with tempfile.TemporaryDirectory() as folder:
        c, t = Compared(astra, build, folder), Table()
        examples(c, t, sizes)
        readings(c, t, sizes)
        shared(c, t, sizes)
        congested(c, t, seeds)
    if t.wrong:
        sys.exit("\n".join(t.wrong))


main()
