package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Each fault of a configuration is found, and a machine does not load it.
func TestFaultsOfConfigurations(t *testing.T) {
	faults := map[string]func(*counting, *ir.Config){
		"table route, entry 0: key to = 0x1000 has more than 12 bits": func(c *counting, cfg *ir.Config) {
			cfg.Tables[0].Entries[0].Keys[0] = ir.ExactKey(1 << 12)
		},
		"table route, entry 0: key to is exact and has a mask or a length": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Tables[0].Entries[0].Keys[0] = ir.TernaryKey(1, 1)
		},
		"table route, entry 1: has the key of entry 0": func(c *counting, cfg *ir.Config) {
			cfg.Tables[0].Entries[1].Keys[0] = ir.ExactKey(1)
		},
		"table route, entry 2: datum port = 0x200 has more than 9 bits": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Tables[0].Entries[2].Data[0] = ir.Uint(512)
		},
		"table route, entry 0: runs an action that the table does not list": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Tables[0].Entries[0].Action = c.told
		},
		"table route, entry 0: has 2 keys: the table has 1": func(c *counting, cfg *ir.Config) {
			cfg.Tables[0].Entries[0].Keys = append(cfg.Tables[0].Entries[0].Keys, ir.ExactKey(1))
		},
		"table route, entry 0: has priority 1": func(c *counting, cfg *ir.Config) {
			cfg.Tables[0].Entries[0].Priority = 1
		},
		"table route: 4 entries: it has room for 3": func(c *counting, cfg *ir.Config) {
			c.route.Size = 3
		},
		"table route: is filled twice": func(c *counting, cfg *ir.Config) {
			cfg.Tables = append(cfg.Tables, ir.TableConfig{Table: c.route})
		},
		"configuration: fills a table that is not the program's": func(c *counting, cfg *ir.Config) {
			cfg.Tables = append(cfg.Tables, ir.TableConfig{Table: &ir.Table{}})
		},
		"register count, element 512: has 512 elements": func(c *counting, cfg *ir.Config) {
			cfg.Registers = []ir.RegisterEntry{{Register: c.count, Index: 512}}
		},
		"register count, element 1: pipe 4: must be 0 to 3, or -1 for all": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Registers = []ir.RegisterEntry{{Register: c.count, Index: 1, Pipe: 4}}
		},
		"register count, element 1: the value 256 does not fit": func(c *counting, cfg *ir.Config) {
			cfg.Registers = []ir.RegisterEntry{{Register: c.count, Index: 1, Value: [2]uint32{256}}}
		},
		"table $mirror.cfg, key 7: has no action \"normal\"": func(c *counting, cfg *ir.Config) {
			cfg.Fixed[0].Action = "normal"
		},
		"table $mirror.cfg, key 7: $direction = SIDEWAYS: must be one of [\"INGRESS\" \"EGRESS\" " +
			"\"BOTH\"]": func(c *counting, cfg *ir.Config) {
			cfg.Fixed[0].Data[0].Value = "SIDEWAYS"
		},
		"table $mirror.cfg, key 7: $session_enable = 1: must be a bool": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Fixed[0].Data[1].Value = 1
		},
		"table $mirror.cfg, key 7: $max_pkt_len = 65536: must be a number of at most 16 bits": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Fixed[0].Data[4].Value = uint64(65536)
		},
		"table $mirror.cfg, key 7: says $direction twice": func(c *counting, cfg *ir.Config) {
			cfg.Fixed[0].Data = append(cfg.Fixed[0].Data, data("$direction", "BOTH")...)
		},
		"table $mirror.cfg, key 7: has no field $colour": func(c *counting, cfg *ir.Config) {
			cfg.Fixed[0].Data[0].Field = "$colour"
		},
		"table tf2.tm.port.flowcontrol, key 8: mode_rx can only be read": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Fixed = append(cfg.Fixed, ir.FixedEntry{Table: ir.PortFlowControl,
				Keys: data("dev_port", uint64(8)), Data: data("mode_rx", "PFC")})
		},
		"table tf2.tm.port.flowcontrol, key 8: is of all pipes, not of pipe 1": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Fixed = append(cfg.Fixed, ir.FixedEntry{Table: ir.PortFlowControl, Pipe: 1,
				Keys: data("dev_port", uint64(8)), Data: data("mode_tx", "PFC")})
		},
		"table tf2.tm.queue.sched_cfg, key 1: has 1 keys: the table has 2": func(
			c *counting, cfg *ir.Config,
		) {
			cfg.Fixed = append(cfg.Fixed, ir.FixedEntry{Table: ir.QueueScheduling,
				Keys: data("pg_id", uint64(1)), Data: data("advanced_flow_control", "XOFF")})
		},
	}
	for want, spoil := range faults {
		c := newCounting()
		cfg := c.config(t)
		spoil(c, cfg)
		assert.EqualError(t, cfg.Validate(c.program), "ir: "+want)

		m, err := ir.NewMachine(c.program)
		require.NoError(t, err)
		assert.Error(t, m.Load(cfg), want)
	}
}
