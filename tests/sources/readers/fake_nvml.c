/*
 * A stand-in for libnvidia-ml.so.1 with the same calls, for tests: two GPUs whose figures are known.
 *
 * Built in several forms: -DOLD lacks what came later, -DMIG has the first GPU split, -DNO_DRIVER
 * does not start, -DLOST loses the second GPU after some calls, -DRESET lets the energy start anew;
 * -DFATE=… is what becomes of the process at the 40th reading of an energy, -DBEGIN=… when it starts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "loud_library.h"

struct device {
  int index;
  unsigned calls;
};
static struct device devices[2] = {{0, 0}, {1, 0}};
static int started;

struct pci {
  char old[16];
  unsigned domain, bus, device, id, subsystem;
  char bus_id[32];
};
struct field {
  unsigned id, scope;
  long long timestamp, latency;
  unsigned type;
  int status;
  unsigned long long value;
};
struct memory {
  unsigned long long total, free, used;
};
struct use {
  unsigned gpu, memory;
};

int nvmlInit_v2(void) {
  loud("nvmlInit");
#ifdef NO_DRIVER
  return 9;
#else
#ifdef BEGIN
  BEGIN;
#endif
  started = 1;
  return 0;
#endif
}
int nvmlShutdown(void) { return started = 0; }

int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = 2;
  return started ? 0 : 1;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  if (index > 1) return 2;
  *device = &devices[index];
  return 0;
}
int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  snprintf(text, size, "550.1");
  return 0;
}
int nvmlDeviceGetName(struct device *d, char *text, unsigned size) {
  snprintf(text, size, "Fake GPU %d", d->index);
  return 0;
}
int nvmlDeviceGetUUID(struct device *d, char *text, unsigned size) {
  snprintf(text, size, "GPU-%d", d->index);
  return 0;
}
/* The second device sits on the lower bus: order is by address, not by the library's index. */
int nvmlDeviceGetPciInfo_v3(struct device *d, struct pci *info) {
  memset(info, 0, sizeof *info);
  info->bus = d->index == 0 ? 0x87 : 0x07;
  return 0;
}
int nvmlDeviceGetPowerUsage(struct device *d, unsigned *mw) {
  *mw = 250000 + 1000 * (unsigned)d->index;
  return 0;
}
int nvmlDeviceGetClockInfo(struct device *d, int kind, unsigned *mhz) {
  (void)d;
  *mhz = kind == 0 ? 1410 : 1593;
  return 0;
}
int nvmlDeviceGetTemperature(struct device *d, int sensor, unsigned *celsius) {
  *celsius = sensor == 0 ? 40 + (unsigned)d->index : 0;
  return 0;
}
int nvmlDeviceGetUtilizationRates(struct device *d, struct use *use) {
#ifdef MIG
  if (d->index == 0) return 3;
#else
  (void)d;
#endif
  use->gpu = 75;
  use->memory = 20;
  return 0;
}
int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *memory) {
  (void)d;
  memory->total = 85899345920ull;
  memory->used = 8589934593ull;
  memory->free = memory->total - memory->used;
  return 0;
}

#ifndef OLD
int nvmlDeviceGetMigMode(struct device *d, unsigned *current, unsigned *pending) {
#ifdef MIG
  *current = *pending = d->index == 0;
  return 0;
#else
  (void)d;
  *current = *pending = 0;
  return 3;
#endif
}
/* Above 2^32 mJ, and 1.5 J further at every call. */
int nvmlDeviceGetTotalEnergyConsumption(struct device *d, unsigned long long *mj) {
  d->calls++;
#ifdef FATE
  if (d->calls == 40) FATE;
#endif
#ifdef LOST
  if (d->index == 1 && d->calls > 3) return 15;
#endif
#ifdef RESET
  if (d->calls > 3) {
    *mj = 1500ull * d->calls;
    return 0;
  }
#endif
  *mj = 5000000000ull * (1 + (unsigned)d->index) + 1500ull * d->calls;
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(struct device *d, unsigned *mw) {
  (void)d;
  *mw = 400000;
  return 0;
}
int nvmlDeviceGetMaxClockInfo(struct device *d, int kind, unsigned *mhz) {
  (void)d;
  *mhz = kind == 0 ? 1980 : 1593;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *d, unsigned long long *bits) {
  (void)d;
  *bits = 0x4;
  return 0;
}
int nvmlDeviceGetPerformanceState(struct device *d, unsigned *state) {
  (void)d;
  *state = 0;
  return 0;
}
int nvmlDeviceGetFieldValues(struct device *d, int count, struct field *fields) {
  for (int i = 0; i < count; i++) {
    struct field *f = &fields[i];
    f->status = 3;
    if (f->id == 186 && f->scope == 0) {
      f->value = 260000 + 1000 * (unsigned)d->index;
      f->status = 0;
    }
  }
  return 0;
}
#endif
