// Package joulemark marks what a program does for `joulemark run`, by cgo. Put this file and
// joulemark.h into a folder of your module, and import that folder.
//
//	defer joulemark.Region("solve")()            // this goroutine stays on its thread meanwhile
//	span := joulemark.SpanBegin("request")       // may end in any goroutine
//	defer span.End()
//
// A goroutine may go from thread to thread, and a region belongs to one: Region and Begin hold the
// goroutine to its thread until the region ends. What waits for others is better a span, which has
// time and count and no energy of its own. Without a monitor every call does nothing.
//
// Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
package joulemark

/*
#cgo CFLAGS: -O2
#include <stdlib.h>
#include "joulemark.h"
static int joulemark_go_active(void) { return getenv("JOULEMARK_SESSION") != NULL; }
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

var active = C.joulemark_go_active() != 0

// Names as C has them, each made once.
var names sync.Map

func name(text string) *C.char {
	known, ok := names.Load(text)
	if !ok {
		made := C.CString(text)
		if known, ok = names.LoadOrStore(text, made); ok {
			C.free(unsafe.Pointer(made))
		}
	}
	return known.(*C.char)
}

// Begin begins a region and holds the goroutine to its thread until End.
func Begin(region string) {
	if active {
		runtime.LockOSThread()
		C.joulemark_begin(name(region))
	}
}

// End ends a region in the goroutine that began it.
func End(region string) {
	if active {
		C.joulemark_end(name(region))
		runtime.UnlockOSThread()
	}
}

// Region begins a region; what it returns ends it.
func Region(region string) func() {
	Begin(region)
	return func() { End(region) }
}

// Epoch marks the begin of a time step.
func Epoch() {
	if active {
		C.joulemark_epoch()
	}
}

// A Span is a request, a transfer, a task: others may overlap it.
type Span struct{ number C.uint64_t }

// SpanBegin begins a span.
func SpanBegin(text string) Span {
	if !active {
		return Span{}
	}
	return Span{C.joulemark_span_begin(name(text))}
}

// End ends a span, in whatever goroutine.
func (span Span) End() {
	if span.number != 0 {
		C.joulemark_span_end(span.number)
	}
}

// SetInt sets a value that holds from here on.
func SetInt(key string, value int64) {
	if active {
		C.joulemark_set_int(name(key), C.int64_t(value))
	}
}

// SetFloat sets a value that holds from here on.
func SetFloat(key string, value float64) {
	if active {
		C.joulemark_set_double(name(key), C.double(value))
	}
}

// SetString sets a value that holds from here on.
func SetString(key, value string) {
	if active {
		C.joulemark_set_string(name(key), name(value))
	}
}
