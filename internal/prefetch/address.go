package prefetch

import "unsafe"

// Of returns the address that p holds.
func Of[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// Nth returns the address of an element, whether the slice has it or not.
func Nth[T any](s []T, i int32) uintptr {
	var element T
	return Of(unsafe.SliceData(s)) + uintptr(i)*unsafe.Sizeof(element)
}

// In returns the address that an interface holds, of whatever its dynamic type is a pointer to.
func In(i any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&i))[1] }
