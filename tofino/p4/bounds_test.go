package p4_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino/ir"
)

// What lies just within a bound is read, what lies just beyond it is refused.
func TestBounds(t *testing.T) {
	in := func(room, part string) map[string]string { return map[string]string{room: part} }
	constant := func(bits, value string) map[string]string {
		return in("DECLARATIONS", "const bit<"+bits+"> A = "+value+";")
	}
	alu := func(value string) map[string]string {
		return map[string]string{"CONTROL": `Register<bit<32>, bit<4>>(16, 0) r;
    RegisterAction<bit<32>, bit<4>, void>(r) r_do = {
        void apply(inout bit<32> value) { value = value + ` + value + `; }
    };
    action run() { r_do.execute(4w1); }`, "APPLY": "run();"}
	}
	register := func(size string) map[string]string {
		return in("CONTROL", "Register<bit<8>, bit<25>>("+size+") r;")
	}
	advance := func(bits string) map[string]string {
		return in("STATES", "state x { pkt.advance("+bits+"); transition accept; }")
	}
	table := func(size string) map[string]string {
		return map[string]string{"CONTROL": "action a() {} table t { actions = { a; } " +
			"default_action = a(); size = " + size + "; }", "APPLY": "t.apply();"}
	}
	deep := func(brackets int) map[string]string {
		return constant("8", strings.Repeat("(", brackets)+"1"+strings.Repeat(")", brackets))
	}
	for _, one := range []struct {
		rule            string
		within, without map[string]string
	}{
		{"must be 1 to 128", in("DECLARATIONS", "header a_h { bit<128> x; }"),
			in("DECLARATIONS", "header a_h { bit<129> x; }")},
		{"has no width of 1 to 128 bits", constant("128", "128w1"), constant("128", "129w1")},
		{"does not fit", constant("8", "255"), constant("8", "256")},
		{"too large", constant("64", "2305843009213693952 + 1"),
			constant("64", "2305843009213693953 + 1")},
		{"too large", constant("64", "1 + 2305843009213693952"),
			constant("64", "1 + 2305843009213693953")},
		{"too large", constant("8", "0 - 2305843009213693952 + 2305843009213693952"),
			constant("8", "1 - 2305843009213693954 - 1 + 2")},
		{"more than 64 bits", constant("64", "64w1 + 64w2"), constant("65", "65w1 + 65w2")},
		{"more than 31 bits", alu("0x7FFFFFFF"), alu("0x80000000")},
		{"a register of 16777217 elements", register("1 << 24"), register("(1 << 24) + 1")},
		{"a register of 0 elements", register("1"), register("0")},
		{"no whole octets", advance("8"), advance("0")},
		{"no whole octets", advance("65536"), advance("65544")},
		{"room for", table("1"), table("0")},
		{"room for", table("16777216"), table("16777217")},
		{"levels deep", deep(190), deep(210)},
	} {
		_, err := read(text(one.within))
		assert.NoError(t, err, one.rule)
		_, err = read(text(one.without))
		assert.ErrorContains(t, err, one.rule)
	}
}

// Levels are counted inside each other, not one after the other.
func TestManyStepsAreNotDeep(t *testing.T) {
	p := valid(t, map[string]string{"CONTROL": "action nothing() {}",
		"APPLY": strings.Repeat("if (md.x == (1 + 2)) { nothing(); } else nothing();\n", 300)})
	assert.Len(t, p.Control[ir.Ingress], 301)
}

// A fault names the line of the token that is wrong.
func TestFaultNamesTheLine(t *testing.T) {
	_, err := read(text(map[string]string{"DECLARATIONS": "const bit<8> A\n\n5;"}))
	assert.EqualError(t, err, "a.p4:8: \"5\" stands where \"=\" must")
}

// Words of flow control, tables that must not match, types by other names.
func TestReadsWordsAndNames(t *testing.T) {
	p := valid(t, map[string]string{
		"DECLARATIONS": "typedef bit<1> one_t; header two_h { one_t a; bit<7> b; } const one_t YES = 1; const int FIVE = 2 + 3;",
		"CONTROL": `action say() { ig_dprsr_md.adv_flow_ctl = hdr.asked.a + FIVE; }
    action yes(one_t it) { md.flag = it; }
    table t { key = { md.flag : exact @name("flag"); } actions = { yes; }
        default_action = yes(YES); size = 1; }`,
		"APPLY": "if (!t.apply().hit) { say(); }",
	})
	flow := p.Action("say").Body[0].(ir.Flow)
	assert.Equal(t, ir.Binary{Op: ir.Add, X: p.Field("asked.a"), Y: ir.Number(32, 5)}, flow.Word)
	assert.Equal(t, 1, p.Action("yes").Params[0].Bits)
	step := p.Control[ir.Ingress][1].(ir.Apply)
	assert.Len(t, step.Miss, 1)
	assert.Empty(t, step.Hit)
	_, err := read(text(map[string]string{
		"CONTROL": "action say() { ig_dprsr_md.adv_flow_ctl = hdr.asked.kind; }", "APPLY": "say();",
	}))
	assert.ErrorContains(t, err, "has 16 bits where 32 must stand")
}

// Inputs of a register action are as wide as the register or narrower, and may be bits of a field.
func TestInputsOfRegisterActions(t *testing.T) {
	p := valid(t, map[string]string{"CONTROL": `Register<bit<32>, bit<4>>(16, 0) r;
    RegisterAction<bit<32>, bit<4>, void>(r) r_do = {
        void apply(inout bit<32> value) { value = value + (bit<32>)hdr.asked.kind[15:8]; }
    };
    action run() { r_do.execute(4w1); }`, "APPLY": "run();"})
	e := p.Action("run").Body[0].(ir.Execute)
	assert.Equal(t, ir.Slice{X: p.Field("asked.kind"), High: 15, Low: 8}, e.Phv[0])
	assert.Equal(t, ir.Number(4, 1), e.Index)
}

