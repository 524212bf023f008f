package p4_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/p4"
)

// The reader takes any octets: it returns a program or a fault, and what it returns can be
// validated.
func FuzzRead(f *testing.F) {
	holds, err := os.ReadFile("../internal/samples/holds.p4")
	require.NoError(f, err)
	f.Add(holds)
	f.Add([]byte(text(nil)))
	f.Add([]byte("#define A(x) x ## x\nconst bit<8> B = A(1);\n"))
	f.Fuzz(func(_ *testing.T, content []byte) {
		p, err := p4.Read(fstest.MapFS{"a.p4": {Data: content}}, "a.p4", "sample")
		if err == nil {
			_ = p.Validate()
		}
	})
}
