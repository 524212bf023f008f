package main

// #include "cgo.h"
import "C"

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

type isolation struct {
	*hiq.Port
	levels, roots int
	single        bool
}

// defaultRoots is how many roots a hiq.Config without Roots has.
const defaultRoots = 256

//export go_hiq_new
func go_hiq_new(config *C.sluice_text, failure *C.sluice_error) C.sluice_hiq {
	return C.sluice_hiq(made(&queues, config, failure, func(c hiq.Config) (*isolation, error) {
		port, err := hiq.New(c)
		return &isolation{
			port, cmp.Or(c.Levels, hiq.MaxLevels), cmp.Or(c.Roots, defaultRoots), c.SingleTier,
		}, err
	}))
}

//export go_hiq_free
func go_hiq_free(h C.sluice_hiq) C.int32_t { return freed(&queues, h) }

// rooted returns what a function makes of a root, if the queues can have a root of that number.
func rooted[R ~int32 | ~int64](
	handle C.sluice_hiq, root C.uint32_t, f func(h *isolation, root int) R,
) R {
	return with(&queues, handle, func(h *isolation) R {
		if int64(root) >= int64(h.roots) {
			return C.SLUICE_E_ARGUMENT
		}
		return f(h, int(root))
	})
}

//export go_hiq_queues
func go_hiq_queues(handle C.sluice_hiq) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t { return C.int32_t(h.Queues()) })
}

//export go_hiq_pause
func go_hiq_pause(handle C.sluice_hiq, root C.uint32_t, key C.uint64_t,
	level C.int32_t) C.int32_t {
	return paused(handle, root, key, level, (*hiq.Port).Pause)
}

//export go_hiq_adopt
func go_hiq_adopt(handle C.sluice_hiq, root C.uint32_t, key C.uint64_t,
	level C.int32_t) C.int32_t {
	return paused(handle, root, key, level, (*hiq.Port).Adopt)
}

// paused isolates a root at a level in one of two ways.
func paused(handle C.sluice_hiq, root C.uint32_t, key C.uint64_t, level C.int32_t,
	way func(h *hiq.Port, root int, key uint64, level int) bool) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		if level < 1 || int(level) > h.levels {
			return C.SLUICE_E_ARGUMENT
		}
		return truth(way(h.Port, root, uint64(key), int(level)))
	})
}

//export go_hiq_resume
func go_hiq_resume(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		return truth(h.Resume(root))
	})
}

//export go_hiq_merge
func go_hiq_merge(handle C.sluice_hiq, root C.uint32_t, into C.int32_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		if int(into) >= h.roots {
			return C.SLUICE_E_ARGUMENT
		}
		return truth(h.Merge(root, int(into)))
	})
}

//export go_hiq_free_root
func go_hiq_free_root(handle C.sluice_hiq, root C.uint32_t, into *C.int32_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		to, ok := h.Free(root)
		if into != nil {
			*into = C.int32_t(to)
		}
		return truth(ok)
	})
}

// packetSize reports whether a packet may have a size, so that no sum of sizes overflows.
func packetSize(size C.int64_t) bool { return 0 < size && size <= C.int64_t(sluice.MaxPacket) }

//export go_hiq_put_output
func go_hiq_put_output(handle C.sluice_hiq, size C.int64_t) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t {
		if !packetSize(size) {
			return C.SLUICE_E_ARGUMENT
		}
		h.PutOutput(sluice.Bytes(size))
		return C.SLUICE_OK
	})
}

//export go_hiq_take_output
func go_hiq_take_output(handle C.sluice_hiq, size C.int64_t) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t {
		if !packetSize(size) {
			return C.SLUICE_E_ARGUMENT
		}
		return truth(h.TakeOutput(sluice.Bytes(size)))
	})
}

//export go_hiq_put
func go_hiq_put(handle C.sluice_hiq, root C.uint32_t, size C.int64_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		if !packetSize(size) || h.single || h.State(root) == hiq.Unassigned {
			return C.SLUICE_E_ARGUMENT
		}
		return C.int32_t(h.Put(root, sluice.Bytes(size)))
	})
}

