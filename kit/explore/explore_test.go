package explore_test

import (
	"testing"
	"time"

	"github.com/sluicefc/sluice/kit/explore"
	"github.com/stretchr/testify/require"
)

func TestTry(t *testing.T) {
	for _, p := range protocols {
		for packets := 1; packets <= 2; packets++ {
			n := ring(p, 3, 3, packets)
			r, err := n.Explore(explore.Options{States: 3_000_000, Time: 25 * time.Second})
			require.NoError(t, err)
			t.Logf("%s %d: %+v", p.name, packets, r)
			if r.Violation != nil {
				t.Log(r.Violation.Timeline())
			}
		}
	}
}
