"""Runs a script as bfrt_python does, on the switch of bfrt_grpc.client: python3 shell.py SCRIPT."""

import json
import sys

from bfrt_grpc import client

PATHS = {"port.port": "$PORT", "mirror.cfg": "$mirror.cfg", "pre.node": "$pre.node",
         "pre.mgid": "$pre.mgid", "pre.prune": "$pre.prune"}


class Node:
    """A node of the shell's tree: a folder, or a table with its methods."""

    def __init__(self, switch, path):
        self.switch, self.path = switch, path

    def __getattr__(self, name):
        path = (self.path + "." + name).lstrip(".")
        known = PATHS.get(path, path)
        if known.startswith(self.switch.program + "."):
            known = known[len(self.switch.program) + 1:]
        if known in self.switch.tables:
            return Shell(self.switch.tables[known])
        if path == "complete_operations":
            return lambda: None
        return Node(self.switch, path)

    def __call__(self, *arguments, **named):
        raise client.Refusal("no table %s" % self.path)


class Shell:
    """A table of the shell."""

    def __init__(self, table):
        self.table = table

    def __getattr__(self, method):
        verb, _, action = method.partition("_with_")
        return lambda **arguments: self.call(verb, action, arguments)

    def add_from_json(self, text):
        for one in json.loads(text):
            if one["table_name"] != self.table.name:
                raise client.Refusal("%s, not %s" % (one["table_name"], self.table.name))
            if list(one["key"]) != list(self.table.keys):
                raise client.Refusal("%s: keys %s" % (self.table.name, list(one["key"])))
            keys = [self.pair(name, value) for name, value in one["key"].items()]
            data = [client.DataTuple(name, number(value)) for name, value in one["data"].items()]
            self.table.entry_add(client.Target(0, 0xFFFF), [self.table.make_key(keys)],
                                 [self.table.make_data(data, one["action"])])

    def pair(self, name, value):
        kind = self.table.keys[name]["match_type"]
        values = [number(v) for v in value] if isinstance(value, list) else [number(value)]
        names = {"Exact": ["value"], "Ternary": ["value", "mask"], "LPM": ["value", "prefix_len"],
                 "Range": ["low", "high"]}[kind]
        return client.KeyTuple(name, **dict(zip(names, values)))

    def call(self, verb, action, arguments):
        target = client.Target(0, arguments.pop("pipe", 0xFFFF))
        keys = []
        for name, field in self.table.keys.items():
            short = name.split(".")[-1].replace("$", "")
            suffixes = {"Exact": {"": "value"}, "Ternary": {"": "value", "_mask": "mask"},
                        "LPM": {"": "value", "_p_length": "prefix_len"},
                        "Range": {"_start": "low", "_end": "high"}}[field["match_type"]]
            given = {to: arguments.pop(short + suffix) for suffix, to in suffixes.items()
                     if short + suffix in arguments}
            if given:
                keys.append(client.KeyTuple(name, **given))
        names = {one.split(".")[-1].replace("$", ""): one for one in self.table.actions}
        if action and action not in names:
            raise client.Refusal("%s has no action %s" % (self.table.name, action))
        fields = self.table.fields
        if action and not self.table.fixed:
            fields = {one["name"]: one for one in self.table.actions[names[action]]["data"]}
        short = {name.split(".")[-1].replace("$", ""): name for name in fields}
        data = []
        for name, value in arguments.items():
            if name not in short:
                raise client.Refusal("%s has no datum %s" % (self.table.name, name))
            kind = "bool_val" if isinstance(value, bool) else "str_val" if isinstance(value, str) else (
                "int_arr_val" if isinstance(value, list) else "val")
            data.append(client.DataTuple(short[name], **{kind: value}))
        if verb == "get":
            return list(self.table.entry_get(target, [self.table.make_key(keys)]))
        data = self.table.make_data(data, names[action]) if action else self.table.make_data(data)
        if verb == "set_default":
            return self.table.default_entry_set(target, data)
        write = {"add": self.table.entry_add, "mod": self.table.entry_mod}[verb]
        return write(target, [self.table.make_key(keys)], [data])


def number(value):
    """Returns a number that may be text."""
    return int(value, 0) if isinstance(value, str) else value


def main():
    switch = client.ClientInterface("")
    switch.program = sys.argv[2]
    switch.bind_pipeline_config("stub")
    with open(sys.argv[1], encoding="utf-8") as file:
        exec(compile(file.read(), sys.argv[1], "exec"), {"bfrt": Node(switch, "")})
    switch.tear_down_stream()


main()
