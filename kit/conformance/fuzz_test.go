package conformance

import "testing"

func FuzzToy(f *testing.F) { Fuzz(f, toySpec(honest)) }
