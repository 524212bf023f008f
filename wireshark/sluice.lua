-- Wireshark dissector of the control frames of github.com/sluicefc/sluice: EtherType 0x88B5.
-- Written by internal/lab/dissector (go test ./internal/lab/dissector -update); do not edit.
--
--   wireshark -X lua_script:wireshark/sluice.lua FILE.pcapng

local sluice = Proto("sluice", "sluice control frame")

-- Each reads a field at an offset of the body, adds it to the tree, and returns the offset behind
-- it, and what to say of it in a line.
local function number(size)
  return function(tree, field, body, at)
    tree:add(field, body(at, size))
    return at + size, tostring(body(at, size):uint())
  end
end

local function list(tree, field, body, at)
  local count, all = body(at, 2):uint(), {}
  at = at + 2
  for _ = 1, count do
    tree:add(field, body(at, 2))
    all[#all + 1] = tostring(body(at, 2):uint())
    at = at + 2
  end
  return at, table.concat(all, " ")
end

local function bitmap(tree, field, body, at)
  local octets, all = math.floor((body(at, 2):uint() + 7) / 8), {}
  at = at + 2
  for i = 0, octets - 1 do
    local octet = body(at + i, 1)
    local bits = octet:uint()
    for bit = 0, bits == 0 and -1 or 7 do
      if math.floor(bits / 2 ^ bit) % 2 == 1 then
        tree:add(field, octet, 8 * i + bit)
        all[#all + 1] = tostring(8 * i + bit)
      end
    end
  end
  return at + octets, table.concat(all, " ")
end

local function keys(tree, field, body, at)
  local count = 0
  while at + 8 <= body:len() do
    tree:add(field, body(at, 8))
    at, count = at + 8, count + 1
  end
  return at, count .. " flows"
end

local function entries(each)
  return function(tree, field, body, at)
    local count, all = body(at, 2):uint(), {}
    tree:add(field, body(at, 2))
    at = at + 2
    for _ = 1, count do
      local entry = {}
      for _, part in ipairs(each) do
        local text
        at, text = part[2](tree, part[1], body, at)
        entry[#entry + 1] = text
      end
      all[#all + 1] = table.concat(entry, ":")
    end
    return at, table.concat(all, " ")
  end
end

local protocols = { [1] = "BFC", [2] = "OFC", [3] = "Pyrrha", [4] = "PortFC", [7] = "VOQ", [8] = "Floodgate" }
local types = {
  [1] = { [1] = "pause", [2] = "resume", [3] = "bitmap" },
  [2] = { [1] = "pause", [2] = "resume", [3] = "refresh" },
  [3] = { [1] = "pause", [2] = "resume", [3] = "merge", [4] = "dealloc" },
  [4] = { [1] = "pause", [2] = "resume" },
  [7] = { [1] = "pause", [2] = "resume" },
  [8] = { [1] = "credit", [2] = "syn" },
}

local f = sluice.fields
f.protocol = ProtoField.uint8("sluice.protocol", "Protocol", base.DEC, protocols)
f.version = ProtoField.uint8("sluice.version", "Version")
f.type = ProtoField.uint8("sluice.type", "Type")
f.kind = ProtoField.string("sluice.kind", "Kind")
f.flags = ProtoField.uint8("sluice.flags", "Flags", base.HEX)
f.length = ProtoField.uint16("sluice.length", "Length of the body")
f.sequence = ProtoField.uint32("sluice.sequence", "Sequence number")
f.unknown = ProtoField.bytes("sluice.unknown", "Body of unknown type")
f.queue = ProtoField.uint16("sluice.queue", "Queue")
f.class = ProtoField.uint8("sluice.class", "Class")
f.list = ProtoField.uint8("sluice.list", "All (1), last (2)")
f.count = ProtoField.uint16("sluice.count", "Number of flows")
f.generation = ProtoField.uint32("sluice.generation", "Generation")
f.part = ProtoField.uint16("sluice.part", "Part")
f.parts = ProtoField.uint16("sluice.parts", "Parts")
f.flow = ProtoField.uint64("sluice.flow", "Flow")
f.root_switch = ProtoField.uint32("sluice.root.switch", "Root switch")
f.root_port = ProtoField.uint16("sluice.root.port", "Root port")
f.hop = ProtoField.uint8("sluice.hop", "Distance to the root, hops")
f.old_switch = ProtoField.uint32("sluice.old.switch", "Old root's switch")
f.old_port = ProtoField.uint16("sluice.old.port", "Old root's port")
f.congested_queue = ProtoField.uint16("sluice.congested.queue", "Congested queue")
f.congested_port = ProtoField.uint16("sluice.congested.port", "At port")
f.congested_layer = ProtoField.uint8("sluice.congested.layer", "Of a switch of layer")
f.destinations = ProtoField.uint16("sluice.destinations", "Number of destinations")
f.destination_switch = ProtoField.uint32("sluice.destination.switch", "Destination's switch")
f.destination_port = ProtoField.uint16("sluice.destination.port", "Destination's port")
f.credited = ProtoField.uint32("sluice.credited", "Credited, bytes")
f.sent = ProtoField.uint32("sluice.sent", "Sent, bytes")

-- The body of each type of each protocol.
local bodies = {
  [1] = { -- BFC
    [1] = { { f.queue, list } }, -- pause
    [2] = { { f.queue, list } }, -- resume
    [3] = { { f.queue, bitmap } }, -- bitmap
  },
  [2] = { -- OFC
    [1] = { { f.class, number(1) }, { f.list, number(1) }, { f.count, number(2) }, { f.generation, number(4) }, { f.part, number(2) }, { f.parts, number(2) }, { f.flow, keys } }, -- pause
    [2] = { { f.class, number(1) }, { f.list, number(1) }, { f.count, number(2) }, { f.generation, number(4) }, { f.part, number(2) }, { f.parts, number(2) }, { f.flow, keys } }, -- resume
    [3] = { { f.class, number(1) }, { f.list, number(1) }, { f.count, number(2) }, { f.generation, number(4) }, { f.part, number(2) }, { f.parts, number(2) }, { f.flow, keys } }, -- refresh
  },
  [3] = { -- Pyrrha
    [1] = { { f.root_switch, number(4) }, { f.root_port, number(2) }, { f.hop, number(1) } }, -- pause
    [2] = { { f.root_switch, number(4) }, { f.root_port, number(2) } }, -- resume
    [3] = { { f.root_switch, number(4) }, { f.root_port, number(2) }, { f.old_switch, number(4) }, { f.old_port, number(2) }, { f.hop, number(1) } }, -- merge
    [4] = { { f.root_switch, number(4) }, { f.root_port, number(2) } }, -- dealloc
  },
  [4] = { -- PortFC
    [1] = { { f.congested_queue, number(2) }, { f.congested_port, number(2) }, { f.congested_layer, number(1) } }, -- pause
    [2] = { { f.congested_queue, number(2) }, { f.congested_port, number(2) }, { f.congested_layer, number(1) } }, -- resume
  },
  [7] = { -- VOQ
    [1] = { { f.destinations, entries({ { f.destination_switch, number(4) }, { f.destination_port, number(2) } }) } }, -- pause
    [2] = { { f.destinations, entries({ { f.destination_switch, number(4) }, { f.destination_port, number(2) } }) } }, -- resume
  },
  [8] = { -- Floodgate
    [1] = { { f.destinations, entries({ { f.destination_switch, number(4) }, { f.destination_port, number(2) }, { f.credited, number(4) } }) } }, -- credit
    [2] = { { f.destinations, entries({ { f.destination_switch, number(4) }, { f.destination_port, number(2) }, { f.credited, number(4) }, { f.sent, number(4) } }) } }, -- syn
  },
}

function sluice.dissector(buffer, packet, tree)
  local header = 10
  local protocol, kind, length = buffer(0, 1):uint(), buffer(2, 1):uint(), buffer(4, 2):uint()
  local name = (types[protocol] or {})[kind] or "unknown"
  packet.cols.protocol = (protocols[protocol] or "sluice"):upper()
  local branch = tree:add(sluice, buffer(0, header + length))
  branch:add(f.protocol, buffer(0, 1))
  branch:add(f.version, buffer(1, 1))
  branch:add(f.type, buffer(2, 1))
  branch:add(f.kind, buffer(2, 1), name)
  branch:add(f.flags, buffer(3, 1))
  branch:add(f.length, buffer(4, 2))
  branch:add(f.sequence, buffer(6, 4))
  local info, at = { name }, 0
  local fields = (bodies[protocol] or {})[kind]
  if length > 0 then
    local body = buffer(header, length)
    if fields then
      for _, field in ipairs(fields) do
        local text
        at, text = field[2](branch, field[1], body, at)
        info[#info + 1] = text
      end
    else
      branch:add(f.unknown, body)
    end
  end
  packet.cols.info = table.concat(info, " ")
end

DissectorTable.get("ethertype"):add(0x88B5, sluice)
