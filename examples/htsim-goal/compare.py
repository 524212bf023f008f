"""Runs schedules in SPCL's htsim and here, on the same networks, and prints the page RESULTS.md.

    python3 compare.py HTSIM_UEC [test]

HTSIM_UEC is the program that a checkout of SPCL's htsim (github.com/spcl/HTSIM) builds. With test
it fails unless all schedules of 16 ranks are within a twentieth, where each host has one way to
another and messages begin and end here as in htsim.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from networks import RATE, Tree
from schedules import chained, tree

REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAYLOAD, HEADER, QUEUE = 4096, 64, 20000  # bytes, bytes, packets
WINDOW = 263016  # bytes: 1.5 bandwidth-delay products of the longest way, as htsim prints it
LIKE = (f"payload={PAYLOAD},header={HEADER}B,ack.size={HEADER}B,ack.every=4,ack.class=7,"
        f"window={WINDOW}B,buffer=1GB")

# When the last rank is done, and what a message takes, as a mean, both in us.
Times = collections.namedtuple("Times", "last mean")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


class Compared:
    def __init__(self, htsim, folder):
        self.htsim, self.folder = os.path.abspath(htsim), folder
        self.bench, self.like = self.file("bench"), self.file("like")
        run("go", "build", "-o", self.bench, "./bench", cwd=REPOSITORY)
        run("go", "build", "-o", self.like, "./examples/htsim-goal", cwd=REPOSITORY)

    def file(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as f:
                f.write(text)
        return path

    def schedule(self, job, *settings):
        return run(self.bench, "schedule", *settings, job)

    def there(self, network, goal, seed):
        self.run_bench("schedule", "-binary", "-o", self.file("bin"), self.file("goal", goal))
        out = run(self.htsim, "-goal", self.file("bin"), "-nodes", str(network.hosts),
                  "-topo", self.file("topo", network.there()), "-linkspeed", str(1000 * RATE),
                  "-mtu", str(PAYLOAD + HEADER), "-sender_cc_algo", "constant",
                  "-load_balancing_algo", "ecmp", "-q", str(QUEUE), "-ecn", str(QUEUE - 2),
                  str(QUEUE - 1), "-disable_trim", "-print_stats_flows", "-seed", str(seed),
                  "-o", self.file("log"))
        last = re.search(r"^Maximum finishing time at host \d+: (\d+)", out, re.M)
        took = [int(us) for us in re.findall(r"^F \d+ - ST \d+ - ET \d+ - OT (\d+)", out, re.M)]
        return Times(int(last[1]) / 1000, sum(took) / len(took) + 0.5)  # it cuts to whole us

    def here(self, network, goal, seed):
        self.run_bench("run", "-q", "-fc", "pfc", "-set", LIKE, "-seed", str(seed),
                       "-topology", self.file("net.txt", network.here()),
                       "-schedule", self.file("own.goal", goal),
                       "-json", self.file("json"), "-fct", self.file("csv"))
        with open(self.file("json")) as f:
            last = max(json.load(f)[0]["jobs"][0]["rank_ends_us"])
        took = []
        with open(self.file("csv")) as f:
            for row in f.readlines()[1:]:
                source, destination, _, _, ns, _ = row.split(",")
                took.append(float(ns) + network.back(int(source), int(destination)))
        return Times(last, sum(took) / len(took) / 1000)

    def here_like_htsim(self, network, goal, seed):
        out = run(self.like, self.file("own.goal", goal), self.file("net.txt", network.here()),
                  LIKE, str(seed))
        return Times(*(float(us) for us in re.findall(r"([\d.]+) us", out)))

    def run_bench(self, *arguments):
        run(self.bench, *arguments)

    def schedules(self, ranks):
        chunk, block, tokens = (1000000, 500000, 128) if ranks == 16 else (62500, 32000, 16)
        ring = self.schedule(f"allreduce-ring,ranks={ranks},bytes={ranks * chunk}B")
        yield "ring all-reduce", ring
        yield "binomial tree", tree(ranks, 1000000)
        for name, job in ("pairwise", "alltoall-pairwise"), ("linear", "alltoall-direct"):
            yield f"{name} all-to-all", self.schedule(f"{job},ranks={ranks},bytes={block}B")
        yield "mixture of experts", self.schedule("training/experts", "-set",
            f"training.ranks={ranks},moe.tokens={tokens},training.beside=nothing")

    def row(self, name, goal, network, seeds):
        """What both do with the file, and with one in which the sends of a rank wait for each
        other, as a ring's do in any case."""
        one = goal if name.startswith("ring") else chained(goal)
        runs = [lambda seed: self.there(network, goal, seed),
                lambda seed: self.here(network, goal, seed),
                lambda seed: self.there(network, one, seed),
                lambda seed: self.here_like_htsim(network, one, seed)]
        return [mean([measure(seed) for seed in range(1, seeds + 1)]) for measure in runs]


def mean(times):
    return Times(*(sum(values) / len(values) for values in zip(*times)))


def main():
    test = sys.argv[2:] == ["test"]
    print("# Schedules in SPCL's htsim and here\n\n<!-- made by make results -->\n")
    print("When the last rank is done / what a message takes as a mean until its last\n"
          "acknowledgement has come, in us, and ours over htsim's. *One at a time*: a send waits\n"
          "until the message before it has been acknowledged; a receive here ends then, too.")
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        compared = Compared(sys.argv[1], folder)
        networks = [("one way", Tree(4, thin=True), 1), ("a fat-tree, 3 seeds", Tree(4), 3),
                    ("a fat-tree", Tree(8), 1)]
        for title, network, seeds in networks[:1] if test else networks:
            print(f"\n| {network.hosts} ranks, {title} | htsim | here | ours over it | htsim, one "
                  "at a time | here | ours over it |")
            print("| --- |" + " ---: |" * 6)
            for name, goal in compared.schedules(network.hosts):
                theirs, ours, one, like = compared.row(name, goal, network, seeds)
                cells = [name, both(theirs), both(ours), ratio(ours, theirs), both(one), both(like),
                         ratio(like, one)]
                print("|", " | ".join(cells), "|", flush=True)
                worst = max(worst, abs(like.last / one.last - 1), abs(like.mean / one.mean - 1))
    if test and worst > 1 / 20:
        sys.exit(f"a schedule differs by {worst:.3f}")


def both(times):
    return f"{times.last:.1f} / {times.mean:.1f}"


def ratio(ours, theirs):
    return f"{ours.last / theirs.last:.3f} / {ours.mean / theirs.mean:.3f}"


main()
