"""Schedules as text of GOAL, and a change that makes them do what SPCL's htsim does."""
import re

SEND = r"\s*(\w+): send \d+b to (\d+) tag (\d+)"


def tree(ranks, size):
    """A broadcast from rank 0 over a binomial tree."""
    text = f"num_ranks {ranks}\n"
    for rank in range(ranks):
        low = rank & -rank or ranks
        lines = [f"got: recv {size}b from {rank - low} tag 0"] if rank else []
        bit = low // 2
        while bit:
            if rank + bit < ranks:
                lines.append(f"to{bit}: send {size}b to {rank + bit} tag 0")
                lines += [f"to{bit} requires got"] if rank else []
            bit //= 2
        text += f"rank {rank} {{\n" + "\n".join(lines) + "\n}\n"
    return text


def chained(goal):
    """Lets each send of a rank wait for the end of the send before it: in htsim, until its last
    acknowledgement has come."""
    lines, before = [], None
    for line in goal.splitlines():
        lines.append(line)
        if line.startswith("rank"):
            before = None
        sent = re.match(SEND, line)
        if sent:
            if before:
                lines.append(f"{sent[1]} requires {before}")
            before = sent[1]
    return "\n".join(lines) + "\n"
