package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The five-tuple is the same over IPv6, with an address for each host, and a label.
func TestKey6(t *testing.T) {
	f := Flow{Src: 1, Dst: 0x010203, SrcPort: 7, DstPort: 100}
	four, six := Key(&f, 0), Key6(&f, 0, 0xabcde)
	require.Equal(t, "fd00::a01:203", Address6(f.Dst).String())
	require.Equal(t, Address6(f.Dst).As16(), six.Dst)
	require.Equal(t, four.Dst[:4], six.Dst[12:])
	six.Src, six.Dst, six.FlowLabel, six.Is6 = four.Src, four.Dst, six.FlowLabel-0xabcde, false
	require.Equal(t, four, six)
}
