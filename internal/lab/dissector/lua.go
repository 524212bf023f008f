package dissector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/wire"
)

func Lua() string {
	var b strings.Builder
	b.WriteString(head)
	names := make([]string, 0, len(protocols))
	for _, p := range protocols {
		names = append(names, fmt.Sprintf("[%d] = %q", p.number, p.name))
	}
	fmt.Fprintf(&b, "local protocols = { %s }\n", strings.Join(names, ", "))
	b.WriteString("local types = {\n")
	for _, p := range protocols {
		names = names[:0]
		for _, m := range p.messages {
			names = append(names, fmt.Sprintf("[%d] = %q", m.number, m.name))
		}
		fmt.Fprintf(&b, "  [%d] = { %s },\n", p.number, strings.Join(names, ", "))
	}
	b.WriteString("}\n\nlocal f = sluice.fields\n")
	b.WriteString(headerFields)
	var known []string
	for _, p := range protocols {
		for _, m := range p.messages {
			for _, whole := range m.fields {
				for _, part := range append([]field{whole}, whole.kind.each...) {
					if !slices.Contains(known, part.name) {
						known = append(known, part.name)
						writeField(&b, part)
					}
				}
			}
		}
	}
	b.WriteString("\n-- The body of each type of each protocol.\nlocal bodies = {\n")
	for _, p := range protocols {
		fmt.Fprintf(&b, "  [%d] = { -- %s\n", p.number, p.name)
		for _, m := range p.messages {
			fmt.Fprintf(&b, "    [%d] = %s, -- %s\n", m.number, readersOf(m.fields), m.name)
		}
		b.WriteString("  },\n")
	}
	fmt.Fprintf(&b, "}\n\n"+tail, wire.HeaderLength-14)
	return b.String()
}

func writeField(b *strings.Builder, field field) {
	label := strings.TrimPrefix(strings.TrimPrefix(field.label, "Paused "), "Resumed ")
	label = strings.ToUpper(label[:1]) + label[1:]
	fmt.Fprintf(b, "f.%s = ProtoField.%s(\"sluice.%s\", %q)\n", luaName(field.name), field.kind.size,
		field.name, label)
}

func luaName(name string) string { return strings.ReplaceAll(name, ".", "_") }

const head = `-- Wireshark dissector of the control frames of github.com/sluicefc/sluice: EtherType 0x88B5.
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

`

const headerFields = `f.protocol = ProtoField.uint8("sluice.protocol", "Protocol", base.DEC, protocols)
f.version = ProtoField.uint8("sluice.version", "Version")
f.type = ProtoField.uint8("sluice.type", "Type")
f.kind = ProtoField.string("sluice.kind", "Kind")
f.flags = ProtoField.uint8("sluice.flags", "Flags", base.HEX)
f.length = ProtoField.uint16("sluice.length", "Length of the body")
f.sequence = ProtoField.uint32("sluice.sequence", "Sequence number")
f.unknown = ProtoField.bytes("sluice.unknown", "Body of unknown type")
`

const tail = `function sluice.dissector(buffer, packet, tree)
  local header = %d
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
`
