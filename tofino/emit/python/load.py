#!/usr/bin/env python3
"""Loads a list of entries into a switch through bfrt_grpc.client, and reads them back.

    load.py [--dry-run] [--address HOST:PORT] [--program NAME] [--client N] ENTRIES.json

The list is what it is read from alone: this file knows no program. Entries are written in the order
in which a switch can take them: ports, carving, queues and buffers, mirrors, multicast and packet
generators, then the program's tables, its registers, and last what lets words of flow control act.
What holds already is not written: a second run writes nothing. "expect" entries are read before
anything of the program is written, and what they say must hold: words of flow control rely on it.

Exit status: 0 if all holds at the end, 1 if something does not, 2 if the list cannot be used.
"""

import argparse
import collections
import json
import sys

ALL_PIPES = 0xFFFF
CHUNK = 512  # entries in one request
ENABLE = "tf2.tm.pipe.sched_cfg"

Entry = collections.namedtuple("Entry", "table op pipe action key data kinds place")


class Refused(Exception):
    """What cannot be used or does not hold."""


def rank(entry):
    """Returns when an entry's turn is."""
    if entry.table == "$PORT":
        return 0
    if entry.table == "tf2.tm.port.group":
        return 1
    if entry.op == "expect":
        return 3
    if entry.table == ENABLE:
        return 7
    if entry.table.startswith("tf2.tm."):
        return 2
    if not entry.table.startswith("pipe."):
        return 4
    return 6 if "$REGISTER_INDEX" in entry.key else 5


def read(path):
    """Returns the entries of a list in the order in which they are written."""
    try:
        with open(path, encoding="utf-8") as file:
            listed = json.load(file)
    except (OSError, ValueError) as error:
        raise Refused("%s: %s" % (path, error)) from error
    entries = []
    for at, one in enumerate(listed):
        place = "%s: entry %d" % (path, at)
        try:
            entries.append(Entry(one["table_name"], one["op"], one["pipe"], one["action"],
                                 one["key"], one["data"], one.get("kinds", {}), place))
        except (KeyError, TypeError) as error:
            raise Refused("%s lacks %s" % (place, error)) from error
        if one["op"] not in ("add", "modify", "default", "delete", "expect"):
            raise Refused("%s: no operation %r" % (place, one["op"]))
    return sorted(entries, key=rank)  # which keeps the order of those with the same turn


def number(value):
    """Returns a number, which may be written as text where it has many bits."""
    return int(value, 0) if isinstance(value, str) and value.startswith("0x") else value


def key_tuples(gc, entry):
    """Returns the keys of an entry for the client."""
    tuples = []
    for name, value in entry.key.items():
        kind = entry.kinds.get(name, "exact")
        if kind == "ternary":
            tuples.append(gc.KeyTuple(name, number(value[0]), mask=number(value[1])))
        elif kind == "lpm":
            tuples.append(gc.KeyTuple(name, number(value[0]), prefix_len=value[1]))
        elif kind == "range":
            tuples.append(gc.KeyTuple(name, low=number(value[0]), high=number(value[1])))
        else:
            tuples.append(gc.KeyTuple(name, number(value)))
    return tuples


def data_tuples(gc, entry):
    """Returns the data of an entry for the client."""
    tuples = []
    for name, value in entry.data.items():
        value = number(value)
        if isinstance(value, bool):
            tuples.append(gc.DataTuple(name, bool_val=value))
        elif isinstance(value, str):
            tuples.append(gc.DataTuple(name, str_val=value))
        elif isinstance(value, list):
            tuples.append(gc.DataTuple(name, int_arr_val=value))
        else:
            tuples.append(gc.DataTuple(name, value))
    return tuples


def canonical(entry):
    """Returns the keys of an entry as something that can be looked up."""
    parts = []
    for name, value in entry.key.items():
        values = value if isinstance(value, list) else [value]
        parts.append((name,) + tuple(number(v) for v in values))
    return frozenset(parts)


def canonical_read(key):
    """Returns the keys that were read in the form of canonical."""
    parts = []
    for name, value in key.to_dict().items():
        if not isinstance(value, dict):
            value = {"value": value}
        values = [value[v] for v in ("value", "low", "mask", "prefix_len", "high") if v in value]
        parts.append((name,) + tuple(values))
    return frozenset(parts)


def holds(entry, got):
    """Reports whether data that were read agree with an entry, as far as it says."""
    if got is None:
        return False
    if entry.action is not None and got.get("action_name") != entry.action:
        return False
    return all(same(number(want), got.get(name)) for name, want in entry.data.items())


def same(want, got):
    """Reports whether a datum is what it is to be. A register answers with a number for each pipe;
    of a longer list, what was asked for comes first."""
    if isinstance(want, list):
        return isinstance(got, list) and got[:len(want)] == want
    if isinstance(got, list):
        return bool(got) and all(one == want for one in got)
    return got == want and isinstance(got, bool) == isinstance(want, bool)


