package main

// #include "cgo.h"
import "C"

import (
	"cmp"
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/capi/internal/settings"
	"github.com/sluicefc/sluice/hiq"
)

// isolation is what a handle of isolation queues names.
type isolation struct {
	*hiq.Port
	levels, roots int
	single        bool
}

// defaultRoots is what no Roots of hiq.Config stands for.
const defaultRoots = 256

//export go_hiq_new
func go_hiq_new(config *C.sluice_text, failure *C.sluice_error) (handle C.sluice_hiq) {
	tell(failure, guard(func() error {
		var c hiq.Config
		if err := settings.Apply(&c, text(config)); err != nil {
			return err
		}
		port, err := hiq.New(c)
		if err == nil {
			handle = C.sluice_hiq(queues.add(&isolation{
				port, cmp.Or(c.Levels, hiq.MaxLevels), cmp.Or(c.Roots, defaultRoots), c.SingleTier,
			}))
		}
		return err
	}), C.SLUICE_E_CONFIG)
	return handle
}

//export go_hiq_free
func go_hiq_free(h C.sluice_hiq) C.int32_t { return freed(queues.free(uint64(h))) }

// rooted returns queues that can have a root of a number.
func rooted(handle C.sluice_hiq, root C.uint32_t) (*isolation, C.int32_t) {
	h := queues.get(uint64(handle))
	switch {
	case h == nil:
		return nil, C.SLUICE_E_HANDLE
	case int64(root) >= int64(h.roots):
		return nil, C.SLUICE_E_ARGUMENT
	}
	return h, C.SLUICE_OK
}

//export go_hiq_queues
func go_hiq_queues(handle C.sluice_hiq) C.int32_t {
	h := queues.get(uint64(handle))
	if h == nil {
		return C.SLUICE_E_HANDLE
	}
	return C.int32_t(h.Queues())
}

//export go_hiq_pause
func go_hiq_pause(handle C.sluice_hiq, root C.uint32_t, key C.uint64_t,
	level C.int32_t) C.int32_t {
	h, code := rooted(handle, root)
	switch {
	case h == nil:
		return code
	case level < 1 || int(level) > h.levels:
		return C.SLUICE_E_ARGUMENT
	}
	return truth(h.Pause(int(root), uint64(key), int(level)))
}

//export go_hiq_adopt
func go_hiq_adopt(handle C.sluice_hiq, root C.uint32_t, key C.uint64_t,
	level C.int32_t) C.int32_t {
	h, code := rooted(handle, root)
	switch {
	case h == nil:
		return code
	case level < 1 || int(level) > h.levels:
		return C.SLUICE_E_ARGUMENT
	}
	return truth(h.Adopt(int(root), uint64(key), int(level)))
}

//export go_hiq_resume
func go_hiq_resume(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	h, code := rooted(handle, root)
	if h == nil {
		return code
	}
	return truth(h.Resume(int(root)))
}

//export go_hiq_merge
func go_hiq_merge(handle C.sluice_hiq, root C.uint32_t, into C.int32_t) C.int32_t {
	h, code := rooted(handle, root)
	switch {
	case h == nil:
		return code
	case int(into) >= h.roots:
		return C.SLUICE_E_ARGUMENT
	}
	return truth(h.Merge(int(root), int(into)))
}

//export go_hiq_free_root
func go_hiq_free_root(handle C.sluice_hiq, root C.uint32_t, into *C.int32_t) C.int32_t {
	h, code := rooted(handle, root)
	if h == nil {
		return code
	}
	to, ok := h.Free(int(root))
	if into != nil {
		*into = C.int32_t(to)
	}
	return truth(ok)
}

//export go_hiq_put_output
func go_hiq_put_output(handle C.sluice_hiq, size C.int64_t) C.int32_t {
	h, code := rooted(handle, 0)
	switch {
	case h == nil:
		return code
	case size <= 0:
		return C.SLUICE_E_ARGUMENT
	}
	h.PutOutput(sluice.Bytes(size))
	return C.SLUICE_OK
}

//export go_hiq_take_output
func go_hiq_take_output(handle C.sluice_hiq, size C.int64_t) C.int32_t {
	h, code := rooted(handle, 0)
	switch {
	case h == nil:
		return code
	case size <= 0:
		return C.SLUICE_E_ARGUMENT
	}
	return truth(h.TakeOutput(sluice.Bytes(size)))
}

//export go_hiq_put
func go_hiq_put(handle C.sluice_hiq, root C.uint32_t, size C.int64_t) C.int32_t {
	h, code := rooted(handle, root)
	switch {
	case h == nil:
		return code
	case size <= 0 || h.single || h.State(int(root)) == hiq.Unassigned:
		return C.SLUICE_E_ARGUMENT
	}
	return C.int32_t(h.Put(int(root), sluice.Bytes(size)))
}

