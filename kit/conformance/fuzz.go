package conformance

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
	"pgregory.net/rapid"
)

// Fuzz is a fuzz target that decodes bytes to a configuration and a sequence of hooks and asserts
// what Run's part hooks does. A protocol's target is one line:
//
//	func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }
//
// The seeds are random bytes, enough for some tens of actions. The sequence ends with the bytes. Go
// minimises every interesting input for up to a minute: -fuzzminimizetime 1s spends that time on
// new inputs.
func Fuzz(f *testing.F, spec Spec) {
	random := prng.New(1)
	for length := 1 << 8; length <= 1<<12; length *= 2 {
		for range 4 {
			seed := make([]byte, length)
			for i := range seed {
				seed[i] = byte(random.Uint64())
			}
			f.Add(seed)
		}
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		defer endOfData()
		d := newDriver(t, &spec, &coverage{})
		d.report(t)
		t.Repeat(d.actions())
	}))
}

// FuzzFrame is a fuzz target of a frame whose Parse accepts nothing but what AppendTo makes: bytes
// that Parse accepts must come out of AppendTo again, and neither may panic. The seeds are frames.
//
//	func FuzzParse(f *testing.F) { conformance.FuzzFrame(f, Frame{Type: Pause}) }
func FuzzFrame[F any, FP kit.Frame[F]](f *testing.F, seeds ...F) {
	for i := range seeds {
		f.Add(FP(&seeds[i]).AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		frame := FP(new(F))
		if frame.Parse(wire) != nil {
			return
		}
		if again := frame.AppendTo(nil); !bytes.Equal(wire, again) {
			t.Fatalf("% x parses, and is written as % x", wire, again)
		}
		if words, ok := any(frame).(fmt.Stringer); ok {
			_ = words.String()
		}
	})
}

// endOfData ends a sequence whose bytes ran out: it was good so far. Rapid would skip it.
func endOfData() {
	if p := recover(); p != nil && reflect.TypeOf(p).Name() != "invalidData" {
		panic(p)
	}
}
