"""Runs schedules of LogGOPSim's Schedgen there and here, and prints the page RESULTS.md.

    python3 compare.py LOGGOPS [test]

LOGGOPS is a checkout of LogGOPSim (github.com/spcl/LogGOPSim) with its programs built. With test
it fails unless every schedule that LogGOPSim ends is within a twentieth, once the messages of a
rank go one after another and packets are short; doublering aside, whose messages are not ready in
the order of the file.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PATTERNS = """binomialtreebcast binarytreebcast binomialtreereduce gather scatter linbarrier
dissemination nwaydissemination pipelinedring pipelinedringdep doublering linear_alltoall
allreduce_recdoub allreduce_ring""".split()
NANOSECONDS_PER_BYTE, LATENCY = 1, 2000  # links of 8 Gb/s and of half the latency
REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def one_after_another(goal):
    """Lets each send of a rank wait for the end of the send before it."""
    lines, before = [], None
    for line in goal.splitlines():
        lines.append(line)
        if line.startswith("rank"):
            before = None
        sent = re.match(r"\s*(\w+): send", line)
        if sent:
            if before:
                lines.append(f"{sent[1]} requires {before}")
            before = sent[1]
    return "\n".join(lines) + "\n"


class Compared:
    def __init__(self, loggops, folder):
        self.loggops, self.folder = loggops, folder
        self.bench = os.path.join(folder, "bench")
        run("go", "build", "-o", self.bench, "./bench", cwd=REPOSITORY)

    def file(self, name):
        return os.path.join(self.folder, name)

    def schedule(self, pattern, ranks, size):
        run(f"{self.loggops}/Schedgen/schedgen", "-p", pattern, "-s", str(ranks), "-d", str(size),
            "--segmentsize", str(size // 8), "-o", self.file("goal"))
        with open(self.file("goal")) as f:
            return f.read()

    def there(self):
        """The ends of the ranks, in ns; none if messages are left."""
        run(f"{self.loggops}/LogGOPSim/txt2bin", "-i", self.file("goal"), "-o", self.file("bin"))
        out = run(f"{self.loggops}/LogGOPSim/LogGOPSim", "-f", self.file("bin"), "-L", str(LATENCY),
                  "-o", "0", "-g", "0", "-G", str(NANOSECONDS_PER_BYTE), "-O", "0", "-S", "1000000000")
        return [int(end) for end in re.findall(r"^Host \d+: (\d+)", out, re.M)]

    def here(self, goal, ranks, payload):
        with open(self.file("own.goal"), "w") as f:
            f.write(goal)
        with open(self.file("net.txt"), "w") as f:
            f.write(f"{ranks + 1} 1 {ranks}\n{ranks}\n")
            for host in range(ranks):
                f.write(f"{host} {ranks} 8Gbps {LATENCY // 2}ns 0\n")
        settings = f"header=0,payload={payload},ack.size=1B,window=1GB,buffer=1GB"
        run(self.bench, "run", "-q", "-fc", "pfc", "-topology", self.file("net.txt"), "-set", settings,
            "-schedule", self.file("own.goal"), "-json", self.file("json"))
        with open(self.file("json")) as f:
            return [round(1000 * end) for end in json.load(f)[0]["jobs"][0]["rank_ends_us"]]

    def row(self, pattern, ranks, size):
        goal = self.schedule(pattern, ranks, size)
        there = self.there()
        ours = [self.here(goal, ranks, 1000), self.here(one_after_another(goal), ranks, 1000),
                self.here(one_after_another(goal), ranks, 100)]
        return there, ours


def main():
    loggops, test = sys.argv[1], sys.argv[2:] == ["test"]
    print("# Schedules of Schedgen, there and here\n\n<!-- made by make results -->\n")
    print("When the last rank is done, in ns; in the last column, the largest difference of a rank.\n"
          "*Here*: packets of 1,000 bytes. *Chained*: each send of a rank waits for the end of the send\n"
          "before it in the file. *Short*: packets of 100 bytes, too.\n")
    print("| pattern | ranks | bytes | LogGOPSim | here | chained | short | over LogGOPSim's | a rank |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        compared = Compared(os.path.abspath(loggops), folder)
        for ranks in [8] if test else [8, 16]:
            for size in [65536] if test else [65536, 1048576]:
                for pattern in PATTERNS:
                    there, ours = compared.row(pattern, ranks, size)
                    cells = [pattern, ranks, size, max(there, default="messages left")]
                    cells += [max(ends) for ends in ours]
                    if there:
                        ratio = max(ours[2]) / max(there)
                        if pattern != "doublering":
                            worst = max(worst, abs(ratio - 1))
                        cells += [f"{ratio:.3f}", max(abs(a - b) for a, b in zip(ours[2], there))]
                    else:
                        cells += ["", ""]
                    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)
    if test and worst > 1 / 20:
        sys.exit(f"a schedule differs by {worst:.3f}")


main()
