package main

// #include "cgo.h"
import "C"

import (
	"sync"
	"sync/atomic"

	"github.com/sluicefc/sluice/capi/internal/settings"
	simulated "github.com/sluicefc/sluice/kit/network"
)

// A handle is an index, from 1, with the table's kind and the generation of the slot above it.
const (
	indexBits  = 24
	kindBits   = 8
	indexMask  = 1<<indexBits - 1
	generation = 1 << (indexBits + kindBits)
)

// table gives things of one kind handles, in constant time. Looking one up takes no lock: threads
// may use different machines at the same time, while others make more.
type table[T any] struct {
	kind   uint64
	lock   sync.Mutex
	chunks [1 << (indexBits - chunkBits)]atomic.Pointer[chunk[T]]
	used   int // slots that ever had a thing
	spare  []int
	last   uint64 // generation
}

// Slots come in chunks, so that a table grows without moving what others look at.
const chunkBits = 12

type chunk[T any] [1 << chunkBits]atomic.Pointer[held[T]]

type held[T any] struct {
	handle uint64
	thing  *T
}

// slot returns the slot of an index, nil if there is none yet.
func (t *table[T]) slot(index uint64) *atomic.Pointer[held[T]] {
	if c := t.chunks[index>>chunkBits].Load(); c != nil {
		return &c[index%(1<<chunkBits)]
	}
	return nil
}

// add returns the handle of a new thing, 0 if there are too many.
func (t *table[T]) add(thing *T) uint64 {
	t.lock.Lock()
	defer t.lock.Unlock()
	index := t.used
	if last := len(t.spare) - 1; last >= 0 {
		index = t.spare[last]
		t.spare = t.spare[:last]
	} else if index >= indexMask {
		return 0
	} else {
		t.used++
	}
	if t.slot(uint64(index)) == nil {
		t.chunks[index>>chunkBits].Store(new(chunk[T]))
	}
	t.last += generation
	handle := t.last | t.kind<<indexBits | uint64(index+1)
	t.slot(uint64(index)).Store(&held[T]{handle, thing})
	return handle
}

// get returns what a handle names, nil if nothing.
func (t *table[T]) get(handle uint64) *T {
	if slot := t.slot((handle - 1) & indexMask); slot != nil {
		if e := slot.Load(); e != nil && e.handle == handle {
			return e.thing
		}
	}
	return nil
}

func (t *table[T]) free(handle uint64) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.get(handle) == nil {
		return false
	}
	index := (handle - 1) & indexMask
	t.slot(index).Store(nil)
	t.spare = append(t.spare, int(index))
	return true
}

// with returns what a function makes of the thing that a handle names, SLUICE_E_HANDLE if there is
// none.
func with[H ~uint64, T any, R ~int32 | ~int64](t *table[T], handle H, f func(*T) R) R {
	if thing := t.get(uint64(handle)); thing != nil {
		return f(thing)
	}
	return C.SLUICE_E_HANDLE
}

func freed[H ~uint64, T any](t *table[T], handle H) C.int32_t {
	if !t.free(uint64(handle)) {
		return C.SLUICE_E_HANDLE
	}
	return C.SLUICE_OK
}

// made returns the handle of what build makes of a configuration in text, 0 if it makes nothing.
func made[Config, T any](
	t *table[T], config *C.sluice_text, failure *C.sluice_error, build func(Config) (*T, error),
) uint64 {
	return granted(t, failure, func() (*T, error) {
		var c Config
		if err := settings.Apply(&c, text(config)); err != nil {
			return nil, err
		}
		return build(c)
	})
}

// granted returns the handle of what build makes, 0 if it makes nothing.
func granted[T any](
	t *table[T], failure *C.sluice_error, build func() (*T, error),
) (handle uint64) {
	report(failure, guard(func() error {
		thing, err := build()
		if err == nil {
			handle = t.add(thing)
		}
		return err
	}), C.SLUICE_E_CONFIG)
	return handle
}

// inspected tells C what look finds wrong with the thing that a handle names, as an error of a
// code.
func inspected[H ~uint64, T any](
	t *table[T], handle H, failure *C.sluice_error, code C.int32_t, look func(*T) error,
) C.int32_t {
	thing := t.get(uint64(handle))
	if thing == nil {
		return report(failure, errHandle, C.SLUICE_E_HANDLE)
	}
	return report(failure, guard(func() error { return look(thing) }), code)
}

var (
	machines  = table[machine]{kind: 1}
	networks  = table[network]{kind: 2}
	markers   = table[marker]{kind: 3}
	queues    = table[isolation]{kind: 4}
	receivers = table[receiver]{kind: 5}
	senders   = table[sender]{kind: 6}

	simulators = table[simulated.Network]{kind: 7}
)
