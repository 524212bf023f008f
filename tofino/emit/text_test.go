package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino/ir"
)

// What a double holds is decimal, anything larger is
// hexadecimal.
func TestPythonNumbers(t *testing.T) {
	for want, v := range map[string]ir.Value{
		"0": ir.Uint(0), "9007199254740991": ir.Uint(1<<53 - 1),
		"0x20000000000000": ir.Uint(1 << 53), "0x10000000000000007": {Hi: 1, Lo: 7},
	} {
		assert.Equal(t, want, string(python(nil, v)))
	}
}

func TestEmptyListIsJSON(t *testing.T) {
	assert.JSONEq(t, "[]", string(newLines(&ir.Config{}).end()))
}

// A port group of whose queues a channel would have six cannot be carved.
func TestExpectationsOfACarvingThatCannotBe(t *testing.T) {
	cfg := &ir.Config{Fixed: []ir.FixedEntry{{
		Table: ir.PortGroup, Pipe: -1, Keys: []ir.FixedDatum{{Field: "pg_id", Value: uint64(0)}},
		Data: []ir.FixedDatum{{Field: "port_queue_count", Value: []uint64{6, 8, 8, 8}}},
	}}}
	err := new(entry).expectations(cfg, func(*entry) { t.Error("nothing can be expected") })
	assert.ErrorContains(t, err, "queues of channel 0")
}
