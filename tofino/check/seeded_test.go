package check_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/check"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// seeded is a fault put into one of the files of the sample program, and how it is to be named.
type seeded struct {
	name, file, from, to string
	says                 string // file, table, key and rule; "..." stands for the octet
}

const (
	list    = "entries.json"
	text    = "holds.p4"
	firstIn = `"action":"Ingress.base_word","key":{"port":8,"qid":0},"data":{"word":2181038080}`
	afc8    = "pipe.Ingress.afc, port=8 qid=0: "
)

// faults are ways in which files can be wrong.
var faults = []seeded{
	// Entries against the schema.
	{"unknown table", list, `"pipe.Ingress.route"`, `"pipe.Ingress.rout"`,
		list + ":...: pipe.Ingress.rout, dst=167772160/8: no such table in the program or of the driver"},
	{"unknown key", list, `"key":{"port":8,"qid":0},"data":{"word"`,
		`"key":{"port":8,"quid":0},"data":{"word"`,
		list + ":...: pipe.Ingress.afc, port=8 quid=0: no key quid"},
	{"missing key", list, `"key":{"port":8,"qid":0},"data":{"word"`, `"key":{"port":8},"data":{"word"`,
		"pipe.Ingress.afc, port=8: key qid is missing"},
	{"key too wide", list, `"key":{"port":8,"qid":0},"data":{"word"`,
		`"key":{"port":512,"qid":0},"data":{"word"`,
		"pipe.Ingress.afc, port=512 qid=0: key port: value 512 has more than 9 bits"},
	{"value outside of its mask", list, `"service":[32,224]`, `"service":[48,224]`,
		"pipe.Ingress.levels, service=48/224 level=0/9999 $MATCH_PRIORITY=1: key service: value 48 " +
			"has ones outside its mask 224"},
	{
		"mask too wide", list, `"service":[32,224]`, `"service":[32,480]`,
		"mask 480 has more than 8 bits",
	},
	{
		"prefix too long", list, `"dst":[167772160,8]`, `"dst":[167772160,33]`,
		"a prefix of 33 bits: the key has 32",
	},
	{
		"host bits", list, `"dst":[167772160,8]`, `"dst":[167772161,8]`,
		"value 167772161 has ones after its first 8 bits",
	},
	{
		"range upside down", list, `"level":[5000,262143]`, `"level":[5000,4999]`,
		"a range from 5000 down to 4999",
	},
	{"missing priority", list, `,"$MATCH_PRIORITY":2}`, `}`, "key $MATCH_PRIORITY is missing"},
	{"kind of match", list, `{"service":"ternary","level":"range"}`,
		`{"service":"lpm","level":"range"}`,
		`key service: matches as "ternary", not "lpm"`},
	{"duplicate key", list, `"key":{"port":8,"qid":1},"data":{"word"`,
		`"key":{"port":8,"qid":0},"data":{"word"`,
		"pipe.Ingress.afc, port=8 qid=0: has the keys of the entry at octet ..."},
	{"entry behind another", list, `"service":[32,224],"level":[0,9999],"$MATCH_PRIORITY":1`,
		`"service":[32,224],"level":[5000,9999],"$MATCH_PRIORITY":3`,
		"never matches: the entry at octet ... comes first"},
	{"action not listed", list, firstIn, strings.Replace(firstIn, "base_word", "hold", 1),
		afc8 + `no action "Ingress.hold" of this table`},
	{
		"unknown datum", list, firstIn, strings.Replace(firstIn, `"word"`, `"wort"`, 1),
		afc8 + "no datum wort",
	},
	{
		"missing datum", list, firstIn, strings.Replace(firstIn, `"word":2181038080`, "", 1),
		afc8 + "datum word is missing",
	},
	{"datum too wide", list, firstIn, strings.Replace(firstIn, "2181038080", "4294967296", 1),
		afc8 + "datum word: value 4294967296 has more than 32 bits"},
	{"not a choice", list, `"queue_depth_report_mode":"ANY"`, `"queue_depth_report_mode":"SOME"`,
		`tf2.tm.pipe.cfg, default: datum queue_depth_report_mode: "SOME" is none of ["ANY" "COLOR"]`},
	{"not to be written", list, `"op":"expect"`, `"op":"modify"`,
		"tf2.tm.port.cfg, dev_port=8: datum egress_qid_queues can only be read"},
	{"pipe of a table of all", list, `"op":"add","pipe":65535,` + firstIn,
		`"op":"add","pipe":1,` + firstIn,
		afc8 + "pipe 1: the entries of this table go to all pipes"},
	{"register out of range", list, `{"$REGISTER_INDEX":0}`, `{"$REGISTER_INDEX":512}`,
		"pipe.Ingress.flows, $REGISTER_INDEX=512: the register has 512 elements"},
	{"enabled too early", list, "[\n",
		"[\n" + `{"table_name":"tf2.tm.pipe.sched_cfg","op":"default","pipe":2,"action":null,"key":{},` +
			`"data":{"advanced_flow_control_enable":true}},` + "\n",
		"tf2.tm.pipe.sched_cfg, default: must come last"},

	// Words against the chip.
	{"AFC of a neighbour", list, firstIn, strings.Replace(firstIn, "2181038080", "2181070848", 1),
		afc8 + "word: word 0x82008000 is of queue 1, key qid says 0"},
	{
		"wrong pipe", list, firstIn, strings.Replace(firstIn, "2181038080", "2717908992", 1),
		afc8 + "word: word 0xA2",
	},
	{
		"word without its flag", list, firstIn, strings.Replace(firstIn, "2181038080", "33554432", 1),
		"bit 31 must be set",
	},
	{
		"word with a channel", list, firstIn, strings.Replace(firstIn, "2181038080", "2185232384", 1),
		"bits 24:22 must be 0",
	},
	{
		"credit", list, firstIn, strings.Replace(firstIn, "2181038080", "2181038085", 1),
		"credit 5: a queue in XOFF mode knows 0 and 1",
	},
	{"CREDIT mode", list, `"key":{"pg_id":1,"pg_queue":0},"data":{"advanced_flow_control":"XOFF"`,
		`"key":{"pg_id":1,"pg_queue":0},"data":{"advanced_flow_control":"CREDIT"`,
		"queue 0 of port group 1 of pipe 0 is not in XOFF mode"},
	{"pipe not enabled", list, `"tf2.tm.pipe.sched_cfg","op":"default","pipe":1`,
		`"tf2.tm.pipe.sched_cfg","op":"default","pipe":2`,
		"pipe.Ingress.afc, port=136 qid=0: word: word 0xA2000000: advanced_flow_control_enable of " +
			"pipe 1 is not set"},
	{"signal queue held", list,
		`"key":{"pg_id":1,"pg_queue":0},"data":{"advanced_flow_control":"XOFF","max_priority":"1"`,
		`"key":{"pg_id":1,"pg_queue":0},"data":{"advanced_flow_control":"XOFF","max_priority":"7"`,
		"is for signals, of priority 7: it must never be held"},
	{"held without a word", list, `"key":{"pg_id":1,"pg_queue":15},"data":{`,
		`"key":{"pg_id":1,"pg_queue":15},"data":{"advanced_flow_control":"XOFF",`,
		"tf2.tm.queue.sched_cfg, pg_id=1 pg_queue=15: queue 15 of port group 1 of pipe 0 is in XOFF " +
			"mode and no word names it"},
	{"queue outside of the carving", list, `"port_queue_count":[16,16,16,16,16,16,16,16]`,
		`"port_queue_count":[12,0,0,0,0,0,0,0]`,
		"no port has queue 12 of port group 1 of pipe 0 by the carving"},
	{
		"carving not in fours", list, `"port_queue_count":[16,`, `"port_queue_count":[18,`,
		"channel 0 has 18 queues: must be a multiple of 4",
	},
	{
		"carving too large", list, `"port_queue_count":[16,`, `"port_queue_count":[20,`,
		"132 queues of all channels: at most 128",
	},
	{
		"no such port", list, `"key":{"$DEV_PORT":137}`, `"key":{"$DEV_PORT":127}`,
		"$PORT, $DEV_PORT=127: the chip has no such port",
	},

	// Ghost.
	{"ghost index twice", list, `{"pipe_id":0,"qid":129},"data":{"index":1}`,
		`{"pipe_id":0,"qid":129},"data":{"index":0}`,
		"pipe.Ghost.depth, pipe_id=0 qid=129: the entry at octet ... has the same index 0"},
	{"ghost queue that does not report", list,
		`"tf2.tm.queue.cfg","op":"modify","pipe":0,"action":null,"key":{"pg_id":1,"pg_queue":0}`,
		`"tf2.tm.queue.cfg","op":"modify","pipe":2,"action":null,"key":{"pg_id":1,"pg_queue":0}`,
		"pipe.Ghost.depth, pipe_id=0 qid=128: queue 0 of port group 1 of pipe 0 does not report its depth"},
	{
		"ghost queue of no port", list, `{"pipe_id":0,"qid":129}`, `{"pipe_id":0,"qid":1280}`,
		"no port has queue 0 of port group 10",
	},
	{
		"colours only", list, `"queue_depth_report_mode":"ANY"`, `"queue_depth_report_mode":"COLOR"`,
		"does not report any change",
	},

	// References.
	{
		"multicast node", list, `"data":{"$MULTICAST_NODE_ID":[1]}`, `"data":{"$MULTICAST_NODE_ID":[2]}`,
		"$pre.mgid, $MGID=1: node 2 is not in $pre.node",
	},
	{
		"mirror port", list, `"$ucast_egress_port":6`, `"$ucast_egress_port":80`,
		"$mirror.cfg, $sid=5: the chip has no port 80",
	},
	{
		"single table", "add/Ingress.route.json", `"qid":3`, `"qid":4`,
		"add/Ingress.route.json:...: pipe.Ingress.route, dst=167772160/8: is not in entries.json",
	},

	{
		"parser selects by nothing", text, `transition select(hdr.ethernet.kind) {`,
		"transition select;\n{",
		`"{" begins no declaration that this reader knows`,
	},
	{
		"comment without end", text, "header ", "/*/ header ", "a comment is not terminated",
	},

	// Frames.
	{"fields of a frame out of order", text, "    bit<16> length;\n    bit<32> sequence;",
		"    bit<32> sequence;\n    bit<16> length;",
		text + ":...: IngressParser, frame bfc pause: hdr.signal.sequence is 0x40102, the frame's " +
			"sequence is 0x1020304"},
	{"header of a frame too long", text, "    bit<16> count;\n    bit<16> queue;",
		"    bit<16> count;\n    bit<16> queue;\n    bit<128> a;\n    bit<128> b;\n    bit<8> c;",
		"frame bfc pause: hdr.listed is longer than the frame of 60 octets"},
	{
		"another protocol's frames", text, "1: parse_listed;", "4: parse_listed;",
		"frame portfc pause: hdr.listed.queue is 0x19, the frame's queue is 0xa",
	},
	{"field of a frame that it has not", text, "    bit<8> flags;\n    bit<16> length;",
		"    bit<8> flags;\n    bit<16> size;",
		"frame bfc pause: hdr.signal.size is 0x4 where the frame has another field"},

	// The text by itself.
	{
		"range too wide", text, `md.depth[17:0] : range`, `md.depth[20:0] : range`,
		"pipe.Ingress.levels, level: a range of 21 bits: at most 20",
	},
	{
		"bracket", text, `    action nothing() {}`, `    action nothing() {`,
		`must`,
	},
}

