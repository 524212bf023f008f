package main

import (
	"runtime"
	"syscall"
)

// adviseHugePages asks the kernel for pages of 2 MB for the heap that is still to come. The state
// of a large network is some megabytes that every event touches elsewhere; with pages of 4 KB much
// of a transmission is spent on looking up addresses. Where huge pages are for all ("always" in
// /sys/kernel/mm/transparent_hugepage/enabled) or for none, this changes nothing.
//
// The heap takes the lowest addresses that are free, so the advice is given for a large block,
// which is never touched, and goes back to the heap at once.
func adviseHugePages() {
	block := make([]byte, 256<<20)
	_ = syscall.Madvise(block, syscall.MADV_HUGEPAGE)
	runtime.KeepAlive(block)
	block = nil
	runtime.GC()
}
