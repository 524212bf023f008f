package p4_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// whole is a program with room for parts: declarations, states, parts of the control of ingress,
// its apply block, and the deparser of ingress.
const whole = `#include <core.p4>
#include <t2na.p4>
header in_h { bit<32> a; bit<32> b; bit<16> kind; bit<16> more; }
header out_h { bit<32> first; bit<32> second; bit<8> third; }
struct headers_t { out_h answer; in_h asked; }
DECLARATIONS
@pa_auto_init_metadata
struct ingress_metadata_t { bit<32> x; bit<8> small; bit<1> flag; bit<8> session; }
struct egress_metadata_t {}
parser IngressParser(packet_in pkt, out headers_t hdr, out ingress_metadata_t md,
        out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition parse_asked;
    }
    state parse_asked { pkt.extract(hdr.asked); TRANSITION }
    STATES
}
control Ingress(inout headers_t hdr, inout ingress_metadata_t md,
        in ingress_intrinsic_metadata_t ig_intr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
        inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    CONTROL
    action reply() { hdr.answer.setValid(); ig_tm_md.ucast_egress_port = 8; }
    apply {
        reply();
        APPLY
    }
}
control IngressDeparser(packet_out pkt, inout headers_t hdr, in ingress_metadata_t md,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    MIRRORS
    apply { EMITS pkt.emit(hdr); }
}
parser EgressParser(packet_in pkt, out headers_t hdr, out egress_metadata_t md,
        out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
}
control Egress(inout headers_t hdr, inout egress_metadata_t md) { apply {} }
control EgressDeparser(packet_out pkt, inout headers_t hdr, in egress_metadata_t md) {
    apply { pkt.emit(hdr); }
}
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(),
    EgressDeparser()) pipe;
Switch(pipe) main;
`

// text returns the program with parts, by the name of their room.
func text(parts map[string]string) string {
	made := whole
	for _, room := range []string{
		"DECLARATIONS", "TRANSITION", "STATES", "CONTROL", "APPLY", "MIRRORS", "EMITS",
	} {
		part := parts[room]
		if part == "" && room == "TRANSITION" {
			part = "transition accept;"
		}
		made = strings.Replace(made, room, part, 1)
	}
	return made
}

func read(content string) (*p4.Program, error) {
	return p4.Read(fstest.MapFS{"a.p4": {Data: []byte(content)}}, "a.p4", "sample")
}

// valid reads a program that is valid.
func valid(t *testing.T, parts map[string]string) *p4.Program {
	t.Helper()
	p, err := read(text(parts))
	require.NoError(t, err)
	require.NoError(t, p.Validate())
	return p
}

// Headers are in the order of their structure, metadata by gress; the text is kept, with what it
// includes.
func TestReadsHeadersAndText(t *testing.T) {
	files := fstest.MapFS{
		"a.p4": {Data: []byte(`#include "b.p4"` + "\n" + text(nil))}, "b.p4": {Data: []byte("\n")},
	}
	p, err := p4.Read(files, "a.p4", "sample")
	require.NoError(t, err)
	assert.Equal(t, "sample", p.Name)
	assert.Equal(t, "answer", p.Headers[0].Name)
	assert.Equal(t, 9, p.Headers[0].Octets())
	assert.Len(t, p.Metadata[ir.Ingress], 4)
	assert.Empty(t, p.Metadata[ir.Egress])
	require.Len(t, p.Text, 2)
	assert.Equal(t, []string{"a.p4", "b.p4"}, []string{p.Text[0].Name, p.Text[1].Name})
	assert.Same(t, p.Headers[1].Fields[2], p.Field("asked.kind"))
	assert.Same(t, p.Metadata[ir.Ingress][0], p.Field("x"))
	assert.Equal(t, "reply", p.Action("reply").Name)
	assert.Panics(t, func() { p.Table("reply") })
	assert.Panics(t, func() { p.Field("y") })
}

// Constants are folded in widths, sizes, slices and values; numbers take their neighbour's width.
func TestFoldsConstants(t *testing.T) {
	for expression, want := range map[string]uint64{
		"2 * FOUR + 1": 9, "(1 << 3) | 5": 13, "4w4 ++ 4w3": 67, "3 - 1 + 4": 6, "0xFF & 6": 6,
		"(bit<8>)17": 17, "FOUR << 2": 16, "7 / 2": 3, "7 % 4": 3, "-1 + 2": 1, "FOUR ^ 1": 5,
		"100 >> 2": 25,
	} {
		p, err := read(text(map[string]string{"DECLARATIONS": `const bit<8> FOUR = 4;
const bit<8> IT = ` + expression + `;`}))
		require.NoError(t, err, expression)
		assert.Equal(t, want, p.Constants["IT"], expression)
	}
}

