/*
 * samples.h: values of events that a program triggers, as TAU's user events and PerfStubs'
 * counters: count, sum, minimum, maximum and sum of squares go to the report at the process's end.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_SAMPLES_H
#define JOULEMARK_PRELOAD_SAMPLES_H

#include "core.h"

/* One more value of this name, of the dialect with this word. Of the attached. */
JM_HIDDEN void jm_sample(struct joulemark__thread *t, const char *dialect, const char *name,
                         double value);

#endif /* JOULEMARK_PRELOAD_SAMPLES_H */
