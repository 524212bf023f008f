"""A switch for tests, in the shape of bfrt_grpc.client. It refuses what a switch would: a table, key,
action or field that the schema does not have, a value that does not fit, a missing key, a value
outside of its mask, a written field that can only be read, an entry that is there or is not, a full
table, and what comes out of turn.

SLUICE_STUB names a directory: bf-rt.json and fixed.json are the schemas, state.json what the switch
holds between runs."""

import json
import os
from collections import namedtuple

BUSY = "tf2.tm.pipe.sched_cfg"
ORDER = ["$PORT", "tf2.tm.port.group", "tf2.tm.", ("$", "tf2.pktgen."), "pipe.", "register", BUSY]


class Refusal(Exception):
    """What the switch says no to."""


class Target(namedtuple("Target", "device_id pipe_id")):
    """The pipes that are meant."""


class KeyTuple:
    """A key of an entry."""

    def __init__(self, name, value=None, mask=None, prefix_len=None, low=None, high=None):
        self.name = name
        given = {"value": value, "mask": mask, "prefix_len": prefix_len, "low": low, "high": high}
        self.given = {name: value for name, value in given.items() if value is not None}


class DataTuple:
    """A datum of an entry."""

    def __init__(self, name, val=None, str_val=None, bool_val=None, int_arr_val=None):
        given = {"bytes": val, "string": str_val, "bool": bool_val, "list": int_arr_val}
        self.name, self.given = name, {k: v for k, v in given.items() if v is not None}


class ClientInterface:
    """A connection."""

    def __init__(self, grpc_addr, client_id=0, device_id=0):
        self.folder = os.environ["SLUICE_STUB"]
        self.tables = {}
        with open(os.path.join(self.folder, "bf-rt.json"), encoding="utf-8") as file:
            for table in json.load(file)["tables"]:
                self.tables[table["name"]] = Table(self, table, False)
        with open(os.path.join(self.folder, "fixed.json"), encoding="utf-8") as file:
            for table in json.load(file)["tables"]:
                self.tables[table["name"]] = Table(self, table, True)
        self.state, self.turn, self.bound, self.writes = {}, 0, False, 0
        self.path = os.path.join(self.folder, "state.json")
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.state = json.load(file)

    def bfrt_info_get(self, p4_name=None):
        return Info(self)

    def bind_pipeline_config(self, p4_name):
        self.bound = p4_name == "stub"

    def tear_down_stream(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.state, file)
        with open(os.path.join(self.folder, "writes"), "w", encoding="utf-8") as file:
            file.write(str(self.writes))

    def written(self, name, register):
        """Notes that a table is written, which must be its turn."""
        if not self.bound:
            raise Refusal("no program is bound")
        turn = 5 if register else 0
        if name == BUSY:
            turn = 6
        elif not register:
            turn = next(at for at, start in enumerate(ORDER) if name.startswith(start))
        if turn < self.turn:
            raise Refusal("%s is written after %s" % (name, ORDER[self.turn]))
        self.turn = turn
        self.writes += 1


class Info:
    """The schema."""

    def __init__(self, switch):
        self.switch = switch

    def p4_name_get(self):
        return "stub"

    def table_get(self, name):
        if name not in self.switch.tables:
            raise Refusal("no table %s" % name)
        return self.switch.tables[name]


Key = namedtuple("Key", "fields")
Key.to_dict = lambda self: self.fields
Data = namedtuple("Data", "action fields")
Data.to_dict = lambda self: dict(self.fields, **{"action_name": self.action, "is_default_entry": False})


