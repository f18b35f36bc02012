/*
 * hide.h: takes names of ours out of the table of dynamic symbols, before anything that is loaded later
 * is bound to them: programs test whether a function exists, and do otherwise without it.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_HIDE_H
#define JOULEMARK_PRELOAD_HIDE_H

#include "core.h"

/* Hides every name of this library for which `is_hidden` returns true; from a constructor. */
JM_HIDDEN void jm_hide(int (*is_hidden)(const char *name));

#endif /* JOULEMARK_PRELOAD_HIDE_H */