//export go_hiq_take
func go_hiq_take(
	handle C.sluice_hiq, now C.sluice_time, queue C.uint16_t, root C.uint32_t, size C.int64_t,
) C.int32_t {
	h, code := rooted(handle, root)
	switch {
	case h == nil:
		return code
	case size <= 0 || h.single:
		return C.SLUICE_E_ARGUMENT
	}
	return truth(h.Take(sluice.Time(now), sluice.QueueID(queue), int(root), sluice.Bytes(size)))
}

//export go_hiq_put_set
func go_hiq_put_set(
	handle C.sluice_hiq, roots *C.sluice_numbers_in, count C.size_t, size C.int64_t, place *C.uint32_t,
) C.int32_t {
	h, code := rooted(handle, 0)
	switch {
	case h == nil:
		return code
	case roots == nil || place == nil || count < 1 || count > hiq.MaxLevels || size <= 0 || !h.single:
		return C.SLUICE_E_ARGUMENT
	}
	set := unsafe.Slice((*uint16)(roots), int(count))
	for i, root := range set {
		if int(root) >= h.roots || h.State(int(root)) == hiq.Unassigned {
			return C.SLUICE_E_ARGUMENT
		}
		for _, other := range set[:i] {
			if other == root {
				return C.SLUICE_E_ARGUMENT
			}
		}
	}
	queue, at := h.PutSet(set, sluice.Bytes(size))
	*place = C.uint32_t(at)
	return C.int32_t(queue)
}

//export go_hiq_take_set
func go_hiq_take_set(
	handle C.sluice_hiq, queue C.uint16_t, place C.uint32_t, size C.int64_t,
) C.int32_t {
	h, code := rooted(handle, 0)
	switch {
	case h == nil:
		return code
	case size <= 0 || !h.single:
		return C.SLUICE_E_ARGUMENT
	}
	return truth(h.TakeSet(sluice.QueueID(queue), hiq.Place(place), sluice.Bytes(size)))
}

//export go_hiq_next
func go_hiq_next(handle C.sluice_hiq, now C.sluice_time) C.int32_t {
	h, code := rooted(handle, 0)
	if h == nil {
		return code
	}
	queue, ok := h.Next(sluice.Time(now))
	if !ok {
		return C.SLUICE_NONE
	}
	return C.int32_t(queue)
}

//export go_hiq_park
func go_hiq_park(handle C.sluice_hiq, now C.sluice_time, opened *C.int32_t) C.sluice_time {
	h, code := rooted(handle, 0)
	if h == nil {
		return C.sluice_time(code)
	}
	due, open := h.Park(sluice.Time(now))
	if opened != nil {
		*opened = truth(open)
	}
	return C.sluice_time(due)
}

//export go_hiq_queue
func go_hiq_queue(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	h, code := rooted(handle, root)
	if h == nil {
		return code
	}
	return C.int32_t(h.Queue(int(root)))
}

//export go_hiq_level
func go_hiq_level(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	h, code := rooted(handle, root)
	if h == nil {
		return code
	}
	return C.int32_t(h.Level(int(root)))
}

//export go_hiq_state
func go_hiq_state(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	h, code := rooted(handle, root)
	if h == nil {
		return code
	}
	return C.int32_t(h.State(int(root)))
}

//export go_hiq_order
func go_hiq_order(handle C.sluice_hiq, root C.uint32_t) C.uint32_t {
	h, _ := rooted(handle, root)
	if h == nil {
		return 0
	}
	return C.uint32_t(h.Order(int(root)))
}

//export go_hiq_backlog
func go_hiq_backlog(handle C.sluice_hiq, queue C.uint16_t) C.int64_t {
	h, code := rooted(handle, 0)
	if h == nil {
		return C.int64_t(code)
	}
	return C.int64_t(h.Backlog(sluice.QueueID(queue)))
}

//export go_hiq_sendable
func go_hiq_sendable(handle C.sluice_hiq, queue C.uint16_t) C.int32_t {
	h, code := rooted(handle, 0)
	if h == nil {
		return code
	}
	return truth(h.Sendable(sluice.QueueID(queue)))
}

//export go_hiq_audit
func go_hiq_audit(handle C.sluice_hiq, failure *C.sluice_error) C.int32_t {
	h := queues.get(uint64(handle))
	if h == nil {
		return tell(failure, errHandle, C.SLUICE_E_HANDLE)
	}
	return tell(failure, guard(h.Audit), C.SLUICE_E_BROKEN)
}
