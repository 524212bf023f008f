package p4_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
)

// element is the element of a register, as the statements of a register action change it.
type element struct{ low, high uint32 }

// A register action does what its statements say, one after the other: the machine that runs what
// was read of them, and the same statements in Go, give the same element and the same results for
// inputs near each other.
func TestRegisterActionsDoWhatTheySay(t *testing.T) {
	for _, one := range []struct {
		name, body string
		does       func(value *element, a, b uint32) (first, second uint32)
	}{
		{
			"a copy is the element as it was, a later change replaces an earlier one",
			`pair_t before = value;
            first = before.low;
            second = 0;
            value.low = hdr.asked.a;
            if (before.high == hdr.asked.b) { value.low = before.low + 1; second = 1; }`,
			func(value *element, a, b uint32) (first, second uint32) {
				before := *value
				value.low = a
				if before.high == b {
					value.low, second = before.low+1, 1
				}
				return before.low, second
			},
		},
		{
			"branches: one of several, and what a condition denies",
			`first = 0;
            second = 0;
            if (value.low < hdr.asked.a) {
                value.high = value.high + hdr.asked.b;
                first = 1;
            } else if (value.low == hdr.asked.a && !(value.high == 2)) {
                second = value.high;
                value.high = 2;
            } else {
                value.low = 0;
                first = 1;
            }`,
			func(value *element, a, b uint32) (first, second uint32) {
				switch {
				case value.low < a:
					value.high += b
					return 1, 0
				case value.low == a && value.high != 2:
					second, value.high = value.high, 2
					return 0, second
				}
				value.low = 0
				return 1, 0
			},
		},
		{
			"a result behind the last change reads the new half",
			`if (value.high != 0 || value.low >= hdr.asked.b) {
                value.low = value.low - hdr.asked.a;
            } else value.low = hdr.asked.a;
            first = value.low;
            second = value.high;
            value.high = hdr.asked.b;`,
			func(value *element, a, b uint32) (first, second uint32) {
				if value.high != 0 || value.low >= b {
					value.low -= a
				} else {
					value.low = a
				}
				second = value.high
				value.high = b
				return value.low, second
			},
		},
		{
			"sums that stay within the width, comparisons turned round",
			`first = 0;
            if (hdr.asked.a > value.low) { first = 1; }
            second = 0;
            if (value.low <= hdr.asked.a || hdr.asked.b == value.high) { second = value.high; }
            value.low = value.low |-| hdr.asked.b;
            value.high = value.high |+| 0x7FFFFFFF;`,
			func(value *element, a, b uint32) (first, second uint32) {
				if a > value.low {
					first = 1
				}
				if value.low <= a || b == value.high {
					second = value.high
				}
				value.low -= min(b, value.low)
				value.high += min(0x7FFFFFFF, ^value.high)
				return first, second
			},
		},
		{
			"which comparisons held, before any is used",
			`pair_t before = value;
            first = this.predicate(before.low == hdr.asked.a, before.high < hdr.asked.b,
                before.high != 2);
            second = before.high;
            if (before.low != hdr.asked.a && !(before.high != 2)) { value.high = hdr.asked.a; }`,
			func(value *element, a, b uint32) (first, second uint32) {
				before := *value
				held := 0
				for at, holds := range []bool{before.low == a, before.high < b, before.high != 2} {
					if holds {
						held |= 1 << at
					}
				}
				if before.low != a && before.high == 2 {
					value.high = a
				}
				return 1 << held, before.high
			},
		},
	} {
		t.Run(one.name, func(t *testing.T) { runs(t, one.body, one.does) })
	}
}

