package hiq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
)

var form = twin.Form[Port]{Past: []string{"Port.counts", "sets.one"}}

func init() {
	states.Register(states.Methods[*Port]{AppendState: (*Port).appendState})
}

// appendState appends what the answers from now on depend on. The port stays as it is.
func (p *Port) appendState(dst []byte, now sluice.Time) []byte {
	return form.Append(dst, p, func(c *Port) {
		c.Rebase(max(now, c.now))
		c.now = 0
		for q := c.unused.Next(0); q >= 0; q = c.unused.Next(q + 1) {
			c.queues[q].level = 0 // of a root that was freed
		}
		for level := range c.free {
			c.rings[level].Gather()
			c.free[level] = max(c.free[level], -c.burst) // pass credits no more of the past
		}
	})
}
