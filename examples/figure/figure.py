#!/usr/bin/env python3
"""Draws a figure that fits a column from the tidy rows of a sweep.

    go run ./bench sweep -fc pfc,pyrrha -sweep incast.degree=16,32,64 -sweep buffer=1MiB,4MiB \\
        -seeds 1-5 -tidy tidy.csv incast
    python3 examples/figure/figure.py tidy.csv figure.pdf --group vulnerable --measure fct_us_p99

A row of the file is a run, a group of flows and a measure: fc, the parameters that were swept,
seed, group, measure, value. The first parameter is the x axis, each value of the second a panel,
each flow control a colour. Points are means over the seeds; bars reach from the lowest seed to the
highest. --where PARAMETER=VALUE leaves a third parameter out. It needs pandas and matplotlib.
"""
import argparse
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

MILLIMETRE = 1 / 25.4

UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
UNITS.update({"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1})
UNITS.update({"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12})


def number(text):
    """The number that a value stands for, as 1/8 or 2MiB; none if it is a word."""
    match = re.fullmatch(r"([0-9.]+)(?:/([0-9]+))?([A-Za-z]*)", text)
    if not match or match[3] not in UNITS:
        return None
    return float(match[1]) / float(match[2] or 1) * UNITS[match[3]]


def in_order(values):
    """The values of a parameter, by size if they are numbers, else as they come."""
    values = list(dict.fromkeys(values))
    if all(number(v) is not None for v in values):
        return sorted(values, key=number)
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", help="file that sweep -tidy wrote")
    parser.add_argument("figure", help="file to write: .pdf, .svg or .png")
    parser.add_argument("--group", default="all_flows")
    parser.add_argument("--measure", default="fct_us_p99")
    parser.add_argument("--width", type=float, default=84, help="mm")
    parser.add_argument("--height", type=float, default=56, help="mm")
    parser.add_argument("--where", action="append", default=[], metavar="PARAMETER=VALUE",
                        help="only these runs; may be given for several parameters")
    options = parser.parse_args()

    # What is swept is text: "1/8" and "1MiB" are no numbers to pandas.
    rows = pd.read_csv(options.rows, dtype=str).astype({"value": float})
    parameters = list(rows.columns[1 : rows.columns.get_loc("seed")])
    for condition in options.where:
        name, _, value = condition.partition("=")
        if name not in parameters or value not in set(rows[name]):
            sys.exit(f"--where {condition}: no run is of that; swept are {', '.join(parameters)}")
        rows = rows[rows[name] == value]
        parameters.remove(name)
    if len(parameters) not in (1, 2):
        sys.exit(f"{options.rows}: {len(parameters)} parameters are swept, a figure has one or two; "
                 "--where PARAMETER=VALUE takes one away")
    chosen = rows[(rows.group == options.group) & (rows.measure == options.measure)]
    if chosen.empty:
        known = rows[["group", "measure"]].drop_duplicates().agg(" ".join, axis=1)
        sys.exit(f"no {options.measure} of {options.group}; there are: " + ", ".join(known))

    x = parameters[0]
    places = {value: i for i, value in enumerate(in_order(chosen[x]))}
    panels = in_order(chosen[parameters[1]]) if len(parameters) == 2 else [None]
    plt.rcParams.update({"font.size": 8, "axes.labelsize": 8, "xtick.labelsize": 7,
                         "ytick.labelsize": 7, "legend.fontsize": 7, "lines.linewidth": 1})
    size = (options.width * MILLIMETRE, options.height * MILLIMETRE)
    figure, axes = plt.subplots(1, len(panels), figsize=size, sharey=True, squeeze=False,
                                layout="constrained")
    line = "-" if all(number(value) is not None for value in places) else ""
    controls = list(dict.fromkeys(chosen.fc))
    for axis, panel in zip(axes[0], panels):
        of_panel = chosen if panel is None else chosen[chosen[parameters[1]] == panel]
        for i, control in enumerate(controls):
            of_control = of_panel[of_panel.fc == control]
            spread = of_control.groupby(x, sort=False).value.agg(["mean", "min", "max"])
            spread = spread.loc[[value for value in places if value in spread.index]]
            at = [places[value] + 0.06 * (i - (len(controls) - 1) / 2) for value in spread.index]
            axis.errorbar(at, spread["mean"], [spread["mean"] - spread["min"],
                          spread["max"] - spread["mean"]], marker="os^Dvx"[i % 6], markersize=3,
                          linestyle=line, capsize=2, label=control)
        axis.set_xticks(list(places.values()), list(places))
        axis.set_xlabel(x)
        axis.margins(y=0.1)
        axis.set_ylim(bottom=0)
        axis.grid(axis="y", linewidth=0.3)
        if panel is not None:
            axis.set_title(f"{parameters[1]} {panel}", fontsize=8)
    axes[0][0].set_ylabel(f"{options.group}: {options.measure}")
    axes[0][-1].legend(frameon=False)
    figure.savefig(options.figure, dpi=300)


if __name__ == "__main__":
    main()