// Each fault is found, and named by file, table, key and rule.
func TestSeededFaultsAreFound(t *testing.T) {
	p, cfg := samples.Holds()
	sound := written(t, p, cfg)
	for _, one := range faults {
		t.Run(one.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, file := range sound {
				files[name] = file
			}
			content := sound[one.file].Data
			require.True(t, bytes.Contains(content, []byte(one.from)), "the file has no %s", one.from)
			files[one.file] = &fstest.MapFile{
				Data: bytes.Replace(content, []byte(one.from), []byte(one.to), 1),
			}
			found := said(t, files)
			for _, part := range strings.Split(one.says, "...") {
				assert.Contains(t, found, part)
			}
		})
	}
	assert.GreaterOrEqual(t, len(faults), 25)
}

// A list may leave out how keys match: the schema says it.
func TestAListWithoutKinds(t *testing.T) {
	p, cfg := samples.Holds()
	files := written(t, p, cfg)
	kinds := regexp.MustCompile(`,"kinds":\{[^}]*\}`)
	require.True(t, kinds.Match(files[list].Data))
	files[list] = &fstest.MapFile{Data: kinds.ReplaceAll(files[list].Data, nil)}
	assert.Empty(t, said(t, files))
}

// Queues that must never be held are listed beside the entries.
func TestNeverHeld(t *testing.T) {
	p, cfg := samples.Holds()
	files := written(t, p, cfg)
	files["never-held.json"] = &fstest.MapFile{
		Data: []byte(`[{"pipe":0,"pg_id":1,"pg_queue":15,"why":"signals"}]`),
	}
	assert.Empty(t, said(t, files))
	files["never-held.json"] = &fstest.MapFile{
		Data: []byte(`[{"pipe":0,"pg_id":1,"pg_queue":0,"why":"OQ"}]`),
	}
	assert.Contains(t, said(t, files),
		"tf2.tm.queue.sched_cfg, pg_id=1 pg_queue=0: queue 0 of port group 1 of "+
			"pipe 0 must never be held: OQ")
	for content, says := range map[string]string{
		`{}`:                                  "must be a list of queues",
		`[{"pg_id":1}]`:                       "no port has queue -1 of port group 1 of pipe -1",
		`[{"pipe":0}]`:                        "no port has queue -1 of port group -1 of pipe 0",
		`[{"pipe":4,"pg_id":1,"pg_queue":1}]`: "no port has queue 1 of port group 1 of pipe 4",
	} {
		files["never-held.json"] = &fstest.MapFile{Data: []byte(content)}
		assert.Contains(t, said(t, files), says, content)
	}
}

// What is no JSON, or JSON of another shape, is said with its place and nothing breaks.
func TestFilesOfAnotherShape(t *testing.T) {
	for content, says := range map[string]string{
		`[`:                        "is not JSON: octet 1",
		`{}`:                       "must be a list of entries",
		`[{}]`:                     "entry 0: names no table",
		`[] []`:                    "something follows the value",
		`[{"a":1,"a":2}]`:          `member "a" twice`,
		strings.Repeat("[", 10000): "nested more than 32 deep",
	} {
		assert.Contains(t, said(t, fstest.MapFS{list: {Data: []byte(content)}}), says, content)
	}
	_, err := check.FS(fstest.MapFS{})
	assert.Error(t, err)
}