// What stands in the wrong place is refused.
func TestRefusesWhatIsOutOfPlace(t *testing.T) {
	for rule, parts := range map[string]map[string]string{
		"port metadata is in front of the packet": {
			"STATES": "state x { pkt.advance(PORT_METADATA_SIZE); transition accept; }"},
		"other has no value": {
			"CONTROL": "action run() { bit<32> other; md.x = other; }", "APPLY": "run();"},
		"begins no declaration of a control": {"CONTROL": "typo x;"},
		"17 elements: an index has 4 bits":   {"CONTROL": "Register<bit<8>, bit<4>>(17, 0) r;"},
		"has no width of 1 to 128 bits":      {"DECLARATIONS": "const bit<8> A = 0w1;"},
		"out_h is not the type of asked": {"MIRRORS": "Mirror(2) it;",
			"EMITS": "if (ig_dprsr_md.mirror_type == 2) { it.emit<out_h>(md.session, " +
				"{hdr.asked.a, hdr.asked.b, hdr.asked.kind, hdr.asked.more}); }"},
		"has not all fields of a header": {"MIRRORS": "Mirror(2) it;",
			"EMITS": "if (ig_dprsr_md.mirror_type == 2) { it.emit<out_h>(md.session, " +
				"{hdr.answer.first}); }"},
		"it is no Mirror of type 0x3": {"MIRRORS": "Mirror(2) it;",
			"EMITS": "if (ig_dprsr_md.mirror_type == 3) { it.emit(md.session); }"},
		"bits 3 to 7 of 32": {"CONTROL": "action run() { md.small = hdr.asked.a[3:7]; }",
			"APPLY": "run();"},
		"bits 32 to 25 of 32": {"CONTROL": "action run() { md.small = hdr.asked.a[32:25]; }",
			"APPLY": "run();"},
		"0 << 63 is too large": {"DECLARATIONS": "const bit<8> A = 0 << 63;"},
		"a CRC of 33 bits: at most 32": {
			"CONTROL": "CRCPolynomial<bit<33>>(1, true, false, false, 0, 0) poly;"},
		"md is no header that a state may take": {"STATES": "state x { pkt.extract(md); " +
			"transition accept; }"},
		"has elements or an index of another type": {"CONTROL": `Register<bit<8>, bit<4>>(16, 0) r;
    RegisterAction<bit<16>, bit<4>, void>(r) r_do = { void apply(inout bit<16> value) {} };`},
		"register r has elements or an index": {"CONTROL": `Register<bit<8>, bit<4>>(16, 0) r;
    RegisterAction<bit<8>, bit<5>, void>(r) r_do = { void apply(inout bit<8> value) {} };`},
		"results differ from the declaration": {"CONTROL": `Register<bit<8>, bit<4>>(16, 0) r;
    RegisterAction<bit<8>, bit<4>, void>(r) r_do = {
        void apply(inout bit<8> value, out bit<8> got) { got = 0; }
    };`},
		"has 1 results: declared are 2": {"CONTROL": `Register<bit<8>, bit<4>>(16, 0) r;
    RegisterAction2<bit<8>, bit<4>, bit<8>, bit<8>>(r) r_do = {
        void apply(inout bit<8> value, out bit<8> got) { got = 0; }
    };`},
		"has more arguments than results": {"CONTROL": `Register<bit<8>, bit<4>>(16, 0) r;
    RegisterAction<bit<8>, bit<4>, bit<8>>(r) r_do = {
        void apply(inout bit<8> value, out bit<8> got) { got = value; }
    };
    action run() { md.small = r_do.execute(4w1, md.session); }`, "APPLY": "run();"},
		"must be hit or miss": {"CONTROL": "action a() {} table t { actions = { a; } " +
			"default_action = a(); size = 1; }", "APPLY": "if (t.apply().found) { reply(); }"},
		"pkt.lookahead is nothing": {"CONTROL": "action run() { md.x = pkt.lookahead<bit<32>>(); }",
			"APPLY": "run();"},
	} {
		_, err := read(text(parts))
		assert.ErrorContains(t, err, rule)
	}
	_, err := read(strings.Replace(text(nil), "state start { pkt.extract(eg_intr_md); ",
		"state begin { ", 1))
	assert.ErrorContains(t, err, "has no state start")
}

// Comparisons of constants are folded: a condition that always holds has no parts, as all of none,
// and one that never does is any of none.
func TestFoldsComparisons(t *testing.T) {
	for comparison, holds := range map[string]bool{
		"1 < 2": true, "2 < 2": false, "2 <= 2": true, "3 <= 2": false, "2 > 1": true, "2 > 2": false,
		"2 >= 2": true, "1 >= 2": false, "1 == 1": true, "1 == 2": false, "1 != 2": true,
		"1 != 1": false, "8w3 <= 3": true, "8w3 < 3": false, "true": true, "false": false,
	} {
		p := valid(t, map[string]string{"APPLY": "if (" + comparison + ") { reply(); }"})
		condition := p.Control[ir.Ingress][1].(ir.If).Condition
		if holds {
			assert.Equal(t, ir.All{}, condition, comparison)
		} else {
			assert.Equal(t, ir.Any{}, condition, comparison)
		}
	}
}
