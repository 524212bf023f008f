package show

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.8231: "0.823", 3.9128: "3.913", 43.985: "43.98", 155.82: "155.8", 2530.5: "2530",
		12345.6: "12346", 9.99996: "10.00", 0.0004: "0.000", 99.996: "100.0",
	} {
		require.Equal(t, want, Significant(x), x)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 6642: "6,642", 123456: "123,456", 1234567: "1,234,567",
	} {
		require.Equal(t, want, Thousands(n))
	}
}
