package p4_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/p4"
)

const oneRegister = `Register<pair_t, bit<4>>(16, {0, 0}) r;
    RegisterAction<pair_t, bit<4>, bit<32>>(r) r_do = {
        void apply(inout pair_t value, out bit<32> got) { BODY }
    };
    action run() { md.x = r_do.execute(hdr.asked.kind[3:0]); }`

// What the reader does not know, or what cannot be, is refused with file, line and rule.
func TestRefuses(t *testing.T) {
	alu := func(body string) map[string]string {
		return map[string]string{"DECLARATIONS": "struct pair_t { bit<32> low; bit<32> high; }",
			"CONTROL": strings.Replace(oneRegister, "BODY", body, 1), "APPLY": "run();"}
	}
	in := func(room, part string) map[string]string { return map[string]string{room: part} }
	action := func(body string) map[string]string {
		return map[string]string{"CONTROL": "action run() { " + body + " }", "APPLY": "run();"}
	}
	for _, one := range []struct {
		rule  string
		parts map[string]string
	}{
		{`"typo" begins no declaration`, in("DECLARATIONS", "typo x;")},
		{"x is declared twice", in("DECLARATIONS", "struct a { bit<8> x; bit<8> x; }")},
		{"has 0 bits: must be 1 to 128", in("DECLARATIONS", "header a { bit<0> x; }")},
		{"b_h is no header", in("DECLARATIONS", "struct a { b_h x; }")},
		{"300 does not fit 8 bits", in("DECLARATIONS", "const bit<8> A = 300;")},
		{"1 << 63 is too large", in("DECLARATIONS", "const bit<8> A = 1 << 63;")},
		{"must be positive", in("DECLARATIONS", "const bit<8> A = 1 / 0;")},
		{"levels deep", in("DECLARATIONS",
			"const bit<8> A = "+strings.Repeat("(", 500)+"1"+strings.Repeat(")", 500)+";")},
		{"has no state nowhere", in("TRANSITION", "transition nowhere;")},
		{"has no default", in("TRANSITION", "transition select(hdr.asked.kind) { 1: accept; }")},
		{"stands behind default",
			in("TRANSITION", "transition select(hdr.asked.kind) { default: accept; 1: reject; }")},
		{"no whole octets", in("STATES", "state parse_x { pkt.advance(7); transition accept; }")},
		{"assigns only zeros to metadata", in("STATES", "state x { md.x = 1; transition accept; }")},
		{"hdr.nothing is no header",
			in("STATES", "state x { pkt.extract(hdr.nothing); transition accept; }")},
		{"has 32 bits where 8 must stand", action("md.small = hdr.asked.a;")},
		{"has no width", action("md.x = 1 ++ 31w0;")},
		{"md.nothing is nothing", action("md.nothing = 1;")},
		{"hdr.asked.nothing is nothing", action("md.x = hdr.asked.nothing;")},
		{"writes first before its header is valid",
			action("hdr.answer.first = 1; hdr.answer.setValid();")},
		{"reads a of a header that is gone", action("hdr.asked.setInvalid(); md.x = hdr.asked.a;")},
		{"is a condition where a number must stand", action("md.flag = (md.x == 1);")},
		{"is no condition", in("APPLY", "if (md.flag) { reply(); }")},
		{"chooses what a mirror copies, and no mirror_type", action("ig_dprsr_md.mirror_io_select = 1;")},
		{"nothing is no action", in("APPLY", "nothing();")},
		{"nothing is no table", in("APPLY", "nothing.apply();")},
		{"action idle: no control runs it", in("CONTROL", "action idle() {}")},
		{"has parameters, which only an entry", map[string]string{
			"CONTROL": "action run(bit<8> x) { md.small = x; }", "APPLY": "run();"}},
		{"table t: no control applies it", in("CONTROL",
			"action a() {} table t { actions = { a; } default_action = a(); size = 1; }")},
		{"has no default_action", in("CONTROL", "action a() {} table t { actions = { a; } size = 1; }")},
		{"has too few arguments", in("CONTROL", "action a(bit<8> x) { md.small = x; } "+
			"table t { actions = { a; } default_action = a(); size = 1; }")},
		{"is no kind of match", in("CONTROL", "table t { key = { md.x : some @name(\"x\"); } }")},
		{"compares more than 4 times", alu("got = 0; if (value.low == 1 || value.low == 2 || " +
			"value.low == 3 || value.low == 4 || value.low == 5) { got = 1; }")},
		{"has more than two inputs", alu("got = 0; value.low = md.x; value.high = hdr.asked.a; " +
			"if (value.low == hdr.asked.b) { got = 1; }")},
		{"a condition reads the element as it was",
			alu("got = 0; value.low = 1; if (value.low == 1) { got = 1; }")},
		{"an update reads the element as it was", alu("got = 0; value.low = 1; value.high = value.low;")},
		{"a result read value.low before its last change",
			alu("value.low = 1; got = value.low; value.low = 2;")},
		{"got has not always a value", alu("if (value.low == 1) { got = 1; }")},
		{"got has two values beside 0", alu("got = 1; if (value.low == 1) { got = 2; }")},
		{"2 of this.predicate is not comparison 2 of the action",
			alu("got = this.predicate(value.low == 1, value.low != 1);")},
		{"1 of this.predicate is not comparison 1 of the action",
			alu("if (value.low == 1) { value.high = 1; } got = this.predicate(value.low == 2);")},
		{"this.predicate compares nothing", alu("got = this.predicate();")},
		{"a result's only value", alu("if (value.low == 1) { got = this.predicate(value.low == 1); }")},
		{"a result's only value", alu("got = 0; got = this.predicate(value.low == 1);")},
		{"a result's only value", alu("got = this.predicate(value.low == 1); " +
			"if (value.low == 1) { got = 0; }")},
		{"compares what this.predicate does not name", alu("got = this.predicate(value.low == 1); " +
			"if (value.high == 1) { value.low = 2; }")},
		{"a result of 8 bits for 4 comparisons: must have 16", map[string]string{
			"CONTROL": `Register<bit<8>, bit<4>>(16, 0) r;
    RegisterAction<bit<8>, bit<4>, bit<8>>(r) r_do = {
        void apply(inout bit<8> value, out bit<8> got) {
            got = this.predicate(value == 1, value == 2, value == 3, value == 4);
        }
    };
    action run() { md.small = r_do.execute(4w1); }`, "APPLY": "run();"}},
		{"a sum has one half of the element", alu("got = value.low + value.high;")},
		{"a sum has one input", alu("got = md.x + hdr.asked.a;")},
		{"a copy is made before anything is written", alu("value.low = 1; pair_t b = value; got = 0;")},
		{"is neither the element nor a result", alu("md.x = 1; got = 0;")},
	} {
		content := text(one.parts)
		_, err := read(content)
		var fault *p4.Fault
		require.True(t, errors.As(err, &fault), "%s: %v", one.rule, err)
		assert.Contains(t, fault.Rule, one.rule)
		assert.Equal(t, "a.p4", fault.File)
		assert.Positive(t, fault.Line, one.rule)
		assert.Contains(t, err.Error(), "a.p4:")
	}
}