class Loader:
    """Writes entries to a switch."""

    def __init__(self, gc, info, dry, out):
        self.gc, self.info, self.dry, self.out = gc, info, dry, out
        self.written = self.unchanged = 0

    def run(self, entries):
        """Writes what does not hold, then reads everything back."""
        for batch in batches(entries):
            self.write(batch)
        if not self.dry:
            for batch in batches(entries):
                wrong = self.differing(batch)
                if wrong:
                    raise Refused("%s: %s does not hold what was written" % (wrong[0].place, wrong[0].table))
        self.out.write("%d written, %d unchanged\n" % (self.written, self.unchanged))

    def write(self, batch):
        """Writes the entries of a batch that do not hold."""
        first = batch[0]
        wrong = self.differing(batch)
        if first.op == "expect" and wrong:
            raise Refused("%s: %s %s is not %s" % (wrong[0].place, first.table, wrong[0].key, wrong[0].data))
        self.unchanged += len(batch) - len(wrong)
        self.written += len(wrong)
        if not wrong:
            return
        if self.dry:
            for entry in wrong:
                self.out.write("would %s %s %s %s %s\n" % (entry.op, entry.table, entry.key,
                                                           entry.action or "", entry.data))
            return
        self.out.write("%s: %s %d\n" % (first.table, first.op, len(wrong)))
        table, target = self.table(first), self.target(first)
        keys = [table.make_key(key_tuples(self.gc, entry)) for entry in wrong if entry.key]
        if first.op == "delete":
            table.entry_del(target, keys)
            return
        data = [self.data(table, entry) for entry in wrong]
        if first.op == "default":
            for one in data:
                table.default_entry_set(target, one)
        elif first.op == "modify":
            table.entry_mod(target, keys, data)
        else:
            table.entry_add_or_mod(target, keys, data)

    def differing(self, batch):
        """Returns the entries of a batch that the switch does not hold."""
        first, found = batch[0], {}
        if first.op == "default":
            return [entry for entry in batch if not any(
                holds(entry, data.to_dict()) for data, _ in
                self.table(entry).default_entry_get(self.target(entry), flags={"from_hw": False}))]
        for data, key in self.entries(batch):
            found.setdefault(canonical_read(key), data.to_dict())
        if first.op == "delete":
            return [entry for entry in batch if canonical(entry) in found]
        return [entry for entry in batch if not holds(entry, found.get(canonical(entry)))]

    def entries(self, batch):
        """Reads the entries of a batch. Entries that are to be added may be missing: of such a table
        it reads all entries."""
        table, target, flags = self.table(batch[0]), self.target(batch[0]), {"from_hw": False}
        if "$REGISTER_INDEX" in batch[0].key:
            flags = {"from_hw": True}
        if batch[0].op in ("expect", "modify"):
            keys = [table.make_key(key_tuples(self.gc, entry)) for entry in batch]
            return [(pipes(data, batch[0].pipe), key) for data, key in table.entry_get(target, keys, flags)]
        return list(table.entry_get(target, None, flags))

    def data(self, table, entry):
        """Returns the data of an entry for the client."""
        tuples = data_tuples(self.gc, entry)
        return table.make_data(tuples, entry.action) if entry.action else table.make_data(tuples)

    def table(self, entry):
        """Returns the table of an entry."""
        return self.info.table_get(entry.table)

    def target(self, entry):
        """Returns the pipes of an entry."""
        return self.gc.Target(device_id=0, pipe_id=entry.pipe)


class pipes:
    """Data of a register as one pipe has them: the switch answers with a list of all."""

    def __init__(self, data, pipe):
        self.data, self.pipe = data, pipe

    def to_dict(self):
        """Returns the data."""
        got = dict(self.data.to_dict())
        for name, value in got.items():
            if isinstance(value, list) and "." in name and self.pipe != ALL_PIPES:
                got[name] = value[self.pipe] if self.pipe < len(value) else value
        return got


def batches(entries):
    """Yields runs of entries that go into one request."""
    batch = []
    for entry in entries:
        if batch and (len(batch) == CHUNK or (entry.table, entry.op, entry.pipe, bool(entry.key)) !=
                      (batch[0].table, batch[0].op, batch[0].pipe, bool(batch[0].key))):
            yield batch
            batch = []
        batch.append(entry)
    if batch:
        yield batch


def client():
    """Returns the module of the SDE that speaks to the driver."""
    try:
        import bfrt_grpc.client as gc  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Refused("%s: PYTHONPATH must have the SDE's Python packages" % error) from error
    return gc


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("entries")
    parser.add_argument("--dry-run", action="store_true", help="read and compare, write nothing")
    parser.add_argument("--address", default="localhost:50052")
    parser.add_argument("--program", help="the program to bind to; else the only one")
    parser.add_argument("--client", type=int, default=0)
    arguments = parser.parse_args()
    interface = None
    try:
        entries = read(arguments.entries)
        gc = client()
        interface = gc.ClientInterface(arguments.address, client_id=arguments.client, device_id=0)
        info = interface.bfrt_info_get(arguments.program)
        interface.bind_pipeline_config(info.p4_name_get())
        Loader(gc, info, arguments.dry_run, sys.stdout).run(entries)
    except Refused as error:
        sys.stderr.write("load.py: %s\n" % error)
        return 1 if interface else 2
    except Exception as error:  # of the client, whose kinds differ by its version
        sys.stderr.write("load.py: the switch refuses: %s\n" % error)
        return 1
    finally:
        if interface:
            interface.tear_down_stream()
    return 0


if __name__ == "__main__":
    sys.exit(main())