//export go_hiq_take
func go_hiq_take(
	handle C.sluice_hiq, now C.sluice_time, queue C.uint16_t, root C.uint32_t, size C.int64_t,
) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		if !packetSize(size) || h.single {
			return C.SLUICE_E_ARGUMENT
		}
		return truth(h.Take(sluice.Time(now), sluice.QueueID(queue), root, sluice.Bytes(size)))
	})
}

//export go_hiq_put_set
func go_hiq_put_set(
	handle C.sluice_hiq, roots *C.sluice_numbers_in, count C.size_t, size C.int64_t, place *C.uint32_t,
) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t {
		if roots == nil || place == nil || count < 1 || count > hiq.MaxLevels ||
			!packetSize(size) || !h.single {
			return C.SLUICE_E_ARGUMENT
		}
		set := unsafe.Slice((*uint16)(roots), int(count))
		for i, root := range set {
			if int(root) >= h.roots || h.State(int(root)) == hiq.Unassigned ||
				slices.Contains(set[:i], root) {
				return C.SLUICE_E_ARGUMENT
			}
		}
		queue, at := h.PutSet(set, sluice.Bytes(size))
		*place = C.uint32_t(at)
		return C.int32_t(queue)
	})
}

//export go_hiq_take_set
func go_hiq_take_set(
	handle C.sluice_hiq, queue C.uint16_t, place C.uint32_t, size C.int64_t,
) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t {
		if !packetSize(size) || !h.single {
			return C.SLUICE_E_ARGUMENT
		}
		return truth(h.TakeSet(sluice.QueueID(queue), hiq.Place(place), sluice.Bytes(size)))
	})
}

//export go_hiq_next
func go_hiq_next(handle C.sluice_hiq, now C.sluice_time) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t {
		if queue, ok := h.Next(sluice.Time(now)); ok {
			return C.int32_t(queue)
		}
		return C.SLUICE_NONE
	})
}

//export go_hiq_park
func go_hiq_park(handle C.sluice_hiq, now C.sluice_time, opened *C.int32_t) C.sluice_time {
	return with(&queues, handle, func(h *isolation) C.sluice_time {
		due, open := h.Park(sluice.Time(now))
		if opened != nil {
			*opened = truth(open)
		}
		return C.sluice_time(due)
	})
}

//export go_hiq_queue
func go_hiq_queue(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		return C.int32_t(h.Queue(root))
	})
}

//export go_hiq_level
func go_hiq_level(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		return C.int32_t(h.Level(root))
	})
}

//export go_hiq_state
func go_hiq_state(handle C.sluice_hiq, root C.uint32_t) C.int32_t {
	return rooted(handle, root, func(h *isolation, root int) C.int32_t {
		return C.int32_t(h.State(root))
	})
}

//export go_hiq_order
func go_hiq_order(handle C.sluice_hiq, root C.uint32_t) C.uint32_t {
	return C.uint32_t(max(0, rooted(handle, root, func(h *isolation, root int) C.int64_t {
		return C.int64_t(h.Order(root))
	})))
}

//export go_hiq_backlog
func go_hiq_backlog(handle C.sluice_hiq, queue C.uint16_t) C.int64_t {
	return with(&queues, handle, func(h *isolation) C.int64_t {
		return C.int64_t(h.Backlog(sluice.QueueID(queue)))
	})
}

//export go_hiq_sendable
func go_hiq_sendable(handle C.sluice_hiq, queue C.uint16_t) C.int32_t {
	return with(&queues, handle, func(h *isolation) C.int32_t {
		return truth(h.Sendable(sluice.QueueID(queue)))
	})
}

//export go_hiq_audit
func go_hiq_audit(handle C.sluice_hiq, failure *C.sluice_error) C.int32_t {
	return inspected(&queues, handle, failure, C.SLUICE_E_BROKEN, (*isolation).Audit)
}
