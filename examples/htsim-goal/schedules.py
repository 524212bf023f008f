"""Schedules as text of GOAL, and changes that make them do what SPCL's htsim does."""
import re

SEND = r"\s*(\w+): send \d+b to (\d+) tag (\d+)"
RECEIVE = r"\s*(\w+): recv \d+b from (\d+) tag (\d+)"
ANSWER = 1000000  # added to the tag of a message: the tag of its answer


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


def answered(goal):
    """The same here, where a send ends when its last bit has left: each message is answered by one
    byte, and the next send waits for that."""
    lines, before = [], None
    for line in goal.splitlines():
        lines.append(line)
        if line.startswith("rank"):
            before = None
        sent, got = re.match(SEND, line), re.match(RECEIVE, line)
        if sent:
            if before:
                lines.append(f"{sent[1]} requires {before}")
            before = f"{sent[1]}_back"
            lines.append(f"{before}: recv 1b from {sent[2]} tag {ANSWER + int(sent[3])}")
        if got:
            lines.append(f"{got[1]}_back: send 1b to {got[2]} tag {ANSWER + int(got[3])}")
            lines.append(f"{got[1]}_back requires {got[1]}")
    return "\n".join(lines) + "\n"


def acknowledged(goal, network):
    """Lets a receive end as late as in htsim: when its last acknowledgement has reached the
    sender."""
    lines, rank, ends = [], 0, {}
    for line in goal.splitlines():
        if line.startswith("rank"):
            rank, ends = int(line.split()[1]), {}
        got = re.match(RECEIVE, line)
        waits = re.match(r"\s*(\w+) requires (\w+)", line)
        if waits and waits[2] in ends:
            line = f"{waits[1]} requires {ends[waits[2]]}"
        lines.append(line)
        if got:
            ends[got[1]] = f"{got[1]}_known"
            back = network.back(int(got[2]), rank)
            lines.append(f"{got[1]}_known: calc {back} cpu {len(ends) + 1}")
            lines.append(f"{got[1]}_known requires {got[1]}")
    return "\n".join(lines) + "\n"