class Table:
    """A table of the schema."""

    def __init__(self, switch, schema, fixed):
        self.switch, self.schema, self.fixed, self.name = switch, schema, fixed, schema["name"]
        self.keys = {field["name"]: field for field in schema["key"]}
        self.actions = {action["name"]: action for action in schema.get("action_specs") or []}
        self.fields = {field["singleton"]["name"]: field for field in schema["data"]}
        self.register = schema["table_type"] == "Register"

    # What the client calls.

    def make_key(self, tuples):
        fields = {}
        for one in tuples:
            if one.name not in self.keys:
                raise Refusal("%s has no key %s" % (self.name, one.name))
            if one.name in fields:
                raise Refusal("%s: key %s twice" % (self.name, one.name))
            self.match(self.keys[one.name], one.given)
            fields[one.name] = one.given
        if len(fields) != len(self.keys):
            raise Refusal("%s: keys %s of %s" % (self.name, sorted(fields), sorted(self.keys)))
        return Key(fields)

    def make_data(self, tuples, action_name=None):
        known = self.fields
        if self.actions:
            if action_name not in self.actions:
                raise Refusal("%s has no action %s" % (self.name, action_name))
            if not self.fixed:
                known = {field["name"]: field for field in self.actions[action_name]["data"]}
        elif action_name is not None:
            raise Refusal("%s has no actions" % self.name)
        fields = {}
        for one in tuples:
            if one.name not in known:
                raise Refusal("%s has no datum %s" % (self.name, one.name))
            self.datum(known[one.name], one)
            fields[one.name] = list(one.given.values())[0]
        missing = [name for name, field in known.items() if field["mandatory"] and name not in fields]
        if missing:
            raise Refusal("%s: data %s are missing" % (self.name, missing))
        return Data(action_name, fields)

    def entry_add(self, target, keys, data):
        self.write(target, keys, data, True, False)

    def entry_mod(self, target, keys, data):
        self.write(target, keys, data, False, True)

    def entry_add_or_mod(self, target, keys, data):
        self.write(target, keys, data, True, True)

    def entry_del(self, target, keys):
        self.switch.written(self.name, self.register)
        for key in keys:
            if self.held(target).pop(name_of(key), None) is None:
                raise Refusal("%s: not found: %s" % (self.name, key.fields))

    def default_entry_set(self, target, data):
        if not self.keys or self.actions:
            self.switch.written(self.name, self.register)
            for held in self.places(target):
                held["default"] = {"key": {}, "action": data.action, "data": dict(
                    held.get("default", {"data": {}})["data"], **data.fields)}
            return
        raise Refusal("%s has no default" % self.name)

    def default_entry_get(self, target, flags=None):
        for held in self.places(target)[:1]:
            if "default" in held:
                yield Data(held["default"]["action"], held["default"]["data"]), None

    def entry_get(self, target, keys=None, flags=None):
        if keys is None:
            if self.schema.get("there"):
                raise Refusal("%s is not read as a whole" % self.name)
            for name, one in self.held(target).items():
                if name != "default":
                    yield self.answer(Key(one["key"]), one), Key(one["key"])
            return
        for key in keys:
            one = self.held(target).get(name_of(key))
            if one is None and not self.there():
                raise Refusal("%s: not found: %s" % (self.name, key.fields))
            yield self.answer(key, one or {"action": None, "data": self.initial(key)}), key

    # What it does with that.

    def there(self):
        """Reports whether the entries of the table are there from the start."""
        return self.register or self.schema.get("there", False)

    def initial(self, key):
        """Returns what an entry holds before it is written."""
        if self.name == "tf2.tm.port.cfg":  # as the driver carves
            port = key.fields["dev_port"]["value"]
            counts = self.switch.state.get("tf2.tm.port.group/%d" % (port >> 7), {}).get(
                json.dumps({"pg_id": {"value": port >> 3 & 15}}), {"data": {}})["data"].get(
                    "port_queue_count", [16] * 8)
            base = sum(counts[:port & 7])
            return {"egress_qid_queues": [base + at for at in range(counts[port & 7])],
                    "ingress_qid_map": list(range(counts[port & 7]))}
        return {name: 0 for name in self.fields}

    def answer(self, key, one):
        """Returns what a reader gets: of a register a value for each pipe."""
        if not self.register:
            return Data(one["action"], one["data"])
        pipes = [self.switch.state.get(self.place(pipe), {}) for pipe in range(4)]
        fields, name = {}, name_of(key)
        for field in self.fields:
            fields[field] = [held[name]["data"][field] if name in held else 0 for held in pipes]
        return Data(None, fields)

    def place(self, pipe):
        return "%s/%d" % (self.name, pipe)

    def places(self, target):
        """Returns what the table holds in each pipe that is meant. Tables of the program have one
        for all."""
        if not self.register and not self.schema.get("by_pipe"):
            if target.pipe_id != 0xFFFF:
                raise Refusal("%s is of all pipes, not of %d" % (self.name, target.pipe_id))
            return [self.switch.state.setdefault(self.place(0), {})]
        pipes = range(4) if target.pipe_id == 0xFFFF else [target.pipe_id]
        return [self.switch.state.setdefault(self.place(pipe), {}) for pipe in pipes]

    def held(self, target):
        return self.places(target)[0]

    def write(self, target, keys, data, add, modify):
        self.switch.written(self.name, self.register)
        for key, one in zip(keys, data):
            for held in self.places(target):
                known = name_of(key) in held or self.there()
                if known and not modify or not known and not add:
                    raise Refusal("%s: %s is %sthere" % (self.name, key.fields, "" if known else "not "))
                before = held.get(name_of(key), {"data": {}})["data"] if self.fixed else {}
                held[name_of(key)] = {"key": key.fields, "action": one.action,
                                      "data": dict(before, **one.fields)}
                entries = len(held) - ("default" in held)
                if not self.fixed and entries > self.schema["size"]:
                    raise Refusal("%s is full" % self.name)

    def match(self, field, given):
        """Refuses a key that its kind does not have."""
        kind, width = field["match_type"], width_of(field["type"])
        wanted = {"Exact": ["value"], "Ternary": ["mask", "value"], "LPM": ["prefix_len", "value"],
                  "Range": ["high", "low"]}[kind]
        where = "%s: key %s = %s" % (self.name, field["name"], given)
        if sorted(given) != wanted:
            raise Refusal("%s: %s takes %s" % (where, kind, wanted))
        if field["type"]["type"] == "string":
            return
        for name, value in given.items():
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << width:
                raise Refusal("%s: %d bits" % (where, width))
        if kind == "Ternary" and given["value"] & ~given["mask"]:
            raise Refusal("%s: outside of its mask" % where)
        if kind == "LPM" and (given["prefix_len"] > width or
                              given["value"] & (1 << width - given["prefix_len"]) - 1):
            raise Refusal("%s: bits of the host" % where)
        if kind == "Range" and given["low"] > given["high"]:
            raise Refusal("%s: from high to low" % where)

    def datum(self, field, one):
        """Refuses a datum that its type does not have."""
        if field.get("read_only"):
            raise Refusal("%s: %s can only be read" % (self.name, one.name))
        kind = field.get("singleton", field)["type"]
        repeated = field.get("singleton", field).get("repeated") and not self.register
        where = "%s: datum %s = %s" % (self.name, one.name, one.given)
        wanted = "list" if repeated else kind["type"] if kind["type"] in ("string", "bool") else "bytes"
        if list(one.given) != [wanted]:
            raise Refusal("%s: takes a %s" % (where, wanted))
        value = one.given[wanted]
        if wanted == "string" and kind.get("choices") and value not in kind["choices"]:
            raise Refusal("%s: one of %s" % (where, kind["choices"]))
        if wanted in ("bytes", "list"):
            for number in value if repeated else [value]:
                if not 0 <= number < 1 << width_of(kind):
                    raise Refusal("%s: %d bits" % (where, width_of(kind)))


def width_of(kind):
    """Returns the bits of a type."""
    if kind["type"].startswith("uint"):
        return int(kind["type"][4:])
    return kind.get("width", 0)


def name_of(key):
    """Returns what an entry is known by."""
    return json.dumps(key.fields, sort_keys=True)
