package emit_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Two requests as protoc encodes them.
func TestRequestsOctetByOctet(t *testing.T) {
	insert := emit.WriteRequest{Pipe: emit.AllPipes, Client: 1, Program: "sluice",
		Updates: []emit.Update{{
			Type: emit.Insert, Table: 37882547, Action: 32848556,
			Key:  []emit.KeyField{{ID: 1, Value: []byte{0, 0x11, 0x22, 0x33, 0x44, 0x55}}},
			Data: []emit.DataField{{ID: 1, Value: []byte{0, 0x89}}},
		}}}
	assert.Equal(t, "0a0a10ffff0318ff0120ff0110011a2a080112260a2408b3958812120e0a0c080112080a060011"+
		"223344551a0d08acf5d40f12060801120200892a06736c75696365", hex.EncodeToString(insert.Append(nil)))

	yes := true
	modify := emit.WriteRequest{Pipe: 1, Client: 1, Program: "sluice", Updates: []emit.Update{
		{
			Type: emit.Modify, Table: 4278517842, Default: true, Data: []emit.DataField{{ID: 2, Bool: &yes}},
		},
		{Type: emit.Modify, Table: 4278517797, Data: []emit.DataField{{ID: 6, Text: "XOFF"}},
			Key: []emit.KeyField{{ID: 1, Value: []byte{1}}, {ID: 2, Value: []byte{16}}}},
	}}
	assert.Equal(t, "0a08100118ff0120ff0110011a16080212120a1008d28094f80f1a0612040802400120011a2c08"+
		"0212280a2608a58094f80f12120a07080112030a01010a07080212030a01101a0a120808062204584f4646"+
		"2a06736c75696365", hex.EncodeToString(modify.Append(nil)))
}

// sample is a program with a table of each kind of key and a register, filled.
func sample() (*ir.Program, *ir.Config) {
	field := func(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }
	address, port, depth := field("address", 128), field("port", 9), field("depth", 18)
	word := &ir.Param{Name: "word", Bits: 32}
	hold := &ir.Action{
		Name: "hold", Params: []*ir.Param{word}, Body: []ir.Statement{ir.Flow{Word: word}},
	}
	nothing := &ir.Action{Name: "nothing"}
	take := &ir.RegisterAction{Name: "take", Updates: []ir.Update{{When: ir.Always, To: ir.Low}}}
	count := &ir.Action{Name: "count", Body: []ir.Statement{ir.Execute{Action: take, Index: port}}}
	table := func(name string, keys ...ir.Key) *ir.Table {
		return &ir.Table{Name: name, Keys: keys, Actions: []*ir.Action{hold, nothing}, Size: 4,
			Default: ir.Call{Action: nothing}}
	}
	exact := table("afc", ir.Key{Name: "port", X: port})
	ranged := table("depths", ir.Key{Name: "port", X: port, Kind: ir.Ternary},
		ir.Key{Name: "depth", X: depth, Kind: ir.Range})
	longest := table("routes", ir.Key{Name: "address", X: address, Kind: ir.Prefix})
	claims := &ir.Register{
		Name: "claims", Bits: 32, Pair: true, Size: 512, Actions: []*ir.RegisterAction{take},
	}
	p := &ir.Program{Name: "sample", Actions: []*ir.Action{hold, nothing, count},
		Tables: []*ir.Table{exact, ranged, longest}, Registers: []*ir.Register{claims}}
	p.Metadata[ir.Ingress] = []*ir.Field{address, port, depth}
	p.Control[ir.Ingress] = []ir.Step{ir.Do{Action: count}, ir.If{
		Condition: ir.Compare{X: port, Y: ir.Number(9, 0)}, Then: []ir.Step{ir.Apply{Table: exact}},
		Else: []ir.Step{ir.If{Condition: ir.Compare{X: port, Y: ir.Number(9, 1)},
			Then: []ir.Step{ir.Apply{Table: ranged}}, Else: []ir.Step{ir.Apply{Table: longest}}}},
	}}
	pause := ir.Call{Action: hold, Data: []ir.Value{ir.Uint(0xA2080001)}}
	cfg := &ir.Config{
		Tables: []ir.TableConfig{
			{Table: exact, Entries: []ir.Entry{{Keys: []ir.KeyValue{ir.ExactKey(137)}, Call: pause}}},
			{Table: ranged, Entries: []ir.Entry{{Priority: 3, Call: pause,
				Keys: []ir.KeyValue{ir.TernaryKey(0x80, 0x180), ir.RangeKey(100, 1<<18-1)}}}, Default: &pause},
			{Table: longest, Entries: []ir.Entry{{Call: ir.Call{Action: nothing},
				Keys: []ir.KeyValue{ir.PrefixKey(ir.Value{Hi: 0x2001 << 48}, 16)}}}},
		},
		Registers: []ir.RegisterEntry{{Register: claims, Pipe: 2, Index: 5, Value: [2]uint32{1, 2}}},
		Fixed: []ir.FixedEntry{
			{Table: ir.PipeScheduling, Pipe: -1,
				Data: []ir.FixedDatum{{Field: "advanced_flow_control_enable", Value: true}}},
			{Table: ir.QueueScheduling, Pipe: 1, Keys: []ir.FixedDatum{{Field: "pg_id", Value: uint64(1)},
				{Field: "pg_queue", Value: uint64(16)}},
				Data: []ir.FixedDatum{{Field: "advanced_flow_control", Value: "XOFF"}}},
		},
	}
	return p, cfg
}

