package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
)

// A difference names what was deleted, modified, inserted and set, in this order; with it a machine
// does what one does that was loaded anew.
func TestDifferences(t *testing.T) {
	c := newCounting()
	from, to := c.config(t), c.config(t)
	routes := &to.Tables[0]
	routes.Entries[0].Data = []ir.Value{ir.Uint(10)}                                      // modified
	routes.Entries = append(routes.Entries[:1:1], routes.Entries[2:]...)                  // 2 deleted
	routes.Entries = append(routes.Entries, ir.Entry{Keys: []ir.KeyValue{ir.ExactKey(9)}, // inserted
		Call: ir.Call{Action: c.send, Data: []ir.Value{ir.Uint(9)}}})
	routes.Default = &ir.Call{Action: c.send, Data: []ir.Value{ir.Uint(8)}}
	to.Tables = to.Tables[:1] // the words are gone

	changes := ir.Diff(from, to)
	var kinds []ir.ChangeKind
	for _, change := range changes {
		kinds = append(kinds, change.Kind)
	}
	assert.Equal(t, []ir.ChangeKind{ir.Delete, ir.Delete, ir.Delete, ir.Delete, ir.Modify, ir.Insert,
		ir.SetDefault}, kinds)
	assert.Empty(t, ir.Diff(to, to))

	changed, anew := c.machine(t), c.machine(t)
	require.NoError(t, changes.Apply(changed))
	to.Fixed = from.Fixed
	require.NoError(t, anew.Load(to))
	for address := range 12 {
		assert.Equal(t, told(anew.Receive(0, 8, packet(address, 1))),
			told(changed.Receive(0, 8, packet(address, 1))), "address %d", address)
	}
	assert.Error(t, changes.Apply(changed), "what is gone cannot be deleted again")
}

func TestDefaultsAreChecked(t *testing.T) {
	c := newCounting()
	m := c.machine(t)
	assert.EqualError(t, m.SetDefault(c.route, ir.Call{Action: c.up}),
		"ir: table route, default: runs an action that the table does not list")
	assert.EqualError(t, m.SetDefault(c.route, ir.Call{Action: c.send}),
		"ir: table route, default: action send takes 1 data, not 0")
	assert.Error(t, m.SetDefault(&ir.Table{}, ir.Call{}))
}
