package check_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino/check"
)

// small is a program that each reader is given, and what fills it: a table of each kind of match, a
// register with a stack of its places, a parser of two headers and a thread of the ghost.
var small = map[string]string{
	list: `[{"table_name":"$PORT","op":"add","pipe":65535,"action":null,"key":{"$DEV_PORT":"0x8"},"data":{}},
{"table_name":"pipe.Ingress.t","op":"add","pipe":65535,"action":"Ingress.a","key":{"k":[128,3]},"data":{"w":1},"kinds":{"k":"lpm"}},
{"table_name":"pipe.Ingress.u","op":"add","pipe":65535,"action":"Ingress.b","key":{"z":[2,3],"y":[1,4],"$MATCH_PRIORITY":1},"data":{}},
{"table_name":"pipe.Ingress.r_id","op":"modify","pipe":65535,"action":null,"key":{"$REGISTER_INDEX":1},"data":{"f1":1}},
{"table_name":"tf2.tm.pipe.cfg","op":"modify","pipe":0,"action":null,"key":{},"data":{"queue_depth_report_mode":"ANY"}},
{"table_name":"pipe.Ghost.g","op":"add","pipe":65535,"action":"Ghost.s","key":{"pipe_id":0,"qid":128},"data":{"i":1}}]`,
	text: `header e_h { bit<96> ends; bit<16> kind; }
header h_h { bit<8> protocol; bit<4> high; bit<4> version; }
struct headers_t { e_h e; h_h h; }
parser IngressParser(packet_in pkt, out headers_t hdr, out ingress_intrinsic_metadata_t ig_intr_md) {
	state start { pkt.extract(ig_intr_md); transition select(ig_intr_md.ingress_port[6:0]) { 7w8: ethernet; } }
	state ethernet { pkt.extract(hdr.e); transition select(hdr.e.kind) { 16w0x88b5 &&& 16w0xffff: peek; default: accept; } }
	state peek { transition select(pkt.lookahead<bit<8>>()[3:0]) { 4w1: more; default: reject; } }
	state more { pkt.extract(hdr.h); transition accept; }
}
Register<bit<8>, bit<9>>(32w4, 8w0) own;
control Ingress(inout headers_t hdr, inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
	Register<bit<8>, bit<9>>(32w4, 8w0) r_id;
	Register<bit<8>, bit<9>>(32w2, 8w0) r_top;
	RegisterAction<bit<8>, bit<9>, void>(r_id) ra = { void apply(inout bit<8> value) { value = 8w1; } };
	action a(bit<32> w) { ig_dprsr_md.adv_flow_ctl = w; ra.execute(hdr.e.kind[8:0]); }
	action b() { }
	table t { key = { hdr.h.protocol : lpm @name("k"); } actions = { a; } default_action = a(32w0); size = 1; }
	table u { key = { hdr.e.kind : ternary @name("z"); hdr.h.version : range @name("y"); } actions = { b; } default_action = b(); size = 2; }
	apply { if (t.apply().hit) { u.apply(); } }
}
control Ghost(in ghost_intrinsic_metadata_t g_intr_md) {
	RegisterAction<bit<8>, bit<9>, void>(own) put = { void apply(inout bit<8> value) { value = 8w1; } };
	action s(bit<9> i) { put.execute(i); }
	table g { key = { g_intr_md.pipe_id : exact @name("pipe_id"); g_intr_md.qid : exact @name("qid"); } actions = { s; } default_action = s(9w0); size = 1; }
	apply { g.apply(); }
}
Pipeline(Ingress()) pipe; Switch(pipe) main;`,
}

// reads gives the readers the small program with one file in place of its own.
func reads(f *testing.F, name string) {
	f.Add([]byte(small[name]))
	f.Fuzz(func(t *testing.T, content []byte) {
		files := fstest.MapFS{"add/Ingress.t.json": {Data: []byte("[]")}}
		for other, sound := range small {
			files[other] = &fstest.MapFile{Data: []byte(sound)}
		}
		files[name] = &fstest.MapFile{Data: content}
		_, err := check.FS(files)
		assert.NoError(t, err)
	})
}

// Readers take any octets.
func FuzzEntries(f *testing.F)   { reads(f, list) }
func FuzzText(f *testing.F)      { reads(f, text) }
func FuzzNeverHeld(f *testing.F) { reads(f, "never-held.json") }
