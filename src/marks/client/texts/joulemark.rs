//! Marks what a program does for `joulemark run`. Compile joulemark_fortran.c, which takes names with
//! their length, and link its object before the C library (rustc puts it behind):
//! `cc -O2 -c joulemark_fortran.c`, `-C link-args="joulemark_fortran.o -lc"`.
//!
//!     mod joulemark;
//!     let _solve = joulemark::region("solve");    // until the end of the scope
//!     let request = joulemark::span("request");   // may be ended by any thread
//!
//! A region belongs to the thread that began it, so it cannot be sent to another one. A span has time
//! and count, and no energy of its own: for requests, transfers, and what `async` waits for. Without a
//! monitor every call does nothing.
//!
//! Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
#![allow(dead_code)]

use std::marker::PhantomData;

extern "C" {
    fn joulemark_fortran_begin(name: *const u8, length: usize);
    fn joulemark_fortran_end(name: *const u8, length: usize);
    fn joulemark_fortran_span_begin(name: *const u8, length: usize) -> i64;
    fn joulemark_fortran_span_end(span: i64);
    fn joulemark_fortran_epoch();
    fn joulemark_fortran_progress_init(units: u32);
    fn joulemark_fortran_progress_post();
}

/// A region; it ends where this goes out of scope, on its own thread.
#[must_use = "the region ends where this goes out of scope"]
pub struct Region<'a> {
    name: &'a str,
    thread: PhantomData<*const ()>,
}

/// Begins a region.
pub fn region(name: &str) -> Region<'_> {
    unsafe { joulemark_fortran_begin(name.as_ptr(), name.len()) };
    Region { name, thread: PhantomData }
}

impl Drop for Region<'_> {
    fn drop(&mut self) {
        unsafe { joulemark_fortran_end(self.name.as_ptr(), self.name.len()) };
    }
}

/// A span; it ends where this goes out of scope, on whatever thread.
#[must_use = "the span ends where this goes out of scope"]
pub struct Span(i64);

/// Begins a span, which others may overlap.
pub fn span(name: &str) -> Span {
    Span(unsafe { joulemark_fortran_span_begin(name.as_ptr(), name.len()) })
}

impl Drop for Span {
    fn drop(&mut self) {
        unsafe { joulemark_fortran_span_end(self.0) };
    }
}

/// Marks the begin of a time step.
pub fn epoch() {
    unsafe { joulemark_fortran_epoch() };
}

/// Announces so many units of work on all CPUs of the process.
pub fn progress_init(units: u32) {
    unsafe { joulemark_fortran_progress_init(units) };
}

/// One unit of work is done.
pub fn progress_post() {
    unsafe { joulemark_fortran_progress_post() };
}
