/*
 * symbol.h: the function that contains an address.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_SYMBOL_H
#define JOULEMARK_PRELOAD_SYMBOL_H

#include "core.h"

/* "SYMBOL+0xOFFSET", in C++ the demangled symbol; where no function is known there "FILE+0xOFFSET", and outside of
   all files "0x" and 16 digits. */
JM_HIDDEN void jm_symbol(const void *address, char *into, size_t room);

#endif