// A fault in a file that is included names that file and its line.
func TestFaultNamesTheIncludedFile(t *testing.T) {
	_, err := p4.Read(fstest.MapFS{
		"a.p4": {Data: []byte("\n#include \"b.p4\"\n")}, "b.p4": {Data: []byte("\n\n  typo\n")},
	}, "a.p4", "sample")
	assert.ErrorContains(t, err, "b.p4:3: ")
}

// A pipeline has all parts, in their order; a program has one.
func TestRefusesAPipeline(t *testing.T) {
	for from, rule := range map[string]string{
		"Pipeline(IngressParser(), Ingress(),": "part 1 of the pipeline is Ingress: must be IngressParser",
		"EgressDeparser()) pipe;":              "six parts, and Ghost if there is one",
		"Switch(pipe) main;":                   "",
	} {
		changed := map[string]string{
			"Pipeline(IngressParser(), Ingress(),": "Pipeline(Ingress(), IngressParser(),",
			"EgressDeparser()) pipe;":              "EgressDeparser(), Ghost()) pipe;",
			"Switch(pipe) main;":                   "",
		}[from]
		_, err := read(strings.Replace(text(nil), from, changed, 1))
		if rule == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, rule)
	}
	_, err := read("const bit<8> A = 1;")
	assert.ErrorContains(t, err, "no Pipeline is declared")
}