// runs compares a register action with a function of Go.
func runs(t *testing.T, body string, does func(value *element, a, b uint32) (uint32, uint32)) {
	p := valid(t, map[string]string{
		"DECLARATIONS": "struct pair_t { bit<32> low; bit<32> high; }",
		"CONTROL": `Register<pair_t, bit<4>>(16, {2, 1}) r;
    RegisterAction2<pair_t, bit<4>, bit<32>, bit<32>>(r) r_do = {
        void apply(inout pair_t value, out bit<32> first, out bit<32> second) {
            ` + body + `
        }
    };
    action run() {
        bit<32> other;
        hdr.answer.first = r_do.execute((bit<4>)hdr.asked.kind[2:0], other);
        hdr.answer.second = other;
    }`,
		"APPLY": "run();",
	})
	machine, err := ir.NewMachine(p.Program)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var elements [8]element
	for at := range elements {
		elements[at] = element{2, 1}
	}
	for range 2000 {
		a, b, at := random.Uint32N(5), random.Uint32N(5), random.IntN(len(elements))
		packet := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, a), b)
		packet = append(packet, 0, byte(at), 0, 0)
		first, second := does(&elements[at], a, b)
		out := machine.Receive(0, 0, packet)
		require.Len(t, out.Copies, 1)
		assert.Equal(t, fmt.Sprint(first, second), fmt.Sprint(
			binary.BigEndian.Uint32(out.Copies[0].Octets),
			binary.BigEndian.Uint32(out.Copies[0].Octets[4:])))
		got := machine.Register(p.Register("r"), 0, at)
		require.Equal(t, elements[at], element{got[0], got[1]})
	}
}

// Conditions that say the same, turned round or denied, take one comparator of the ALU's four.
func TestPredicatesAreShared(t *testing.T) {
	p := valid(t, map[string]string{
		"CONTROL": `Register<bit<8>, bit<4>>(16, 3) r;
    RegisterAction<bit<8>, bit<4>, bit<8>>(r) r_do = {
        void apply(inout bit<8> value, out bit<8> got) {
            bit<8> before = value;
            got = 0;
            if (value < md.small) { got = 1; }
            if (!(value >= md.small) && md.small > value) { value = 9; }
            else value = 10;
            if (md.small <= before) { got = 0; }
        }
    };
    action run() { md.small = r_do.execute(4w1); }`,
		"APPLY": "run();",
	})
	action := p.Register("r").Actions[0]
	assert.Equal(t, "do", action.Name)
	assert.Len(t, action.Predicates, 1)
	assert.Equal(t, []ir.Guard{ir.First, ir.Always ^ ir.First},
		[]ir.Guard{action.Updates[0].When, action.Updates[1].When})
	assert.Equal(t, [2]uint32{3}, p.Register("r").Initial)
}

// Registers outside of controls are shared: ghost writes what ingress reads. A variable of ghost is
// its metadata.
func TestReadsGhost(t *testing.T) {
	content := strings.Replace(text(map[string]string{
		"CONTROL": `RegisterAction<bit<32>, bit<6>, bit<32>>(depths) depths_look = {
        void apply(inout bit<32> value, out bit<32> depth) { depth = value; }
    };
    action look() { md.x = depths_look.execute(hdr.asked.kind[5:0]); }`,
		"APPLY": "look();",
	}), "Pipeline(", `control Ghost(in ghost_intrinsic_metadata_t g_intr_md) {
    bit<6> slot = 0;
    RegisterAction<bit<32>, bit<6>, void>(depths) depths_report = {
        void apply(inout bit<32> value) { value = 14w0 ++ g_intr_md.qlength; }
    };
    action report(bit<6> index) { depths_report.execute(index); slot = index; }
    action nothing() {}
    table depth {
        key = { g_intr_md.qid : exact @name("qid"); }
        actions = { report; @defaultonly nothing; }
        default_action = nothing();
        size = 64;
    }
    apply { depth.apply(); }
}
Pipeline(`, 1)
	content = strings.Replace(content, "control Ingress(",
		"Register<bit<32>, bit<6>>(64, 0) depths;\ncontrol Ingress(", 1)
	p, err := read(strings.Replace(content, "EgressDeparser())", "EgressDeparser(), Ghost())", 1))
	require.NoError(t, err)
	require.NoError(t, p.Validate())
	depths := p.Register("depths")
	assert.True(t, depths.Shared)
	assert.Equal(t, ir.Ingress, depths.Gress)
	assert.Len(t, depths.Actions, 2)
	assert.Len(t, p.Metadata[ir.Ghost], 1)
	assert.Len(t, p.Control[ir.Ghost], 1)
}
