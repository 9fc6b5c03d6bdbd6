package ratelimit

import (
	"syscall"
	"unsafe"
)

// useLargePages asks for large pages where a table is worth it.
func useLargePages(slots []slot) {
	const page = 2 << 20
	size := len(slots) * int(unsafe.Sizeof(slot{}))
	if size < 2*page {
		return
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(slots))), size) //nolint:gosec // G103: the same memory, to name it to the kernel
	_ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE)                             // without them it is slower and as right
}