// golden compares with a file, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile("testdata/"+name, got, 0o644))
	}
	want, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), name)
}

// The list of entries is JSON, in an order in which it can be loaded: queues obey words before the
// switch that lets words act, which is last.
func TestEntriesAsJSON(t *testing.T) {
	p, cfg := sample()
	require.NoError(t, p.Validate())
	require.NoError(t, cfg.Validate(p))
	var text, again bytes.Buffer
	require.NoError(t, emit.Entries(&text, p, cfg))
	require.NoError(t, emit.Entries(&again, p, cfg))
	assert.Equal(t, text.String(), again.String(), "the same bytes twice")
	golden(t, "entries.json", text.Bytes())

	var list []struct {
		Table string `json:"table_name"`
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &list))
	require.Len(t, list, 7)
	assert.Equal(t, "tf2.tm.pipe.sched_cfg", list[6].Table)
}

// Requests carry what the lists do: keys with mask, length or end, the priority, the default, a
// register in its pipe; cut into pieces they carry the same.
func TestRequestsOfAConfiguration(t *testing.T) {
	p, cfg := sample()
	names, err := emit.NamesOf(p).Compiled(p, schemaOf(t, p))
	require.NoError(t, err)
	requests := emit.Requests(p, cfg, names, 9, 0)
	require.Len(t, requests, 2)
	all := requests[0]
	assert.Equal(t, uint32(emit.AllPipes), all.Pipe)
	require.Len(t, all.Updates, 4)
	ranged := all.Updates[1]
	keys := slices.Clone(ranged.Key)
	for at := range keys {
		assert.NotZero(t, keys[at].ID)
		keys[at].ID = 0
	}
	assert.Equal(t, []emit.KeyField{{Value: []byte{0, 0x80}, Mask: []byte{1, 0x80}},
		{Value: []byte{0, 0, 100}, High: []byte{3, 0xFF, 0xFF}},
		{Value: []byte{0, 0, 0, 3}}}, keys)
	assert.True(t, all.Updates[2].Default)
	assert.Equal(t, 16, all.Updates[3].Key[0].Prefix)
	assert.Equal(t, uint32(2), requests[1].Pipe)
	halves := requests[1].Updates[0].Data
	require.Len(t, halves, 2)
	assert.Equal(t, []byte{0, 0, 0, 1}, halves[0].Value)
	assert.Equal(t, []byte{0, 0, 0, 2}, halves[1].Value)
	assert.NotEqual(t, halves[0].ID, halves[1].ID)

	var whole []emit.Update
	for _, piece := range emit.Requests(p, cfg, names, 9, 3) {
		assert.LessOrEqual(t, len(piece.Updates), 3)
		whole = append(whole, piece.Updates...)
	}
	assert.Equal(t, append(all.Updates, requests[1].Updates...), whole)
	assert.NotEmpty(t, all.Append(nil))
}
