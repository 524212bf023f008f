// Command capi is the library for programs in C and whatever calls C: go build -buildmode=c-archive
// or c-shared makes libsluice of it, and sluice.h is its interface, written by hand. sluice.hpp
// makes C++ of that, with nothing behind it but sluice.h.
//
// It is a module of its own, so that the library needs no C compiler: ./build makes both libraries,
// make install puts them where C compilers look, go test drives them.
//
// # Rules
//
// A handle is an index into a table, with a generation, so that a handle that was freed is refused.
// C keeps no pointer of Go's and Go none of C's: packets and frames are C's memory, which a hook
// reads and writes while it runs. sluice_packet, sluice_path and sluice_flow have the layout of
// their Go twins, so that nothing is copied; layout.go and the header assert it on either side.
//
// Function sluice_x of the header is in guard.c, and calls go_x, which Go exports: only C can tell
// that the process is a child of fork before Go hangs in it.
//
// What a caller can get wrong is checked here, as hooks of machines take it as given: the port, the
// ends of a path, null pointers. A panic cannot cross into C: functions that are not hooks catch
// it, and hooks have none.
package main

func main() {}
