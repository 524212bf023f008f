"""record.py FILE: what the tests in a file that P4Testgen wrote for PTF fill, send and expect.

It prints a JSON list with an object a test. All numbers are hexadecimal.
"""

import importlib.util
import json
import sys
import types


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    sys.modules[name] = made


class Mask:
    """An expected packet, and the bits of it that may be anything: offset and length."""

    def __init__(self, octets):
        self.octets, self.ignored = octets, []

    def set_do_not_care(self, offset, length):
        self.ignored.append([offset, length])


def number(value):
    return None if value is None else f"{value:x}"


def key(name, value=None, mask=None, prefix_len=None, low=None, high=None):
    return {"name": name, "value": number(low if value is None else value),
            "mask": number(high if mask is None else mask), "prefix": prefix_len}


def datum(name, value):
    return {"name": name, "value": number(value)}


def send(test, port, octets):
    test.says["sent"] = {"port": port, "octets": octets.hex()}


def expect(test, mask, port):
    test.says["expected"] = {"port": port, "octets": mask.octets.hex(), "ignored": mask.ignored}


def insert(test, table, keys=None, action=None, data=()):
    test.says["entries"].append({"table": table, "keys": keys, "action": action, "data": list(data)})


def override(test, table, action=None, data=()):
    test.says["defaults"].append({"table": table, "action": action, "data": list(data)})


def register(test, name, value, index):
    halves = [half for _, half in value] if isinstance(value, list) else [value]
    test.says["registers"].append({"name": name, "index": index, "halves": halves})


module("bfruntime_client_base_tests", BfRuntimeTest=object)
module("ptf")
module("ptf.mask", Mask=Mask)
module("ptf.testutils", send_packet=send, verify_packet=expect, verify_no_other_packets=None)
module("bfrt_grpc")
module("bfrt_grpc.bfruntime_pb2")
module("bfrt_grpc.client", KeyTuple=key, DataTuple=datum)

spec = importlib.util.spec_from_file_location("tests", sys.argv[1])
tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tests)
tests.AbstractTest.insertTableEntry = insert
tests.AbstractTest.overrideDefaultEntry = override
tests.AbstractTest.setRegisterValue = register

written = []
for made in tests.AbstractTest.__subclasses__():
    one = made()
    one.says = {"name": made.__name__, "entries": [], "defaults": [], "registers": []}
    one.setupCtrlPlane()
    one.sendPacket()
    one.verifyPackets()
    written.append(one.says)
json.dump(written, sys.stdout)