// Parsers: a state takes headers, then passes over octets, in any order; masks, and what follows.
func TestReadsParsers(t *testing.T) {
	p := valid(t, map[string]string{
		"TRANSITION": `transition select(pkt.lookahead<bit<16>>()) {
            0x0800: parse_more;
            0x0100 &&& 0xFF00: reject;
            default: accept;
        }`,
		"STATES": `state parse_more {
            pkt.advance(32);
            pkt.extract(hdr.answer);
            transition select(hdr.answer.first[15:8]) { 7: accept; _: reject; }
        }`,
	})
	first := p.Parse[ir.Ingress]
	assert.Equal(t, "asked", first.Name)
	assert.Equal(t, ir.Peek(16), first.Select)
	require.Len(t, first.Cases, 2)
	assert.Equal(t, ir.Uint(0xFF00), first.Cases[1].Mask)
	assert.True(t, first.Cases[1].Next.Refuse)
	assert.False(t, first.Refuse)
	more := first.Cases[0].Next
	assert.Equal(t, 4, more.Skip)
	assert.Empty(t, more.Extract)
	require.NotNil(t, more.Default)
	assert.Equal(t, []*ir.Header{p.Headers[0]}, more.Default.Extract)
	assert.True(t, more.Default.Refuse)
	assert.Nil(t, p.Parse[ir.Egress])
}

// Controls: tables with keys of all kinds, what follows a table, conditions.
func TestReadsControls(t *testing.T) {
	p := valid(t, map[string]string{
		"CONTROL": `action nothing() {}
    action set_x(bit<32> value, bit<8> other) { md.x = value; md.small = other; }
    table chosen {
        key = {
            hdr.asked.a : exact @name("a");
            hdr.asked.b[31:16] : ternary @name("b");
            hdr.asked.kind : range @name("kind");
            md.x : lpm @name("x");
        }
        actions = { set_x; nothing; }
        default_action = set_x(7, 8w3);
        size = 4 * 8;
    }
    table other { key = { md.x : exact @name("x"); } actions = { nothing; }
        default_action = nothing(); size = 1; }`,
		"APPLY": `if (chosen.apply().miss) {
            nothing();
        } else if (md.x == 3 && (hdr.asked.isValid() || !(md.flag == 1))) {
            switch (other.apply().action_run) { nothing: { nothing(); } }
        } else nothing();`,
	})
	chosen := p.Table("chosen")
	assert.Equal(t, 32, chosen.Size)
	kinds := []ir.Match{ir.Exact, ir.Ternary, ir.Range, ir.Prefix}
	for at, key := range chosen.Keys {
		assert.Equal(t, kinds[at], key.Kind)
	}
	assert.Equal(t, []ir.Value{ir.Uint(7), ir.Uint(3)}, chosen.Default.Data)
	step := p.Control[ir.Ingress][1].(ir.Apply)
	require.Len(t, step.Miss, 1)
	choice := step.Hit[0].(ir.If)
	all := choice.Condition.(ir.All)
	require.Len(t, all, 2)
	assert.Len(t, all[1], 2)
	assert.Len(t, choice.Then[0].(ir.Apply).After, 1)
	assert.Len(t, choice.Else, 1)
}

// A mirror copies what came in unless the action that chooses it says that it copies what leaves.
func TestReadsMirrors(t *testing.T) {
	for choice, original := range map[string]bool{
		"": true, "ig_dprsr_md.mirror_io_select = 1;": false,
	} {
		p := valid(t, map[string]string{
			"CONTROL": `action copy() { ig_dprsr_md.mirror_type = 2; md.session = 5; ` + choice + ` }`,
			"APPLY":   `copy();`,
			"MIRRORS": `Mirror(2) it;`,
			"EMITS": `if (ig_dprsr_md.mirror_type == 2) {
            it.emit<out_h>(md.session, {hdr.answer.first, hdr.answer.second, hdr.answer.third});
        }`,
		})
		require.Len(t, p.Mirrors, 1)
		assert.Equal(t, original, p.Mirrors[0].Original)
		assert.Same(t, p.Headers[0], p.Mirrors[0].Before)
		assert.Same(t, p.Field("session"), p.Mirrors[0].Session)
	}
}

// Hash functions have the parameters of their polynomials.
func TestReadsHashes(t *testing.T) {
	p := valid(t, map[string]string{
		"CONTROL": `CRCPolynomial<bit<16>>(0x8005, true, false, false, 0, 0xFFFF) poly;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, poly) crc;
    Hash<bit<32>>(HashAlgorithm_t.XOR32) fold;
    action hashed() {
        md.x = fold.get({hdr.asked.a, 16w0, hdr.asked.more});
        hdr.asked.kind = crc.get({hdr.asked.b});
    }`,
		"APPLY": `hashed();`,
	})
	assert.Equal(t, &ir.HashFunction{Name: "crc", Kind: ir.CRC, Bits: 16, Polynomial: 0x8005,
		Reflected: true, XorOut: 0xFFFF}, p.Functions[0])
	assert.Equal(t, &ir.HashFunction{Name: "fold", Kind: ir.Fold, Bits: 32}, p.Functions[1])
}
