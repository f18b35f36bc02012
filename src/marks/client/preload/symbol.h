/*
 * symbol.h: the function that contains an address.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_SYMBOL_H
#define JOULEMARK_PRELOAD_SYMBOL_H

#include "core.h"

/* "SYMBOL+0xOFFSET", in C++ the demangled symbol if this is asked for; where no function is known there
   "FILE+0xOFFSET", and outside of all files "0x" and 16 digits. @returns 1 where a function is known. */
JM_HIDDEN int jm_symbol(const void *address, int demangled, char *into, size_t room);

#endif
