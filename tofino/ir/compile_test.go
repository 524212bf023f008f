package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// deciding is a program that sends a packet of two octets to port 8 where a condition holds and to
// port 9 where it does not.
func deciding(t *testing.T, header *ir.Header, condition ir.Expr) *ir.Machine {
	t.Helper()
	yes := &ir.Action{Name: "yes", Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: ir.Number(9, 8)}}}
	no := &ir.Action{Name: "no", Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: ir.Number(9, 9)}}}
	p := &ir.Program{Name: "deciding", Headers: []*ir.Header{header}, Actions: []*ir.Action{yes, no}}
	p.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{header}}
	p.Control[ir.Ingress] = []ir.Step{ir.If{Condition: condition, Then: []ir.Step{ir.Do{Action: yes}},
		Else: []ir.Step{ir.Do{Action: no}}}}
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	return m
}

// Conditions are what they say of every pair of octets.
func TestConditions(t *testing.T) {
	a, b := field("a", 8), field("b", 8)
	header := &ir.Header{Name: "pair", Fields: []*ir.Field{a, b}}
	three := ir.Number(8, 3)
	compare := func(op ir.Relation, x ir.Expr) ir.Expr { return ir.Compare{Op: op, X: x, Y: three} }
	conditions := map[string]struct {
		x    ir.Expr
		says func(a, b int) bool
	}{
		"equal": {ir.Compare{Op: ir.Equal, X: a, Y: b}, func(a, b int) bool { return a == b }},
		"not": {
			ir.Not{X: ir.Compare{Op: ir.NotEqual, X: a, Y: b}}, func(a, b int) bool { return a == b },
		},
		"all": {ir.All{compare(ir.Less, a), compare(ir.LessOrEqual, b)},
			func(a, b int) bool { return a < 3 && b <= 3 }},
		"any": {ir.Any{compare(ir.More, a), compare(ir.MoreOrEqual, b)},
			func(a, b int) bool { return a > 3 || b >= 3 }},
		"valid": {ir.All{ir.Valid{Header: header}}, func(int, int) bool { return true }},
		"saturated": {compare(ir.Equal, ir.Binary{Op: ir.SubSaturated, X: a, Y: b}),
			func(a, b int) bool { return max(a-b, 0) == 3 }},
		"saturated sum": {ir.Compare{X: ir.Number(8, 255), Y: ir.Binary{Op: ir.AddSaturated, X: a, Y: b}},
			func(a, b int) bool { return a+b >= 255 }},
	}
	for name, c := range conditions {
		m := deciding(t, header, c.x)
		for x := range 9 {
			for y := range 9 {
				want := chip.DevPort(9)
				if c.says(x, y*31) {
					want = 8
				}
				o := m.Receive(0, 10, []byte{byte(x), byte(y * 31)})
				require.Len(t, o.Copies, 1)
				assert.Equal(t, want, o.Copies[0].Port, "%s of %d, %d", name, x, y*31)
			}
		}
	}
}

// A hash takes its fields side by side: a CRC of "123456789" is the catalogue's.
func TestHashOfFields(t *testing.T) {
	digits := []*ir.Field{field("first", 4), field("most", 60), field("last", 8)}
	header := &ir.Header{Name: "digits", Fields: digits}
	crc := &ir.HashFunction{Name: "crc", Bits: 16, Polynomial: 0x8005, Reflected: true}
	sum := ir.Hash{Function: crc, Fields: []ir.Expr{digits[0], digits[1], digits[2]}}
	p := &ir.Program{
		Name: "hashing", Headers: []*ir.Header{header}, Functions: []*ir.HashFunction{crc},
	}
	hashed := field("hashed", 16)
	p.Metadata[ir.Ingress] = []*ir.Field{hashed}
	action := &ir.Action{Name: "sum", Body: []ir.Statement{ir.Assign{To: hashed, Value: sum}}}
	port := &ir.Action{Name: "port", Body: []ir.Statement{
		ir.Assign{To: ir.EgressSpec, Value: ir.Concat{ir.Number(1, 0), ir.Slice{X: hashed, High: 7}}},
		ir.SetValid{Header: header, Valid: false}}}
	p.Actions = []*ir.Action{action, port}
	p.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{header}}
	p.Control[ir.Ingress] = []ir.Step{ir.Do{Action: action}, ir.Do{Action: port}}
	m, err := ir.NewMachine(p)
	require.NoError(t, err)

	o := m.Receive(0, 8, []byte("123456789 and more"))
	require.Len(t, o.Copies, 1)
	assert.Equal(t, 0x3D, int(o.Copies[0].Port), "the check value is 0xBB3D")
	assert.Equal(t, " and more", string(o.Copies[0].Octets), "the header was taken away")
}

// A mirror of ingress is the packet as it came or as it leaves, goes where the program says rather
// than the session, and is lost and counted where there is no session.
func TestMirrorsOfIngress(t *testing.T) {
	a := field("a", 8)
	header, session := &ir.Header{Name: "octet", Fields: []*ir.Field{a}}, field("session", 8)
	change := &ir.Action{Name: "change", Body: []ir.Statement{
		ir.Assign{To: ir.IngressMirror, Value: ir.Slice{X: a, High: 3}},
		ir.Assign{To: session, Value: ir.Number(8, 7)},
		ir.Assign{
			To: ir.IngressMirrorPort, Value: ir.Concat{ir.Number(5, 1), ir.Slice{X: a, High: 7, Low: 4}},
		},
		ir.Assign{To: ir.IngressMirrorQID, Value: ir.Number(7, 2)},
		ir.Assign{To: ir.IngressDrop, Value: ir.Number(3, 1)},
	}}
	set := &ir.Action{Name: "set", Body: []ir.Statement{ir.Assign{To: a, Value: ir.Number(8, 0xFF)}}}
	p := &ir.Program{Name: "mirroring", Headers: []*ir.Header{header},
		Actions: []*ir.Action{change, set},
		Mirrors: []ir.MirrorKind{
			{Type: 1, Session: session}, {Type: 2, Session: session, Original: true},
		}}
	p.Metadata[ir.Ingress] = []*ir.Field{session}
	p.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{header}}
	p.Control[ir.Ingress] = []ir.Step{ir.Do{Action: change}, ir.Do{Action: set}}
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	assert.Empty(t, m.Receive(0, 8, []byte{0x11, 1, 2, 3}).Copies, "there is no session 7 yet")
	require.NoError(t, m.Load(&ir.Config{Fixed: []ir.FixedEntry{{Table: ir.MirrorSession,
		Action: "$normal", Keys: data("$sid", uint64(7)),
		Data: append(data("$session_enable", true),
			ir.FixedDatum{Field: "$max_pkt_len", Value: uint64(3)})}}}))

	assert.Equal(t, []ir.Copy{{Port: 17, Queue: 2, Mirrored: true, Octets: []byte{0xFF, 1, 2}}},
		m.Receive(0, 8, []byte{0x11, 1, 2, 3}).Copies)
	assert.Equal(t, []ir.Copy{{Port: 17, Queue: 2, Mirrored: true, Octets: []byte{0x12, 1, 2}}},
		m.Receive(0, 8, []byte{0x12, 1, 2, 3}).Copies)
	assert.Empty(t, m.Receive(0, 8, []byte{0x13, 1, 2, 3}).Copies, "there is no type 3")
	assert.Equal(t, ir.MachineCounters{Passes: 4, Dropped: 4, Mirrored: 2, Lost: 2}, m.Counters())
}
