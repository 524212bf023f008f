package main

// #include "cgo.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/sluicefc/sluice"
)

type fault struct {
	code C.int32_t
	text string
}

func (f *fault) Error() string { return f.text }

// Faults of hooks, made once so that misuse costs nothing.
var (
	errHandle = &fault{C.SLUICE_E_HANDLE, "there is no such handle, or it was freed"}
	errNull   = &fault{C.SLUICE_E_ARGUMENT, "a pointer is null"}
	errPort   = &fault{C.SLUICE_E_ARGUMENT, "the machine has no such port"}
	errPacket = &fault{C.SLUICE_E_ARGUMENT,
		"the packet is null, or its path is no path"}
	errUnsupported = &fault{C.SLUICE_E_UNSUPPORTED, "the protocol has no such hook"}
	errLength      = &fault{C.SLUICE_E_ARGUMENT, "the length is more than SLUICE_MAX_LENGTH"}
	errOp          = &fault{C.SLUICE_E_ARGUMENT, "there is no such hook"}
)

// errDequeue are the faults of a Dequeue, by the reason of the machine.
var errDequeue = func() (faults [sluice.NumReasons]*fault) {
	for why := range faults {
		faults[why] = &fault{C.SLUICE_E_ARGUMENT, fmt.Sprintf("the packet cannot have been enqueued so, "+
			"or its queue is empty: %v", sluice.Reason(why))}
	}
	return faults
}()

// codeOf returns the code of an error. An error of no kind of its own has the code other.
func codeOf(err error, other C.int32_t) C.int32_t {
	var known *fault
	var frame *sluice.FrameError
	switch {
	case err == nil:
		return C.SLUICE_OK
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &frame):
		return C.SLUICE_E_FRAME
	}
	return other
}

// report writes an error for C and returns its code: see codeOf.
func report(into *C.sluice_error, err error, other C.int32_t) C.int32_t {
	code := codeOf(err, other)
	if into == nil {
		return code
	}
	into.code = code
	text := ""
	if err != nil {
		text = err.Error()
	}
	write((*C.char)(unsafe.Pointer(&into.text)), C.size_t(len(into.text)), text)
	return code
}

// write writes text for C, cut off if it is too long, and returns the room for all of it. A size
// may be any, as of a C that sets no bound: no byte beyond the text is touched.
func write(to *C.char, size C.size_t, text string) C.int64_t {
	all := C.size_t(len(text) + 1)
	if size = min(size, all); to != nil && size > 0 {
		room := unsafe.Slice((*byte)(unsafe.Pointer(to)), int(size))
		room[copy(room[:size-1], text)] = 0
	}
	return C.int64_t(all)
}

// guard runs what is no hook, and makes an error of a panic.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fault{C.SLUICE_E_INTERNAL, fmt.Sprint("internal error: ", p)}
		}
	}()
	return f()
}

// text returns a string of C. C counts it: Go looks for its end in blocks, beyond the end.
func text(s *C.sluice_text) string {
	if s == nil {
		return ""
	}
	n := C.strlen((*C.char)(unsafe.Pointer(s)))
	return strings.Clone(unsafe.String((*byte)(unsafe.Pointer(s)), int(n)))
}
